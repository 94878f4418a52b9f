public import Foundation
public import ImageMetadata
public import ViewportGeometry

/// A photo or a video of a library, as it was when it was read from the catalog.
public struct Asset: Identifiable, Equatable, Sendable {
    /// Stays the same when the file is moved or renamed, and is never given to another asset.
    public var id: Int64
    /// The path below the library's root, with "/" between folders.
    public var path: String
    /// What the asset is: photo, video, JPEG, PNG, screenshot.
    public var kinds: AssetKinds
    /// The format of the file's bytes, whatever its name says.
    public var format: FileFormat
    /// The upright size in pixels; nil where the file does not say.
    public var size: PixelSize<UprightGrid>?
    /// The length of a video in seconds, as the catalog stores it.
    package var seconds: Double?
    /// When it was taken, by the camera's own clock, and how that is known; nil for undated assets.
    public var date: CaptureDate?
    /// Where it was taken.
    public var location: Location?
    /// The name of the place that `location` is in.
    public var place: String?
    /// The maker of the camera.
    public var make: String?
    /// The model of the camera.
    public var model: String?
    /// The title in the file or its sidecar.
    public var title: String?
    /// The description in the file or its sidecar.
    public var caption: String?
    /// The keywords in the file or its sidecar.
    public var keywords: [String] = []
    /// The size of the file in bytes.
    public var bytes: Int
    /// When the file was last written, in nanoseconds since 1970, as the catalog stores it.
    package var modifiedNanoseconds: Int
    /// The SHA-256 of the file's bytes: 64 hexadecimal digits.
    public var sha256: String
    /// The path of the XMP sidecar, below the root.
    public var sidecar: String?
    /// The other half of a live photo: the video of a photo, or the photo of a video.
    public var livePartner: ID?
    /// An identifier that the pictures of one burst share.
    public var burst: String?

    package init(
        id: Int64 = 0, path: String, kinds: AssetKinds, format: FileFormat, bytes: Int,
        modifiedNanoseconds: Int, sha256: String
    ) {
        self.id = id
        self.path = path
        self.kinds = kinds
        self.format = format
        self.bytes = bytes
        self.modifiedNanoseconds = modifiedNanoseconds
        self.sha256 = sha256
    }

    /// Creates an asset of which nothing else is known, as tests of filters and sorters need it.
    public init(
        id: Int64 = 0, path: String, kinds: AssetKinds, format: FileFormat, bytes: Int = 0,
        modified: Date = Date(timeIntervalSince1970: 0), sha256: String = ""
    ) {
        let nanoseconds = Int(exactly: (modified.timeIntervalSince1970 * 1e9).rounded()) ?? 0
        self.init(
            id: id, path: path, kinds: kinds, format: format, bytes: bytes,
            modifiedNanoseconds: nanoseconds, sha256: sha256)
    }
}

extension Asset {
    /// When the file was last written, to about a tenth of a microsecond.
    public var modified: Date { Date(timeIntervalSince1970: Double(modifiedNanoseconds) / 1e9) }

    /// The length of a video; nil for photos.
    public var duration: Duration? {
        seconds.flatMap { (0..<1e15).contains($0) ? .seconds($0) : nil }
    }

    /// Whether it is a still picture.
    public var isPhoto: Bool { kinds.contains(.photo) }
    /// Whether it is a video.
    public var isVideo: Bool { kinds.contains(.video) }
    /// Whether its file is a JPEG.
    public var isJPEG: Bool { kinds.contains(.jpeg) }
    /// Whether its file is a PNG.
    public var isPNG: Bool { kinds.contains(.png) }
    /// Whether it is a picture of a screen.
    public var isScreenshot: Bool { kinds.contains(.screenshot) }

    /// The path of the file's folder below the root; empty for the root itself.
    public var folder: String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "" }

    /// The file's name with its extension.
    public var name: String { path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path }

    /// The extension of the file's name in lower case; empty where there is none.
    public var fileExtension: String {
        guard let point = name.lastIndex(of: "."), point != name.startIndex else { return "" }
        return name[name.index(after: point)...].lowercased()
    }
}

/// What an asset is; as a filter, the assets that are any of these.
public struct AssetKinds: OptionSet, Hashable, Sendable {
    /// The bits, as the catalog stores them.
    public let rawValue: Int

    /// Creates a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Still pictures of any format, screenshots included.
    public static let photo = AssetKinds(rawValue: 1)
    /// Videos of any format.
    public static let video = AssetKinds(rawValue: 2)
    /// JPEG files.
    public static let jpeg = AssetKinds(rawValue: 4)
    /// PNG files.
    public static let png = AssetKinds(rawValue: 8)
    /// Pictures of a screen.
    public static let screenshot = AssetKinds(rawValue: 16)
    /// Every asset.
    public static let all: AssetKinds = [.photo, .video, .jpeg, .png, .screenshot]
}
