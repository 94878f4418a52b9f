import CTurboJPEG
import JPEGIndexing
import ViewportGeometry

/// Pixels as libjpeg-turbo decodes them: what everything here is compared with.
struct DecodedJPEG: Equatable {
    var size: PixelSize<ReducedGrid>
    var channels: Int
    var pixels: [UInt8]

    /// Nil where libjpeg-turbo refuses the file; warnings count too.
    init?(_ file: [UInt8], channels: Int, scale: JPEGScale = .full) {
        // The handle lives and dies in this call.
        let handle = unsafe tjInitDecompress()
        defer { unsafe tjDestroy(handle) }
        var (width, height, sampling, space) = (Int32(0), Int32(0), Int32(0), Int32(0))
        // The array lends its memory for the call; the results are read behind it.
        _ = unsafe tjDecompressHeader3(handle, file, UInt(file.count), &width, &height, &sampling, &space)
        guard width > 0, height > 0 else { return nil }
        let divisor = Int32(scale.rawValue)
        let (reducedWidth, reducedHeight) = (
            (width + divisor - 1) / divisor, (height + divisor - 1) / divisor
        )
        let format = [1: TJPF_GRAY, 3: TJPF_RGB, 4: TJPF_CMYK][channels]!
        var result = [UInt8](repeating: 0, count: Int(reducedWidth) * Int(reducedHeight) * channels)
        // The result has room for all rows of the reduced size.
        let status = unsafe tjDecompress2(
            handle, file, UInt(file.count), &result, reducedWidth, 0, reducedHeight,
            Int32(format.rawValue), 0)
        guard status == 0 else { return nil }
        size = PixelSize(width: Int(reducedWidth), height: Int(reducedHeight))
        self.channels = channels
        pixels = result
    }

    /// Whether TurboJPEG can be told to decode an image of this size at `scale`.
    ///
    /// It takes the size wanted, and of all eighths that give it the greatest: not for the tiniest images.
    static func canScale(width: Int, height: Int, _ scale: JPEGScale) -> Bool {
        let eighths = 8 / scale.rawValue
        func reduced(_ side: Int, _ eighths: Int) -> Int { (side * eighths + 7) / 8 }
        return scale == .full || reduced(width, eighths) != reduced(width, eighths + 1)
            || reduced(height, eighths) != reduced(height, eighths + 1)
    }

    /// The pixels of a rectangle.
    func cropped(_ rect: PixelRect<ReducedGrid>) -> [UInt8] {
        (rect.y..<rect.maxY).flatMap { row in
            pixels[((row * size.width + rect.x) * channels)..<((row * size.width + rect.maxX) * channels)]
        }
    }
}
