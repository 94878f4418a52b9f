package import Resampling
package import TilePyramid
package import ViewportGeometry

/// Where pixels come from: a level and a rectangle in, rows of stored pixels out.
///
/// This is the seam between what a file can do and what a picture needs. Anything that can bring a rectangle
/// of one of its levels is a source: a libvips loader, an index into a JPEG, a pyramid on disk.
package protocol ImageSource: Sendable {
    /// How it reads, in words for people: "sequential, shrinks on load".
    var description: String { get }
    /// The resolutions it has; sizes of drawn levels are estimates until they are opened.
    var pyramid: Pyramid { get }
    /// Those of them that the file itself brings; further ones are averaged.
    var ownPyramid: Pyramid { get }
    /// What a part of it costs.
    var access: SourceAccess { get }
    /// How much the samples of a level are to be enlivened when they are shrunk.
    func sharpeningCompensation(of level: PyramidLevel) -> Double
    /// Makes a level ready for reading.
    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader
}

extension ImageSource {
    package var ownPyramid: Pyramid { pyramid }

    /// Whether a level is the file's own, not averaged.
    package func isOwn(_ level: PyramidLevel) -> Bool {
        ownPyramid.levels.contains { $0.index == level.index }
    }
}

/// What it costs to read a part of a source.
package enum SourceAccess: Sendable {
    /// About what the part has of pixels.
    case random
    /// A pass over the compressed data above it, which an index of the file would save.
    case scanned
    /// Decoding everything above it, or all there is.
    case sequential
    /// Drawing it; what is drawn has any resolution.
    case drawn
}

/// One level of a source that is ready for reading, on any thread and on several at once.
package protocol LevelReader: Sendable {
    /// The level with its exact size.
    var level: PyramidLevel { get }
    /// What the samples of a row are.
    var pixels: PixelKind { get }
    /// Lends the rows of `rect`, from the top, one by one.
    ///
    /// Rows lie as in the file, before the orientation. It stops with `CancellationError` when its task is
    /// cancelled.
    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws
}

/// What the samples of a pixel are and mean.
package struct PixelKind: Equatable, Sendable {
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
}
