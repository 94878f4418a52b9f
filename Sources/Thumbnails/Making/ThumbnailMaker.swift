internal import ViewportRendering

/// Makes the thumbnails of a file.
public struct ThumbnailMaker: Sendable {
    public let recipe: ThumbnailRecipe

    public init(_ recipe: ThumbnailRecipe) {
        self.recipe = recipe
    }

    /// Makes the thumbnails of a file in the order of the recipe's sizes, on the calling thread, which it blocks.
    ///
    /// All sizes come from one decode. The same recipe makes the same bytes of the same file, on any machine and
    /// beside any number of others.
    ///
    /// - Throws: `ThumbnailError` that names the file and the cure.
    public func make(_ path: String) throws(ThumbnailError) -> ThumbnailSet {
        do {
            if recipe.allowsUntrusted { try ImageFile.allowUntrustedLoaders() }
            return try VideoFile(path)?.withFrame(make(frame:)) ?? makeImage(path)
        } catch let error as RenderingError {
            throw .rendering(error)
        } catch is CancellationError {
            throw .cancelled(file: path)
        } catch {
            throw error as? ThumbnailError ?? .rendering(.damaged(file: path, detail: "\(error)"))
        }
    }

    private func makeImage(_ path: String) throws -> ThumbnailSet {
        var options = OpenOptions()
        options.maximumPixels = recipe.maximumPixels
        if case .number(let number) = recipe.frames { options.page = number }
        let file = try ImageFile.open(path, options)
        return try ThumbnailJob(recipe, file).set(kind: ThumbnailSet.Kind(file))
    }

    /// Makes the thumbnails of a video from a picture file of one of its frames.
    private func make(frame path: String) throws -> ThumbnailSet {
        var options = OpenOptions()
        options.maximumPixels = recipe.maximumPixels
        return try ThumbnailJob(recipe, ImageFile.open(path, options)).set(kind: .video)
    }
}

extension ThumbnailSet.Kind {
    fileprivate init(_ file: ImageFile) {
        self = file.isAnimated ? .animation : file.isDrawn ? .document : .image
    }
}
