#if Server
internal import Containers
internal import Files
internal import HTTPTypes
internal import NIOCore
internal import TilePyramid
internal import ViewportGeometry
internal import ViewportRendering

extension RouteRequest {
    /// Returns the response with an image; nothing is decoded if the client has the bytes.
    ///
    /// HEAD needs the bytes, too: they have the length that GET states.
    func respond(
        with picture: IIIFPicture, of image: OpenImage, from renders: RenderService
    ) async throws -> RouteResponse {
        let identity = RenderIdentity(image.state, picture.canonicalPath, Self.rendererVersion)
        let mediaType = FileType.ofExtension(picture.format)?.mediaType ?? "application/octet-stream"
        let response = RouteResponse(.ok, headers: [.contentType: mediaType]).cached(
            EntityTag(identity), image, self)
        if response.status == .notModified { return response }
        let file: ByteBuffer
        do {
            file = try await cancellingOnDisconnect {
                guard let content = PDFResponse.image(of: picture) else {
                    return try await renders.file(picture, of: image, identity)
                }
                let identity = RenderIdentity(image.state, content.canonicalPath, Self.rendererVersion)
                let jpeg = try await renders.file(content, of: image, identity)
                guard let document = PDFResponse.document(jpeg) else { throw RouteError.internalError }
                return document
            }
        } catch var error as RouteError {
            error.isPrivate = image.isPrivate
            throw error
        }
        var full = response
        full.body = file
        return full
    }

    /// Increment with every change of encoded bytes.
    private static let rendererVersion = "1"
}

extension RouteResponse {
    /// Adds headers for caches; returns 304 if the client has the bytes.
    func cached(_ tag: EntityTag, _ image: OpenImage, _ request: RouteRequest) -> RouteResponse {
        // A photo that is turned later has the same URL and the same file.
        let canTurn = image.turn != nil
        let headers: HTTPFields = [
            .eTag: tag.text, .lastModified: image.lastModified,
            .cacheControl: canTurn ? "no-cache" : "public, max-age=3600",
        ]
        let isNotModified =
            request[.ifNoneMatch] != nil
            ? tag.matches(request) : !canTurn && request[.ifModifiedSince] == image.lastModified
        var response = isNotModified ? RouteResponse(.notModified) : self
        response.isPrivate = image.isPrivate
        for field in headers { response.headers.append(field) }
        if isNotModified {
            for name in [HTTPField.Name.vary, .link] { response.headers[name] = self.headers[name] }
        }
        return response
    }
}

/// The IIIF description of an image.
struct ImageInformation {
    private let image: OpenImage
    private let limits: IIIFLimits
    private let formats: [String]

    init(_ image: OpenImage, limits: IIIFLimits, formats: [String]) {
        self.image = image
        self.limits = limits
        self.formats = formats
    }

    /// Returns the `info.json` of an image with a URL.
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
            // Level 2 includes the other formats.
            extraFormats: formats.filter { !["jpg", "png"].contains($0) })
        information.maximum = PixelSize(width: limits.side, height: limits.side)
        information.maximumArea = limits.area
        information.preferredFormats = image.isExact ? ["png", "jpg"] : []
        information.tileOverlap = StoredTiles.overlap(of: image.file)
        information.damage = image.damage
        information.isDrawn = image.file.isDrawn && limits.allowsEnlarging
        information.pages = image.file.pages > 1 ? image.file.pages : nil
        information.extraQualities = IIIFRequest.Quality.allCases.dropFirst().map(\.rawValue)
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
    let renders: RenderService
    let hot: HotResponses

    var prefix: String { "dzi" }
    var isOpen: Bool { true }

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        try await hot.response(to: request) { try await made(request) }
    }

    /// Returns the response and, for tiles, the image.
    private func made(_ request: RouteRequest) async throws -> (response: RouteResponse, image: OpenImage?) {
        let parts = request.path.dropFirst()
        guard let last = parts.last, last.utf8.count > 4 else { throw RouteError.imageNotFound }
        if last.hasSuffix(".dzi") {
            let name = try IIIFPath.identifier(parts)
            let image = try await images.image(FilePath(name).withoutExtension.text, for: request)
            let text = Self.descriptor(image, format: "jpg").text
            return (RouteResponse(text: text, "application/xml").cached(EntityTag(text), image, request), nil)
        }
        guard parts.count >= 3, let dot = last.lastIndex(of: ".") else { throw RouteError.imageNotFound }
        let folder = try IIIFPath.identifier(parts.dropLast(2))
        let format = String(last[last.index(after: dot)...])
        guard folder.hasSuffix("_files"),
            [PictureFormat.jpg, .png, .webp].contains(where: { $0.rawValue == format })
        else {
            throw RouteError.imageNotFound
        }
        let image = try await images.image(
            String(Substring(folder.utf8.dropLast("_files".utf8.count))), for: request)
        let descriptor = Self.descriptor(image, format: format)
        guard let key = descriptor.key(parts.suffix(2).joined(separator: "/")),
            let rect = descriptor.pyramid.rect(key)
        else { throw RouteError(.notFound, "the image has no such tile") }
        let picture = IIIFPicture(
            tile: TileRegion.region(of: rect, level: key.level, in: image.file.uprightSize), size: rect.size,
            format: format)
        return (try await request.respond(with: picture, of: image, from: renders), image)
    }

    private static func descriptor(_ image: OpenImage, format: String) -> DeepZoomDescriptor {
        DeepZoomDescriptor(size: image.file.uprightSize, tileSize: 254, overlap: 1, format: format)
    }
}
#endif
