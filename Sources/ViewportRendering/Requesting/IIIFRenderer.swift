public import TilePyramid
internal import ViewportGeometry

/// Makes the file that answers a IIIF request: the one way of the server, of exact exports and of the command line.
public struct IIIFRenderer: Sendable {
    private let file: ImageFile
    private let tiles: StoredTiles?

    /// - Parameter tiles: what can be given as it is stored; nil decodes everything.
    package init(_ file: ImageFile, tiles: StoredTiles?) {
        self.file = file
        self.tiles = tiles
    }

    public init(_ file: ImageFile) {
        self.init(file, tiles: StoredTiles(file))
    }

    /// Makes the file on the calling thread, which it blocks.
    ///
    /// - Throws: `RenderingError`, or `CancellationError` where its task is cancelled.
    public func make(_ picture: IIIFPicture) throws -> [UInt8] {
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
