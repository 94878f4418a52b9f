/// How large a thumbnail is to be: a box that it is fitted into.
public struct ThumbnailSize: Sendable, Hashable {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}
