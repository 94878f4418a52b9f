public import AssetCatalog
package import Basics
internal import ViewportGeometry
public import ViewportRendering

/// Renders pictures of a library's assets: upright, in sRGB, at the requested size.
///
/// Videos are represented by one frame, which needs an installed `ffmpeg`.
public struct AssetImages: Sendable {
    /// The library that the assets belong to.
    public let library: PhotoLibrary
    private let executor: BlockingExecutor

    /// Creates a renderer of a library's assets.
    public init(of library: PhotoLibrary) { self.init(of: library, on: .shared) }

    /// Creates a renderer that reads files on the threads of an executor.
    package init(of library: PhotoLibrary, on executor: BlockingExecutor) {
        (self.library, self.executor) = (library, executor)
    }

    /// The size and shape of a picture; sides below 1 count as 1.
    public enum Form: Hashable, Codable, Sendable {
        /// The center square of the picture, scaled to a side; smaller pictures are not enlarged.
        case thumbnail(side: Int)
        /// The whole picture with a long side of at most this many pixels.
        case aspectRatioThumbnail(side: Int)
        /// The whole picture, fitted into a screen of this many pixels.
        case fullScreen(width: Int, height: Int)
        /// The whole picture at full size.
        case fullResolution
    }

    /// Returns square thumbnails of an asset; smaller pictures are not enlarged.
    public func thumbnail(of asset: Asset, side: Int = 256) -> AssetImageSequence {
        images(of: asset, .thumbnail(side: side))
    }

    /// Returns thumbnails of the whole picture of an asset.
    public func aspectRatioThumbnail(of asset: Asset, side: Int = 256) -> AssetImageSequence {
        images(of: asset, .aspectRatioThumbnail(side: side))
    }

    /// Returns pictures of an asset that fit a screen.
    public func fullScreenImage(of asset: Asset, width: Int, height: Int) -> AssetImageSequence {
        images(of: asset, .fullScreen(width: width, height: height))
    }

    /// Returns pictures of an asset at full size.
    public func fullResolutionImage(of asset: Asset) -> AssetImageSequence {
        images(of: asset, .fullResolution)
    }

    /// Returns the pictures of an asset in a form, from a placeholder to the final one.
    public func images(of asset: Asset, _ form: Form) -> AssetImageSequence {
        AssetImageSequence(path: library.path(of: asset), asset: asset, form: form, executor: executor)
    }
}

/// A picture of an asset with its quality.
public struct AssetImage: Hashable, Sendable {
    /// The stage of a picture.
    public enum Quality: Int, Comparable, Codable, Sendable {
        /// A gray area of the final size, available immediately.
        case placeholder
        /// Made from the small JPEG that cameras embed.
        case preview
        /// Made from the file's own pixels.
        case final

        /// Compares the stages in their order.
        public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }

    /// The stage of the picture.
    public let quality: Quality
    /// The pixels.
    public let picture: Picture
}

extension AssetImage: CustomStringConvertible {
    /// The picture and its stage: "256x192 RGB, 8 bits, preview".
    public var description: String { "\(picture), \(quality)" }
}

extension AssetImages.Form {
    /// Returns the visible part of an image and its output size; nothing is enlarged.
    func viewport(of size: PixelSize<UprightGrid>) -> Viewport {
        let (width, height) = (Double(size.width), Double(size.height))
        let whole = Rect<ImageSpace>(x: 0, y: 0, width: width, height: height)
        switch self {
        case .thumbnail(let wanted):
            let side = max(1, wanted)
            let length = min(width, height)
            let middle = Rect<ImageSpace>(
                x: ((width - length) / 2).rounded(.down), y: ((height - length) / 2).rounded(.down),
                width: length, height: length)
            let pixels = min(side, Int(length))
            return Viewport(imageRect: middle, size: PixelSize(width: pixels, height: pixels))
        case .aspectRatioThumbnail(let side):
            return Viewport(imageRect: whole, scale: min(1, Double(max(1, side)) / max(width, height)))
        case .fullScreen(let across, let down):
            return Viewport(
                imageRect: whole, scale: min(1, Double(max(1, across)) / width, Double(max(1, down)) / height)
            )
        case .fullResolution: return Viewport(imageRect: whole, scale: 1)
        }
    }
}

/// The pictures of an asset as they become available: placeholder, embedded preview, final.
///
/// A picture is decoded when `next` is called. Placeholder and preview are omitted if the size is unknown or the file
/// has no preview.
public struct AssetImageSequence: AsyncSequence, Sendable {
    /// A picture with its quality.
    public typealias Element = AssetImage
    /// `RenderingError` or `ThumbnailError` that names the file, or `CancellationError`.
    public typealias Failure = any Error

    fileprivate let path: String
    fileprivate let asset: Asset
    fileprivate let form: AssetImages.Form
    fileprivate let executor: BlockingExecutor

    /// Creates an iterator that starts with the placeholder.
    public func makeAsyncIterator() -> Iterator { Iterator(source: self) }

    /// The pictures for one reader.
    public struct Iterator: AsyncIteratorProtocol {
        private let source: AssetImageSequence
        private var next: AssetImage.Quality? = .placeholder

        fileprivate init(source: AssetImageSequence) { self.source = source }

        /// Decodes the next picture; nil after the final one.
        ///
        /// - Throws: `RenderingError` or `ThumbnailError` that names the file, or `CancellationError`.
        public mutating func next() async throws -> AssetImage? {
            while let quality = next {
                // Asked here, too: the executor learns of a cancellation beside its work, which may end before.
                try Task.checkCancellation()
                next = AssetImage.Quality(rawValue: quality.rawValue + 1)
                if let image = try await source.image(quality) { return image }
            }
            return nil
        }
    }

    /// Returns the final picture only.
    ///
    /// - Throws: `RenderingError` or `ThumbnailError` that names the file, or `CancellationError`.
    public func final() async throws -> AssetImage? { try await image(.final) }

    /// Returns a picture; nil if the file has none of this quality.
    fileprivate func image(_ quality: AssetImage.Quality) async throws -> AssetImage? {
        try await executor.run {
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
        guard asset.isPhoto, !asset.format.isRaw,
            let preview = try ImageFile.embeddedPreview(of: path, turn: asset.turn)
        else { return nil }
        return try render(preview)
    }

    private func final() throws -> Picture {
        guard asset.isVideo else {
            var options = OpenOptions()
            options.turn = asset.turn
            return try render(ImageFile.open(path, options))
        }
        return try VideoPicture.withFrame(path, form) { try render($0) }
    }

    private func render(_ file: ImageFile) throws -> Picture {
        try ViewportRenderer().renderSynchronously(form.viewport(of: file.uprightSize), of: file).picture
    }
}
