import Testing
import TilePyramid
import ViewportGeometry

@Suite("A pyramid of tiles")
struct TiledPyramidTests {
    static func size(_ width: Int, _ height: Int) -> PixelSize<UprightGrid> {
        PixelSize(width: width, height: height)
    }

    @Test(
        "halves its levels, rounding up, to one pixel or to one tile",
        arguments: [
            (1, 1, 256, 1, 1), (2, 1, 256, 2, 1), (255, 257, 256, 10, 2), (256, 256, 256, 9, 1),
            (257, 1, 256, 10, 2), (20000, 15000, 254, 16, 8), (65500, 3, 512, 17, 8),
        ])
    func levels(_ width: Int, _ height: Int, _ tile: Int, _ toPixel: Int, _ toTile: Int) {
        let size = Self.size(width, height)
        let deep = TiledPyramid(size: size, tileSize: tile, overlap: 0, depth: .onePixel)
        #expect(deep.levels.count == toPixel)
        #expect(deep.levels.last?.size == Self.size(1, 1))
        let flat = TiledPyramid(size: size, tileSize: tile, overlap: 0, depth: .oneTile)
        #expect(flat.levels.count == toTile)
        #expect(flat.levels.last?.count == 1)
        for (level, grid) in deep.levels.enumerated() {
            let factor = 1 << level
            #expect(grid.size == Self.size((width + factor - 1) / factor, (height + factor - 1) / factor))
        }
    }

    static let grids: [(Int, Int, Int, Int)] = [
        (1, 1, 256, 0), (255, 257, 254, 1), (1000, 333, 100, 0), (508, 509, 254, 1), (64, 64, 16, 5),
        (5, 3, 1, 1),
    ]

    @Test("has each pixel in exactly one cell, and overlaps between neighbors", arguments: grids)
    func cells(_ width: Int, _ height: Int, _ tile: Int, _ overlap: Int) throws {
        let grid = TileGrid(size: Self.size(width, height), tileSize: tile, overlap: overlap)
        let bare = TileGrid(size: grid.size, tileSize: tile, overlap: 0)
        var area = 0
        for row in 0..<grid.rows {
            for column in 0..<grid.columns {
                let cell = try #require(bare.rect(column: column, row: row))
                let rect = try #require(grid.rect(column: column, row: row))
                area += cell.size.area
                #expect(rect.x == max(0, cell.x - overlap) && rect.maxX == min(width, cell.maxX + overlap))
                #expect(rect.y == max(0, cell.y - overlap) && rect.maxY == min(height, cell.maxY + overlap))
            }
        }
        #expect(area == width * height)
        #expect(grid.rect(column: grid.columns, row: 0) == nil && grid.rect(column: 0, row: -1) == nil)
    }

    @Test(
        "returns the tiles that intersect a rectangle",
        arguments: [
            (
                PixelRect<UprightGrid>(x: 0, y: 0, width: 1, height: 1),
                [TilePosition(level: 0, column: 0, row: 0)]
            ),
            (
                PixelRect(x: 99, y: 199, width: 2, height: 1),
                [TilePosition(level: 0, column: 0, row: 1), TilePosition(level: 0, column: 1, row: 1)]
            ),
            (
                PixelRect(x: -50, y: 250, width: 60, height: 500),
                [TilePosition(level: 0, column: 0, row: 2), TilePosition(level: 0, column: 0, row: 3)]
            ),
            (PixelRect(x: 1000, y: 0, width: 10, height: 10), []),
            (PixelRect(x: 5, y: 5, width: 0, height: 10), []),
        ])
    func visible(_ rect: PixelRect<UprightGrid>, _ keys: [TilePosition]) {
        let pyramid = TiledPyramid(size: Self.size(1000, 333), tileSize: 100, overlap: 0, depth: .oneTile)
        #expect(pyramid.tiles(ofLevel: 0, in: rect) == keys)
        #expect(pyramid.tiles(ofLevel: 99, in: rect).isEmpty)
    }

    @Test("has Zoomify's names, from the smallest level, with 256 tiles per group")
    func zoomify() {
        let pyramid = ZoomifyProperties(size: Self.size(20000, 15000), tileSize: 256).pyramid
        let names = ZoomifyNames(pyramid)
        let all = pyramid.levels.indices.reversed().flatMap { level in
            pyramid.tiles(ofLevel: level, in: PixelRect(pyramid.levels[level].size))
        }
        #expect(all.count == pyramid.tileCount)
        for (number, key) in all.enumerated() {
            let path = names.path(key, format: "jpg")
            #expect(
                path == "TileGroup\(number / 256)/\(7 - key.level)-\(key.column)-\(key.row).jpg")
        }
        #expect(
            names.path(TilePosition(level: 7, column: 0, row: 0), format: "png") == "TileGroup0/0-0-0.png")
    }
}
