internal import HTTPTypes
internal import TilePyramid
internal import ViewportGeometry
internal import ViewportRendering

/// Deep Zoom at `/dzi`: `NAME.dzi` and `NAME_files/{level}/{column}_{row}.{format}`, tiles as `vips dzsave` cuts them.
struct DeepZoomRoute: Route {
    let images: OpenImages
    let pictures: PictureMaker

    var prefix: String { "dzi" }
    var isOpen: Bool { true }

    func reply(to call: Call) async throws -> Reply {
        let parts = call.path.dropFirst()
        guard let last = parts.last, last.utf8.count > 4 else { throw Failure.notFound }
        if last.hasSuffix(".dzi") {
            let name = try IIIFAddressing.identifier(parts)
            let image = try await images.image(String(name.dropLast(".dzi".count)), for: call)
            let text = Self.descriptor(image, format: "jpg").text
            return Reply(text: text, "application/xml").cached(EntityTag(text), image, call)
        }
        guard parts.count >= 3, let dot = last.lastIndex(of: ".") else { throw Failure.notFound }
        let folder = try IIIFAddressing.identifier(parts.dropLast(2))
        let format = String(last[last.index(after: dot)...])
        guard folder.hasSuffix("_files"), ["jpg", "png", "webp"].contains(format) else {
            throw Failure.notFound
        }
        let image = try await images.image(String(folder.dropLast("_files".count)), for: call)
        let descriptor = Self.descriptor(image, format: format)
        guard let key = descriptor.key(parts.suffix(2).joined(separator: "/")),
            let rect = descriptor.pyramid.rect(key)
        else { throw Failure(.notFound, "the image has no such tile") }
        let picture = IIIFPicture(
            tile: TileRegion.region(of: rect, level: key.level, in: image.file.uprightSize), size: rect.size,
            format: format)
        return try await call.reply(with: picture, of: image, from: pictures)
    }

    private static func descriptor(_ image: OpenImage, format: String) -> DeepZoomDescriptor {
        DeepZoomDescriptor(size: image.file.uprightSize, tileSize: 254, overlap: 1, format: format)
    }
}
