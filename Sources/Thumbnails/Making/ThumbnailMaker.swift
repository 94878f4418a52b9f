internal import ViewportGeometry
internal import ViewportRendering

/// Makes the thumbnails of a file.
public struct ThumbnailMaker: Sendable {
    public let recipe: ThumbnailRecipe

    public init(_ recipe: ThumbnailRecipe) {
        self.recipe = recipe
    }

    /// Makes the thumbnails of a file in the order of the recipe's sizes, on the calling thread, which it blocks.
    ///
    /// - Throws: `RenderingError` that names the file and the cure.
    public func make(_ path: String) throws -> [Thumbnail] {
        let file = try ImageFile.open(path)
        let encoder = PictureEncoder(recipe.format, quality: recipe.quality)
        return try recipe.sizes.map { size in
            let box = Size<ViewSpace>(width: Double(size.width), height: Double(size.height))
            guard let request = ViewportRequest(.fitted(box)).resolve(in: file.uprightSize.imageSize) else {
                throw RenderingError.outside(file: path, size: file.uprightSize)
            }
            let picture = try ViewportRenderer().render(request.viewport, of: file).picture
            return Thumbnail(
                size: size, width: picture.size.width, height: picture.size.height,
                bytes: try encoder.encode(picture))
        }
    }
}
