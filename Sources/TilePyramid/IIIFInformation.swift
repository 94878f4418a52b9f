public import ViewportGeometry

/// What an `info.json` says: the IIIF Image API's description of an image.
///
/// Source: IIIF Image API 3.0 and 2.1, section 5.
public struct IIIFInformation: Hashable, Sendable {
    /// The version of the Image API.
    public enum Version: Hashable, Sendable {
        case two, three
    }

    /// Tiles that can be asked for: those of a size, at some of the scales.
    public struct Tiles: Hashable, Sendable {
        public var width: Int
        public var height: Int
        /// Full-resolution pixels per pixel of a tile, across and down.
        public var scaleFactors: [Int]

        public init(width: Int, height: Int, scaleFactors: [Int]) {
            self.width = width
            self.height = height
            self.scaleFactors = scaleFactors
        }
    }

    public var version: Version
    /// The address of the image without `/info.json`.
    public var id: String
    /// The level of compliance, 0 to 2.
    public var level: Int
    public var size: PixelSize<UprightGrid>
    /// Sizes that the whole image can be asked for, from the smallest.
    public var sizes: [PixelSize<UprightGrid>]
    public var tiles: [Tiles]
    /// The largest picture that is given; nil where the image itself is.
    public var maximum: PixelSize<UprightGrid>?
    /// Formats beside those that the level promises, the preferred one first.
    public var extraFormats: [String]
    /// The most pixels of a picture that is given; nil where there is no such limit.
    public var maximumArea: Int?
    /// Qualities beside `default`.
    public var extraQualities: [String] = []
    /// What the server does beyond its level, by the specification's names.
    public var extraFeatures: [String] = []
    /// The pictures of the file, where it has several: their addresses end with `;1` and so on.
    public var pages: Int?

    public init(
        version: Version = .three, id: String, level: Int, size: PixelSize<UprightGrid>,
        sizes: [PixelSize<UprightGrid>] = [], tiles: [Tiles] = [],
        maximum: PixelSize<UprightGrid>? = nil, extraFormats: [String] = []
    ) {
        self.version = version
        self.id = id
        self.level = level
        self.size = size
        self.sizes = sizes
        self.tiles = tiles
        self.maximum = maximum
        self.extraFormats = extraFormats
    }
}
