public import ViewportGeometry

/// All levels of an image with their tiles: each level has half the pixels of the one before, rounded up.
public struct TiledPyramid: Hashable, Sendable {
    /// How small the smallest level is.
    public enum Depth: Hashable, Sendable {
        /// One pixel, as Deep Zoom asks for.
        case onePixel
        /// One tile.
        case oneTile
    }

    /// The grids, from full resolution down.
    public let levels: [TileGrid]

    public init(size: PixelSize<UprightGrid>, tileSize: Int, overlap: Int, depth: Depth) {
        let limit = depth == .onePixel ? 1 : tileSize
        var levels = [TileGrid(size: size, tileSize: tileSize, overlap: overlap)]
        while let last = levels.last?.size, last.width > limit || last.height > limit {
            let half = PixelSize<UprightGrid>(width: (last.width + 1) / 2, height: (last.height + 1) / 2)
            levels.append(TileGrid(size: half, tileSize: tileSize, overlap: overlap))
        }
        self.levels = levels
    }

    /// The grid of full resolution.
    public var full: TileGrid { levels[0] }

    /// The number of tiles of all levels.
    public var tileCount: Int { levels.reduce(0) { $0 + $1.count } }

    /// The pixels of a tile in its level; nil where there is no such tile.
    public func rect(_ key: TilePosition) -> PixelRect<UprightGrid>? {
        guard levels.indices.contains(key.level) else { return nil }
        return levels[key.level].rect(column: key.column, row: key.row)
    }

    /// The tiles of a level that show something of a rectangle of that level, row by row.
    public func tiles(ofLevel level: Int, in rect: PixelRect<UprightGrid>) -> [TilePosition] {
        guard levels.indices.contains(level), let visible = levels[level].visible(in: rect) else { return [] }
        return visible.rows.flatMap { row in
            visible.columns.map { TilePosition(level: level, column: $0, row: row) }
        }
    }
}
