internal import Basics
public import ViewportRendering

/// The thumbnails to make of each file.
///
/// Equal recipes make equal bytes of equal files. `fingerprint` compares recipes across runs.
public struct ThumbnailRecipe: Sendable, Hashable, Codable {
    /// A color conversion.
    public enum Color: String, CaseIterable, Codable, Sendable {
        /// Converts to sRGB; gray stays gray.
        case srgb
        /// Keeps the numbers and embeds their profile.
        case keep
        /// Converts to Display P3 and embeds its profile.
        case p3
    }

    /// The frames of an animation or pages of a document to show.
    public enum Frames: Sendable, Hashable {
        /// The first frame.
        case first
        /// All frames with their delays in WebP; the first frame in other formats.
        case all
        /// The frame or page with this number, from 0.
        case number(Int)
    }

    /// The sizes, one per thumbnail.
    public var sizes: [ThumbnailSize]
    /// The part of the picture that fills a box with another aspect ratio.
    public var crop = CropMode.none
    /// The format of the thumbnails.
    public var format = PictureFormat.jpg
    /// The quality of JPEG, WebP and AVIF from 1 to 100; nil for the format's default.
    ///
    /// Values outside are clamped.
    public var quality: Int?
    /// The compression of PNG.
    public var compression = PNGCompression.standard
    /// The color space of the thumbnails.
    public var color = Color.srgb
    /// The frames of an animation or pages of a document to show.
    public var frames = Frames.first
    /// The look into panoramas that thumbnails show; nil for the flat image.
    ///
    /// A look fills the box of each size, a square where the size has one side only; it has no metadata, no gain map and
    /// no frames. Files that are not panoramas then have no thumbnails.
    public var look: Look?
    /// How a look shows the sphere.
    public var projection = LookProjection.rectilinear
    /// Whether an image of 2:1 that does not state to be a panorama is taken for the whole sphere by a look.
    public var assumesPanorama = false
    /// Whether pixels are averaged as light, which keeps the brightness of fine bright details.
    public var isLinear = false
    /// Whether images smaller than the box are enlarged.
    public var upscale = false
    /// Whether a ThumbHash is made, to show until the thumbnail is loaded.
    public var makesPlaceholder = false
    /// Whether thumbnails of one frame keep EXIF, XMP and IPTC; otherwise they only have a color profile.
    public var keepsMetadata = false
    /// Whether JPEG thumbnails of one frame keep the file's gain map, cropped and scaled as they are; a file whose map
    /// lacks numbers then has no thumbnails.
    public var keepsGainMap = false
    /// Whether to allow loaders that libvips does not trust with hostile files, such as SVG, PDF and JPEG 2000.
    ///
    /// Once used, they are allowed in the whole process.
    public var allowsUntrusted = false
    /// The maximum number of pixels of a file; nil for the default of ``/ImageReading/OpenOptions``.
    public var maximumPixels: Int?
    /// The number of threads for one file; it does not change the bytes.
    ///
    /// A batch uses one thread per file and processes several files at a time.
    public var threads = 1

    /// Creates a recipe with defaults for the other settings.
    public init(sizes: [ThumbnailSize], format: PictureFormat = .jpg, quality: Int? = nil) {
        self.sizes = sizes
        self.format = format
        self.quality = quality
    }
}

extension ThumbnailRecipe.Frames: CustomStringConvertible {
    /// Parses "first", "all" or a number.
    public init?(_ text: String) {
        switch text {
        case "first": self = .first
        case "all": self = .all
        default:
            guard let number = Int(text), number >= 0 else { return nil }
            self = .number(number)
        }
    }

    /// The text that parses as this choice.
    public var description: String {
        switch self {
        case .first: "first"
        case .all: "all"
        case .number(let number): "\(number)"
        }
    }
}

/// Coded as its `description`.
extension ThumbnailRecipe.Frames: Codable {
    /// Decodes "first", "all" or a number.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value("first, all or a number") { Self($0) }
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: description) }
}

extension ThumbnailRecipe {
    /// Decodes a recipe; settings that are missing, but for the sizes, have their defaults.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(sizes: try values.decode([ThumbnailSize].self, forKey: .sizes))
        try values.read(&crop, .crop)
        try values.read(&format, .format)
        try values.read(&quality, .quality)
        try values.read(&compression, .compression)
        try values.read(&color, .color)
        try values.read(&frames, .frames)
        look = try values.decodeIfPresent(Look.self, forKey: .look)
        try values.read(&projection, .projection)
        try values.read(&assumesPanorama, .assumesPanorama)
        try values.read(&isLinear, .isLinear)
        try values.read(&upscale, .upscale)
        try values.read(&makesPlaceholder, .makesPlaceholder)
        try values.read(&keepsMetadata, .keepsMetadata)
        try values.read(&keepsGainMap, .keepsGainMap)
        try values.read(&allowsUntrusted, .allowsUntrusted)
        try values.read(&maximumPixels, .maximumPixels)
        try values.read(&threads, .threads)
    }
}

extension ThumbnailRecipe {
    /// Version of the encoder: raised when the same recipe makes other bytes.
    private static let engine = 4

    /// A line that is equal for recipes that make the same bytes.
    ///
    /// It omits settings that do not change bytes: threads, limits, allowed loaders, the placeholder.
    public var fingerprint: String {
        [
            "engine=\(Self.engine)", "sizes=\(sizes.map(\.description).joined(separator: ","))",
            "crop=\(crop.rawValue)", "format=\(format.rawValue)",
            "quality=\(quality.map(String.init) ?? "usual")", "color=\(color.rawValue)",
            "frames=\(frames)", "upscale=\(upscale)", "metadata=\(keepsMetadata)",
            isLinear ? "linear=true" : nil, keepsGainMap ? "gainMap=true" : nil,
            compression == .standard ? nil : "compression=\(compression.rawValue)",
            look.map { "look=\($0.yaw),\($0.pitch),\($0.roll),\($0.fieldOfView),\(projection.rawValue)" },
            look != nil && assumesPanorama ? "panorama=true" : nil,
        ].compactMap(\.self).joined(separator: " ")
    }
}

/// The part of the upright image that fills a box with another aspect ratio.
public enum CropMode: String, CaseIterable, Codable, Sendable {
    /// The whole image; the box is not filled.
    case none
    /// The center.
    case center = "centre"
    /// The part with the most detail.
    case entropy
    /// The most salient part: skin, bright colors, edges.
    case attention
    /// The left or upper end.
    case low
    /// The right or lower end.
    case high
}

extension CropMode {
    /// Whether the image content decides.
    var isByContent: Bool { self == .entropy || self == .attention }

    /// The fraction of the cropped area that is left of or above the remaining part; nil if content decides.
    var place: Double? {
        switch self {
        case .low: 0
        case .center: 0.5
        case .high: 1
        case .none, .entropy, .attention: nil
        }
    }
}
