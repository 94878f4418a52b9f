internal import Containers
internal import Files
internal import HEVCDecoding
internal import ImageMetadata
internal import Pictures
internal import Resampling
internal import TilePyramid
internal import ViewportGeometry
internal import Vips

/// The frames of an animated AVIF, which libheif 1.15 does not read.
///
/// Frames have red, green, blue and alpha, of 16 bits where they are coded with more than 8.
struct SequenceFrames: Sendable {
    private let file: OpenFile
    private let sequence: ImageSequence
    private let stream: AV1Sequence
    /// The profile of all frames; nil for sRGB.
    private let profile: [UInt8]?
    private let limit: Int

    var size: PixelSize<StoredGrid> { sequence.frames.size }
    /// The number of frames.
    var count: Int { sequence.frames.samples.count }

    /// The format of frames.
    var pixels: SourcePixelFormat {
        .rgb(stream.depth > 8 ? .bits16 : .bits8, hasAlpha: true, profile: profile)
    }

    /// The largest profile, and the most data of a frame.
    private static let mostProfile = 1 << 22
    private static let mostData = 1 << 26

    /// Returns nil for files without frames of AV1, and where dav1d is not installed.
    ///
    /// - Parameter picture: the primary picture, whose turns and colors are those of the frames, where it has their size.
    init?(_ file: OpenFile, _ picture: HEIFItem?, _ options: OpenOptions) {
        let bytes = FileBytes(file)
        guard let sequence = ImageSequence(bytes), sequence.frames.coding == "av01",
            sequence.alpha.map({ $0.coding == "av01" && $0.size == sequence.frames.size }) ?? true,
            picture.map({
                $0.codedSize == sequence.frames.size && $0.orientation == .up && $0.aperture == nil
            }) ?? true,
            AV1Decoder.isAvailable,
            let head = try? file.bytes(sequence.frames.samples[0].prefix(1 << 12)),
            let stream = AV1Sequence(stream: head)
        else { return nil }
        (self.file, self.sequence, self.stream) = (file, sequence, stream)
        limit = options.maximumPixels ?? OpenOptions.defaultWholeMemory / 4
        if let range = sequence.frames.profile ?? picture?.profile, range.count <= Self.mostProfile,
            let embedded = try? file.bytes(range)
        {
            profile = embedded
        } else {
            profile = (sequence.frames.colors ?? picture?.colors)?.profile
        }
    }

    private var conversion: PlaneConversion {
        let stated = sequence.frames.colors
        return PlaneConversion(
            matrix: stated?.matrix ?? stream.matrix, isFullRange: stated?.isFullRange ?? stream.isFullRange,
            depth: stream.depth)
    }

    private var strip: FrameStrip { FrameStrip(file: file, size: size, pixels: pixels, limit: limit) }

    /// Lends the pixels of some frames, in order; those before are decoded, too.
    private func decode(_ wanted: Range<Int>, _ push: (_ samples: [UInt8]) -> Void) throws(RenderingError) {
        try strip.check(count: wanted.count)
        do {
            var alphas: [[UInt16]] = []
            if let alpha = sequence.alpha {
                try frames(of: alpha, wanted) { _, picture in alphas.append(picture.planes[0]) }
            }
            let conversion = conversion
            try frames(of: sequence.frames, wanted) { number, picture in
                push(conversion.samples(of: picture, alpha: alphas.isEmpty ? nil : alphas[number]))
            }
        } catch let error as RenderingError {
            throw error
        } catch is CancellationError {
            throw RenderingError(.cancelled, file: file.path)
        } catch {
            throw .damaged(file: file.path, detail: "its frames cannot be decoded (dav1d: \(error))")
        }
    }

    /// Passes the wanted frames of a track, with their numbers among these.
    private func frames(
        of track: ImageSequence.Track, _ wanted: Range<Int>, _ push: (_ number: Int, AV1Picture) -> Void
    ) throws {
        var (next, made) = (0, 0)
        try AV1Decoder.decode(mostPixels: limit) {
            guard !Task.isCancelled else { throw CancellationError() }
            guard next < wanted.upperBound else { return nil }
            let range = track.samples[next]
            guard range.count <= Self.mostData else { throw AV1DecodingError.unsupported }
            next += 1
            return try file.bytes(range)
        } frame: { picture in
            guard picture.width == size.width, picture.height == size.height, picture.depth <= 12 else {
                throw AV1DecodingError.unsupported
            }
            if wanted.contains(made) { push(made - wanted.lowerBound, picture) }
            made += 1
            return made < wanted.upperBound
        }
        guard made >= wanted.upperBound else { throw AV1DecodingError.unsupported }
    }

    /// Returns the pixels of a frame.
    fileprivate func canvas(_ index: Int) throws(RenderingError) -> [UInt8] {
        var result: [UInt8] = []
        try decode(index..<(index + 1)) { result = $0 }
        return result
    }
}

extension SequenceFrames: FrameReading {
    func openFrames() throws(RenderingError) -> (strip: VipsImage, isSequential: Bool) {
        let image = try strip.image(delays: sequence.delays, loop: sequence.loop) {
            push throws(RenderingError) in
            try decode(0..<count, push)
        }
        return (image, false)
    }
}

/// One frame of an animated AVIF, which is decoded when it is opened.
struct SequenceFrameSource: ImageSource {
    let frames: SequenceFrames
    let page: Int

    var pyramid: Pyramid { Pyramid(size: frames.size) }
    var description: String { "whole frames" }

    var capabilities: SourceCapabilities {
        var capabilities = SourceCapabilities(access: .sequential)
        capabilities.frames = frames
        capabilities.isAnimation = true
        return capabilities
    }

    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        SampledLevel(level: level, pixels: frames.pixels, samples: try frames.canvas(page))
    }
}

/// The primary picture of an animated file, with its frames.
struct AnimatedSource: ImageSource {
    let base: any ImageSource
    let frames: SequenceFrames

    var pyramid: Pyramid { base.pyramid }
    var nativePyramid: Pyramid { base.nativePyramid }
    var description: String { base.description }

    var capabilities: SourceCapabilities {
        var capabilities = base.capabilities
        capabilities.frames = frames
        capabilities.isAnimation = true
        return capabilities
    }

    func sharpeningCompensation(of level: PyramidLevel) -> Double { base.sharpeningCompensation(of: level) }

    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader { try base.open(level) }
}

/// Makes red, green, blue and alpha of planes.
///
/// Source: ITU-T H.273, section 8.3.
private struct PlaneConversion {
    /// The weights of red and blue in luma; nil where there are none.
    private let weights: (red: Double, blue: Double)?
    private let isYCgCo: Bool
    private let luma: [Double]
    private let chroma: [Double]
    private let most: Double
    private let isWide: Bool

    init(matrix: Int, isFullRange: Bool, depth: Int) {
        let scale = Double(1 << (depth - 8))
        let count = 1 << depth
        most = Double(count - 1)
        isWide = depth > 8
        isYCgCo = matrix == 8
        weights =
            switch matrix {
            case 0, 8: nil
            case 1: (0.2126, 0.0722)
            case 4: (0.3, 0.11)
            case 7: (0.212, 0.087)
            case 9, 10: (0.2627, 0.0593)
            default: (0.299, 0.114)
            }
        let (most, values) = (most, (0..<count).map(Double.init))
        luma = values.map { isFullRange ? $0 / most : ($0 - 16 * scale) / (219 * scale) }
        // Red and blue themselves have the range of luma.
        chroma =
            matrix == 0
            ? luma
            : values.map { ($0 - 128 * scale) / (isFullRange ? most : 224 * scale) }
    }

    func samples(of picture: AV1Picture, alpha: [UInt16]?) -> [UInt8] {
        var samples: [UInt8] = []
        samples.reserveCapacity(picture.width * picture.height * (isWide ? 8 : 4))
        let hasColors = picture.planes.count == 3
        for y in 0..<picture.height {
            let row = (picture.halves.y ? y / 2 : y) * picture.chromaWidth
            for x in 0..<picture.width {
                let at = y * picture.width + x
                let light = luma[Int(picture.planes[0][at])]
                var colors = (light, light, light)
                if hasColors {
                    let place = row + (picture.halves.x ? x / 2 : x)
                    colors = rgb(
                        light, chroma[Int(picture.planes[1][place])], chroma[Int(picture.planes[2][place])])
                }
                append(colors.0, &samples)
                append(colors.1, &samples)
                append(colors.2, &samples)
                append(alpha.map { Double($0[at]) / most } ?? 1, &samples)
            }
        }
        return samples
    }

    private func rgb(_ y: Double, _ b: Double, _ r: Double) -> (Double, Double, Double) {
        guard let weights else {
            return isYCgCo ? (y - b + r, y + b, y - b - r) : (r, y, b)
        }
        let red = y + 2 * (1 - weights.red) * r
        let blue = y + 2 * (1 - weights.blue) * b
        let green = (y - weights.red * red - weights.blue * blue) / (1 - weights.red - weights.blue)
        return (red, green, blue)
    }

    private func append(_ value: Double, _ samples: inout [UInt8]) {
        let value = min(max(value, 0), 1)
        guard isWide else { return samples.append(UInt8(value * 255 + 0.5)) }
        let sample = UInt16(value * 65535 + 0.5).littleEndian
        samples.append(UInt8(truncatingIfNeeded: sample))
        samples.append(UInt8(sample >> 8))
    }
}
