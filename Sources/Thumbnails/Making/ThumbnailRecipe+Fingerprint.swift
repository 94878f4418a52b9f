internal import ViewportRendering

extension ThumbnailRecipe {
    /// Goes up when the same recipe makes other bytes than before.
    private static let engine = 2

    /// A line that is the same for recipes, and engines, that make the same thumbnails.
    ///
    /// Whatever does not change bytes (threads, limits, which loaders may be used, the placeholder) is not in it.
    public var fingerprint: String {
        [
            "engine=\(Self.engine)", "sizes=\(sizes.map(\.description).joined(separator: ","))",
            "crop=\(crop.rawValue)", "format=\(format.rawValue)",
            "quality=\(quality.map(String.init) ?? "usual")", "color=\(color.rawValue)",
            "frames=\(frames)", "upscale=\(upscale)", "metadata=\(keepsMetadata)",
        ].joined(separator: " ")
    }
}
