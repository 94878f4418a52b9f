package import Files
public import ImageMetadata
public import TilePyramid
public import ViewportGeometry

/// An image file that is open for reading parts of it; nothing is decoded yet.
public struct ImageFile: Sendable {
    public let path: String
    public let format: ImageFormat
    /// The pixels of the page, as stored.
    public let storedSize: PixelSize<StoredGrid>
    /// The orientation that the file asks for.
    public let fileOrientation: Orientation
    /// How the stored pixels are turned to be seen: the file's orientation, then the turn that was asked for.
    public let orientation: Orientation
    /// The number of pages, frames or slides.
    public let pages: Int
    /// The page that is read, from 0.
    public let page: Int
    /// What the camera wrote.
    public let exif: Exif?
    /// The embedded color profile.
    public let profile: ICCProfile?
    /// What the samples mean, by libvips' nickname, as "srgb", "b-w" or "cmyk".
    public let interpretation: String
    /// Samples per pixel, alpha included.
    public let bands: Int
    /// Whether the last band is alpha.
    public let hasAlpha: Bool
    /// What is missing of the file, as "rows 97 to 200 are missing"; nil where nothing is known to be.
    public let damage: String?
    /// What was opened, and stays open: header, metadata and pixels are read from it.
    package let opened: OpenFile
    /// Which pixels these are, for caches.
    package internal(set) var identity: SourceIdentity
    /// Where its pixels come from.
    package internal(set) var source: any ImageSource

    /// The size as it is seen: image points are these pixels.
    public var uprightSize: PixelSize<UprightGrid> { orientation.uprightSize(storedSize) }

    /// The resolutions that it can be read at without decoding the others.
    public var pyramid: Pyramid { source.nativePyramid }

    /// How it will be read, in words: "sequential, shrinks on load".
    public var reading: String { source.description }
}
