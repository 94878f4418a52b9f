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
