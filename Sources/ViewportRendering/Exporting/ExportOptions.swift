package import TilePyramid

/// How a pyramid is exported.
package struct ExportOptions: Sendable {
    package var layout: PyramidLayout
    /// The side of a tile without its overlap.
    package var tileSize: Int
    /// How far tiles reach into their neighbors; Deep Zoom alone has that.
    package var overlap: Int
    package var format = TileFormat.jpg
    /// 1 to 100 for jpg and webp; nil for the format's usual one, and for JPEG tiles that may be cut as they are.
    package var quality: Int?
    /// What is seen through the image where the format cannot be transparent.
    package var background = Color.white
    /// Whether smaller levels are resampled from the file, as servers and `render` do, and not from one another.
    package var isExact = false
    /// Whether a pyramid that this program did not make goes once the new one is whole.
    package var replaces = false
    /// The address that an `info.json` gives for the image.
    package var id = ""

    package init(_ layout: PyramidLayout) {
        self.layout = layout
        tileSize = layout.standardTileSize
        overlap = layout.standardOverlap
    }
}

/// What an export made.
package struct ExportReport: Sendable {
    /// The sizes of the levels, from full resolution down.
    package var levels: [TileGrid]
    /// The files of tiles, or the tiles in a TIFF.
    package var tiles: Int
    /// How many of them were cut out of the file without decoding.
    package var cutTiles: Int
    /// The bytes of all files.
    package var bytes: Int
}
