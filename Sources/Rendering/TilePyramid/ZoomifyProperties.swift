internal import Basics
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

    /// Parses the text of an `ImageProperties.xml`.
    ///
    /// Checks the number of tiles, because programs that round down when they halve produce different grids.
    package init(parsing text: String) throws(DescriptorError) {
        let element = try XMLElement(describing: text)
        guard element.name == "IMAGE_PROPERTIES" else { throw .missing("IMAGE_PROPERTIES") }
        let size = PixelSize<UprightGrid>(
            width: try element.side("WIDTH"), height: try element.side("HEIGHT"))
        let tileSize = try element.int("TILESIZE", least: 1)
        guard tileSize <= 1 << 16 else { throw .badValue(name: "TILESIZE", value: "\(tileSize)") }
        self.init(size: size, tileSize: tileSize)
        let tiles = try element.int("NUMTILES", least: 1)
        guard tiles == pyramid.tileCount else { throw .badValue(name: "NUMTILES", value: "\(tiles)") }
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
