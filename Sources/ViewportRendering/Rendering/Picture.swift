public import ViewportGeometry

/// Finished pixels: rows from the top, samples interleaved, alpha last and not multiplied into the colors.
public struct Picture: Sendable {
    public let size: PixelSize<OutputGrid>
    /// Samples per pixel: 1 gray, 2 gray and alpha, 3 color, 4 color and alpha (or CMYK where it was kept).
    public let bands: Int
    /// Bits per sample, 8 or 16 in the machine's byte order.
    public let depth: Int
    /// Whether the last band is alpha.
    public let hasAlpha: Bool
    /// The profile of its colors; nil for sRGB.
    public let profile: [UInt8]?
    /// libvips' nickname of its color space.
    package let interpretation: String
    public let bytes: [UInt8]
}

extension Picture {
    /// Opaque pixels of sRGB, three bytes each, rows from the top.
    ///
    /// - Precondition: as many bytes as width x height x 3.
    package init(width: Int, height: Int, rgb bytes: [UInt8]) {
        precondition(bytes.count == width * height * 3)
        self.init(
            size: PixelSize(width: width, height: height), bands: 3, depth: 8, hasAlpha: false, profile: nil,
            interpretation: "srgb", bytes: bytes)
    }
}
