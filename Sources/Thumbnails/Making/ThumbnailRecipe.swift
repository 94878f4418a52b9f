public import ViewportRendering

/// What is made of every file of a batch.
///
/// Equal recipes make equal bytes of equal files; `fingerprint` tells so across runs.
public struct ThumbnailRecipe: Sendable, Hashable {
    /// What happens to colors.
    public enum Color: String, CaseIterable, Sendable {
        /// Everything becomes sRGB; gray stays gray.
        case srgb
        /// Numbers stay as they are and their profile goes with them.
        case keep
        /// Everything becomes Display P3, whose profile is embedded.
        case p3
    }

    /// Which frames of an animation, or pages of a document, are shown.
    public enum Frames: Sendable, Hashable {
        /// The first frame.
        case first
        /// All frames with their times in WebP; the first one in other formats.
        case all
        /// The frame or page with this number, from 0.
        case number(Int)
    }

    /// The sizes; each gives one thumbnail.
    public var sizes: [ThumbnailSize]
    /// The part of the picture that fills a box of another shape.
    public var crop = CropMode.none
    /// The format of the thumbnails.
    public var format = PictureFormat.jpg
    /// The quality of JPEG, WebP and AVIF from 1 to 100; nil for the format's default.
    ///
    /// A number outside becomes the nearest one inside.
    public var quality: Int?
    /// The color space of the thumbnails.
    public var color = Color.srgb
    /// The frames of an animation, or pages of a document, that are shown.
    public var frames = Frames.first
    /// Whether pictures that are smaller than the box are enlarged.
    public var upscale = false
    /// Whether a ThumbHash is made, to be shown until the thumbnail is there.
    public var makesPlaceholder = false
    /// Whether EXIF, XMP and IPTC go with thumbnails of one frame; else nothing but the colors' profile does.
    public var keepsMetadata = false
    /// Whether loaders may be used that libvips does not trust with hostile files (SVG, PDF, JPEG 2000 …); once
    /// used, they are open for the whole process.
    public var allowsUntrusted = false
    /// The most pixels that a file may have; nil for the default of ``OpenOptions``.
    public var maximumPixels: Int?
    /// How many threads one file may take; the bytes are the same.
    ///
    /// A batch takes one and works on several files.
    public var threads = 1

    /// A recipe whose other settings have their defaults.
    public init(sizes: [ThumbnailSize], format: PictureFormat = .jpg, quality: Int? = nil) {
        self.sizes = sizes
        self.format = format
        self.quality = quality
    }
}

extension ThumbnailRecipe.Frames: CustomStringConvertible {
    /// "first", "all" or a number.
    public init?(_ text: String) {
        switch text {
        case "first": self = .first
        case "all": self = .all
        default:
            guard let number = Int(text), number >= 0 else { return nil }
            self = .number(number)
        }
    }

    /// The text that is read as this choice.
    public var description: String {
        switch self {
        case .first: "first"
        case .all: "all"
        case .number(let number): "\(number)"
        }
    }
}

extension ThumbnailRecipe {
    /// Goes up when the same recipe makes other bytes than before.
    private static let engine = 2

    /// A line that is the same for recipes, and engines, that make the same thumbnails.
    ///
    /// Whatever does not change bytes (threads, limits, which loaders may be used, the placeholder) is not in it.
    public var fingerprint: String {
        [
            "engine=\(Self.engine)", "sizes=\(sizes.map(\.description).joined(separator: ","))",
            "crop=\(crop.rawValue)", "format=\(format.rawValue)",
            "quality=\(quality.map(String.init) ?? "usual")", "color=\(color.rawValue)",
            "frames=\(frames)", "upscale=\(upscale)", "metadata=\(keepsMetadata)",
        ].joined(separator: " ")
    }
}

/// Which part of the upright picture fills a box of another shape.
public enum CropMode: String, CaseIterable, Sendable {
    /// All of it: the box is not filled.
    case none
    /// The middle.
    case center = "centre"
    /// The part with the most detail.
    case entropy
    /// The part that is likely to draw the eye: skin, bright colors, edges.
    case attention
    /// The left or upper end.
    case low
    /// The right or lower end.
    case high
}

extension CropMode {
    /// Whether the picture's content decides.
    var isByContent: Bool { self == .entropy || self == .attention }

    /// Which share of what is cut off lies left of and above the part that stays; nil where content decides.
    var place: Double? {
        switch self {
        case .low: 0
        case .center: 0.5
        case .high: 1
        case .none, .entropy, .attention: nil
        }
    }
}
