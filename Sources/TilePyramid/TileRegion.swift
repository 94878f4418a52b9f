public import ViewportGeometry

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
