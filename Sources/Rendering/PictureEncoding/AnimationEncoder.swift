internal import Basics
internal import Containers
internal import PNGEncoding
public import Pictures
internal import ViewportGeometry
internal import Vips

/// Encodes pictures of one size as an animation.
public struct AnimationEncoder: Sendable {
    /// A format of animations.
    public enum Format: String, CaseIterable, Codable, Sendable {
        /// Animated WebP.
        case webp
        /// Animated GIF with at most 256 colors per frame.
        case gif
        /// Animated PNG.
        case apng

        /// Creates the format of a file extension.
        public init?(fileExtension: String) {
            self.init(rawValue: fileExtension.lowercased())
        }

        /// Creates the animated form of a format of pictures; nil where only one frame can be written.
        package init?(_ format: PictureFormat) {
            switch format {
            case .webp: self = .webp
            case .gif: self = .gif
            case .png: self = .apng
            case .jpg, .avif, .tif, .jp2: return nil
            }
        }
    }

    /// The format of the file.
    public let format: Format
    /// The frame rate.
    public let framesPerSecond: Double
    /// The duration of each frame in milliseconds; nil where all are equal.
    private var delays: [Int]?
    /// The number of times it plays; 0 for an endless loop.
    private var loop = 0
    private var quality: Int?
    /// The compression of animated PNGs.
    public var compression = PNGCompression.standard
    /// The number of threads per frame, 1 or 2; the bytes are the same.
    private var threads = 2
    /// The color profile; nil for sRGB.
    private var profile: [UInt8]?
    /// The frames so far as PNG files: compressed, so that a long animation fits into memory.
    private var files: [[UInt8]] = []
    private var animatedPNG: AnimatedPNG?

    /// Creates an animation that loops endlessly, with frames of equal duration.
    public init(_ format: Format, framesPerSecond: Double) {
        self.format = format
        self.framesPerSecond = framesPerSecond
    }

    /// Creates an animation with one delay in milliseconds per frame.
    ///
    /// - Parameter loop: the number of times it plays; 0 for an endless loop.
    package init(_ format: Format, delays: [Int], loop: Int, quality: Int?, threads: Int) {
        self.init(format, framesPerSecond: 10)
        self.delays = delays
        self.loop = loop
        self.quality = quality
        self.threads = threads
    }

    /// Appends a frame, which must have the size and the profile of the first one and 8 bits per sample.
    ///
    /// The frame is compressed without blocking the caller's thread.
    ///
    /// - Throws: `RenderingError.cannotEncode` where it has another size or more than 8 bits, or
    ///   `CancellationError`.
    public mutating func append(_ frame: Picture) async throws {
        self = try await BlockingExecutor.shared.run { [self] in
            var longer = self
            try longer.appendSynchronously(frame)
            return longer
        }
    }

    /// Appends a frame, as ``append(_:)``, on the calling thread, which is blocked until it is compressed.
    ///
    /// - Throws: `RenderingError.cannotEncode` where it has another size or more than 8 bits, or
    ///   `CancellationError`.
    public mutating func appendSynchronously(_ frame: Picture) throws {
        let pixels = try frame.rgba()
        profile = frame.profile
        var png = PNGFormat(
            width: frame.size.width, height: frame.size.height, channels: .rgba, colorSpace: .sRGB)
        do {
            if format == .apng {
                if animatedPNG == nil {
                    png.state(frame.profile)
                    animatedPNG = animation(of: png)
                }
                try animatedPNG?.append(pixels.span)
            } else {
                // Decoded again when the file is written.
                files.append(try PNGEncoder(level: .fast, threads: threads).encode(pixels.span, as: png))
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            throw RenderingError.cannotEncode(format: format.rawValue, detail: "\(error)")
        }
    }

    private func animation(of png: PNGFormat) -> AnimatedPNG {
        let encoder = PNGEncoder(level: compression.level, threads: threads)
        return delays.map { AnimatedPNG(png, delays: $0, plays: loop, encoder: encoder) }
            ?? AnimatedPNG(png, framesPerSecond: framesPerSecond, encoder: encoder)
    }

    /// Returns the bytes of the file without blocking the caller's thread.
    ///
    /// - Throws: `RenderingError.cannotEncode` where there is no frame or the format cannot hold them, or
    ///   `CancellationError`.
    public func finished() async throws -> [UInt8] {
        try await BlockingExecutor.shared.run { try finishedSynchronously() }
    }

    /// Returns the bytes of the file, on the calling thread, which is blocked until then.
    ///
    /// - Throws: `RenderingError.cannotEncode` where there is no frame or the format cannot hold them.
    public func finishedSynchronously() throws(RenderingError) -> [UInt8] {
        do {
            if let animatedPNG { return try animatedPNG.finished() }
            let frames = try files.map {
                try VipsImage.load(bytes: $0, with: "pngload_buffer").withFourBands()
            }
            guard let first = frames.first else {
                throw RenderingError.cannotEncode(format: format.rawValue, detail: "no frame")
            }
            let defaultDelay = max(1, Int((1000 / framesPerSecond).rounded()))
            let colors = try VipsImage.column(of: frames).withoutMetadata(profile: profile)
            // GIF has no place for a profile.
            let film = try (format == .gif && profile != nil ? colors.convertedToSRGB() : colors)
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

extension VipsImage {
    /// Returns the image as RGBA: frames of few colors have a palette, which has no alpha where they are opaque.
    fileprivate func withFourBands() throws(VipsError) -> VipsImage {
        let colored = bands < 3 ? try converted(to: "srgb") : self
        return colored.hasAlpha ? colored : try colored.joined(constant: 255)
    }
}
