internal import Basics
internal import Files
internal import JPEGCoding
internal import JPEGIndexing
internal import Platform
internal import Resampling
internal import Synchronization
internal import TilePyramid
internal import ViewportGeometry
internal import ViewportRendering

/// Writes a TIFF of a baseline JPEG, on all processors.
///
/// Full resolution is copied without decoding, and level 1 is what libjpeg decodes at 1/2; or, where a quality is given,
/// full resolution is decoded and encoded again. The other levels are averaged from the one before. All have the color
/// space and the sampling of the JPEG: pixels are never converted. About one row of tiles is held for each thread and
/// level.
struct JPEGPyramid: Sendable {
    private let blocks: StoredBlocks
    private let pyramid: TiledPyramid
    private let output: TIFFPyramidFile
    /// The quality of the levels that are encoded.
    private let quality: Int
    /// The first of them: 1, or 0 where full resolution is not copied.
    private let firstEncoded: Int
    private let waiting = HalfRows()

    /// Writes the file into a folder.
    ///
    /// - Parameters:
    ///   - quality: the quality of all levels; nil to copy full resolution.
    ///   - statements: what the file says of the image.
    ///   - progress: receives the share that is done; throwing stops the work.
    /// - Throws: `JPEGIndexError` and `JPEGDecodingError` where the data is broken, `FileError`, or what `progress`
    ///   throws.
    static func write(
        _ blocks: StoredBlocks, _ pyramid: TiledPyramid, quality: Int?,
        _ statements: TIFFStatements, to folder: OutputFolder,
        _ progress: @escaping @Sendable (Double) throws -> Void
    ) throws -> ExportReport {
        let (tiles, isCopied) = (blocks.tiles, quality == nil)
        let quality = quality ?? TIFFTileCodec.usualQuality
        func format(_ tables: [UInt8]) -> TIFFTileFormat {
            TIFFTileFormat(
                bands: tiles.components,
                coding: .jpeg(tables: tables, sampling: tiles.sampling, isRGB: tiles.isRGB))
        }
        let encoded = format(try JPEGTileEncoder(tiles, quality: quality).tables)
        let output = try TIFFPyramidFile(
            folder.path(of: OutputPaths.mainName),
            TIFFDirectories(
                pyramid: pyramid, full: isCopied ? format(tiles.tables) : encoded, reduced: encoded,
                statements: statements, profile: blocks.profile))
        try Self(
            blocks: blocks, pyramid: pyramid, output: output, quality: quality, firstEncoded: isCopied ? 1 : 0
        ).write(progress)
        try output.finish()
        try progress(1)
        return ExportReport(
            levels: pyramid.levels, tiles: pyramid.tileCount, cutTiles: isCopied ? pyramid.full.count : 0,
            bytes: folder.size(of: OutputPaths.mainName))
    }

    private init(
        blocks: StoredBlocks, pyramid: TiledPyramid, output: TIFFPyramidFile, quality: Int, firstEncoded: Int
    ) {
        (self.blocks, self.pyramid, self.output) = (blocks, pyramid, output)
        (self.quality, self.firstEncoded) = (quality, firstEncoded)
    }

    /// Writes all tiles.
    private func write(_ progress: @escaping @Sendable (Double) throws -> Void) throws {
        let stop = FirstError()
        let isCancelled: @Sendable () -> Bool = { stop.catching { try progress(0) } == nil }
        let reader = try stop.naming { try blocks.tiles.reader(blocks.index(isCancelled: isCancelled)) }
        let next = Atomic(0)
        let done = Atomic(0)
        let rows = (blocks.tiles.rows + denominator - 1) / denominator
        Processors.run(threads: min(Self.threads, rows)) { _ in
            stop.catching {
                let encoder = try JPEGTileEncoder(blocks.tiles, quality: quality)
                let decoder = try JPEGDecoder()
                let level = min(firstEncoded, pyramid.levels.count - 1)
                var planes = planes(ofLevel: level, rows: blocks.tiles.side)
                while !stop.hasError {
                    let row = next.wrappingAdd(1, ordering: .relaxed).oldValue
                    guard row < rows else { return }
                    for part in 0..<denominator {
                        try read(
                            row * denominator + part, reader, decoder, to: &planes,
                            isCancelled: { stop.hasError })
                    }
                    if level == firstEncoded { try write(&planes, level: level, row: row, encoder) }
                    let count = done.wrappingAdd(1, ordering: .relaxed).newValue
                    try progress(Double(count) / Double(rows))
                }
            }
        }
        try stop.rethrow()
    }

    /// The denominator of the scale of the first level that is encoded.
    private var denominator: Int { 1 << firstEncoded }

    /// One for each processor; each needs about as much memory as a row of tiles.
    private static var threads: Int { min(Processors.count, 16) }

    /// Reads a row of tiles: copies them, if asked, and decodes them into their part of a row of the first level that
    /// is encoded.
    private func read(
        _ row: Int, _ reader: JPEGRegionReader, _ decoder: borrowing JPEGDecoder,
        to planes: inout SamplePlanes, isCancelled: @escaping @Sendable () -> Bool
    ) throws {
        guard row < blocks.tiles.rows else { return }
        let start = row % denominator * blocks.tiles.side / denominator
        func decode(_ y: Int, _ strip: [UInt8]) throws {
            guard firstEncoded < pyramid.levels.count else { return }
            try decoder.decode(
                strip, denominator: denominator, into: &planes, row: start + y / denominator)
        }
        func append(_ column: Int, _ tile: [UInt8]) throws {
            try output.append(tile, of: TilePosition(level: 0, column: column, row: row))
        }
        try blocks.tiles.readRow(
            row, of: blocks.file, reader, isCancelled: isCancelled, strip: decode,
            tile: firstEncoded > 0 ? append : nil)
    }

    /// Planes for rows of a level, as wide as its tiles.
    private func planes(ofLevel level: Int, rows: Int) -> SamplePlanes {
        SamplePlanes(
            width: pyramid.levels[level].columns * pyramid.full.tileSize, height: rows,
            count: blocks.tiles.components, sampling: blocks.tiles.sampling)
    }

    /// Encodes a row of tiles, and averages it for the next level, which continues when it has two such halves.
    private func write(
        _ planes: inout SamplePlanes, level: Int, row: Int, _ encoder: borrowing JPEGTileEncoder
    ) throws {
        let side = pyramid.full.tileSize
        let grid = pyramid.levels[level]
        planes.repeatEdges(width: grid.size.width, height: min(side, grid.size.height - row * side))
        for column in 0..<grid.columns {
            let tile = try encoder.tile(of: planes, column: column * side)
            try output.append(tile, of: TilePosition(level: level, column: column, row: row))
        }
        guard level + 1 < pyramid.levels.count else { return }
        var half = self.planes(ofLevel: level + 1, rows: side / 2)
        half.halve(planes)
        let below = TilePosition(level: level + 1, column: 0, row: row / 2)
        let isAlone = row % 2 == 0 && row + 1 == grid.rows
        guard let other = isAlone ? half : waiting.partner(of: half, at: below) else { return }
        var whole = self.planes(ofLevel: level + 1, rows: side)
        whole.copyRows(of: row % 2 == 0 ? half : other, to: 0)
        if !isAlone { whole.copyRows(of: row % 2 == 0 ? other : half, to: side / 2) }
        try write(&whole, level: level + 1, row: row / 2, encoder)
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
