/// All that was made of a file.
public struct ThumbnailSet: Sendable, Hashable {
    /// What the file was.
    public enum Kind: String, Sendable {
        case image, animation, document, video
    }

    public let kind: Kind
    /// Pixels of the file as it is seen, upright.
    public let width: Int
    public let height: Int
    /// Frames or pages of the file; 1 for videos, whose frames nobody has counted.
    public let frames: Int
    /// In the order of the recipe's sizes.
    public let thumbnails: [Thumbnail]
    /// A ThumbHash in base64, where the recipe asks for one.
    public let placeholder: String?
}
