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

/// The tiles of one level: cells from the top-left corner, each with some pixels of its neighbors around it.
///
/// Rectangles are in upright pixels of the level. At the edges of the image there are no neighbors, so tiles
/// end with it. Source: `vips dzsave`.
public struct TileGrid: Hashable, Sendable {
    /// The pixels of the level.
    public let size: PixelSize<UprightGrid>
    /// The side of a cell.
    public let tileSize: Int
    /// How far a tile reaches into the cells around its own.
    public let overlap: Int

    /// - Precondition: the size is not empty, `tileSize` is above 0 and `overlap` is not below 0.
    public init(size: PixelSize<UprightGrid>, tileSize: Int, overlap: Int) {
        precondition(!size.isEmpty && tileSize > 0 && overlap >= 0, "a grid has pixels and cells")
        self.size = size
        self.tileSize = tileSize
        self.overlap = overlap
    }

    public var columns: Int { (size.width + tileSize - 1) / tileSize }
    public var rows: Int { (size.height + tileSize - 1) / tileSize }
    /// The number of tiles.
    public var count: Int { columns * rows }

    /// The pixels of a tile, overlap included; nil where the grid has no such tile.
    public func rect(column: Int, row: Int) -> PixelRect<UprightGrid>? {
        guard (0..<columns).contains(column), (0..<rows).contains(row) else { return nil }
        let cell = PixelRect<UprightGrid>(
            x: column * tileSize - overlap, y: row * tileSize - overlap,
            width: tileSize + 2 * overlap, height: tileSize + 2 * overlap)
        return cell.intersection(PixelRect(size))
    }

    /// The columns and rows of the cells that show something of `rect`; nil where it lies outside.
    public func visible(in rect: PixelRect<UprightGrid>) -> (columns: Range<Int>, rows: Range<Int>)? {
        guard let part = rect.intersection(PixelRect(size)) else { return nil }
        return (
            columns: part.x / tileSize..<(part.maxX - 1) / tileSize + 1,
            rows: part.y / tileSize..<(part.maxY - 1) / tileSize + 1
        )
    }
}

/// The name of a tile: its level, and its place in that level's grid from the top-left corner.
public struct TilePosition: Hashable, Sendable {
    /// The level; 0 is full resolution.
    public var level: Int
    public var column: Int
    public var row: Int

    public init(level: Int, column: Int, row: Int) {
        self.level = level
        self.column = column
        self.row = row
    }
}

/// Where the pixels of a tile lie in the image.
public enum TileRegion {
    /// The full-resolution pixels of a rectangle of a level, whose pixels each cover 2^level of them.
    ///
    /// At the right and bottom edge it ends with the image. The rectangle is of that level.
    public static func region(
        of rect: PixelRect<UprightGrid>, level: Int, in size: PixelSize<UprightGrid>
    ) -> PixelRect<UprightGrid> {
        let (x, y) = (rect.x << level, rect.y << level)
        return PixelRect(
            x: x, y: y, width: min(rect.maxX << level, size.width) - x,
            height: min(rect.maxY << level, size.height) - y)
    }
}
