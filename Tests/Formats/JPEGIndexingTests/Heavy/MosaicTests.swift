import Files
import JPEGIndexing
import TestSupport
import Testing
import ViewportGeometry

@Suite("Tiles of a JPEG, joined")
struct MosaicTests {
    /// The tiles of a JPEG as files of their own.
    private static func tiles(_ file: [UInt8], side: Int) throws -> (header: JPEGHeader, rows: [[[UInt8]]]) {
        let header = try JPEGHeader(file)
        let opened = try OpenFile(bytes: file, name: "whole.jpg")
        let reader = try JPEGRegionReader(header: header, index: JPEGIndex(opened, header: header))
        let rows = try stride(from: 0, to: header.size.height, by: side).map { y in
            try stride(from: 0, to: header.size.width, by: side).map { x in
                try reader.losslessCrop(
                    PixelRect(x: x, y: y, width: side, height: side), of: opened
                ).jpeg
            }
        }
        return (header, rows)
    }

    private static func join(_ tiles: [[[UInt8]]], _ size: PixelSize<StoredGrid>, side: Int) throws -> [UInt8]
    {
        var file: [UInt8] = []
        try JPEGMosaic(size: size, side: side).join { column, row in
            tiles[row][column]
        } write: { piece in
            file += piece
        }
        return file
    }

    @Test("have the coefficients of the JPEG", arguments: RegionTests.files)
    func coefficients(_ maker: JPEGMaker) throws {
        let source = try #require(Coefficients(maker.file))
        for side in [32, 96] {
            let (header, tiles) = try Self.tiles(maker.file, side: side)
            guard side % header.mcuSize.width == 0, side % header.mcuSize.height == 0 else { continue }
            // Tiles whose codes were extended are of different codes.
            guard let joined = try? Self.join(tiles, header.size, side: side) else { continue }
            let copy = try #require(Coefficients(joined))
            #expect((copy.width, copy.height) == (source.width, source.height))
            for (part, whole) in zip(copy.components, source.components) {
                #expect(part.blocks == whole.blocks)
            }
        }
    }

    @Test("are refused where one is broken, of another size or of other tables")
    func refused() throws {
        let file = JPEGMaker(name: "4:2:0", width: 100, height: 70).file
        let (header, tiles) = try Self.tiles(file, side: 32)
        #expect(try Self.join(tiles, header.size, side: 32).count > 1000)
        func refuses(_ change: (inout [[[UInt8]]]) throws -> Void) throws {
            var changed = tiles
            try change(&changed)
            #expect(throws: JPEGIndexError.self) { try Self.join(changed, header.size, side: 32) }
        }
        try refuses { $0[1][1].removeLast($0[1][1].count / 2) }
        try refuses { $0[0][1] = $0[0][3] }
        try refuses { $0[2][0] = [0xFF, 0xD8] }
        try refuses { tiles in
            let other = JPEGMaker(name: "4:4:4", width: 100, height: 70, sampling: [(1, 1), (1, 1), (1, 1)])
            tiles[1][0] = try Self.tiles(other.file, side: 32).rows[1][0]
        }
        #expect(throws: JPEGIndexError.self) { try Self.join(tiles, header.size, side: 40) }
    }
}
