internal import Dispatch
internal import Files
internal import JPEGCoding
internal import JPEGIndexing
internal import Platform
internal import Resampling
internal import Synchronization
internal import TilePyramid
internal import ViewportGeometry
internal import ViewportRendering

/// Writes a TIFF whose full resolution is copied from a JPEG, on all processors.
///
/// Level 1 is what libjpeg decodes at 1/2, and the others are averaged from the one before, in the color space and the
/// sampling of the JPEG: pixels are never converted. One row of tiles is held for each thread and level.
struct CopiedPyramid: Sendable {
    private let blocks: StoredBlocks
    private let pyramid: TiledPyramid
    private let output: TIFFPyramidFile
    /// The quality of the smaller levels.
    private let quality: Int
    private let waiting = HalfRows()

    /// Writes the file into a folder.
    ///
    /// - Parameter progress: receives the share that is done; throwing stops the work.
    /// - Throws: `JPEGIndexError` and `JPEGDecodingError` where the data is broken, `FileError`, or what `progress`
    ///   throws.
    static func write(
        _ blocks: StoredBlocks, _ pyramid: TiledPyramid, quality: Int, to folder: OutputFolder,
        _ progress: @escaping @Sendable (Double) throws -> Void
    ) throws -> ExportReport {
        let tiles = blocks.tiles
        func format(_ tables: [UInt8]) -> TIFFTileFormat {
            TIFFTileFormat(
                bands: tiles.components,
                coding: .jpeg(tables: tables, sampling: tiles.sampling, isRGB: tiles.isRGB))
        }
        let directories = TIFFDirectories(
            pyramid: pyramid, full: format(tiles.tables),
            reduced: format(try JPEGTileEncoder(tiles, quality: quality).tables), profile: blocks.profile)
        let output = try TIFFPyramidFile(folder.path(of: OutputPaths.mainName), directories)
        try CopiedPyramid(blocks: blocks, pyramid: pyramid, output: output, quality: quality).write(progress)
        try output.finish()
        try progress(1)
        return ExportReport(
            levels: pyramid.levels, tiles: pyramid.tileCount, cutTiles: pyramid.full.count,
            bytes: folder.size(of: OutputPaths.mainName))
    }

    private init(blocks: StoredBlocks, pyramid: TiledPyramid, output: TIFFPyramidFile, quality: Int) {
        (self.blocks, self.pyramid, self.output, self.quality) = (blocks, pyramid, output, quality)
    }

    /// Writes all tiles.
    private func write(_ progress: @escaping @Sendable (Double) throws -> Void) throws {
        let stop = FirstError()
        let isCancelled: @Sendable () -> Bool = { stop.catching { try progress(0) } == nil }
        let index = try stop.naming { try blocks.index(isCancelled: isCancelled) }
        let next = Atomic(0)
        let done = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: min(Self.threads, blocks.tiles.rows)) { _ in
            stop.catching {
                let encoder = try JPEGTileEncoder(blocks.tiles, quality: quality)
                let decoder = try JPEGDecoder()
                while !stop.hasError {
                    let row = next.wrappingAdd(1, ordering: .relaxed).oldValue
                    guard row < blocks.tiles.rows else { return }
                    try write(row, index, decoder, encoder, isCancelled: { stop.hasError })
                    let count = done.wrappingAdd(1, ordering: .relaxed).newValue
                    try progress(Double(count) / Double(blocks.tiles.rows))
                }
            }
        }
        try stop.rethrow()
    }

    private static var threads: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Copies a row of tiles, and decodes it for the next level.
    private func write(
        _ row: Int, _ index: JPEGIndex, _ decoder: borrowing JPEGDecoder,
        _ encoder: borrowing JPEGTileEncoder,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws {
        let stored = try blocks.tiles.row(row, of: blocks.file, index, isCancelled: isCancelled)
        for (column, tile) in stored.tiles.enumerated() {
            try output.append(tile, of: TilePosition(level: 0, column: column, row: row))
        }
        guard pyramid.levels.count > 1 else { return }
        var half = planes(ofLevel: 1, rows: blocks.tiles.side / 2)
        try decoder.decodeHalf(stored.strip, into: &half)
        try add(half, toLevel: 1, row: row / 2, isLower: row % 2 == 1, encoder)
    }

    /// Planes for rows of a level, as wide as its tiles.
    private func planes(ofLevel level: Int, rows: Int) -> SamplePlanes {
        SamplePlanes(
            width: pyramid.levels[level].columns * pyramid.full.tileSize, height: rows,
            count: blocks.tiles.components, sampling: blocks.tiles.sampling)
    }

    /// Encodes a row of tiles when both of its halves are there, and continues with the next level.
    private func add(
        _ half: SamplePlanes, toLevel level: Int, row: Int, isLower: Bool,
        _ encoder: borrowing JPEGTileEncoder
    ) throws {
        let size = pyramid.levels[level].size
        let side = pyramid.full.tileSize
        let isAlone = !isLower && size.height - row * side <= side / 2
        let position = TilePosition(level: level, column: 0, row: row)
        guard let other = isAlone ? half : waiting.partner(of: half, at: position) else { return }
        var whole = planes(ofLevel: level, rows: side)
        whole.copyRows(of: isLower ? other : half, to: 0)
        if !isAlone { whole.copyRows(of: isLower ? half : other, to: side / 2) }
        whole.repeatEdges(width: size.width, height: min(side, size.height - row * side))
        for column in 0..<pyramid.levels[level].columns {
            let tile = try encoder.tile(of: whole, column: column * side)
            try output.append(tile, of: TilePosition(level: level, column: column, row: row))
        }
        guard level + 1 < pyramid.levels.count else { return }
        var next = planes(ofLevel: level + 1, rows: side / 2)
        next.halve(whole)
        try add(next, toLevel: level + 1, row: row / 2, isLower: row % 2 == 1, encoder)
    }
}

/// Halves of rows of tiles that wait for their other half.
private final class HalfRows: Sendable {
    private let halves = Mutex([TilePosition: SamplePlanes]())

    /// Returns the other half of a row of tiles; nil where it is not there yet, and `half` waits for it.
    func partner(of half: SamplePlanes, at row: TilePosition) -> SamplePlanes? {
        halves.withLock { halves in
            if let other = halves.removeValue(forKey: row) { return other }
            halves[row] = half
            return nil
        }
    }
}

/// The first error of work on several threads.
private final class FirstError: Sendable {
    private let first = Mutex<(any Error)?>(nil)

    var hasError: Bool { first.withLock { $0 != nil } }

    /// Returns the result of work; nil where it fails.
    @discardableResult
    func catching<R>(_ body: () throws -> R) -> R? {
        do {
            return try body()
        } catch {
            first.withLock { $0 = $0 ?? error }
            return nil
        }
    }

    /// Runs work that fails because of the first error, if there is one.
    func naming<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch {
            try rethrow()
            throw error
        }
    }

    func rethrow() throws {
        if let error = first.withLock({ $0 }) { throw error }
    }
}

extension JPEGTileEncoder {
    /// The encoder for the smaller levels of a JPEG.
    fileprivate init(_ tiles: JPEGTiles, quality: Int) throws(JPEGEncodingError) {
        try self.init(
            side: tiles.side, count: tiles.components, sampling: tiles.sampling, isRGB: tiles.isRGB,
            quality: quality)
    }
}

extension SamplePlanes {
    /// Copies all rows of planes of the same width to the rows from `start` on.
    fileprivate mutating func copyRows(of other: SamplePlanes, to start: Int) {
        for plane in 0..<count {
            let rows = other.size(of: plane).height
            let first = plane == 0 ? start : start / sampling.down
            samples.replaceSubrange(
                row(first, of: plane).lowerBound..<row(first + rows - 1, of: plane).upperBound,
                with: other.samples[
                    other.row(0, of: plane).lowerBound..<other.row(rows - 1, of: plane).upperBound])
        }
    }

    /// Fills what is outside of an image with its last column and row.
    fileprivate mutating func repeatEdges(width: Int, height: Int) {
        for plane in 0..<count {
            let (across, down) = plane == 0 ? (1, 1) : sampling
            let columns = min((width + across - 1) / across, size(of: plane).width)
            let rows = min((height + down - 1) / down, size(of: plane).height)
            for y in 0..<rows {
                let row = row(y, of: plane)
                let last = samples[row.lowerBound + columns - 1]
                for index in (row.lowerBound + columns)..<row.upperBound { samples[index] = last }
            }
            let last = samples[row(rows - 1, of: plane)]
            for y in rows..<size(of: plane).height { samples.replaceSubrange(row(y, of: plane), with: last) }
        }
    }

    /// Sets the first columns of all rows to the means of planes with twice the rows.
    fileprivate mutating func halve(_ other: SamplePlanes) {
        for plane in 0..<count {
            let halver = RowHalver(
                width: other.size(of: plane).width,
                layout: SampleLayout(type: .uint8, bands: 1, hasAlpha: false))
            var half = [UInt8](repeating: 0, count: halver.halfBytes)
            for y in 0..<size(of: plane).height {
                let start = row(y, of: plane).lowerBound
                other.samples.withRow(other.row(2 * y, of: plane)) { upper in
                    other.samples.withRow(other.row(2 * y + 1, of: plane)) { lower in
                        halver.halve(upper, lower, into: &half) { _ in }
                    }
                }
                samples.replaceSubrange(start..<(start + half.count), with: half)
            }
        }
    }
}
