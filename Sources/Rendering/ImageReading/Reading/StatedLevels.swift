internal import ImageMetadata
internal import Pictures
internal import Resampling
internal import TilePyramid
internal import ViewportGeometry
internal import Vips

/// A level whose pixels have a profile that libvips does not know.
struct ProfiledLevel: LevelReader {
    let base: any LevelReader
    /// nil for sRGB.
    let profile: [UInt8]?

    var level: PyramidLevel { base.level }

    var pixels: SourcePixelFormat {
        var pixels = base.pixels
        pixels.profile = profile
        return pixels
    }

    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
        try base.read(rect, row: row)
    }
}

/// A level of samples of limited range, read with black as 0 and white as the greatest sample.
///
/// Of 8 bits, black is 16 and white 235; alpha has the full range.
struct FullRangeLevel: LevelReader {
    let base: any LevelReader

    var level: PyramidLevel { base.level }
    var pixels: SourcePixelFormat { base.pixels }

    private static let bytes: [UInt8] = (0...255).map { sample in
        UInt8(min(max((sample - 16) * 255 + 109, 0) / 219, 255))
    }

    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
        let layout = pixels.layout
        let colors = layout.bands - (layout.hasAlpha ? 1 : 0)
        try base.read(rect) { bytes in
            var collector = RowCollector(byteCount: bytes.byteCount)
            collector.push(bytes)
            var samples = collector.pixels
            switch layout.type {
            case .uint8:
                let table = Self.bytes
                for pixel in stride(from: 0, to: samples.count, by: layout.bands) {
                    for at in pixel..<(pixel + colors) { samples[at] = table[Int(samples[at])] }
                }
            case .uint16:
                for pixel in stride(from: 0, to: samples.count, by: 2 * layout.bands) {
                    for at in stride(from: pixel, to: pixel + 2 * colors, by: 2) {
                        Self.widen(&samples, at)
                    }
                }
            case .float32: break
            }
            try samples.withRow(samples.indices, row)
        }
    }

    /// Widens a sample of 16 bits in the byte order of the machine.
    private static func widen(_ samples: inout [UInt8], _ at: Int) {
        let sample = Int(UInt16(littleEndian: UInt16(samples[at]) | UInt16(samples[at + 1]) << 8))
        let (black, white) = (16 << 8, 235 << 8)
        let full = min(max((sample - black) * 65535 + (white - black) / 2, 0) / (white - black), 65535)
        let value = UInt16(full).littleEndian
        (samples[at], samples[at + 1]) = (UInt8(truncatingIfNeeded: value), UInt8(value >> 8))
    }
}

/// A level of samples of 9 to 15 bits, which a decoder puts into the highest bits of 16, read with white as 65,535.
struct WidenedLevel: LevelReader {
    let base: any LevelReader
    /// The bits of a sample in the file.
    let depth: Int

    var level: PyramidLevel { base.level }
    var pixels: SourcePixelFormat { base.pixels }

    /// The conversion of samples, which leaves those alone that a decoder has converted.
    struct Widening {
        private let shift: Int
        private let most: Int

        init(depth: Int) {
            shift = min(max(16 - depth, 0), 15)
            most = 65535 >> shift
        }

        func widened(_ sample: Int) -> Int { ((sample >> shift) * 65535 + most / 2) / most }
    }

    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
        let widening = Widening(depth: depth)
        try base.read(rect) { bytes in
            var collector = RowCollector(byteCount: bytes.byteCount)
            collector.push(bytes)
            var samples = collector.pixels
            for at in stride(from: 0, to: samples.count - 1, by: 2) {
                let sample = UInt16(littleEndian: UInt16(samples[at]) | UInt16(samples[at + 1]) << 8)
                let value = UInt16(widening.widened(Int(sample))).littleEndian
                (samples[at], samples[at + 1]) = (UInt8(truncatingIfNeeded: value), UInt8(value >> 8))
            }
            try samples.withRow(samples.indices, row)
        }
    }
}

/// A source whose file states colors that its decoder does not know.
struct StatedSource: ImageSource {
    let base: any ImageSource
    /// nil for sRGB.
    let profile: [UInt8]?
    /// Whether samples have the limited range of video.
    let isLimited: Bool
    /// The frames of an animated PNG.
    let frames: APNGFrames?

    /// Creates the source of a JPEG XL that libjxl reads, or libvips.
    init(_ base: LoaderSource, _ header: VipsImage, _ colors: JXLColors) {
        if let source = JXLSource(base, header) { self.base = source } else { self.base = base }
        profile = colors.profile(
            embedded: header.blob("icc-profile-data"), isGray: header.bands - (header.hasAlpha ? 1 : 0) == 1)
        (isLimited, frames) = (false, nil)
    }

    /// Creates the source of a PNG that libvips reads.
    init(_ base: LoaderSource, _ header: VipsImage, _ colors: PNGColors) {
        let isGray = header.bands - (header.hasAlpha ? 1 : 0) == 1
        self.base = base
        profile = colors.profile(embedded: header.blob("icc-profile-data"), isGray: isGray)
        isLimited = colors.isLimited
        frames = APNGFrames(
            base.file.file, base.file.options, colors, embedded: header.blob("icc-profile-data"))
    }

    var pyramid: Pyramid { base.pyramid }
    var nativePyramid: Pyramid { base.nativePyramid }
    var description: String { base.description }

    var capabilities: SourceCapabilities {
        var capabilities = base.capabilities
        if let frames { capabilities.frames = frames }
        return capabilities
    }

    func sharpeningCompensation(of level: PyramidLevel) -> Double { base.sharpeningCompensation(of: level) }

    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        let reader = ProfiledLevel(base: try base.open(level), profile: profile)
        return isLimited ? FullRangeLevel(base: reader) : reader
    }
}
