internal import ViewportGeometry
internal import Vips

/// How much memory a decoder may take, checked before it begins.
///
/// Decoders that hold the whole picture get 1.6 GB, those that hold a row of tiles or a strip 512 MB. Who raises
/// the limit of pixels raises both.
struct DecodingBudget {
    /// The most bytes that are decoded at once of a file that is read in parts.
    let blockBytes: Int

    /// What a decoder of whole pictures may take by itself.
    private static let wholeBytes = 12 << 27

    init(_ options: OpenOptions) {
        let pixels = options.maximumPixels ?? OpenOptions.defaultWholeLimit
        let bytes = pixels.multipliedReportingOverflow(by: 4)
        blockBytes = bytes.overflow ? Int.max : bytes.partialValue
    }

    /// The most pixels of a file that is held whole, by the samples that it has.
    ///
    /// Measured were 11 to 28 bytes per pixel of HEIF and AVIF, 7 of JPEG XL, 6 of GIF and 4 of interlaced PNG,
    /// progressive JPEG and WebP.
    static func pixels(_ format: ImageFormat, bands: Int, sampleBytes: Int) -> Int {
        let copies = format == .heif || format == .jpegXL ? 4 : 2
        let perPixel = max(1, bands) * max(1, sampleBytes) * copies
        return min(OpenOptions.defaultWholeLimit, wholeBytes / perPixel)
    }
}
