internal import Basics
internal import PhotoCatalog
internal import ViewportGeometry
internal import ViewportRendering
internal import Vips

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
