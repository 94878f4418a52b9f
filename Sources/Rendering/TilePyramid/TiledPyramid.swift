package import ViewportGeometry

/// All levels of an image with their tiles: each level halves the sides of the previous one, rounded up.
package struct TiledPyramid: Hashable, Sendable {
    /// The size of the smallest level.
    package enum Depth: Hashable, Sendable {
        /// One pixel, as Deep Zoom requires.
        case onePixel
        /// One tile.
        case oneTile
    }

    /// The grids, from full resolution down.
    package let levels: [TileGrid]

    package init(size: PixelSize<UprightGrid>, tileSize: Int, overlap: Int, depth: Depth) {
        let full = TileGrid(size: size, tileSize: tileSize, overlap: overlap)
        let limit = depth == .onePixel ? 1 : full.tileSize
        var levels = [full]
        while let last = levels.last?.size, last.width > limit || last.height > limit {
            let half = PixelSize<UprightGrid>(width: (last.width + 1) / 2, height: (last.height + 1) / 2)
            levels.append(TileGrid(size: half, tileSize: tileSize, overlap: overlap))
        }
        self.levels = levels
    }

    /// The grid of full resolution.
    package var full: TileGrid { levels[0] }

    /// The number of tiles of all levels.
    package var tileCount: Int { levels.reduce(0) { Int(clamping: UInt($0) + UInt($1.count)) } }

    /// Returns the rectangle of a tile in its level; nil if there is no such tile.
    package func rect(_ tile: TilePosition) -> PixelRect<UprightGrid>? {
        guard levels.indices.contains(tile.level) else { return nil }
        return levels[tile.level].rect(column: tile.column, row: tile.row)
    }

    /// Returns the tiles of a level that intersect a rectangle of that level, row by row.
    package func tiles(ofLevel level: Int, in rect: PixelRect<UprightGrid>) -> [TilePosition] {
        guard levels.indices.contains(level), let visible = levels[level].visible(in: rect) else { return [] }
        return visible.rows.flatMap { row in
            visible.columns.map { TilePosition(level: level, column: $0, row: row) }
        }
    }
}

/// The tiles of one level: cells from the top-left corner, extended by an overlap with their neighbors.
///
/// Rectangles are in upright pixels of the level and are clipped to the image. Source: `vips dzsave`.
package struct TileGrid: Hashable, Codable, Sendable {
    /// The size of the level in pixels.
    package let size: PixelSize<UprightGrid>
    /// The side of a cell in pixels.
    package let tileSize: Int
    /// The width in pixels by which a tile extends into each neighboring cell.
    package let overlap: Int

    /// Creates a grid.
    ///
    /// Clamps sides to 0 up to 2^40, tile sizes to 1 up to 2^31, and overlaps to 0 up to 2^31.
    package init(size: PixelSize<UprightGrid>, tileSize: Int, overlap: Int) {
        self.size = PixelSize(
            width: min(max(size.width, 0), 1 << 40), height: min(max(size.height, 0), 1 << 40))
        self.tileSize = min(max(tileSize, 1), 1 << 31)
        self.overlap = min(max(overlap, 0), 1 << 31)
    }

    package var columns: Int { (size.width + tileSize - 1) / tileSize }
    package var rows: Int { (size.height + tileSize - 1) / tileSize }

    /// The number of tiles.
    package var count: Int {
        let (count, isTooLarge) = columns.multipliedReportingOverflow(by: rows)
        return isTooLarge ? .max : count
    }

    /// Returns the rectangle of a tile, including its overlap; nil if the grid has no such tile.
    package func rect(column: Int, row: Int) -> PixelRect<UprightGrid>? {
        guard (0..<columns).contains(column), (0..<rows).contains(row) else { return nil }
        let cell = PixelRect<UprightGrid>(
            x: column * tileSize - overlap, y: row * tileSize - overlap,
            width: tileSize + 2 * overlap, height: tileSize + 2 * overlap)
        return cell.intersection(PixelRect(size))
    }

    /// Returns the columns and rows of the cells that intersect `rect`; nil if it is outside of the level.
    package func visible(in rect: PixelRect<UprightGrid>) -> (columns: Range<Int>, rows: Range<Int>)? {
        guard let part = rect.intersection(PixelRect(size)) else { return nil }
        return (
            columns: part.x / tileSize..<(part.maxX - 1) / tileSize + 1,
            rows: part.y / tileSize..<(part.maxY - 1) / tileSize + 1
        )
    }
}

/// The position of a tile: its level, and its cell in that level's grid from the top-left corner.
package struct TilePosition: Hashable, Sendable {
    /// The level; 0 is full resolution.
    package var level: Int
    package var column: Int
    package var row: Int

    package init(level: Int, column: Int, row: Int) {
        self.level = level
        self.column = column
        self.row = row
    }
}

/// The region of the image that a tile shows.
package enum TileRegion {
    /// Returns the full-resolution rectangle of a rectangle of a level, which has 1/2^level of the resolution.
    ///
    /// The result is clipped at the right and bottom edges of the image.
    package static func region(
        of rect: PixelRect<UprightGrid>, level: Int, in size: PixelSize<UprightGrid>
    ) -> PixelRect<UprightGrid> {
        let (x, y) = (rect.x << level, rect.y << level)
        return PixelRect(
            x: x, y: y, width: min(rect.maxX << level, size.width) - x,
            height: min(rect.maxY << level, size.height) - y)
    }
}
