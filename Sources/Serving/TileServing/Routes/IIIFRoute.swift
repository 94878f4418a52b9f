#if Server
internal import Files
internal import HTTPTypes
internal import TilePyramid
internal import ViewportRendering

/// The IIIF Image API, 3.0 at `/iiif/3` and 2.1 at `/iiif/2`.
struct IIIFRoute: Route {
    let images: OpenImages
    let renders: RenderService
    let hot: HotResponses
    let limits: IIIFLimits
    /// The file name extensions of the formats that can be encoded.
    let formats: [String]

    var prefix: String { "iiif" }
    var isOpen: Bool { true }

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        try await hot.response(to: request) { try await made(request) }
    }

    /// Responds to a request for an image that its client knows by another name.
    func respond(to request: RouteRequest, knownAs name: String) async throws -> RouteResponse {
        try await made(request, knownAs: name).response
    }

    /// Returns the response and, for pictures, the image.
    private func made(
        _ request: RouteRequest, knownAs name: String? = nil
    ) async throws -> (response: RouteResponse, image: OpenImage?) {
        let version: IIIFInformation.Version
        switch request.path.dropFirst().first {
        case "3": version = .three
        case "2": version = .two
        default: throw RouteError(.notFound, "images are at /iiif/3/ and /iiif/2/")
        }
        switch try IIIFPath(request.path.dropFirst(2)) {
        case .base(let identifier):
            let image = try await images.image(identifier, for: request)
            let query = request.query.isEmpty ? "" : "?\(request.query)"
            var response = RouteResponse.seeOther(
                "\(address(name ?? identifier, version, request))/info.json\(query)")
            response.isPrivate = image.isPrivate
            return (response, nil)
        case .animation(let identifier):
            let image = try await images.image(identifier, for: request)
            let response = try await image.threads.run {
                try AnimationResponse(image)?.response(to: request)
            }
            guard let response else { throw RouteError(.notFound, "the image is no animation to play") }
            return (response, nil)
        case .information(let identifier):
            let image = try await images.image(identifier, for: request)
            let facts = try await image.threads.run {
                (
                    density: image.file.pixelsPerMillimeter, panorama: image.file.panoramaFacts,
                    animation: AnimationResponse(image)?.mediaType
                )
            }
            var information = ImageInformation(image, limits: limits, formats: formats)
                .iiif(address(name ?? identifier, version, request), version)
            information.pixelsPerMillimeter = facts.density
            information.panorama = facts.panorama
            information.animation = facts.animation
            return (response(information, of: image, version, request), nil)
        case .image(let identifier, let region, let size, let rotation, let file):
            let parsed: IIIFRequest
            do throws(IIIFError) {
                parsed = try IIIFRequest(
                    region: region, size: size, rotation: rotation, file: file, version: version)
            } catch {
                throw RouteError(error)
            }
            guard formats.contains(parsed.format) else {
                throw RouteError(
                    .badRequest,
                    "the format \(parsed.format) is not available; available are \(formats.joined(separator: ", "))"
                )
            }
            let image = try await images.image(identifier, for: request)
            let response = try await picture(
                parsed, of: image, at: address(name ?? identifier, version, request), version, request)
            return (response, image)
        }
    }

    /// Returns the URL of an image, with its identifier as one path component.
    private func address(_ identifier: String, _ version: IIIFInformation.Version, _ request: RouteRequest)
        -> String
    {
        "\(request.base)/iiif/\(version == .three ? 3 : 2)/\(PercentCoding.encode(identifier))"
    }

    private func response(
        _ information: IIIFInformation, of image: OpenImage, _ version: IIIFInformation.Version,
        _ request: RouteRequest
    ) -> RouteResponse {
        let text = information.text
        let accept = request[.accept] ?? ""
        let context = "http://iiif.io/api/image/\(version == .three ? 3 : 2)/context.json"
        let wantsLinked = accept.contains("application/ld+json")
        let wantsPlain = accept.contains("application/json") && !wantsLinked
        // 3.0 defaults to JSON-LD, 2.1 to JSON.
        let isLinked = version == .three ? !wantsPlain : wantsLinked
        var response = RouteResponse(
            text: text, isLinked ? "application/ld+json;profile=\"\(context)\"" : "application/json")
        response.headers[.vary] = "Accept"
        if !isLinked {
            response.headers[.link] =
                "<\(context)>;rel=\"http://www.w3.org/ns/json-ld#context\";type=\"application/ld+json\""
        }
        return response.cached(EntityTag(text, isLinked ? "ld" : "json"), image, request)
    }

    private func picture(
        _ parsed: IIIFRequest, of image: OpenImage, at address: String, _ version: IIIFInformation.Version,
        _ request: RouteRequest
    ) async throws -> RouteResponse {
        let picture: IIIFPicture
        do throws(IIIFError) {
            picture = try parsed.resolved(for: image.file.uprightSize, limits, version: version)
        } catch {
            throw RouteError(error)
        }
        var response = try await request.respond(with: picture, of: image, from: renders)
        let level =
            version == .three
            ? "http://iiif.io/api/image/3/level2.json" : "http://iiif.io/api/image/2/level2.json"
        response.headers[.link] =
            "<\(address)/\(picture.canonicalPath)>;rel=\"canonical\", <\(level)>;rel=\"profile\""
        return response
    }
}

extension RouteError {
    init(_ error: IIIFError) {
        switch error {
        case .badRequest(let sentence): self.init(.badRequest, sentence)
        case .notImplemented(let sentence): self.init(.notImplemented, sentence)
        }
    }
}

/// The parsed path of a IIIF request.
///
/// Slashes in identifiers are encoded as %2F; slashes that proxies have decoded are accepted, too.
enum IIIFPath: Equatable {
    case information(identifier: String)
    /// The file of an animation.
    case animation(identifier: String)
    case image(identifier: String, region: String, size: String, rotation: String, file: String)
    /// The URL of the image, which redirects to its `info.json`.
    case base(identifier: String)

    /// - Parameter parts: The percent-encoded components after the version.
    /// - Throws: `RouteError` if they are malformed.
    init(_ parts: ArraySlice<Substring>) throws(RouteError) {
        guard let last = parts.last, !last.isEmpty else { throw RouteError.imageNotFound }
        if parts.count >= 2, last == "info.json" {
            self = .information(identifier: try Self.identifier(parts.dropLast()))
        } else if parts.count >= 2, last == "animation" {
            self = .animation(identifier: try Self.identifier(parts.dropLast()))
        } else if parts.count >= 5 {
            var texts: [String] = []
            for part in parts.suffix(4) {
                guard let text = PercentCoding.decode(part) else { throw Self.malformed }
                texts.append(text)
            }
            self = .image(
                identifier: try Self.identifier(parts.dropLast(4)), region: texts[0], size: texts[1],
                rotation: texts[2], file: texts[3])
        } else {
            self = .base(identifier: try Self.identifier(parts))
        }
    }

    private static let malformed = RouteError(.badRequest, "the URL has a malformed percent-encoding")

    static func identifier(_ parts: ArraySlice<Substring>) throws(RouteError) -> String {
        guard let identifier = PercentCoding.decode(parts.joined(separator: "/")) else { throw malformed }
        return identifier
    }
}
#endif
