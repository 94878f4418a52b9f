public import ViewportGeometry

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
