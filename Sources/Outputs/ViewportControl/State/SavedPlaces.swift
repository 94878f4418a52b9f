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
