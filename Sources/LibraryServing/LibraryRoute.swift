#if Server && Library
internal import Basics
internal import HTTPTypes
internal import PhotoCatalog
internal import TileServing

/// `/library/{name}/…`: the pages of libraries and their data.
///
/// `groups`, `entries`, `assets`, `asset` and `neighbors` are JSON, `events` is a stream of changes; `group`
/// and `film` are pages, `thumbnail` and `cover` renders.
struct LibraryRoute: Route {
    private let libraries: [String: ServedLibrary]
    private let services: ServerServices
    private let eventStreams: ConnectionLimiter

    init(libraries: [String: ServedLibrary], services: ServerServices) {
        self.libraries = libraries
        self.services = services
        eventStreams = ConnectionLimiter(services.limits.eventStreams)
    }

    var prefix: String { "library" }

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        let parts = request.path.dropFirst()
        guard let name = parts.first.flatMap({ PercentCoding.decode($0) }), let served = libraries[name]
        else {
            throw RouteError(.notFound, "there is no such library here")
        }
        guard parts.count > 1 else { return .seeOther("../\(served.address)/") }
        do {
            return try await respond(to: request, Array(parts.dropFirst()), served)
        } catch let error as LibraryError {
            switch error.cause {
            case .busy:
                throw RouteError(
                    .serviceUnavailable, "the library is being written; try again", retryAfter: 2)
            case .cancelled: throw CancellationError()
            default: throw error
            }
        }
    }

    private func respond(to request: RouteRequest, _ parts: [Substring], _ served: ServedLibrary) async throws
        -> RouteResponse
    {
        switch (parts[0], parts.count) {
        case ("", 1): try await pages.groups(of: served)
        case ("group", 2): try await pages.grid(of: served, String(parts[1]))
        case ("film", 2): try await pages.film(of: served, parts[1])
        case ("groups", 1): .json(try await GroupResponses(served).groups())
        case ("entries", 1): .json(try await CollectionResponses(served, request).entries())
        case ("assets", 1): .json(try await CollectionResponses(served, request).assets())
        case ("neighbors", 1): .json(try await CollectionResponses(served, request).neighbors())
        case ("asset", 2): .json(try await served.asset(parts[1]).json(in: served))
        case ("events", 1): try await events(request, served)
        case ("thumbnail", 4):
            try await thumbnails.thumbnail(
                of: served.asset(parts[1]), in: served, version: parts[2], form: parts[3], request)
        case ("cover", 2): try await thumbnails.cover(of: served, String(parts[1]), request)
        default: throw RouteError.notFound
        }
    }

    private var pages: LibraryPages { LibraryPages(assets: services.assets) }
    private var thumbnails: ThumbnailResponses { ThumbnailResponses(services: services) }

    private func events(_ request: RouteRequest, _ served: ServedLibrary) async throws -> RouteResponse {
        let selection = try AssetSelection(request)
        _ = try await served.group(selection.group)
        guard let permit = eventStreams.acquire() else {
            throw RouteError(
                .serviceUnavailable, "too many pages follow this server; reload to see what is new",
                retryAfter: 30)
        }
        let events = CollectionEvents(
            collection: selection.collection(of: served.library), permit: permit, channel: request.channel,
            disconnectHandler: await request.disconnectHandler(), timeout: services.limits.writeTimeout)
        var response = RouteResponse(stream: ByteStream(events), "text/event-stream")
        response.headers[.cacheControl] = "no-store"
        // nginx would buffer the events.
        response.headers[HTTPField.Name("X-Accel-Buffering")!] = "no"
        return response
    }
}

extension RouteResponse {
    /// JSON that is never cached.
    static func json(_ value: JSONValue) -> RouteResponse {
        var response = RouteResponse(text: value.description, "application/json")
        response.headers[.cacheControl] = "no-store"
        return response
    }
}
#endif
