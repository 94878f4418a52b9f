/// How the files of an exported pyramid are named and described.
package enum PyramidLayout: String, CaseIterable, Sendable {
    /// Deep Zoom: `NAME.dzi` and `NAME_files/`.
    case dz
    /// A folder that is a level-0 image of the IIIF Image API 3.0.
    case iiif
    /// A folder in Zoomify's layout.
    case zoomify
    /// One tiled TIFF with all levels.
    case tif
    /// Deep Zoom in a ZIP archive, stored: an SZI.
    case zip

    /// The side of a tile unless another is asked for: what `vips dzsave` and `vips tiffsave` take.
    package var standardTileSize: Int {
        switch self {
        case .dz, .zip: 254
        case .iiif: 512
        case .zoomify, .tif: 256
        }
    }

    /// How far tiles reach into their neighbors unless something else is asked for.
    package var standardOverlap: Int { self == .dz || self == .zip ? 1 : 0 }
}

/// What the tiles of an exported pyramid are written as.
package enum TileFormat: String, CaseIterable, Sendable {
    case jpg, png, webp

    /// The same as a picture's format.
    package var pictureFormat: PictureFormat {
        switch self {
        case .jpg: .jpg
        case .png: .png
        case .webp: .webp
        }
    }

    /// The longest side that its files can have.
    ///
    /// Source: libjpeg's and libwebp's headers, PNG's third edition.
    var longestSide: Int {
        switch self {
        case .jpg: 65500
        case .png: 0x7FFF_FFFF
        case .webp: 16383
        }
    }
}
