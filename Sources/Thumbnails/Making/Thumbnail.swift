/// A finished thumbnail: the bytes of a file.
public struct Thumbnail: Sendable, Hashable {
    /// The size that was asked for.
    public let size: ThumbnailSize
    /// Pixels of it; of one frame, where it is animated.
    public let width: Int
    public let height: Int
    public let bytes: [UInt8]
}
