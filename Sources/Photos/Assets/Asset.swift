package import Files
public import Foundation
public import ImageMetadata
public import ViewportGeometry

/// A photo or video of a library, with the state in which it was read from the catalog.
public struct Asset: Identifiable, Hashable, Codable, Sendable {
    /// The identifier; it stays the same when the file is moved or renamed, and is never reused.
    public var id: Int64
    /// The path below the library's root, whose bytes decide whether it is another asset's.
    package var file: FilePath
    /// What the asset is: photo, video, JPEG, PNG, screenshot.
    public var kinds: AssetKinds
    /// The format of the file's content, regardless of its name.
    public var format: FileFormat
    /// The upright size in pixels; nil if unknown.
    public var size: PixelSize<UprightGrid>?
    /// The length of a video in seconds, as the catalog stores it.
    package var seconds: Double?
    /// The time on the camera's clock when it was taken, and the source of that time; nil for undated assets.
    public var date: CaptureDate?
    /// The position at which it was taken.
    public var location: Location?
    /// The name of the place around `location`.
    public var place: String?
    /// The manufacturer of the camera.
    public var make: String?
    /// The model of the camera.
    public var model: String?
    /// The lens.
    public var lens: String?
    /// The rating in the file or its sidecar: 1 to 5, 0 without one, -1 for rejected; nil if neither states it.
    public var rating: Int?
    /// The color label in the file or its sidecar, such as "Red".
    public var label: String?
    /// The title in the file or its sidecar.
    public var title: String?
    /// The description in the file or its sidecar.
    public var caption: String?
    /// The keywords in the file or its sidecar.
    public var keywords: [String] = []
    package var bytes: Int
    /// The size of the file in bytes.
    public var fileSize: Int { bytes }
    /// The modification time of the file in nanoseconds since 1970, as the catalog stores it.
    package var modifiedNanoseconds: Int
    /// The SHA-256 of the file: 64 hexadecimal digits.
    public var sha256: String
    /// The path of the XMP sidecar, below the root.
    package var sidecarFile: FilePath?
    /// The turn that the sidecar states, applied to the picture as the file alone shows it.
    package var turn = Orientation.up
    /// The other half of a live photo: the video of a photo, or the photo of a video.
    public var livePartner: ID?
    /// The identifier that all pictures of one burst share.
    package var burst: String?
    /// The cover of the stack of files of one shot or burst; the asset itself if it is the cover, nil outside of stacks.
    public var stack: ID?
    /// The number of files in the stack, where it was read.
    package var stackCount: Int?

    package init(
        id: Int64 = 0, path: String, kinds: AssetKinds, format: FileFormat, bytes: Int,
        modifiedNanoseconds: Int, sha256: String
    ) {
        self.id = id
        file = FilePath(path)
        self.kinds = kinds
        self.format = format
        self.bytes = bytes
        self.modifiedNanoseconds = modifiedNanoseconds
        self.sha256 = sha256
    }
}

extension Asset {
    private enum CodingKeys: String, CodingKey {
        case file = "path"
        case sidecarFile = "sidecar"
        case id, kinds, format, size, seconds, date, location, place, make, model, lens, rating, label, title,
            caption
        case bytes = "fileSize"
        case keywords, modifiedNanoseconds, sha256, turn, livePartner, burst, stack
    }
}

extension Asset: CustomStringConvertible {
    /// The path, the date and the size: "2014/a.jpg, 2014-05-25T10:00:00+02:00, 4032x3024".
    public var description: String {
        [file.description, date?.description, size?.description].compactMap(\.self).joined(separator: ", ")
    }
}

extension Asset {
    /// The path below the library's root, with "/" between folders.
    public var path: String {
        get { file.text }
        set { file = FilePath(newValue) }
    }

    /// The path of the XMP sidecar, below the root.
    package var sidecar: String? {
        get { sidecarFile?.text }
        set { sidecarFile = newValue.map { FilePath($0) } }
    }

    /// The modification time of the file, to about 0.1 µs.
    public var modified: Date { Date(timeIntervalSince1970: Double(modifiedNanoseconds) / 1e9) }

    /// The length of a video; nil for photos.
    public var duration: Duration? {
        seconds.flatMap { (0..<1e15).contains($0) ? .seconds($0) : nil }
    }

    /// The instant of undated assets, which sorts them last.
    package static let undated = Int.max

    /// Whether it is a still picture.
    package var isPhoto: Bool { kinds.contains(.photo) }
    /// Whether it is a video.
    package var isVideo: Bool { kinds.contains(.video) }
    /// Whether it is a screenshot.
    package var isScreenshot: Bool { kinds.contains(.screenshot) }

    /// The path of the file's folder below the root; empty for the root itself.
    package var folder: String { file.parent?.text ?? "" }

    /// The file's name with its extension.
    package var name: String { file.name.text }

    /// The extension of the file's name in lower case; empty without one.
    package var fileExtension: String { FileExtension.of(file) }
}

/// What an asset is; as a filter, the assets that are any of these.
public struct AssetKinds: OptionSet, Hashable, Codable, Sendable {
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
    /// Screenshots.
    public static let screenshot = AssetKinds(rawValue: 16)
    /// Photos with a film inside.
    public static let motion = AssetKinds(rawValue: 32)
    /// Photos whose metadata (GPano) states a panorama.
    public static let panorama = AssetKinds(rawValue: 64)
    /// Photos behind the cover of their stack.
    package static let behind = AssetKinds(rawValue: 128)
    /// Every asset.
    public static let all: AssetKinds = [.photo, .video, .jpeg, .png, .screenshot, .motion, .panorama]
}
