public import ViewportGeometry

/// Finished pixels: rows from the top, samples interleaved, alpha last and not multiplied into the colours.
public struct Picture: Sendable {
    public let size: PixelSize<OutputGrid>
    /// Samples per pixel: 1 grey, 2 grey and alpha, 3 colour, 4 colour and alpha (or CMYK where it was kept).
    public let bands: Int
    /// Bits per sample, 8 or 16 in the machine's byte order.
    public let depth: Int
    /// Whether the last band is alpha.
    public let hasAlpha: Bool
    /// The profile of its colours; nil for sRGB.
    public let profile: [UInt8]?
    /// libvips' nickname of its colour space.
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
