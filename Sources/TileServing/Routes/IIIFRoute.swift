internal import HTTPTypes
internal import NIOCore
internal import TilePyramid
internal import ViewportRendering

/// The IIIF Image API, 3.0 at `/iiif/3` and 2.1 at `/iiif/2`.
struct IIIFRoute: Route {
    let images: OpenImages
    let pictures: PictureMaker
    let limits: IIIFLimits
    /// The formats that are written here, by their endings.
    let formats: [String]

    var prefix: String { "iiif" }
    var isOpen: Bool { true }

    func reply(to call: Call) async throws -> Reply {
        let version: IIIFInformation.Version
        switch call.path.dropFirst().first {
        case "3": version = .three
        case "2": version = .two
        default: throw Failure(.notFound, "images are at /iiif/3/ and /iiif/2/")
        }
        switch try IIIFAddressing(call.path.dropFirst(2)) {
        case .image(let identifier):
            let image = try await images.image(identifier, for: call)
            let query = call.query.isEmpty ? "" : "?\(call.query)"
            var reply = Reply.seeOther("\(address(identifier, version, call))/info.json\(query)")
            reply.isPrivate = image.isPrivate
            return reply
        case .information(let identifier):
            let image = try await images.image(identifier, for: call)
            return information(image, address(identifier, version, call), version, call)
        case .picture(let identifier, let region, let size, let rotation, let file):
            let request: IIIFRequest
            do throws(IIIFError) {
                request = try IIIFRequest(
                    region: region, size: size, rotation: rotation, file: file, version: version)
            } catch {
                throw Failure(error)
            }
            guard formats.contains(request.format) else {
                throw Failure(
                    .badRequest,
                    "pictures are not written as \(request.format) here, but as \(formats.joined(separator: ", "))"
                )
            }
            let image = try await images.image(identifier, for: call)
            return try await picture(
                request, of: image, at: address(identifier, version, call), version, call)
        }
    }

    /// The address of an image, in the one encoding that survives.
    private func address(_ identifier: String, _ version: IIIFInformation.Version, _ call: Call) -> String {
        "\(call.base)/iiif/\(version == .three ? 3 : 2)/\(PercentCoding.encode(identifier))"
    }

    private func information(
        _ image: OpenImage, _ id: String, _ version: IIIFInformation.Version, _ call: Call
    ) -> Reply {
        let information = ImageInformation(image, limits: limits, formats: formats).iiif(id, version)
        let text = information.text
        let accept = call[.accept] ?? ""
        let context = "http://iiif.io/api/image/\(version == .three ? 3 : 2)/context.json"
        let wantsLinked = accept.contains("application/ld+json")
        let wantsPlain = accept.contains("application/json") && !wantsLinked
        // 3.0 is JSON-LD unless plain JSON is asked for; 2.1 is the other way round.
        let isLinked = version == .three ? !wantsPlain : wantsLinked
        var reply = Reply(
            text: text, isLinked ? "application/ld+json;profile=\"\(context)\"" : "application/json")
        reply.headers[.vary] = "Accept"
        if !isLinked {
            reply.headers[.link] =
                "<\(context)>;rel=\"http://www.w3.org/ns/json-ld#context\";type=\"application/ld+json\""
        }
        return reply.cached(EntityTag(text, isLinked ? "ld" : "json"), image, call)
    }

    private func picture(
        _ request: IIIFRequest, of image: OpenImage, at address: String, _ version: IIIFInformation.Version,
        _ call: Call
    ) async throws -> Reply {
        let picture: IIIFPicture
        do throws(IIIFError) {
            picture = try request.meet(image.file.uprightSize, limits, version: version)
        } catch {
            throw Failure(error)
        }
        var reply = try await call.reply(with: picture, of: image, from: pictures)
        let level =
            version == .three
            ? "http://iiif.io/api/image/3/level2.json" : "http://iiif.io/api/image/2/level2.json"
        reply.headers[.link] =
            "<\(address)/\(picture.canonicalPath)>;rel=\"canonical\", <\(level)>;rel=\"profile\""
        return reply
    }
}

extension Failure {
    init(_ error: IIIFError) {
        switch error {
        case .badRequest(let sentence): self.init(.badRequest, sentence)
        case .notImplemented(let sentence): self.init(.notImplemented, sentence)
        }
    }
}

/// Takes the path of a IIIF request apart: whose image, and what of it.
///
/// Identifiers have their slashes as %2F; those of proxies that decode them are understood as well.
enum IIIFAddressing: Equatable {
    case information(identifier: String)
    case picture(identifier: String, region: String, size: String, rotation: String, file: String)
    /// The image itself, whose information is elsewhere.
    case image(identifier: String)

    /// - Parameter parts: what follows the version in the path, not decoded.
    /// - Throws: `Failure` where it is no address.
    init(_ parts: ArraySlice<Substring>) throws(Failure) {
        guard let last = parts.last, !last.isEmpty else { throw Failure.notFound }
        if parts.count >= 2, last == "info.json" {
            self = .information(identifier: try Self.identifier(parts.dropLast()))
        } else if parts.count >= 5 {
            var texts: [String] = []
            for part in parts.suffix(4) {
                guard let text = PercentCoding.decode(part) else { throw Self.broken }
                texts.append(text)
            }
            self = .picture(
                identifier: try Self.identifier(parts.dropLast(4)), region: texts[0], size: texts[1],
                rotation: texts[2], file: texts[3])
        } else {
            self = .image(identifier: try Self.identifier(parts))
        }
    }

    private static let broken = Failure(.badRequest, "the address has a % that begins no encoded byte")

    static func identifier(_ parts: ArraySlice<Substring>) throws(Failure) -> String {
        guard let identifier = PercentCoding.decode(parts.joined(separator: "/")) else { throw broken }
        return identifier
    }
}
