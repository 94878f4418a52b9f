public import ViewportRendering

/// What is made of every file of a batch.
public struct ThumbnailRecipe: Sendable, Hashable {
    /// One thumbnail for each of these.
    public var sizes: [ThumbnailSize]
    public var format: PictureFormat
    /// 1 to 100 for jpg, webp and avif; nil for the format's usual one.
    public var quality: Int?

    public init(sizes: [ThumbnailSize], format: PictureFormat = .jpg, quality: Int? = nil) {
        self.sizes = sizes
        self.format = format
        self.quality = quality
    }
}
