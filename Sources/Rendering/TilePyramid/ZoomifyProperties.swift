package import ViewportGeometry

/// A Zoomify descriptor (`ImageProperties.xml`) of a tile pyramid.
///
/// Tiles are named `TileGroup{n}/{level}-{column}-{row}.{format}`; in names, level 0 is the smallest, of one tile.
/// Each group has 256 tiles, counted row by row from the smallest level. Source: Zoomify 1.8, `vips dzsave`.
package struct ZoomifyProperties: Hashable, Sendable {
    package var size: PixelSize<UprightGrid>
    package var tileSize: Int

    package init(size: PixelSize<UprightGrid>, tileSize: Int) {
        self.size = size
        self.tileSize = tileSize
    }

    /// The levels and their tiles.
    package var pyramid: TiledPyramid {
        TiledPyramid(size: size, tileSize: tileSize, overlap: 0, depth: .oneTile)
    }

    /// The text of an `ImageProperties.xml`, as `vips dzsave` writes it.
    package var text: String {
        "<IMAGE_PROPERTIES WIDTH=\"\(size.width)\" HEIGHT=\"\(size.height)\" "
            + "NUMTILES=\"\(pyramid.tileCount)\" NUMIMAGES=\"1\" VERSION=\"1.8\" TILESIZE=\"\(tileSize)\" />\n"
    }
}

/// The names of the tiles of a Zoomify pyramid.
package struct ZoomifyNames: Sendable {
    private let levels: [TileGrid]
    /// The number of tiles that precede each level.
    private let before: [Int]

    package init(_ pyramid: TiledPyramid) {
        levels = pyramid.levels
        var counts = [Int](repeating: 0, count: levels.count)
        for level in levels.indices.dropLast().reversed() {
            counts[level] = counts[level + 1] + levels[level + 1].count
        }
        before = counts
    }

    /// Returns the path of a tile of the pyramid.
    package func path(_ key: TilePosition, format: String) -> String {
        let number = before[key.level] + key.row * levels[key.level].columns + key.column
        return "TileGroup\(number / 256)/\(levels.count - 1 - key.level)-\(key.column)-\(key.row).\(format)"
    }
}
