#if Server
internal import Basics
internal import Containers
internal import Files
internal import HTTPTypes
internal import ImageMetadata
internal import NIOCore
internal import ViewportGeometry
internal import ViewportRendering

/// The file of an animation at `/iiif/3/{identifier}/animation`, which browsers play by themselves.
///
/// Its frames are not encoded again; what else its metadata say, such as the place, is left out.
struct AnimationResponse {
    private let image: OpenImage
    let mediaType: String

    /// The largest file that is sent, in bytes: it is in memory as a whole.
    private static let maximumBytes = 64 << 20

    /// Nil where the image is no animation that browsers play, or is shown turned, which they would not do.
    ///
    /// Reads the file.
    init?(_ image: OpenImage) {
        let file = image.file
        guard file.page == 0, image.damage == nil, file.orientation == .up,
            file.opened.count <= Self.maximumBytes,
            file.isAnimated || file.format == .png && Self.hasFrames(file.opened),
            let mediaType = FileType.named(file.format.rawValue)?.mediaType
        else { return nil }
        self.image = image
        self.mediaType = mediaType
    }

    /// Whether a PNG announces more than one frame before its pixels.
    private static func hasFrames(_ file: OpenFile) -> Bool {
        let bytes = FileBytes(file)
        var chunks = PNGChunks(bytes)
        while let chunk = (try? chunks.next()) ?? nil, chunk.type != "IDAT" {
            if chunk.type == "acTL" { return bytes.uint32(at: chunk.body.lowerBound).map { $0 > 1 } ?? false }
        }
        return false
    }

    /// - Throws: `RouteError` where the file cannot be read.
    func response(to request: RouteRequest) throws -> RouteResponse {
        let response = RouteResponse(.ok, headers: [.contentType: mediaType]).cached(
            EntityTag("\(image.state) animation"), image, request)
        if response.status == .notModified { return response }
        let bytes: [UInt8]
        do {
            bytes = try image.file.opened.contents()
            guard image.file.opened.isUnchanged else { throw FileError.changed }
        } catch {
            throw RouteError.fileChanged
        }
        var full = response
        full.body = ByteBuffer(bytes: try Self.shared(bytes, image.file.format))
        return full
    }

    /// A GIF has no block for positions.
    private static func shared(_ bytes: [UInt8], _ format: ImageFormat) throws -> [UInt8] {
        if format == .gif { return bytes }
        do {
            return try SharedFile.copy(bytes, SharedMetadata(orientation: .up))
        } catch {
            throw RouteError(.unprocessableContent, "the file of the animation is damaged")
        }
    }
}
#endif
