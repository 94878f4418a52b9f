private import Dispatch
internal import Files
internal import JPEGIndexing
internal import Synchronization
internal import TilePyramid
internal import ViewportGeometry
internal import ViewportRendering
internal import Vips

/// Encodes tiles and writes them to files; can be used by several threads concurrently.
final class TileWriter: Sendable {
    private let options: ExportOptions
    private let orientation: Orientation
    private let samples: ConvertedSamples
    private let folder: OutputFolder
    private let archive: TileArchive?
    private let cutter: (any TileCutter)?
    private let exact: ExactTiles?
    private let names: @Sendable (TilePosition) -> [String]
    private let encoder: PictureEncoder

    /// The size of all files so far in bytes.
    let bytes = Atomic(0)
    /// The number of tiles that were cut instead of encoded.
    let cutTiles = Atomic(0)

    init(
        options: ExportOptions, orientation: Orientation, samples: ConvertedSamples, folder: OutputFolder,
        archive: TileArchive?, cutter: (any TileCutter)?, exact: ExactTiles?,
        names: @escaping @Sendable (TilePosition) -> [String]
    ) {
        self.options = options
        self.orientation = orientation
        self.samples = samples
        self.folder = folder
        self.archive = archive
        self.cutter = cutter
        self.exact = exact
        self.names = names
        var encoder = PictureEncoder(options.format.pictureFormat, quality: options.quality)
        encoder.threads = 1
        self.encoder = encoder
    }

    /// Copies a tile of full resolution; returns false where it has to be encoded.
    func copy(_ key: TilePosition, _ rect: PixelRect<StoredGrid>) throws -> Bool {
        guard key.level == 0, let cut = cutter?.tile(rect, size: rect.size) else { return false }
        try write(cut, names(key))
        cutTiles.wrappingAdd(1, ordering: .relaxed)
        return true
    }

    /// Copies the image at full resolution; returns false where it has to be encoded.
    ///
    /// - Parameter check: Called again and again; throwing stops the copy.
    func copyWhole(_ names: [String], _ check: () throws -> Void) throws -> Bool {
        guard let cutter else { return false }
        if let parent = FilePath(names[0]).parent { try folder.makeFolder(parent.text) }
        do {
            let output = try RowFile(folder.path(of: names[0]), isOutput: true)
            let isStored = try cutter.copyWhole { piece in
                try check()
                try output.append(piece)
            }
            guard isStored else { return false }
            try output.flush()
        } catch is JPEGIndexError {
            // Decoding gives the reason.
            return false
        }
        try finish(names, folder.size(of: names[0]))
        return true
    }

    func write(_ tile: StoredTile) throws {
        if try copy(tile.key, tile.rect) { return }
        let file: [UInt8]
        if tile.key.level > 0, let exact {
            file = try exact.tile(tile.key, as: options.format)
        } else {
            file = try encoder.encodeSynchronously(tile.picture(samples, orientation))
        }
        try write(file, names(tile.key))
    }

    /// Writes a file under all of its names.
    func write(_ file: [UInt8], _ names: [String]) throws {
        guard let archive else {
            try folder.write(file, to: names[0])
            return try finish(names, file.count)
        }
        try archive.add(file, names[0])
        bytes.wrappingAdd(file.count, ordering: .relaxed)
    }

    /// Whether the picture of a whole level is joined from its tiles: where all of them were encoded alike, in whole
    /// blocks of the larger of the two sampling modes.
    func joinsTiles(ofLevel level: Int) -> Bool {
        options.format == .jpg && options.tileSize % 16 == 0 && exact == nil && (level > 0 || cutter == nil)
    }

    /// Joins the tiles of a level, which have been written, into one picture.
    func joinTiles(
        of grid: TileGrid, level: Int, _ names: [String], progress: (Double) throws -> Void
    ) throws {
        if let parent = FilePath(names[0]).parent { try folder.makeFolder(parent.text) }
        let output = try RowFile(folder.path(of: names[0]), isOutput: true)
        do {
            let size = PixelSize<StoredGrid>(width: grid.size.width, height: grid.size.height)
            try JPEGMosaic(size: size, side: grid.tileSize).join { column, row in
                if column == 0 { try progress(Double(row) / Double(grid.rows)) }
                let key = TilePosition(level: level, column: column, row: row)
                return try InputFile.contents(folder.path(of: self.names(key)[0]))
            } write: { piece in
                try output.append(piece)
            }
        } catch let error as JPEGIndexError {
            throw RenderingError.cannotEncode(format: "jpg", detail: error.description)
        }
        try output.flush()
        try finish(names, folder.size(of: names[0]))
        try progress(1)
    }

    /// Writes a whole level as one picture, and removes its temporary pixels.
    func write(
        _ pixels: LevelPixelFile, _ names: [String], progress: @escaping @Sendable (Double) throws -> Void
    )
        throws
    {
        let format = options.format.pictureFormat
        var arguments: [String: VipsArgument] = ["strip": .bool(true)]
        if let quality = options.quality, options.format != .png { arguments["Q"] = .int(quality) }
        let name = names[0]
        if let parent = FilePath(name).parent { try folder.makeFolder(parent.text) }
        try pixels.save(
            folder.path(of: name), with: format.saver, arguments, format: format, progress)
        pixels.remove()
        try finish(names, folder.size(of: name))
    }

    private func finish(_ names: [String], _ count: Int) throws {
        for other in names.dropFirst() { try folder.link(names[0], as: other) }
        bytes.wrappingAdd(count, ordering: .relaxed)
    }
}

/// Two threads that encode and write tiles while a third reads.
///
/// The number of waiting tiles is limited: producers wait, so that memory stays bounded.
final class TileWorkers: Sendable {
    private let queues = (0..<2).map { DispatchQueue(label: "viewport.tiles.\($0)") }
    private let turn = Atomic(0)
    private let slots = DispatchSemaphore(value: 32)
    private let group = DispatchGroup()
    private let failure = Mutex<(any Error)?>(nil)

    /// Adds work; waits while the queue is full.
    ///
    /// - Throws: the first error of earlier work.
    func submit(_ work: @escaping @Sendable () throws -> Void) throws {
        slots.wait()
        do {
            try check()
        } catch {
            slots.signal()
            throw error
        }
        let queue = queues[turn.wrappingAdd(1, ordering: .relaxed).oldValue % queues.count]
        queue.async(group: group) { [self] in
            defer { slots.signal() }
            // After an error all further work is dropped.
            guard failure.withLock({ $0 == nil }) else { return }
            do {
                try work()
            } catch {
                failure.withLock { $0 = $0 ?? error }
            }
        }
    }

    /// Waits for all work.
    ///
    /// - Throws: the first error.
    func finish() throws {
        group.wait()
        try check()
    }

    /// Waits for running work and drops the rest.
    func abandon() {
        failure.withLock { $0 = $0 ?? CancellationError() }
        group.wait()
    }

    private func check() throws {
        if let error = failure.withLock({ $0 }) { throw error }
    }
}

/// The pixels of a whole level in a temporary file without a header, in stored orientation.
struct LevelPixelFile: Sendable {
    let path: String
    let size: PixelSize<StoredGrid>
    let samples: ConvertedSamples
    let orientation: Orientation

    /// Writes the level upright with one of libvips' savers; memory does not depend on its size.
    ///
    /// - Parameter progress: receives the share that is done; throwing stops the saver.
    func save(
        _ output: String, with saver: String, _ arguments: [String: VipsArgument], format: PictureFormat,
        _ progress: @escaping @Sendable (Double) throws -> Void
    ) throws {
        do {
            let image = try VipsImage.rawFile(
                path, size: size, bands: samples.bands, interpretation: samples.interpretation, threads: 1)
            try image.turned(orientation).save(
                output, with: saver, arguments, from: path, progress: progress)
        } catch let error as VipsError {
            throw RenderingError.cannotEncode(format: format.rawValue, detail: error.log)
        }
    }

    /// Removes the pixels.
    func remove() { OutputFile.remove(path) }
}

/// Saving that stops when its progress handler throws.
extension VipsImage {
    /// Writes the image with one of libvips' savers; memory does not depend on its size.
    ///
    /// - Parameters:
    ///   - path: the file that has the pixels.
    ///   - progress: receives the share that is done; an error that it throws stops the saver and is rethrown.
    /// - Throws: `RenderingError.damaged` where the pixels cannot be read, `FileError`, or what `progress` throws.
    func save(
        _ output: String, with saver: String, _ arguments: [String: VipsArgument], from path: String,
        progress: @escaping @Sendable (Double) throws -> Void
    ) throws {
        let failSafe = FailSafeSource()
        let stop = Stop()
        do throws(VipsError) {
            try self.failSafe(failSafe).save(output, with: saver, arguments) { share in
                guard stop.reason.withLock({ $0 == nil }) else { return true }
                do {
                    try progress(share)
                } catch {
                    stop.reason.withLock { $0 = error }
                    failSafe.stop()
                }
                return true
            }
        } catch {
            // Limits of the format were checked before, so the cause is the disk.
            throw FileError.unwritable(error.log.isEmpty ? "the disk may be full" : error.log)
        }
        if let reason = stop.reason.withLock({ $0 }) { throw reason }
        if let failure = failSafe.failure {
            throw RenderingError.damaged(file: path, detail: failure.log)
        }
        try progress(1)
    }
}

/// The reason why a saver was stopped.
private final class Stop: Sendable {
    let reason = Mutex<(any Error)?>(nil)
}
