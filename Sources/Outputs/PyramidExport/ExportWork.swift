internal import Containers
internal import Files
internal import Synchronization
internal import TilePyramid
internal import ViewportGeometry
internal import ViewportRendering

/// One export: what it reads, what it writes, and what is done with each tile.
struct ExportWork {
    let options: ExportOptions
    let file: ImageFile
    let source: ConvertedRows
    /// Level 1, where the file has it and all of level 0 is copied.
    let half: ConvertedRows?
    let folder: OutputFolder
    let cutter: (any TileCutter)?

    /// The size of the image as it is seen.
    var size: PixelSize<UprightGrid> { file.orientation.uprightSize(source.size) }

    /// Makes all files in the hidden folder.
    ///
    /// - Parameter name: what an archive will be called: the folder in it has the same name.
    func run(
        archived name: String, _ progress: @escaping @Sendable (Double) throws -> Void
    ) throws -> ExportReport {
        let main = OutputPaths.mainName
        switch options.layout {
        case .tif:
            return try writeTIFF(progress)
        case .dz, .zip:
            let descriptor = DeepZoomDescriptor(
                size: size, tileSize: options.tileSize, overlap: options.overlap,
                format: options.format.rawValue)
            guard options.layout == .zip else {
                return try writeTiles(descriptor.pyramid, main, descriptor.text, progress) { key in
                    ["\(OutputPaths.tilesName)/\(descriptor.path(key))"]
                }
            }
            let stem = String(name.dropLast(name.hasSuffix(".zip") || name.hasSuffix(".szi") ? 4 : 0))
            let archive = try TileArchive(folder.path(of: main))
            let report = try writeTiles(
                descriptor.pyramid, "\(stem)/\(stem).dzi", descriptor.text, into: archive, progress
            ) { key in ["\(stem)/\(stem)_files/\(descriptor.path(key))"] }
            try archive.finish()
            try FileMark.append(to: folder.path(of: main), .zip)
            return report
        case .cube:
            preconditionFailure("CubeWork makes cubes")
        case .zoomify:
            let properties = ZoomifyProperties(size: size, tileSize: options.tileSize)
            let names = ZoomifyNames(properties.pyramid)
            let format = options.format.rawValue
            let descriptor = "\(main)/ImageProperties.xml"
            return try writeTiles(properties.pyramid, descriptor, properties.text, progress) { key in
                ["\(main)/\(names.path(key, format: format))"]
            }
        case .iiif:
            let site = IIIFSite(
                size: size, tileSize: options.tileSize, format: options.format.rawValue,
                longestSide: options.format.longestSide)
            var described = site.information(id: options.id)
            described.panorama = file.panoramaFacts
            let information = described.text
            return try writeTiles(site.pyramid, "\(main)/info.json", information, site: site, progress) {
                site.addresses($0).map { "\(main)/\($0.path)" }
            }
        }
    }

    /// Reads the image once; writes each tile under its names, the descriptor, and IIIF's whole pictures.
    private func writeTiles(
        _ pyramid: TiledPyramid, _ descriptor: String, _ text: String, site: IIIFSite? = nil,
        into archive: TileArchive? = nil,
        _ progress: @escaping @Sendable (Double) throws -> Void,
        names: @escaping @Sendable (TilePosition) -> [String]
    ) throws -> ExportReport {
        let whole = site.map { site in site.wholeLevels.filter { site.pyramid.levels[$0].count > 1 } } ?? []
        let exact = options.isExact ? ExactTiles(file, pyramid) : nil
        let writer = TileWriter(
            options: options, orientation: file.orientation, samples: source.samples, folder: folder,
            archive: archive, cutter: cutter, exact: exact, names: names)
        var isCopied = false
        if let site, whole.first == 0, exact == nil {
            isCopied = try writer.copyWhole(wholeNames(site, 0)) { try progress(0) }
        }
        let areas = whole.map { level in
            isCopied && level == 0
                ? 0 : Double(pyramid.levels[level].size.area) / Double(pyramid.full.size.area)
        }
        let reporter = ExportProgress(weights: [1] + areas, progress)
        let averaged = whole.filter { exact?.makesWhole($0) != true && !(isCopied && $0 == 0) }
        // Pixels of full resolution are needed only where they are encoded.
        let half = averaged.first == 0 || pyramid.levels.count < 2 ? nil : half
        let rows = half ?? source
        let workers = TileWorkers()
        do {
            var pixelFiles: [Int: RowFile] = [:]
            if half != nil { try copyTiles(of: pyramid.full, writer, workers) { try progress(0) } }
            let builder = try LevelBuilder(
                half == nil ? 0 : 1, of: pyramid, file.orientation, source.samples
            ) { level in
                guard averaged.contains(level), !writer.joinsTiles(ofLevel: level) else { return nil }
                pixelFiles[level] = try RowFile(folder.path(of: "level-\(level)"))
                return pixelFiles[level]
            } emit: { tile in
                try workers.submit { try writer.write(tile) }
            }
            var count = 0
            try rows.read { row in
                try builder.push(row)
                count += 1
                if count % 64 == 0 { try reporter.report(Double(count) / Double(rows.size.height), of: 0) }
            }
            try reporter.report(1, of: 0)
            try workers.finish()
            for (part, level) in whole.enumerated() where !(isCopied && level == 0) {
                let names = site.map { wholeNames($0, level) } ?? []
                guard averaged.contains(level) else {
                    try workers.submit { [options] in
                        if let exact { try writer.write(exact.whole(level, as: options.format), names) }
                        try reporter.report(1, of: part + 1)
                    }
                    continue
                }
                guard let rows = pixelFiles[level] else {
                    let grid = pyramid.levels[level]
                    try workers.submit {
                        try writer.joinTiles(of: grid, level: level, names) {
                            try reporter.report($0, of: part + 1)
                        }
                    }
                    continue
                }
                try rows.flush()
                let pixels = LevelPixelFile(
                    path: folder.path(of: "level-\(level)"), size: storedSize(pyramid.levels[level].size),
                    samples: source.samples, orientation: file.orientation)
                try workers.submit {
                    try writer.write(pixels, names) { try reporter.report($0, of: part + 1) }
                }
            }
            try workers.finish()
        } catch {
            workers.abandon()
            throw error
        }
        let bytes = Array(text.utf8)
        if let archive { try archive.add(bytes, descriptor) } else { try folder.write(bytes, to: descriptor) }
        return ExportReport(
            levels: pyramid.levels, tiles: pyramid.tileCount,
            cutTiles: writer.cutTiles.load(ordering: .relaxed),
            bytes: writer.bytes.load(ordering: .relaxed) + bytes.count)
    }

    /// The names of a whole level as one picture.
    private func wholeNames(_ site: IIIFSite, _ level: Int) -> [String] {
        site.addresses(ofLevel: level).map { "\(OutputPaths.mainName)/\($0.path)" }
    }

    /// Writes the tiles of full resolution, which are copied.
    ///
    /// - Parameter check: Called for each row of tiles; throwing stops the export.
    private func copyTiles(
        of grid: TileGrid, _ writer: TileWriter, _ workers: TileWorkers, _ check: () throws -> Void
    ) throws {
        for row in 0..<grid.rows {
            try check()
            for column in 0..<grid.columns {
                // Inside of the grid, and the image is upright.
                let rect = grid.rect(column: column, row: row)!
                let stored = PixelRect<StoredGrid>(
                    x: rect.x, y: rect.y, width: rect.width, height: rect.height)
                let key = TilePosition(level: 0, column: column, row: row)
                try workers.submit { [source] in
                    if try writer.copy(key, stored) { return }
                    // Decoding a file that changed gives the reason.
                    try writer.write(StoredTile(key: key, rect: stored, bytes: source.pixels(stored)))
                }
            }
        }
    }

    /// A level's size as its pixels are stored.
    func storedSize(_ size: PixelSize<UprightGrid>) -> PixelSize<StoredGrid> {
        file.orientation.transposes
            ? PixelSize(width: size.height, height: size.width)
            : PixelSize(width: size.width, height: size.height)
    }
}

extension ExportWork {
    /// Writes all levels as one tiled TIFF, in one pass over the image.
    func writeTIFF(_ progress: @escaping @Sendable (Double) throws -> Void) throws -> ExportReport {
        let pyramid = TiledPyramid(size: size, tileSize: options.tileSize, overlap: 0, depth: .oneTile)
        let codec = try TIFFTileCodec(
            source.samples, side: options.tileSize,
            quality: options.format == .jpg ? options.quality ?? TIFFTileCodec.usualQuality : nil)
        let output = try TIFFPyramidFile(
            folder.path(of: OutputPaths.mainName),
            TIFFDirectories(
                pyramid: pyramid, full: codec.format, reduced: codec.format,
                statements: TIFFStatements(of: file, options, isUnchanged: source.isUnchanged)))
        let workers = TileWorkers()
        let (samples, orientation) = (source.samples, file.orientation)
        do {
            let builder = try LevelBuilder(0, of: pyramid, orientation, samples) { _ in
                nil
            } emit: { tile in
                try workers.submit {
                    let picture = tile.picture(samples, orientation)
                    try output.append(codec.encode(picture.bytes, picture.size), of: tile.key)
                }
            }
            var rows = 0
            try source.read { row in
                try builder.push(row)
                rows += 1
                if rows % 64 == 0 { try progress(Double(rows) / Double(source.size.height)) }
            }
            try workers.finish()
        } catch {
            workers.abandon()
            throw error
        }
        try output.finish()
        try progress(1)
        return ExportReport(
            levels: pyramid.levels, tiles: pyramid.tileCount, cutTiles: 0,
            bytes: folder.size(of: OutputPaths.mainName))
    }
}

extension ImageFile {
    /// A packet of XMP that states the panorama of the file; nil where it is none.
    var panoramaPacket: [UInt8]? { panoramaTags?.packet(for: uprightSize) }
}

/// The tiles of smaller levels, and whole levels, as servers give them: each resampled from the file.
struct ExactTiles: Sendable {
    private let renderer: IIIFRenderer
    private let pyramid: TiledPyramid

    init(_ file: ImageFile, _ pyramid: TiledPyramid) {
        renderer = IIIFRenderer(file)
        self.pyramid = pyramid
    }

    /// The most pixels of a whole level that is made so: those that servers give, and that memory has room for.
    private static let mostPixels = 25_000_000

    /// Whether a whole level is small enough.
    func makesWhole(_ level: Int) -> Bool { pyramid.levels[level].size.area <= Self.mostPixels }

    /// A level as one picture.
    func whole(_ level: Int, as format: TileFormat) throws -> [UInt8] {
        let full = PixelRect<UprightGrid>(
            x: 0, y: 0, width: pyramid.full.size.width, height: pyramid.full.size.height)
        let size = pyramid.levels[level].size
        return try renderer.renderSynchronously(IIIFPicture(tile: full, size: size, format: format.rawValue))
    }

    /// - Precondition: the pyramid has the tile.
    func tile(_ key: TilePosition, as format: TileFormat) throws -> [UInt8] {
        guard let rect = pyramid.rect(key) else { preconditionFailure("the pyramid has no tile \(key)") }
        let region = TileRegion.region(of: rect, level: key.level, in: pyramid.full.size)
        return try renderer.renderSynchronously(
            IIIFPicture(tile: region, size: rect.size, format: format.rawValue))
    }
}

/// How far an export has come, told from several threads.
///
/// The parts of the work have weights; what the listener throws stops the export.
final class ExportProgress: Sendable {
    private let listener: @Sendable (Double) throws -> Void
    private let parts: Mutex<[Part]>

    private struct Part {
        var weight: Double
        var done: Double
    }

    init(weights: [Double], _ listener: @escaping @Sendable (Double) throws -> Void) {
        self.listener = listener
        parts = Mutex(weights.map { Part(weight: $0, done: 0) })
    }

    /// Notes the share of a part that is done, from 0 to 1.
    func report(_ share: Double, of part: Int) throws {
        let whole = parts.withLock { parts in
            parts[part].done = max(parts[part].done, share)
            let sum = parts.reduce(0) { $0 + $1.weight }
            return parts.reduce(0) { $0 + $1.weight * $1.done } / sum
        }
        try listener(whole)
    }
}
