internal import Basics
public import ImageReading
internal import PictureEncoding
internal import Pictures
internal import Platform
public import TilePyramid
package import ViewportGeometry
internal import Viewports

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
        try answerSynchronously(picture).bytes
    }

    /// Returns the file and the size of its picture, as ``renderSynchronously(_:)``.
    package func answerSynchronously(
        _ picture: IIIFPicture
    ) throws -> (bytes: [UInt8], size: PixelSize<OutputGrid>) {
        guard let format = PictureFormat(rawValue: picture.format) else {
            throw RenderingError.cannotEncode(format: picture.format, detail: "it is not written here")
        }
        let size = PixelSize<OutputGrid>(width: picture.size.width, height: picture.size.height)
        if let stored = tiles?.jpeg(picture) { return (stored, size) }
        let region = picture.region
        let viewport = Viewport(
            imageRect: Rect(
                x: Double(region.x), y: Double(region.y), width: Double(region.width),
                height: Double(region.height)), size: size)
        var options = RenderOptions()
        options.background = Color.transparent.opaque(unless: format.hasAlpha)
        let rendered = try ViewportRenderer(options: options).renderSynchronously(viewport, of: file).picture
        guard !Task.isCancelled else { throw CancellationError() }
        var encoder = PictureEncoder(format)
        encoder.threads = 1
        let finished = try rendered.turned(picture.rotation, keepsCornersEmpty: format.hasAlpha)
            .recolored(picture.quality)
        return (try encoder.encodeSynchronously(finished), finished.size)
    }
}

extension IIIFRenderer {
    /// An estimate of the memory that rendering, turning and encoding a picture needs, in bytes; that of the decoder is
    /// `partByteCount` or `decodingByteCount`.
    ///
    /// Measured with noise, which compresses worst.
    package static func byteCount(of picture: IIIFPicture) -> Int {
        let area = Double(picture.size.area)
        let angle = picture.rotation.degrees * .pi / 180
        let (sine, cosine) = (abs(sin(angle)), abs(cos(angle)))
        let (width, height) = (Double(picture.size.width), Double(picture.size.height))
        let turned = (width * cosine + height * sine) * (width * sine + height * cosine)
        let isFree = picture.rotation.degrees.truncatingRemainder(dividingBy: 90) != 0
        let perPixel =
            switch PictureFormat(rawValue: picture.format) {
            case .jpg, nil: isFree ? 8.0 : 4.0
            case .png: isFree ? 10.0 : 8.0
            // Corners are transparent, and libwebp compresses alpha apart.
            case .webp: isFree ? 34.0 : 20.0
            case .tif, .jp2: 11.0
            case .gif: 21.0
            case .avif: 30.0
            }
        let copy = picture.rotation == .init() ? 0 : 4 * area
        return Int(turned * perPixel + copy) + 1 << 20
    }
}
