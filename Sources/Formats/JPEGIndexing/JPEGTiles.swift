internal import Containers
package import Files
internal import ViewportGeometry

/// Divides a baseline JPEG into square tiles by copying its compressed data, as the tiles of a TIFF.
///
/// All coefficients are those of the file. Tiles are JPEGs without tables, which are the same for all of them and kept
/// once. Those at the right and bottom edge are filled up with uniform blocks. Source: Adobe's Photoshop TIFF technical
/// notes, compression 7.
package struct JPEGTiles: Sendable {
    /// The side of a tile in pixels.
    package let side: Int
    /// The tables of all tiles: a JPEG without a picture.
    package let tables: [UInt8]
    private let header: JPEGHeader
    /// The end of a block in each AC code.
    private let ends: [HuffmanCode.Word?]

    /// Returns nil where tiles of the side are not whole MCUs, or a TIFF cannot express the color space or sampling.
    package init?(_ header: JPEGHeader, side: Int) {
        let mcu = header.mcuSize
        let chroma = header.components.dropFirst()
        guard side > 0, side % mcu.width == 0, side % mcu.height == 0,
            header.components.count == 1 || header.components.count == 3,
            chroma.allSatisfy({ $0.horizontalSampling == 1 && $0.verticalSampling == 1 }),
            Self.samplings.contains([header.maximumHorizontal, header.maximumVertical])
        else { return nil }
        // One set of codes serves all tiles: it has a code for every difference that a tile may begin with.
        var header = header
        for component in header.components {
            guard header.dcCodes[component.dcTable]?.complete(0...11) == true,
                header.acCodes[component.acTable]?.complete(0...0) == true
            else { return nil }
        }
        self.header = header
        self.side = side
        tables = JPEGSegment.startOfImage + header.tables(header.dcCodes) + JPEGSegment.endOfImage
        ends = header.acCodes.map { $0?.word(0) }
    }

    /// Those that libtiff reads and TurboJPEG decodes into planes.
    private static let samplings = [[1, 1], [2, 1], [2, 2], [1, 2], [4, 1]]

    /// The components: 1 for gray, 3 for color.
    package var components: Int { header.components.count }

    /// The pixels across and down one sample of chroma.
    package var sampling: (across: Int, down: Int) { (header.maximumHorizontal, header.maximumVertical) }

    /// Whether the components are red, green and blue.
    package var isRGB: Bool { OverviewColor(header) == .rgb }

    /// The tiles of a row.
    package var columns: Int { (header.size.width + side - 1) / side }

    /// The rows of tiles.
    package var rows: Int { (header.size.height + side - 1) / side }

    /// The interval of an index whose checkpoints are the borders of tiles.
    package var indexInterval: Int { side / header.mcuSize.width }

    /// Returns the reader that copies tiles.
    ///
    /// - Throws: `JPEGIndexError.staleIndex` where the index belongs to another file, or lacks rows.
    package func reader(_ index: JPEGIndex) throws(JPEGIndexError) -> JPEGRegionReader {
        guard index.rows == header.mcuRows else { throw .staleIndex }
        return try JPEGRegionReader(header: header, index: index)
    }

    /// Reads a row of tiles.
    ///
    /// - Parameters:
    ///   - reader: That of these tiles.
    ///   - isCancelled: Called for each row of MCUs; once it returns true, the call throws as if the data ended.
    ///   - strip: Receives all MCUs of some rows of pixels as one JPEG, from the top, with their pixels outside of the
    ///     image: what else is to be made of them is then decoded once. `y` counts from the top of the tiles.
    ///   - tile: Receives the tiles, from the left; nil where only strips are needed.
    /// - Throws: `JPEGIndexError` where the data is broken or the index belongs to another file, or what the closures
    ///   throw.
    package func readRow(
        _ row: Int, of file: any RandomAccessBytes, _ reader: JPEGRegionReader,
        isCancelled: @escaping @Sendable () -> Bool,
        strip emitStrip: (_ y: Int, _ jpeg: [UInt8]) throws -> Void,
        tile emitTile: ((_ column: Int, _ jpeg: [UInt8]) throws -> Void)?
    ) throws {
        guard row >= 0, row < rows else { throw JPEGIndexError.outside }
        let window = ByteWindow(file, readAhead: JPEGRegionReader.readAhead, isCancelled: isCancelled)
        var tiles = (0..<(emitTile == nil ? 0 : columns)).map { _ in RunCopier(reader.scanner) }
        var strip = RunCopier(reader.scanner)
        let (across, down) = (side / header.mcuSize.width, side / header.mcuSize.height)
        let count = min(down, header.mcuRows - row * down)
        for y in 0..<count {
            try copy(row * down + y, to: &tiles, &strip, reader, window)
            let rows = y % Self.rowsOfStrip + 1
            guard rows == Self.rowsOfStrip || y == count - 1 else { continue }
            let size = PixelSize<StoredGrid>(
                width: header.mcusPerRow * header.mcuSize.width, height: rows * header.mcuSize.height)
            let head = JPEGSegment.startOfImage + header.tables(header.dcCodes) + header.frame(size)
            try emitStrip((y + 1 - rows) * header.mcuSize.height, strip.file(head))
            strip = RunCopier(reader.scanner)
        }
        let head = JPEGSegment.startOfImage + header.frame(PixelSize(width: side, height: side))
        for column in tiles.indices {
            tiles[column].appendUniform((down - count) * across, ends: ends)
            try emitTile?(column, tiles[column].file(head))
        }
    }

    /// The rows of MCUs of a strip, which is held in memory.
    private static let rowsOfStrip = 2

    /// Copies a row of MCUs.
    private func copy(
        _ row: Int, to tiles: inout [RunCopier], _ strip: inout RunCopier, _ reader: JPEGRegionReader,
        _ window: ByteWindow
    ) throws(JPEGIndexError) {
        let across = side / header.mcuSize.width
        try reader.load(window, row: row, columns: 0..<header.mcusPerRow)
        var cursor = try reader.cursor(window, row: row, column: 0)
        var start = cursor
        for column in tiles.indices {
            let end = min((column + 1) * across, header.mcusPerRow)
            guard header.restartInterval == 0 else {
                try tiles[column].append(end - column * across, from: &cursor)
                continue
            }
            let next = try reader.cursor(window, row: row, column: end, from: cursor)
            try tiles[column].append(from: cursor, to: next)
            cursor = next
        }
        if let last = tiles.indices.last {
            tiles[last].appendUniform(tiles.count * across - header.mcusPerRow, ends: ends)
        } else if header.restartInterval == 0 {
            cursor = try reader.cursor(window, row: row, column: header.mcusPerRow)
        }
        if header.restartInterval == 0 {
            try strip.append(from: start, to: cursor)
        } else {
            try strip.append(header.mcusPerRow, from: &start)
        }
    }
}

extension JPEGRegionReader {
    /// Passes the whole file without its metadata to a closure, piece by piece: the compressed data is not touched.
    ///
    /// - Throws: `JPEGIndexError.outside` where the index lacks rows, `brokenStream` where the data is broken or cannot
    ///   be read, or what `write` throws.
    package func copyWithoutMetadata(
        of file: any RandomAccessBytes, _ write: ([UInt8]) throws -> Void
    ) throws {
        guard index.rows == header.mcuRows else { throw JPEGIndexError.outside }
        let window = ByteWindow(file, readAhead: Self.readAhead)
        let last = try cursor(window, row: header.mcuRows - 1, column: header.mcusPerRow)
        let end = last.state.nextByte(in: window.data)
        try write(
            header.written(
                size: header.size, dcCodes: header.dcCodes, restartInterval: header.restartInterval,
                from: window, keeping: { _ in false }))
        for start in stride(from: header.dataStart, to: end, by: Self.pieceSize) {
            guard let piece = window.array(start..<min(start + Self.pieceSize, end)) else {
                throw JPEGIndexError.brokenStream(mcuRow: header.mcuRows - 1)
            }
            try write(piece)
        }
        try write(JPEGSegment.endOfImage)
    }

    private static var pieceSize: Int { 1 << 18 }
}

extension RunCopier {
    /// The bytes of a JPEG that begins with `header`.
    fileprivate consuming func file(_ header: [UInt8]) -> [UInt8] {
        var file = header
        finish(to: &file)
        file += JPEGSegment.endOfImage
        return file
    }
}

extension HuffmanCode {
    /// Adds codes for the values that have none; false where there is no room.
    fileprivate mutating func complete(_ values: ClosedRange<UInt8>) -> Bool {
        let known = Set(self.values)
        return values.allSatisfy { known.contains($0) || append($0) }
    }
}
