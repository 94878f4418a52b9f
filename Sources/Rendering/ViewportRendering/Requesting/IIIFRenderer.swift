internal import Basics
public import TilePyramid
internal import ViewportGeometry

/// Renders and encodes the answer to a IIIF request: the same bytes for the server, exact exports and the command line.
public struct IIIFRenderer: Sendable {
    private let file: ImageFile
    private let tiles: StoredTiles?

    /// - Parameter tiles: the tiles that are copied as they are stored; nil decodes everything.
    package init(_ file: ImageFile, tiles: StoredTiles?) {
        self.file = file
        self.tiles = tiles
    }

    /// Creates a renderer of an image.
    public init(_ file: ImageFile) {
        self.init(file, tiles: StoredTiles(file))
    }

    /// Renders and encodes a picture without blocking the caller's thread.
    ///
    /// - Returns: the bytes of a file in the picture's format.
    /// - Throws: `RenderingError`, or `CancellationError` soon after the task is cancelled.
    public func render(_ picture: IIIFPicture) async throws -> [UInt8] {
        try await BlockingExecutor.shared.run { try renderSynchronously(picture) }
    }

    /// Renders and encodes a picture on the calling thread, which it blocks.
    ///
    /// - Returns: the bytes of a file in the picture's format.
    /// - Throws: `RenderingError`, or `CancellationError` soon after the surrounding task, if any, is cancelled.
    public func renderSynchronously(_ picture: IIIFPicture) throws -> [UInt8] {
        guard let format = PictureFormat(rawValue: picture.format) else {
            throw RenderingError.cannotEncode(format: picture.format, detail: "it is not written here")
        }
        if let stored = tiles?.jpeg(picture) { return stored }
        let region = picture.region
        let viewport = Viewport(
            imageRect: Rect(
                x: Double(region.x), y: Double(region.y), width: Double(region.width),
                height: Double(region.height)),
            size: PixelSize(width: picture.size.width, height: picture.size.height))
        var options = RenderOptions()
        options.background = format.hasAlpha ? .transparent : .white
        let rendered = try ViewportRenderer(options: options).renderSynchronously(viewport, of: file).picture
        guard !Task.isCancelled else { throw CancellationError() }
        var encoder = PictureEncoder(format)
        encoder.threads = 1
        return try encoder.encode(
            rendered.turned(picture.rotation, keepsCornersEmpty: format.hasAlpha).recolored(picture.quality))
    }
}
