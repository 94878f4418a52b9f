package import JPEGIndexing
package import Pictures
package import ViewportGeometry
internal import Vips

/// The capabilities of a source.
public struct SourceCapabilities: Sendable {
    /// The cost of reading a part.
    public var access: SourceAccess
    /// The source itself, where it is a baseline JPEG: its blocks can be indexed, and copied without decoding.
    package var blocks: (any BlockSource)?
    /// The source itself, where an index of its file can be made or is there.
    package var indexable: (any IndexableSource)?
    /// The source itself, where one pass over the file prepares it for reading many parts.
    package var preparable: (any PreparableSource)?
    /// Reads all frames of a file that may be an animation.
    var frames: (any FrameReading)?
    /// Whether the pages are frames, in a format where they may be pictures.
    var isAnimation = false
    /// The levels of which a part costs as much as all of its rows, so that neighbors in a row are read together.
    package var wholeRowLevels = 0..<0
    /// The picture that the file holds of itself for thumbnails.
    package var embedded: EmbeddedPicture?
    /// The index of a level that is in memory, from which tiles are copied.
    package var residentLevel: Int?
    /// The most pixels of which a decoder of whole images holds all; nil where there is no such limit.
    var greatestWholeArea: Int?

    /// - Parameter access: the cost of reading a part.
    public init(access: SourceAccess = .random) {
        self.access = access
    }
}

extension SourceCapabilities: CustomStringConvertible {
    /// The cost of reading a part: "random".
    public var description: String { access.rawValue }
}

/// The cost of reading a part of a source.
public enum SourceAccess: String, Codable, Sendable {
    /// Proportional to the pixels of the part.
    case random
    /// A pass over the compressed data above the part, which an index of the file avoids.
    case scanned
    /// Decoding everything above the part, or the whole image.
    case sequential
    /// Drawing the part; a drawing has any resolution.
    case drawn
}

/// A baseline JPEG whose blocks are indexed, and copied without decoding.
package protocol BlockSource: ImageSource {
    /// The header of the file.
    var header: JPEGHeader { get }
    /// The color profile, if any.
    var profile: [UInt8]? { get }
    /// The reader of a complete index, if there is one.
    var reader: JPEGRegionReader? { get }

    /// Throws where a part of the picture is missing.
    func refuseDamage() throws(RenderingError)

    /// Returns an index of the rows down to a rectangle.
    func index(downTo rect: PixelRect<StoredGrid>) throws(JPEGIndexError) -> JPEGIndex

    /// Opens the file at 1/4 for a thumbnail, from the lowest coefficients of its blocks; returns nil where another
    /// level is better or costs less.
    ///
    /// - Parameter scale: pixels of the thumbnail per full-resolution pixel.
    func thumbnailLevel(forScale scale: Double) -> (any LevelReader)?
}

/// A source that one pass over its file prepares for reading many parts.
package protocol PreparableSource: IndexableSource {
    /// Whether the image at 1/8 can be kept in memory.
    var hasOverview: Bool { get }
    /// The thumbnail of the file that shows exactly the whole image; nil where there is none.
    var embeddedPreview: (any ImageSource)? { get }

    /// Returns the source with the caches that pay off when many parts are read.
    func optimizedForRandomAccess() -> Self

    /// Returns the source with a complete index, and its overview in memory if it has one.
    ///
    /// - Throws: `JPEGIndexError` where the compressed data is broken, or `CancellationError`.
    func indexedWithOverview() throws -> Self

    /// Decodes the image at 1/8 that is kept in memory, unless it is there.
    func makeOverview() throws
}

/// Reads all frames of a file together.
protocol FrameReading: Sendable {
    /// Opens the frames as one image, one below the other.
    ///
    /// - Returns: the image, and whether its rows can only be read from the top.
    func openFrames() throws(RenderingError) -> (strip: VipsImage, isSequential: Bool)
}
