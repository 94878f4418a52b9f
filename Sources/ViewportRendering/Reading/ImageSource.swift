package import Resampling
public import TilePyramid
public import ViewportGeometry

/// Supplies the pixels of an image, rectangle by rectangle, at one or more resolutions.
///
/// This is the seam between what a file can do and what a picture needs: the sources of files implement it, and so
/// can a program, for images that it computes or fetches. `ImageFile(source:)` makes a source renderable. Two
/// members are required:
///
/// ```swift
/// struct Gradient: ImageSource, LevelReader {
///     var pyramid: Pyramid { Pyramid(size: PixelSize(width: 100_000, height: 100_000)) }
///     var level: PyramidLevel { pyramid.full }
///     var pixels: SourcePixelFormat { .gray() }
///
///     func open(_ level: PyramidLevel) -> any LevelReader { self }
///
///     func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
///         let line = (rect.x..<rect.maxX).map { UInt8(truncatingIfNeeded: $0 >> 9) }
///         for _ in rect.y..<rect.maxY { try row(line.span.bytes) }
///     }
/// }
/// ```
///
/// A view from a distance reads the level that is just large enough. A source of only one level is read there as a
/// whole, so large images should have further levels, each half the size of the previous one.
public protocol ImageSource: Sendable {
    /// The resolutions that can be read; level 0 is the image itself.
    ///
    /// Sizes of the others may be estimates until they are opened.
    var pyramid: Pyramid { get }

    /// Makes a level of `pyramid` ready for reading.
    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader

    /// What the source can do; random access unless implemented.
    var capabilities: SourceCapabilities { get }

    /// The levels that need not be averaged from others; all unless implemented.
    var nativePyramid: Pyramid { get }

    /// The sharpening that shrinking a level needs: how much duller its samples are than pixels of that size.
    ///
    /// Unless implemented, the samples of a level are taken for the means of the pixels that they cover. 0 is right
    /// for levels that are drawn or sampled.
    func sharpeningCompensation(of level: PyramidLevel) -> Double

    /// How it reads, in words for people, as "sequential, shrinks on load".
    var description: String { get }
}

extension ImageSource {
    /// Random access.
    public var capabilities: SourceCapabilities { SourceCapabilities() }
    /// All levels.
    public var nativePyramid: Pyramid { pyramid }
    /// A text for sources that say nothing of themselves.
    public var description: String { "a source of the program" }

    /// The compensation for samples that are the means of the pixels that they cover.
    public func sharpeningCompensation(of level: PyramidLevel) -> Double {
        SharpeningCompensation.ofMeans(level)
    }

    /// Whether a level is not averaged from another one.
    package func isNative(_ level: PyramidLevel) -> Bool {
        nativePyramid.levels.contains { $0.index == level.index }
    }
}

/// One level of a source, ready for reading on any thread and on several at once.
public protocol LevelReader: Sendable {
    /// The level with its exact size.
    var level: PyramidLevel { get }
    /// How the pixels of a row lie in memory, and what they mean.
    var pixels: SourcePixelFormat { get }

    /// Lends the rows of a rectangle of the level, one by one from the top.
    ///
    /// Each row has exactly `rect.width` pixels without gaps, as stored: before the orientation. Long reads should
    /// throw `CancellationError` when `Task.isCancelled`; between rows the renderer checks that itself.
    ///
    /// - Throws: what `row` throws, or an error of the source's own.
    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws
}

/// What a source can do beyond lending rectangles of its levels.
public struct SourceCapabilities: Sendable {
    /// What reading a part costs.
    public var access: SourceAccess
    /// The blocks of a baseline JPEG: they can be indexed, and copied without decoding.
    package var jpeg: JPEGRegionSource?
    /// The loader of a file that may have frames.
    var loader: LoaderFile?
    /// The level that is in memory, from which tiles are copied.
    var residentLevel: Int?

    /// - Parameter access: what reading a part costs.
    public init(access: SourceAccess = .random) {
        self.access = access
    }
}

/// What it costs to read a part of a source.
public enum SourceAccess: Sendable {
    /// About what the part has of pixels.
    case random
    /// A pass over the compressed data above the part, which an index of the file would save.
    case scanned
    /// Decoding everything above the part, or the whole image.
    case sequential
    /// Drawing it; a drawing has any resolution.
    case drawn
}

/// How the pixels of a source lie in memory and what they mean: interleaved samples, alpha last and straight.
public struct SourcePixelFormat: Equatable, Sendable {
    package var layout: SampleLayout
    /// libvips' nickname of the color space, as "srgb", "b-w" or "rgb16".
    package var interpretation: String
    /// The embedded profile, where there is one.
    package var profile: [UInt8]?

    package init(layout: SampleLayout, interpretation: String, profile: [UInt8]? = nil) {
        self.layout = layout
        self.interpretation = interpretation
        self.profile = profile
    }

    /// One sample of gray for each pixel, or gray and alpha.
    ///
    /// - Parameter profile: an ICC profile; nil for the gray of sRGB.
    public static func gray(
        _ depth: PixelFormat.Depth = .bits8, hasAlpha: Bool = false, profile: [UInt8]? = nil
    ) -> Self {
        Self(
            layout: SampleLayout(type: depth.sampleType, bands: hasAlpha ? 2 : 1, hasAlpha: hasAlpha),
            interpretation: depth == .bits8 ? "b-w" : "grey16", profile: profile)
    }

    /// Red, green and blue for each pixel, or these and alpha.
    ///
    /// - Parameter profile: an ICC profile; nil for sRGB.
    public static func rgb(
        _ depth: PixelFormat.Depth = .bits8, hasAlpha: Bool = false, profile: [UInt8]? = nil
    ) -> Self {
        Self(
            layout: SampleLayout(type: depth.sampleType, bands: hasAlpha ? 4 : 3, hasAlpha: hasAlpha),
            interpretation: depth == .bits8 ? "srgb" : "rgb16", profile: profile)
    }

    /// The bytes of a pixel.
    public var bytesPerPixel: Int { layout.pixelBytes }
}

/// A source of a program, of which every answer is checked: what it breaks becomes an error, not a crash.
struct CheckedSource: ImageSource {
    let base: any ImageSource
    /// What errors call it.
    let name: String

    var pyramid: Pyramid { base.pyramid }
    var nativePyramid: Pyramid { base.nativePyramid }
    var capabilities: SourceCapabilities { SourceCapabilities(access: base.capabilities.access) }
    var description: String { base.description }

    func sharpeningCompensation(of level: PyramidLevel) -> Double {
        let share = base.sharpeningCompensation(of: level)
        return share.isFinite ? min(max(share, 0), 1) : 0
    }

    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        let reader = try base.open(level)
        let opened = reader.level
        guard Self.isValid(opened) else {
            throw .damaged(file: name, detail: "its level \(level.index) has no pixels, or too many")
        }
        return Level(reader: reader, name: name, level: opened, pixels: reader.pixels)
    }

    /// Whether a level can be read without overflow: sides below 2^31, and pixels of a finite size.
    static func isValid(_ level: PyramidLevel) -> Bool {
        let sides = 1...Int(Int32.max)
        let steps = 0x1p-31...0x1p31
        return sides.contains(level.size.width) && sides.contains(level.size.height)
            && steps.contains(level.downsampleX) && steps.contains(level.downsampleY)
            && (-31...31).contains(level.index)
    }

    private struct Level: LevelReader {
        let reader: any LevelReader
        let name: String
        let level: PyramidLevel
        let pixels: SourcePixelFormat

        func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
            let rowBytes = rect.width * pixels.layout.pixelBytes
            var count = 0
            try reader.read(rect) { bytes in
                guard bytes.byteCount == rowBytes, count < rect.height else {
                    throw RenderingError.damaged(
                        file: name,
                        detail:
                            "its source gives \(bytes.byteCount) bytes for row \(count) of \(rect.height), "
                            + "which has \(rowBytes)")
                }
                guard !Task.isCancelled else { throw CancellationError() }
                count += 1
                try row(bytes)
            }
            guard count == rect.height else {
                throw RenderingError.damaged(
                    file: name, detail: "its source gives \(count) of \(rect.height) rows")
            }
        }
    }
}
