internal import ViewportGeometry
internal import ViewportRendering

/// The work on one file: which pictures it takes, one decode for all of them, and what they are written as.
struct ThumbnailJob {
    private let recipe: ThumbnailRecipe
    private let file: ImageFile
    private let fittings: [Fitting]
    private let renderer: ViewportRenderer

    init(_ recipe: ThumbnailRecipe, _ file: ImageFile) {
        self.recipe = recipe
        self.file = file
        fittings = recipe.sizes.map { size in
            // A drawing has no pixels that could be enlarged.
            size.fitting(file.uprightSize, crop: recipe.crop, upscale: recipe.upscale || file.isDrawn)
        }
        renderer = ViewportRenderer(options: recipe.renderOptions)
    }

    func set(kind: ThumbnailSet.Kind) throws -> ThumbnailSet {
        let (thumbnails, placeholder) = try animated() ?? still()
        return ThumbnailSet(
            kind: kind, width: file.uprightSize.width, height: file.uprightSize.height, frames: file.pages,
            thumbnails: thumbnails, placeholder: placeholder)
    }

    private typealias Made = (thumbnails: [Thumbnail], placeholder: String?)

    private func still() throws -> Made {
        let pictures = try renderer.renderBatch(viewports, of: file)
        let shown = try cut(pictures, by: windows(pictures))
        let encoder = recipe.encoder
        let thumbnails = try zip(recipe.sizes, shown).map { size, picture in
            let bytes =
                try recipe.keepsMetadata
                ? encoder.encode(picture, withWritingOf: file).file : encoder.encode(picture)
            return Thumbnail(size, picture, bytes: bytes)
        }
        return (thumbnails, try placeholder(pictures))
    }

    /// Nil where one frame is enough.
    private func animated() throws -> Made? {
        guard recipe.frames == .all, recipe.format == .webp, let animation = try Animation(file) else {
            return nil
        }
        let frames = try renderer.renderFrames(viewports, of: animation)
        // What is the most interesting in the first frame is shown of all of them: nothing jumps.
        let windows = try windows(frames[0])
        let shown = frames.map { cut($0, by: windows) }
        let thumbnails = try recipe.sizes.indices.map { index in
            var encoder = AnimationEncoder(
                delays: animation.delays, loop: animation.loop, quality: recipe.quality,
                threads: recipe.threads)
            for frame in shown { try encoder.append(frame[index]) }
            return Thumbnail(recipe.sizes[index], shown[0][index], bytes: try encoder.finished())
        }
        return (thumbnails, try placeholder(frames[0]))
    }

    // MARK: The pictures of one decode

    /// One for each size, then one to look for the crop in, then one for the placeholder; the latter two where
    /// they are needed.
    private var viewports: [Viewport] {
        fittings.map(\.viewport) + (recipe.crop.isByContent ? [look(256)] : [])
            + (recipe.makesPlaceholder ? [look(ThumbHash.greatestSide)] : [])
    }

    /// The whole image, small.
    private func look(_ side: Int) -> Viewport {
        ThumbnailSize(side).fitting(file.uprightSize, crop: .none, upscale: false).viewport
    }

    /// Where the pictures are cut; nil for those that are finished.
    private func windows(_ pictures: [Picture]) throws -> [PixelRect<OutputGrid>?] {
        guard recipe.crop.isByContent else { return fittings.map { _ in nil } }
        let look = pictures[fittings.count]
        return try fittings.map { try $0.window(by: recipe.crop, in: look) }
    }

    private func cut(_ pictures: [Picture], by windows: [PixelRect<OutputGrid>?]) -> [Picture] {
        zip(pictures, windows).map { picture, window in window.map(picture.cropped(to:)) ?? picture }
    }

    private func placeholder(_ pictures: [Picture]) throws -> String? {
        guard recipe.makesPlaceholder, let picture = pictures.last else { return nil }
        return ThumbHash(picture)?.base64
    }
}

extension Thumbnail {
    fileprivate init(_ size: ThumbnailSize, _ picture: Picture, bytes: [UInt8]) {
        self.init(size: size, width: picture.size.width, height: picture.size.height, bytes: bytes)
    }
}

extension ThumbnailRecipe {
    fileprivate var encoder: PictureEncoder {
        var encoder = PictureEncoder(format, quality: quality)
        encoder.threads = threads
        return encoder
    }

    fileprivate var renderOptions: RenderOptions {
        var options = RenderOptions()
        options.colorMode =
            switch color {
            case .srgb: .srgb
            case .keep: .keep
            case .p3: .p3
            }
        options.keepsCMYK = format.hasCMYK
        // What cannot be transparent is white, as paper is.
        options.background = format.hasAlpha ? .transparent : .white
        return options
    }
}
