internal import Basics
internal import Files
public import ScrollModel

/// Where a user left an image: the image and the part of it that was seen.
public struct ImagePlace: Codable, Hashable, Sendable {
    /// The path of the image.
    public var image: String {
        get { path.text }
        set { path = FilePath(newValue) }
    }
    /// The center, zoom and rotation, for bounds of any size.
    public var scroll: ScrollView.Archive

    /// Creates a place.
    public init(image: String, scroll: ScrollView.Archive) {
        path = FilePath(image)
        self.scroll = scroll
    }

    private var path: FilePath

    private enum CodingKeys: String, CodingKey {
        case path = "image"
        case scroll
    }
}

/// What a user selected in a photo library.
public struct LibrarySelection: Codable, Hashable, Sendable {
    /// The path of the library.
    public var library: String {
        get { path.text }
        set { path = FilePath(newValue) }
    }
    /// The group that is open, such as "2024-07"; nil for all photos.
    public var group: String?
    /// The identifiers of the selected assets, in the order of selection.
    public var assets: [Int]

    /// Creates a selection.
    public init(library: String, group: String? = nil, assets: [Int] = []) {
        path = FilePath(library)
        self.group = group
        self.assets = assets
    }

    private var path: FilePath

    private enum CodingKeys: String, CodingKey {
        case path = "library"
        case group, assets
    }
}

/// A folder of archives that restore the state of a program in its next run.
public struct StateStore: Sendable {
    /// The path of the folder, which is created with the first archive.
    public let folder: String

    /// The folder `viewport` in XDG_STATE_HOME, or else in the home folder's `.local/state`.
    ///
    /// Source: XDG Base Directory Specification 0.8.
    public static var usualPath: String { UserFolder.state.path }

    /// Creates a store; by default the user's.
    public init(folder: String = Self.usualPath) {
        self.folder = folder
    }

    /// Returns the archive of a name, which may contain any characters.
    ///
    /// - Parameter version: The version of the values that are stored.
    public func archive<Value>(
        _ name: String, of type: Value.Type = Value.self, version: Int = 1
    ) -> ValueArchive<Value> {
        ValueArchive(path: "\(folder)/\(Self.fileName(name)).json", version: version)
    }

    /// Small letters, digits and - stay; other bytes become %xx, and long names end with a hash.
    ///
    /// Some file systems do not distinguish capital letters.
    private static func fileName(_ name: String) -> String {
        let bytes = PathText.bytes(name)
        let text = bytes.map { byte in
            let isPlain = byte == 0x2D || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
            return isPlain ? String(Unicode.Scalar(byte)) : "%" + [byte].hexadecimal
        }.joined()
        guard !text.isEmpty else { return "%" }
        return text.utf8.count <= 200 ? text : "\(text.prefix(180))-\(FNV1a.hash(bytes).hexadecimal)"
    }
}
