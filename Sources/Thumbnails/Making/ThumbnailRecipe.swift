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
        case first
        /// All, with their times, where the format is webp; else the first.
        case all
        /// One of them, from 0.
        case number(Int)
    }

    /// One thumbnail for each of these.
    public var sizes: [ThumbnailSize]
    public var crop = CropMode.none
    public var format = PictureFormat.jpg
    /// 1 to 100 for jpg, webp and avif; nil for the format's usual one.
    public var quality: Int?
    public var color = Color.srgb
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
    /// The most pixels that a file may have; nil for what is usual.
    public var maximumPixels: Int?
    /// How many threads one file may take; the bytes are the same.
    ///
    /// A batch takes one and works on several files.
    public var threads = 1

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

    public var description: String {
        switch self {
        case .first: "first"
        case .all: "all"
        case .number(let number): "\(number)"
        }
    }
}
