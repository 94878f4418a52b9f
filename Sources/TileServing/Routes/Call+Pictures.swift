internal import HTTPTypes
internal import NIOCore
internal import TilePyramid

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
