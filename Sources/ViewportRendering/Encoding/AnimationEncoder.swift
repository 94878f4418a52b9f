internal import PNGEncoding
internal import ViewportGeometry
internal import Vips

/// Turns pictures of one size into an animation.
public struct AnimationEncoder: Sendable {
    /// A format that holds many frames.
    public enum Format: String, CaseIterable, Sendable {
        /// Animated WebP.
        case webp
        /// Animated GIF: at most 256 colors a frame.
        case gif
        /// Animated PNG.
        case apng

        /// The format of a file name's extension.
        public init?(fileExtension: String) {
            self.init(rawValue: fileExtension.lowercased())
        }
    }

    /// The format of the file.
    public let format: Format
    /// How fast it plays.
    public let framesPerSecond: Double
    /// Milliseconds of each frame; nil where all are shown alike.
    private var delays: [Int]?
    /// How often it plays; 0 for ever.
    private var loop = 0
    private var quality: Int?
    /// How many threads a frame may take, 1 or 2; the bytes are the same.
    private var threads = 2
    /// The colors' profile; nil for sRGB.
    private var profile: [UInt8]?
    /// The frames so far as PNG files: compressed, so that a film fits into memory.
    private var files: [[UInt8]] = []
    private var animatedPNG: AnimatedPNG?

    /// An animation that plays for ever, its frames at even times.
    public init(_ format: Format, framesPerSecond: Double) {
        self.format = format
        self.framesPerSecond = framesPerSecond
    }

    /// A WebP whose frames have times of their own, one delay in milliseconds a frame.
    package init(delays: [Int], loop: Int, quality: Int?, threads: Int) {
        self.init(.webp, framesPerSecond: 10)
        self.delays = delays
        self.loop = loop
        self.quality = quality
        self.threads = threads
    }

    /// Adds a frame; all have the size and the profile of the first and 8 bits a sample.
    ///
    /// - Throws: `RenderingError.cannotEncode` where it has another size or more than 8 bits.
    public mutating func append(_ frame: Picture) throws(RenderingError) {
        let pixels = try frame.rgba()
        profile = frame.profile
        let png = PNGFormat(
            width: frame.size.width, height: frame.size.height, channels: .rgba, colorSpace: .sRGB)
        do {
            if format == .apng {
                if animatedPNG == nil {
                    animatedPNG = AnimatedPNG(
                        png, framesPerSecond: framesPerSecond, encoder: PNGEncoder(threads: threads))
                }
                try animatedPNG?.append(pixels.span)
            } else {
                files.append(try PNGEncoder(threads: threads).encode(pixels.span, as: png))
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
            let defaultDelay = max(1, Int((1000 / framesPerSecond).rounded()))
            let film = try VipsImage.column(of: frames).withoutMetadata(profile: profile)
                .animated(
                    pageHeight: first.height, delays: delays ?? frames.map { _ in defaultDelay }, loop: loop)
            let arguments = quality.map { ["Q": VipsArgument.int($0)] } ?? [:]
            if format == .gif { return try film.saved(with: "gifsave_buffer", [:]) }
            return try WebPFile(film.saved(with: "webpsave_buffer", arguments)).withoutEXIF().bytes
        } catch let error as VipsError {
            throw .cannotEncode(format: format.rawValue, detail: error.log)
        } catch {
            throw error as? RenderingError ?? .cannotEncode(format: format.rawValue, detail: "\(error)")
        }
    }
}
