internal import Basics
internal import Renders
internal import ViewportGeometry
package import ViewportRendering

/// Makes the thumbnails of a file.
public struct ThumbnailMaker: Sendable {
    /// The thumbnails to make of each file.
    public let recipe: ThumbnailRecipe

    /// Creates a maker for a recipe; concurrent tasks can share it.
    public init(_ recipe: ThumbnailRecipe) {
        self.recipe = recipe
    }

    /// Makes the thumbnails of a file, in the order of the recipe's sizes.
    ///
    /// All sizes come from one decode. The same recipe makes the same bytes of the same file, with the same
    /// libraries and kind of processor.
    ///
    /// - Throws: `ThumbnailError` that names the file and the cause, or `CancellationError` soon after the task is
    ///   cancelled.
    public func make(_ path: String) async throws -> ThumbnailSet {
        try await BlockingExecutor.shared.run { try makeSynchronously(path) }
    }

    /// Makes the thumbnails of a file on the calling thread, which is blocked until they are finished.
    ///
    /// - Throws: `ThumbnailError` that names the file and the cause, or `CancellationError` soon after the surrounding
    ///   task, if any, is cancelled.
    public func makeSynchronously(_ path: String) throws -> ThumbnailSet {
        do {
            if recipe.allowsUntrusted { try ViewportRuntime.allowUntrustedLoaders() }
            guard let video = VideoFile(path) else { return try makeImage(path) }
            guard recipe.look == nil else {
                throw RenderingError.panorama(file: path, reason: "it is a video")
            }
            return try video.withFrame(make(frame:))
        } catch let error as RenderingError {
            throw ThumbnailError.rendering(error)
        } catch let error where error is CancellationError || error is ThumbnailError {
            throw error
        } catch {
            throw ThumbnailError.rendering(.damaged(file: path, detail: "\(error)"))
        }
    }

    private func makeImage(_ path: String) throws -> ThumbnailSet {
        var options = recipe.openOptions
        if case .number(let number) = recipe.frames { options.page = number }
        let file = try ImageFile.open(path, options)
        if let looks = try LookJob(recipe, file) { return try looks.set() }
        return try ThumbnailJob(recipe, file).set(kind: ThumbnailSet.Kind(file))
    }

    /// Makes the thumbnails of a video from an image file of one frame.
    private func make(frame path: String) throws -> ThumbnailSet {
        try ThumbnailJob(recipe, ImageFile.open(path, recipe.openOptions)).set(kind: .video)
    }
}

extension ThumbnailSize {
    /// Returns the viewport of the whole image in the box, without a crop.
    package func viewport(of file: ImageFile) -> Viewport {
        fitting(file.uprightSize, crop: .none, upscale: file.isDrawn).viewport
    }
}

extension ViewportRenderer {
    /// Renders the thumbnail of an open image by the options of this renderer, with the pixels of a `ThumbnailMaker`.
    ///
    /// Blocks the calling thread.
    ///
    /// - Throws: `RenderingError`, or `CancellationError` where its task is cancelled.
    package func renderThumbnail(_ size: ThumbnailSize, of file: ImageFile) throws -> Picture {
        let viewport = size.viewport(of: file)
        let source = file.reducedToEmbedded(for: [viewport])
        return try renderBatch([viewport], of: source, asThumbnails: true)[0]
    }
}

extension ThumbnailSet.Kind {
    init(_ file: ImageFile) {
        self = file.isAnimated ? .animation : file.isDrawn ? .document : .image
    }
}

/// The work on one file: its viewports, one decode for all of them, and their encoding.
struct ThumbnailJob {
    private let recipe: ThumbnailRecipe
    private let file: ImageFile
    private let fittings: [Fitting]
    private let renderer: ViewportRenderer

    init(_ recipe: ThumbnailRecipe, _ file: ImageFile) {
        self.recipe = recipe
        fittings = recipe.sizes.map { size in
            // Drawings are rendered at any size.
            size.fitting(file.uprightSize, crop: recipe.crop, upscale: recipe.upscale || file.isDrawn)
        }
        renderer = ViewportRenderer(options: recipe.renderOptions)
        self.file = file.reducedToEmbedded(for: Self.viewports(fittings, recipe, file))
    }

    func set(kind: ThumbnailSet.Kind) throws -> ThumbnailSet {
        let (thumbnails, placeholder) = try animated() ?? still()
        return ThumbnailSet(
            kind: kind, width: file.uprightSize.width, height: file.uprightSize.height, frames: file.pages,
            thumbnails: thumbnails, placeholder: placeholder,
            gainMap: file.gainMap.map { _ in recipe.keepsGainMap ? .kept : .leftOut })
    }

    private typealias Made = (thumbnails: [Thumbnail], placeholder: String?)

    private func still() throws -> Made {
        let pictures = try renderer.renderBatch(
            viewports, of: file, asThumbnails: true, threads: recipe.threads)
        let windows = try windows(pictures)
        let shown = cut(pictures, by: windows)
        var finisher = PictureFinisher(recipe.encoder, after: renderer, of: file)
        finisher.keepsMetadata = recipe.keepsMetadata
        finisher.gainMap = recipe.keepsGainMap ? .kept : .leftOut
        let thumbnails = try recipe.sizes.indices.map { index in
            let viewport = windows[index].map(viewports[index].part) ?? viewports[index]
            let file = try finisher.finish(shown[index], showing: viewport)
            return Thumbnail(recipe.sizes[index], shown[index], bytes: file.bytes)
        }
        return (thumbnails, try placeholder(pictures))
    }

    /// Returns the animated thumbnails; nil if one frame is enough.
    private func animated() throws -> Made? {
        guard recipe.frames == .all, recipe.format == .webp, let animation = try Animation(file) else {
            return nil
        }
        let frames = try renderer.renderFrames(viewports, of: animation)
        // The first frame decides the crop of all frames, so that the picture does not jump.
        let windows = try windows(frames[0])
        let shown = frames.map { cut($0, by: windows) }
        let thumbnails = try recipe.sizes.indices.map { index in
            var encoder = AnimationEncoder(
                .webp, delays: animation.delays, loop: animation.loop, quality: recipe.quality,
                threads: recipe.threads)
            for frame in shown { try encoder.appendSynchronously(frame[index]) }
            return Thumbnail(recipe.sizes[index], shown[0][index], bytes: try encoder.finishedSynchronously())
        }
        return (thumbnails, try placeholder(frames[0]))
    }

    // MARK: The pictures of one decode

    /// One viewport per size, then, if they are needed, one for finding the crop and one for the placeholder.
    private static func viewports(
        _ fittings: [Fitting], _ recipe: ThumbnailRecipe, _ file: ImageFile
    ) -> [Viewport] {
        /// The whole image, small.
        func look(_ side: Int) -> Viewport {
            ThumbnailSize(side).fitting(file.uprightSize, crop: .none, upscale: false).viewport
        }
        return fittings.map(\.viewport) + (recipe.crop.isByContent ? [look(256)] : [])
            + (recipe.makesPlaceholder ? [look(ThumbHash.greatestSide)] : [])
    }

    private var viewports: [Viewport] { Self.viewports(fittings, recipe, file) }

    /// Returns the crop of each picture; nil for pictures that need none.
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
    init(_ size: ThumbnailSize, _ picture: Picture, bytes: [UInt8]) {
        self.init(size: size, width: picture.size.width, height: picture.size.height, bytes: bytes)
    }
}

extension ThumbnailRecipe {
    var encoder: PictureEncoder {
        var encoder = PictureEncoder(format, quality: quality.map { min(max($0, 1), 100) })
        encoder.threads = max(1, threads)
        encoder.compression = compression
        return encoder
    }

    var openOptions: OpenOptions {
        var options = OpenOptions()
        options.maximumPixels = maximumPixels
        options.threads = max(1, threads)
        return options
    }

    var renderOptions: RenderOptions {
        var options = RenderOptions()
        options.colorMode =
            switch color {
            case .srgb: .srgb
            case .keep: .keep
            case .p3: .p3
            }
        options.keepsCMYK = format.hasCMYK
        options.isLinear = isLinear
        // Formats without transparency get a white background.
        options.background = .transparent.opaque(unless: format.hasAlpha)
        return options
    }
}

/// The thumbnails of one file.
public struct ThumbnailSet: Sendable, Hashable {
    /// The kind of a file.
    public enum Kind: String, Codable, Sendable {
        /// A still image.
        case image
        /// Frames with delays, such as GIF.
        case animation
        /// A drawing or document without pixels, such as SVG and PDF.
        case document
        /// A video, shown by one frame.
        case video
    }

    /// The kind of the file.
    public let kind: Kind
    /// The width of the upright image in pixels.
    public let width: Int
    /// The height of the upright image in pixels.
    public let height: Int
    /// The number of frames or pages; 1 for videos.
    public let frames: Int
    /// The thumbnails, in the order of the recipe's sizes.
    public let thumbnails: [Thumbnail]
    /// A ThumbHash in base64; nil unless the recipe makes one.
    public let placeholder: String?
    /// What happened to the gain map of the file; nil if it has none.
    public let gainMap: GainMapOutcome?

    /// What happens to a gain map.
    public enum GainMapOutcome: String, Codable, Sendable {
        /// The thumbnails have it.
        case kept
        /// The thumbnails have none.
        case leftOut = "left-out"
    }
}

/// An encoded thumbnail.
public struct Thumbnail: Sendable, Hashable {
    /// The requested size.
    public let size: ThumbnailSize
    /// The width in pixels; of one frame of an animation.
    public let width: Int
    /// The height in pixels; of one frame of an animation.
    public let height: Int
    /// The bytes of the file, in the recipe's format.
    public let bytes: [UInt8]
}

// Neither is `Codable`: the bytes of thumbnails are files.

extension ThumbnailSet: CustomStringConvertible {
    /// The file and the number of thumbnails: "image of 4032x3024, 2 thumbnails".
    public var description: String {
        "\(kind.rawValue) of \(width)x\(height), \(thumbnails.count.counted("thumbnail"))"
    }
}

extension Thumbnail: CustomStringConvertible {
    /// Size in pixels and size in bytes: "256x192, 12.3 kB".
    public var description: String { "\(width)x\(height), \(bytes.count.readableBytes)" }
}
