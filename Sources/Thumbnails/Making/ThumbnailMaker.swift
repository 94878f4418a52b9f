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
    /// - Throws: `ThumbnailError` that names the file and the cure.
    public func make(_ path: String) throws(ThumbnailError) -> ThumbnailSet {
        do {
            return try work(path)
        } catch let error as RenderingError {
            throw .rendering(error)
        } catch is CancellationError {
            throw .cancelled(file: path)
        } catch {
            throw error as? ThumbnailError ?? .rendering(.damaged(file: path, detail: "\(error)"))
        }
    }

    /// Makes a process ready for many files: memory stays where it is, and work is not split any further than
    /// over files. Called once, before the first file.
    public static func prepareForBatch() {}

    private func work(_ path: String) throws -> ThumbnailSet {
        if recipe.allowsUntrusted { try ImageFile.allowUntrustedLoaders() }
        var options = OpenOptions()
        options.maximumPixels = recipe.maximumPixels
        if case .number(let number) = recipe.frames { options.page = number }
        let file = try ImageFile.open(path, options)
        let encoder = PictureEncoder(recipe.format, quality: recipe.quality)
        let thumbnails = try recipe.sizes.map { size in
            let fitting = size.fitting(
                file.uprightSize, isCropped: recipe.crop != .none, upscale: recipe.upscale)
            let rect = Rect(origin: .zero, size: file.uprightSize.imageSize)
            let picture = try ViewportRenderer().render(
                Viewport(imageRect: rect, size: fitting.size), of: file
            ).picture
            return Thumbnail(
                size: size, width: picture.size.width, height: picture.size.height,
                bytes: try encoder.encode(picture))
        }
        return ThumbnailSet(
            kind: .image, width: file.uprightSize.width, height: file.uprightSize.height, frames: file.pages,
            thumbnails: thumbnails, placeholder: nil)
    }
}
