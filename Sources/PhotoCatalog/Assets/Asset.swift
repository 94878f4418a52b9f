public import ImageMetadata
public import ViewportGeometry

/// A photo or a video of a library, as it was when it was asked for.
public struct Asset: Identifiable, Equatable, Sendable {
    /// Stays the same when the file is moved or renamed, and is never given to another asset.
    public var id: Int64
    /// Below the library's root, folders separated by "/".
    public var path: String
    public var kinds: AssetKinds
    /// What the bytes are, whatever the name says.
    public var format: FileFormat
    /// Upright pixels; nil where the file does not tell.
    public var size: PixelSize<UprightGrid>?
    /// Seconds; nil for photos.
    public var duration: Double?
    /// Nil for undated assets.
    public var date: CaptureDate?
    public var location: Location?
    /// The name of the place that `location` is in.
    public var place: String?
    public var make: String?
    public var model: String?
    public var title: String?
    public var caption: String?
    public var keywords: [String] = []
    /// Of the file, in bytes.
    public var bytes: Int
    /// When the file was last written, in nanoseconds since 1970.
    public var modified: Int
    /// Of the file's bytes: 64 hexadecimal digits.
    public var sha256: String
    /// The folder that the file lies in, below the root; empty for the root itself.
    public var folder: String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "" }
    /// The file with what is known beside the picture, below the root.
    public var sidecar: String?
    /// The asset that this one makes a live photo with: the video of a photo, the photo of a video.
    public var livePartner: ID?
    /// What the pictures of one burst have in common.
    public var burst: String?

    /// An asset of a file about which nothing else is known.
    public init(
        id: Int64 = 0, path: String, kinds: AssetKinds, format: FileFormat, bytes: Int, modified: Int,
        sha256: String
    ) {
        self.id = id
        self.path = path
        self.kinds = kinds
        self.format = format
        self.bytes = bytes
        self.modified = modified
        self.sha256 = sha256
    }
}

extension Asset {
    public var isPhoto: Bool { kinds.contains(.photo) }
    public var isVideo: Bool { kinds.contains(.video) }
    public var isJPEG: Bool { kinds.contains(.jpeg) }
    public var isPNG: Bool { kinds.contains(.png) }
    public var isScreenshot: Bool { kinds.contains(.screenshot) }

    /// The file's name, with its extension.
    public var name: String { path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path }

    /// What stands behind the last point of the name, in small letters; empty where there is none.
    public var fileExtension: String {
        guard let point = name.lastIndex(of: "."), point != name.startIndex else { return "" }
        return name[name.index(after: point)...].lowercased()
    }
}

/// What an asset is; as a filter, the assets that are any of these.
public struct AssetKinds: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A still picture of any format, screenshots included.
    public static let photo = AssetKinds(rawValue: 1)
    public static let video = AssetKinds(rawValue: 2)
    public static let jpeg = AssetKinds(rawValue: 4)
    public static let png = AssetKinds(rawValue: 8)
    public static let screenshot = AssetKinds(rawValue: 16)
    public static let all: AssetKinds = [.photo, .video, .jpeg, .png, .screenshot]
}
