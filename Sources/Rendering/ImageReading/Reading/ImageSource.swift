internal import Basics
internal import ImageMetadata
public import Pictures
package import Resampling
public import TilePyramid
public import ViewportGeometry

/// Supplies the pixels of an image, rectangle by rectangle, at one or more resolutions.
///
/// Sources of files implement this protocol, and programs can implement it for images that they compute or fetch.
/// `ImageFile(source:)` makes a source renderable. Two
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
/// A reduced view reads the smallest level that is large enough. A source with only one level is then read as a
/// whole, so large images should have further levels, each half the size of the previous one.
public protocol ImageSource: Sendable {
    /// The resolutions that can be read; level 0 is the full resolution.
    ///
    /// The sizes of other levels may be estimates until they are opened.
    var pyramid: Pyramid { get }

    /// Opens a level of `pyramid` for reading.
    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader

    /// The capabilities of the source; random access by default.
    var capabilities: SourceCapabilities { get }

    /// The levels that are not averaged from others; all by default.
    var nativePyramid: Pyramid { get }

    /// Returns the sharpening that a level needs when it is shrunk, because its samples have lost contrast.
    ///
    /// By default, the samples of a level are assumed to be means of the pixels that they cover. Return 0
    /// for levels that are drawn or point-sampled.
    func sharpeningCompensation(of level: PyramidLevel) -> Double

    /// A description of the access method for users, such as "regions of a scan" or "whole image, shrinks on load".
    var description: String { get }
}

extension ImageSource {
    /// Random access.
    public var capabilities: SourceCapabilities { SourceCapabilities() }
    /// All levels.
    public var nativePyramid: Pyramid { pyramid }
    /// The default description.
    public var description: String { "a source of the program" }

    /// The compensation for samples that are the means of the pixels that they cover.
    public func sharpeningCompensation(of level: PyramidLevel) -> Double {
        SharpeningCompensation.ofMeans(level)
    }

    /// Returns whether a level is not averaged from another one.
    package func isNative(_ level: PyramidLevel) -> Bool {
        nativePyramid.levels.contains { $0.index == level.index }
    }
}

/// An open level of a source, which can be read on any thread and on several concurrently.
public protocol LevelReader: Sendable {
    /// The level with its exact size.
    var level: PyramidLevel { get }
    /// The layout and color space of the pixels.
    var pixels: SourcePixelFormat { get }

    /// Lends the rows of a rectangle of the level, one by one from the top.
    ///
    /// Each row has exactly `rect.width` pixels without gaps, in stored orientation. Long reads should
    /// throw `CancellationError` when `Task.isCancelled`; between rows the renderer checks that itself.
    ///
    /// - Throws: what `row` throws, or an error of the source.
    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws
}

/// The layout and color space of a source's pixels: interleaved samples, alpha last and straight.
public struct SourcePixelFormat: Hashable, Sendable {
    package var layout: SampleLayout
    /// libvips' nickname of the color space, such as "srgb", "b-w" or "rgb16".
    package var interpretation: String
    /// The embedded profile, if any.
    package var profile: [UInt8]?

    /// Returns the format of gray pixels, or of gray and alpha.
    ///
    /// - Parameter profile: an ICC profile; nil for the gray of sRGB.
    public static func gray(
        _ depth: PixelFormat.Depth = .bits8, hasAlpha: Bool = false, profile: [UInt8]? = nil
    ) -> Self {
        Self(
            layout: SampleLayout(type: depth.sampleType, bands: hasAlpha ? 2 : 1, hasAlpha: hasAlpha),
            interpretation: depth == .bits8 ? "b-w" : "grey16", profile: profile)
    }

    /// Returns the format of RGB or RGBA pixels.
    ///
    /// - Parameter profile: an ICC profile; nil for sRGB.
    public static func rgb(
        _ depth: PixelFormat.Depth = .bits8, hasAlpha: Bool = false, profile: [UInt8]? = nil
    ) -> Self {
        Self(
            layout: SampleLayout(type: depth.sampleType, bands: hasAlpha ? 4 : 3, hasAlpha: hasAlpha),
            interpretation: depth == .bits8 ? "srgb" : "rgb16", profile: profile)
    }

    /// Whether samples are 8 bits of RGB or gray, whatever their profile.
    package var isPlain: Bool {
        guard layout.type == .uint8, (1...4).contains(layout.bands) else { return false }
        return interpretation == "srgb" && layout.bands >= 3 || interpretation == "b-w" && layout.bands <= 2
    }

    /// Whether samples are shown unchanged: 8 bits of sRGB, or gray of the same brightness.
    package var isPlainSRGB: Bool {
        isPlain && (profile.flatMap(ICCProfile.init)?.isSRGB ?? true)
    }

    /// The size of a pixel in bytes.
    public var bytesPerPixel: Int { layout.pixelBytes }
}

extension SourcePixelFormat: CustomStringConvertible {
    /// The color space by libvips' nickname, bands and depth: "srgb, 4 bands with alpha, 8 bits".
    public var description: String {
        "\(interpretation), \(layout.bands.counted("band"))\(layout.hasAlpha ? " with alpha" : ""), "
            + "\(8 * layout.type.bytes) bits"
    }
}

/// Wraps a source of a program and checks all of its results: violations become errors, not crashes.
struct CheckedSource: ImageSource {
    let base: any ImageSource
    /// Its name in errors.
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
            try reading(rect) { bytes in
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

        /// Reads, and names the image in errors of the source; those of `row` pass.
        private func reading(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
            var isStopped = false
            do {
                try reader.read(rect) { bytes in
                    do {
                        try row(bytes)
                    } catch {
                        isStopped = true
                        throw error
                    }
                }
            } catch let error where isStopped || error is RenderingError || error is CancellationError {
                throw error
            } catch {
                throw RenderingError.unreadable(file: name, reason: "its source fails: \(error)")
            }
        }
    }
}
