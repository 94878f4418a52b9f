internal import Basics
public import PhotoCatalog
internal import ViewportGeometry
public import ViewportRendering
internal import Vips

/// Pictures of a library's assets: upright once, in sRGB, as large as they are shown.
public struct AssetImages: Sendable {
    public let library: PhotoLibrary

    public init(of library: PhotoLibrary) { self.library = library }

    /// How an asset is shown.
    public enum Form: Hashable, Sendable {
        /// A square of so many pixels, filled from the middle of the picture.
        case thumbnail(side: Int)
        /// The whole picture, its long side so many pixels or less.
        case aspectRatioThumbnail(side: Int)
        /// The whole picture within a screen.
        case fullScreen(width: Int, height: Int)
        /// Every pixel.
        case fullResolution
    }

    /// A square of so many pixels; smaller pictures are not enlarged.
    public func thumbnail(of asset: Asset, side: Int = 256) -> AssetImageSequence {
        images(of: asset, .thumbnail(side: side))
    }

    /// The whole picture, small.
    public func aspectRatioThumbnail(of asset: Asset, side: Int = 256) -> AssetImageSequence {
        images(of: asset, .aspectRatioThumbnail(side: side))
    }

    /// The whole picture within a screen of so many pixels.
    public func fullScreenImage(of asset: Asset, width: Int, height: Int) -> AssetImageSequence {
        images(of: asset, .fullScreen(width: width, height: height))
    }

    /// Every pixel of the picture.
    public func fullResolutionImage(of asset: Asset) -> AssetImageSequence {
        images(of: asset, .fullResolution)
    }

    /// The pictures of an asset in a form, better and better.
    public func images(of asset: Asset, _ form: Form) -> AssetImageSequence {
        AssetImageSequence(path: library.path(of: asset), asset: asset, form: form)
    }
}

/// A picture of an asset.
public struct AssetImage: Sendable {
    public enum Quality: Int, Comparable, Sendable {
        /// Gray, of the final size: there at once, so that nothing moves later.
        case placeholder
        /// Made from the small picture that cameras put into their files.
        case preview
        case final

        public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }

    public let quality: Quality
    public let picture: Picture
}

extension AssetImages.Form {
    /// The part of an image that is shown and the pixels that it fills; nothing is enlarged.
    func viewport(of size: PixelSize<UprightGrid>) -> Viewport {
        let (width, height) = (Double(size.width), Double(size.height))
        let whole = Rect<ImageSpace>(x: 0, y: 0, width: width, height: height)
        switch self {
        case .thumbnail(let side):
            let length = min(width, height)
            let middle = Rect<ImageSpace>(
                x: ((width - length) / 2).rounded(.down), y: ((height - length) / 2).rounded(.down),
                width: length, height: length)
            let pixels = min(side, Int(length))
            return Viewport(imageRect: middle, size: PixelSize(width: pixels, height: pixels))
        case .aspectRatioThumbnail(let side):
            return Viewport(imageRect: whole, scale: min(1, Double(side) / max(width, height)))
        case .fullScreen(let across, let down):
            return Viewport(imageRect: whole, scale: min(1, Double(across) / width, Double(down) / height))
        case .fullResolution: return Viewport(imageRect: whole, scale: 1)
        }
    }
}

/// The pictures of an asset as they become available: placeholder, embedded preview, final.
///
/// Nothing is decoded before it is asked for, and cancelling the task that asks ends the decoding. The first two
/// are left out where the file has nothing to make them from.
public struct AssetImageSequence: AsyncSequence, Sendable {
    public typealias Element = AssetImage
    public typealias Failure = any Error

    let path: String
    let asset: Asset
    let form: AssetImages.Form

    public func makeAsyncIterator() -> Iterator { Iterator(source: self) }

    public struct Iterator: AsyncIteratorProtocol {
        let source: AssetImageSequence
        private var next: AssetImage.Quality? = .placeholder

        init(source: AssetImageSequence) { self.source = source }

        /// - Throws: `RenderingError` or `ThumbnailError` that names the file, or `CancellationError`.
        public mutating func next() async throws -> AssetImage? {
            while let quality = next {
                next = AssetImage.Quality(rawValue: quality.rawValue + 1)
                if let image = try await source.image(quality) { return image }
            }
            return nil
        }
    }

    /// The last picture only.
    public func final() async throws -> AssetImage? { try await image(.final) }

    /// A picture; nil where there is nothing to make it from.
    private func image(_ quality: AssetImage.Quality) async throws -> AssetImage? {
        try await BlockingExecutor.shared.run {
            try Task.checkCancellation()
            let picture =
                switch quality {
                case .placeholder: placeholder()
                case .preview: try? preview()
                case .final: try final()
                }
            return picture.map { AssetImage(quality: quality, picture: $0) }
        }
    }

    private func placeholder() -> Picture? {
        guard let size = asset.size else { return nil }
        let pixels = form.viewport(of: size).size
        guard pixels.area <= 1 << 24 else { return nil }
        return Picture(filling: pixels, with: Color(red: 0.5, green: 0.5, blue: 0.5))
    }

    private func preview() throws -> Picture? {
        guard asset.isPhoto, let preview = EmbeddedPreview(path) else { return nil }
        return try preview.withFile { try render($0) }
    }

    private func final() throws -> Picture {
        guard asset.isVideo else { return try render(ImageFile.open(path)) }
        return try VideoPicture.withFrame(path, form) { try render($0) }
    }

    private func render(_ file: ImageFile) throws -> Picture {
        try ViewportRenderer().renderSynchronously(form.viewport(of: file.uprightSize), of: file).picture
    }
}
