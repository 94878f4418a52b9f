internal import TilePyramid
internal import ViewportGeometry
internal import Vips

/// The samples of the pixels that an export makes.
struct TileSamples: Sendable {
    let bands: Int
    let hasAlpha: Bool
    /// libvips' nickname of the color space, "srgb" or "b-w".
    let interpretation: String
}

/// The pixels of a tile as they lie in the file, before the orientation.
struct StoredTile: Sendable {
    let key: TilePosition
    /// Its place in its level.
    let rect: PixelRect<StoredGrid>
    let bytes: [UInt8]

    /// The tile as it is seen.
    func picture(_ samples: TileSamples, _ orientation: Orientation) throws -> Picture {
        let size = orientation.uprightSize(rect.size)
        var upright = bytes
        if orientation != .up {
            let image = try VipsImage.pixels(
                bytes, width: rect.width, height: rect.height, bands: samples.bands, format: .uint8,
                interpretation: samples.interpretation)
            upright = try image.turned(orientation).pixels().copied()
        }
        return Picture(
            size: PixelSize(width: size.width, height: size.height), bands: samples.bands, depth: 8,
            hasAlpha: samples.hasAlpha, profile: nil, interpretation: samples.interpretation, bytes: upright)
    }
}
