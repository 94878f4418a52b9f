package import Resampling
internal import ViewportGeometry
package import Vips

/// Scaled pixels that still lie as in the file.
struct StoredPicture {
    let bytes: [UInt8]
    let width: Int
    let height: Int

    func image(_ kind: PixelKind) throws(VipsError) -> VipsImage {
        let image = try VipsImage.pixels(
            bytes, width: width, height: height, bands: kind.layout.bands, format: kind.layout.type.format,
            interpretation: kind.interpretation)
        return try image.withoutMetadata(profile: kind.profile)
    }

    /// The same pixels upright.
    func turned(_ orientation: Orientation, pixelBytes: Int) -> StoredPicture {
        guard orientation != .up else { return self }
        let size = orientation.uprightSize(PixelSize(width: width, height: height))
        // Where the first upright pixel is stored, and how far its neighbors to the right and below are.
        let first = orientation.stored(
            PixelRect(x: 0, y: 0, width: 1, height: 1), in: PixelSize(width: width, height: height))
        let across = (orientation.transposes ? width : 1) * (orientation.flipsX ? -pixelBytes : pixelBytes)
        let down = (orientation.transposes ? 1 : width) * (orientation.flipsY ? -pixelBytes : pixelBytes)
        let start = (first.y * width + first.x) * pixelBytes
        var upright = [UInt8](repeating: 0, count: bytes.count)
        var output = upright.mutableSpan
        let input = bytes.span
        var place = 0
        for y in 0..<size.height {
            var pixel = start + y * down
            for _ in 0..<size.width {
                for byte in 0..<pixelBytes { output[place + byte] = input[pixel + byte] }
                place += pixelBytes
                pixel += across
            }
        }
        return StoredPicture(bytes: upright, width: size.width, height: size.height)
    }
}

extension SampleLayout.SampleType {
    /// libvips' word for it.
    package var format: SampleFormat {
        switch self {
        case .uint8: .uint8
        case .uint16: .uint16
        case .float32: .float32
        }
    }
}
