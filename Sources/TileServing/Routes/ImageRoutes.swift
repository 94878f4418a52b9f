internal import HTTPTypes
internal import NIOCore
internal import TilePyramid
internal import ViewportGeometry
internal import ViewportRendering

extension Call {
    /// The answer with a picture; who has it already, or wants no bytes, does not make anybody decode.
    func reply(
        with picture: IIIFPicture, of image: OpenImage, from pictures: PictureMaker
    ) async throws -> Reply {
        let identity = PictureIdentity(image.state, picture.canonicalPath, Self.makersVersion)
        let mediaType = Self.mediaTypes[picture.format] ?? "application/octet-stream"
        let reply = Reply(.ok, headers: [.contentType: mediaType]).cached(
            EntityTag(identity), image, self)
        if reply.status == .notModified || method == .head { return reply }
        let file: ByteBuffer
        do {
            file = try await whileClientIsThere { try await pictures.file(picture, of: image, identity) }
        } catch var failure as Failure {
            failure.isPrivate = image.isPrivate
            throw failure
        }
        var full = reply
        full.body = file
        return full
    }

    /// Changes with everything that changes the bytes of pictures.
    private static let makersVersion = "1"

    private static let mediaTypes = [
        "jpg": "image/jpeg", "png": "image/png", "webp": "image/webp", "avif": "image/avif",
        "tif": "image/tiff", "gif": "image/gif", "jp2": "image/jp2",
    ]

    /// Does something that is cancelled when the client leaves.
    package func whileClientIsThere<R: Sendable>(
        _ work: @escaping @Sendable () async throws -> R
    ) async throws -> R {
        guard let presence = await presence() else { return try await work() }
        return try await presence.whileThere(work)
    }

    /// Tells whether the client is still there.
    package func presence() async -> DisconnectHandler? {
        try? await channel.pipeline.handler(type: DisconnectHandler.self).get()
    }
}

extension Reply {
    /// The same for clients that keep it: all of it, or that nothing has changed.
    func cached(_ tag: EntityTag, _ image: OpenImage, _ call: Call) -> Reply {
        let headers: HTTPFields = [
            .eTag: tag.text, .lastModified: image.lastModified, .cacheControl: "public, max-age=3600",
        ]
        let isKnown =
            call[.ifNoneMatch] != nil
            ? tag.isKnown(to: call) : call[.ifModifiedSince] == image.lastModified
        var reply = isKnown ? Reply(.notModified) : self
        reply.isPrivate = image.isPrivate
        for field in headers { reply.headers.append(field) }
        if isKnown { for name in [HTTPField.Name.vary, .link] { reply.headers[name] = self.headers[name] } }
        return reply
    }
}

/// What the server says of an image.
struct ImageInformation {
    private let image: OpenImage
    private let limits: IIIFLimits
    private let formats: [String]

    init(_ image: OpenImage, limits: IIIFLimits, formats: [String]) {
        self.image = image
        self.limits = limits
        self.formats = formats
    }

    /// The `info.json` of an image at an address.
    func iiif(_ id: String, _ version: IIIFInformation.Version) -> IIIFInformation {
        let site = IIIFSite(size: image.file.uprightSize, tileSize: image.tileSide, format: "jpg")
        let sizes = site.pyramid.levels.map(\.size).filter(limits.allow)
        var information = IIIFInformation(
            version: version, id: id, level: 2, size: image.file.uprightSize, sizes: sizes.reversed(),
            tiles: [
                IIIFInformation.Tiles(
                    width: image.tileSide, height: image.tileSide,
                    scaleFactors: site.pyramid.levels.indices.map { 1 << $0 })
            ],
            // What level 2 has anyway need not be said.
            extraFormats: formats.filter { !["jpg", "png"].contains($0) })
        information.maximum = PixelSize(width: limits.side, height: limits.side)
        information.maximumArea = limits.area
        information.pages = image.file.pages > 1 ? image.file.pages : nil
        information.extraQualities = ["color", "gray", "bitonal"]
        information.extraFeatures = Self.features(version, enlarges: limits.allowsEnlarging)
        return information
    }

    private static func features(_ version: IIIFInformation.Version, enlarges: Bool) -> [String] {
        let common = ["canonicalLinkHeader", "mirroring", "profileLinkHeader", "rotationArbitrary"]
        switch version {
        case .three: return common + (enlarges ? ["sizeUpscaling"] : [])
        case .two: return common + ["regionSquare"] + (enlarges ? ["sizeAboveFull"] : [])
        }
    }
}

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
