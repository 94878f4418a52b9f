internal import PNGEncoding
internal import ViewportGeometry
internal import Vips

/// Turns pictures of one size into an animation that plays for ever.
public struct AnimationEncoder: Sendable {
    /// A format that holds many frames.
    public enum Format: String, CaseIterable, Sendable {
        case webp, gif, apng

        /// The format of a file name's extension.
        public init?(fileExtension: String) {
            self.init(rawValue: fileExtension.lowercased())
        }
    }

    public let format: Format
    public let framesPerSecond: Double
    /// The frames so far as PNG files: compressed, so that a film fits into memory.
    private var files: [[UInt8]] = []
    private var animatedPNG: AnimatedPNG?

    public init(_ format: Format, framesPerSecond: Double) {
        self.format = format
        self.framesPerSecond = framesPerSecond
    }

    /// Adds a frame; all have the size of the first, in sRGB with 8 bits a sample.
    ///
    /// - Throws: `RenderingError.cannotEncode` where it has another size or more than 8 bits.
    public mutating func append(_ frame: Picture) throws(RenderingError) {
        let pixels = try frame.rgba()
        let png = PNGFormat(
            width: frame.size.width, height: frame.size.height, channels: .rgba, colorSpace: .sRGB)
        do {
            if format == .apng {
                if animatedPNG == nil {
                    animatedPNG = AnimatedPNG(
                        png, framesPerSecond: framesPerSecond, encoder: PNGEncoder(threads: 2))
                }
                try animatedPNG?.append(pixels.span)
            } else {
                files.append(try PNGEncoder(threads: 2).encode(pixels.span, as: png))
            }
        } catch {
            throw .cannotEncode(format: format.rawValue, detail: "\(error)")
        }
    }

    /// The bytes of the file.
    ///
    /// - Throws: `RenderingError.cannotEncode` where there is no frame or the format cannot hold them.
    public func finished() throws(RenderingError) -> [UInt8] {
        do {
            if let animatedPNG { return try animatedPNG.finished() }
            let frames = try files.map { try VipsImage.load(bytes: $0, with: "pngload_buffer") }
            guard let first = frames.first else {
                throw RenderingError.cannotEncode(format: format.rawValue, detail: "no frame")
            }
            let delay = Int((1000 / framesPerSecond).rounded())
            let film = try VipsImage.column(of: frames)
                .animated(pageHeight: first.height, delays: frames.map { _ in max(1, delay) })
            return try film.saved(with: format == .gif ? "gifsave_buffer" : "webpsave_buffer", [:])
        } catch let error as VipsError {
            throw .cannotEncode(format: format.rawValue, detail: error.log)
        } catch {
            throw error as? RenderingError ?? .cannotEncode(format: format.rawValue, detail: "\(error)")
        }
    }
}

extension Picture {
    /// The samples as RGBA of 8 bits.
    fileprivate func rgba() throws(RenderingError) -> [UInt8] {
        guard depth == 8, (1...4).contains(bands), bands != 4 || hasAlpha else {
            throw .cannotEncode(format: "animation", detail: "frames are sRGB of 8 bits")
        }
        guard bands < 4 else { return bytes }
        let colors = hasAlpha ? bands - 1 : bands
        var result: [UInt8] = []
        result.reserveCapacity(size.area * 4)
        for pixel in stride(from: 0, to: bytes.count, by: bands) {
            for band in 0..<3 { result.append(bytes[pixel + (colors == 1 ? 0 : band)]) }
            result.append(hasAlpha ? bytes[pixel + bands - 1] : 255)
        }
        return result
    }
}
