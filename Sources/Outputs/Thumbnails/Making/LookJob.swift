internal import ViewportGeometry
internal import ViewportRendering

/// The work on one panorama: a look for each size, and their encoding.
struct LookJob {
    private let recipe: ThumbnailRecipe
    private let file: ImageFile
    private let look: Look
    private let panorama: Panorama
    private let renderer: ViewportRenderer

    /// Creates the work; nil where the recipe has no look.
    ///
    /// - Throws: `RenderingError.panorama` where the file is not one.
    init?(_ recipe: ThumbnailRecipe, _ file: ImageFile) throws(RenderingError) {
        guard let look = recipe.look else { return nil }
        panorama = try file.panorama(assumed: recipe.assumesPanorama)
        (self.recipe, self.file, self.look) = (recipe, file, look)
        renderer = ViewportRenderer(options: recipe.renderOptions)
    }

    func set() throws -> ThumbnailSet {
        let encoder = recipe.encoder
        let thumbnails = try recipe.sizes.map { size in
            let picture = try picture(size.box)
            return Thumbnail(size, picture, bytes: try encoder.encodeSynchronously(picture))
        }
        return ThumbnailSet(
            kind: ThumbnailSet.Kind(file), width: file.uprightSize.width, height: file.uprightSize.height,
            frames: file.pages, thumbnails: thumbnails, placeholder: try placeholder(),
            gainMap: file.gainMap.map { _ in .leftOut })
    }

    private func picture(_ size: PixelSize<OutputGrid>) throws -> Picture {
        let frame = LookFrame(
            look, recipe.projection, size: Size(width: Double(size.width), height: Double(size.height)))
        return try renderer.renderSynchronously(frame, into: panorama, of: file).picture
    }

    /// Returns a ThumbHash of the first size's look.
    private func placeholder() throws -> String? {
        guard recipe.makesPlaceholder, let box = recipe.sizes.first?.box else { return nil }
        let scale = min(1, Double(ThumbHash.greatestSide) / Double(max(box.width, box.height)))
        func side(_ length: Int) -> Int { max(1, Int((Double(length) * scale).rounded())) }
        return ThumbHash(try picture(PixelSize(width: side(box.width), height: side(box.height))))?.base64
    }
}
