import Files
import JPEGIndexing
import TestSupport
import Testing
import ViewportGeometry

@Suite("Tiles copied from a JPEG")
struct TileTests {
    /// The rows of tiles of a file, and the strips of all rows; nil where it cannot be divided.
    private static func copies(_ file: [UInt8], side: Int, interval: Int? = nil, hasTiles: Bool = true) throws
        -> (
            tiles: JPEGTiles, rows: [[[UInt8]]], strips: [[UInt8]]
        )?
    {
        let opened = try OpenFile(bytes: file, name: "test.jpg")
        let header = try JPEGHeader(opened)
        guard let tiles = JPEGTiles(header, side: side) else { return nil }
        let index = try JPEGIndex(opened, header: header, interval: interval ?? tiles.indexInterval)
        var strips: [[UInt8]] = []
        let rows = try (0..<tiles.rows).map { row in
            var copied: [[UInt8]] = []
            var rowsOfStrips = 0
            let add: (Int, [UInt8]) -> Void = { copied.append($1) }
            try tiles.readRow(
                row, of: opened, tiles.reader(index), isCancelled: { false },
                strip: { y, strip in
                    #expect(y == rowsOfStrips)
                    rowsOfStrips += try JPEGHeader(strip).size.height
                    strips.append(strip)
                }, tile: hasTiles ? add : nil)
            return copied
        }
        return (tiles, rows, strips)
    }

    @Test(
        "have its coefficients, as have the strips of a row, and uniform blocks outside of it",
        arguments: RegionTests.files)
    func coefficients(_ maker: JPEGMaker) throws {
        let file = maker.file
        let source = try #require(Coefficients(file))
        for side in [32, 96] {
            guard let (tiles, rows, jpegs) = try Self.copies(file, side: side) else { continue }
            let strips = try jpegs.map { try #require(Coefficients($0)) }
            #expect(try jpegs == Self.copies(file, side: side, hasTiles: false)?.strips)
            for (index, component) in source.components.enumerated() {
                #expect(strips.flatMap { $0.components[index].blocks } == component.blocks)
            }
            #expect(rows.allSatisfy { $0.count == tiles.columns })
            for (row, column) in rows.indices.flatMap({ row in (0..<tiles.columns).map { (row, $0) } }) {
                let stream = tiles.tables.dropLast(2) + rows[row][column].dropFirst(2)
                let tile = try #require(Coefficients(Array(stream)))
                #expect((tile.width, tile.height) == (side, side))
                for (part, whole) in zip(tile.components, source.components) {
                    #expect((part.across, part.down) == (whole.across, whole.down))
                    let (x, y) = (column * part.columns, row * (part.blocks.count / part.columns))
                    #expect(Self.copies(part, of: whole, x, y), "\(column), \(row) of \(side)")
                }
            }
        }
    }

    /// Whether a tile has the blocks of an image from a position on, and outside of it blocks without AC coefficients.
    private static func copies(
        _ part: Coefficients.Component, of whole: Coefficients.Component, _ x: Int, _ y: Int
    ) -> Bool {
        part.blocks.enumerated().allSatisfy { number, block in
            let (column, row) = (x + number % part.columns, y + number / part.columns)
            guard column < whole.columns, row < whole.blocks.count / whole.columns else {
                return block.dropFirst().allSatisfy { $0 == 0 }
            }
            return block == whole.blocks[row * whole.columns + column]
        }
    }

    @Test("are the same with any number of checkpoints", arguments: [1, 3, 64, 1000])
    func checkpoints(_ interval: Int) throws {
        for maker in RegionTests.files.prefix(6) {
            let reference = try Self.copies(maker.file, side: 32)
            let other = try Self.copies(maker.file, side: 32, interval: interval)
            #expect(reference?.rows == other?.rows)
        }
    }

    @Test("exist where a TIFF can hold them, and tiles are whole blocks")
    func supported() throws {
        let names = ["4:2:0", "4:2:2", "4:4:0", "4:1:1", "4:4:4", "gray", "gray as 2x2"]
        for (name, sampling) in RegionTests.samplings {
            let count = sampling.count
            let maker = JPEGMaker(
                name: name, sampling: sampling, adobe: count == 4 ? 2 : nil, hasJFIF: count < 4)
            let tiles = JPEGTiles(try JPEGHeader(maker.file), side: 256)
            #expect((tiles != nil) == names.contains(name), "\(name)")
            #expect(tiles.map { $0.sampling == sampling[0] || count == 1 } != false, "\(name)")
        }
        let header = try JPEGHeader(JPEGMaker(name: "4:2:0").file)
        #expect([16, 48].allSatisfy { JPEGTiles(header, side: $0) != nil })
        #expect([-16, 0, 8, 40].allSatisfy { JPEGTiles(header, side: $0) == nil })
    }

    @Test("say whether they are red, green and blue")
    func colors() throws {
        func isRGB(_ ids: [UInt8], adobe: UInt8?) throws -> Bool? {
            let maker = JPEGMaker(
                name: "RGB", sampling: [(1, 1), (1, 1), (1, 1)], ids: ids, adobe: adobe, hasJFIF: false)
            return JPEGTiles(try JPEGHeader(maker.file), side: 16)?.isRGB
        }
        #expect(try isRGB(Array("RGBK".utf8), adobe: nil) == true)
        #expect(try isRGB([1, 2, 3, 4], adobe: 0) == true)
        #expect(try isRGB([1, 2, 3, 4], adobe: 1) == false)
    }

    @Test("are refused where the data ends early, the index is of another file, or the reader is cancelled")
    func broken() throws {
        let file = JPEGMaker(name: "4:2:0", width: 300, height: 300).file
        let opened = try OpenFile(bytes: file, name: "test.jpg")
        let header = try JPEGHeader(opened)
        let tiles = try #require(JPEGTiles(header, side: 64))
        let index = try JPEGIndex(opened, header: header)
        let short = try OpenFile(bytes: file.prefix(file.count / 2), name: "short.jpg")
        func copy(
            _ row: Int, of file: OpenFile, _ index: JPEGIndex, isCancelled: Bool = false
        ) throws {
            try tiles.readRow(
                row, of: file, tiles.reader(index), isCancelled: { isCancelled }, strip: { _, _ in },
                tile: { _, _ in })
        }
        #expect(throws: JPEGIndexError.self) { try copy(4, of: short, index) }
        #expect(throws: JPEGIndexError.self) { try copy(0, of: opened, index, isCancelled: true) }
        let rows = try JPEGIndex(opened, header: header, rows: 3)
        #expect(throws: JPEGIndexError.staleIndex) { try copy(0, of: opened, rows) }
        for row in [-1, 5] {
            #expect(throws: JPEGIndexError.outside) { try copy(row, of: opened, index) }
        }
    }
}
