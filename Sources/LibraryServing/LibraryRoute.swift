internal import Basics
internal import HTTPTypes
internal import PhotoCatalog
internal import TileServing

/// `/library/{name}/…`: the pages of libraries, and what the pages ask for.
///
/// `groups`, `entries`, `assets`, `asset` and `neighbors` are JSON, `events` is a stream of changes; `group`
/// and `film` are pages, `thumbnail` and `cover` pictures.
struct LibraryRoute: Route {
    let libraries: [String: ServedLibrary]
    let services: ServerServices
    let followers: ConnectionLimiter

    init(libraries: [String: ServedLibrary], services: ServerServices) {
        self.libraries = libraries
        self.services = services
        followers = ConnectionLimiter(services.limits.followers)
    }

    var prefix: String { "library" }

    func reply(to call: Call) async throws -> Reply {
        let parts = call.path.dropFirst()
        guard let name = parts.first.flatMap({ PercentCoding.decode($0) }), let served = libraries[name]
        else {
            throw Failure(.notFound, "there is no such library here")
        }
        guard parts.count > 1 else { return .seeOther("../\(served.address)/") }
        do {
            return try await reply(to: call, Array(parts.dropFirst()), served)
        } catch LibraryError.busy {
            throw Failure(.serviceUnavailable, "the library is being written; try again", retryAfter: 2)
        } catch LibraryError.cancelled {
            throw CancellationError()
        }
    }

    private func reply(to call: Call, _ parts: [Substring], _ served: ServedLibrary) async throws -> Reply {
        switch (parts[0], parts.count) {
        case ("", 1): try await pages.groups(of: served)
        case ("group", 2): try await pages.grid(of: served, String(parts[1]))
        case ("film", 2): try await pages.film(of: served, parts[1])
        case ("groups", 1): .json(try await GroupAnswers(served).groups())
        case ("entries", 1): .json(try await CollectionAnswers(served, call).entries())
        case ("assets", 1): .json(try await CollectionAnswers(served, call).assets())
        case ("neighbors", 1): .json(try await CollectionAnswers(served, call).neighbors())
        case ("asset", 2): .json(try await served.asset(parts[1]).json(in: served))
        case ("events", 1): try await events(call, served)
        case ("thumbnail", 4):
            try await thumbnails.thumbnail(
                of: served.asset(parts[1]), in: served, version: parts[2], form: parts[3], call)
        case ("cover", 2): try await thumbnails.cover(of: served, String(parts[1]), call)
        default: throw Failure(.notFound, "there is nothing here")
        }
    }

    private var pages: LibraryPages { LibraryPages(assets: services.assets) }
    private var thumbnails: ThumbnailAnswers { ThumbnailAnswers(services: services) }

    private func events(_ call: Call, _ served: ServedLibrary) async throws -> Reply {
        let selection = try AssetSelection(call)
        _ = try await served.group(selection.group)
        guard let seat = followers.take() else {
            throw Failure(
                .serviceUnavailable, "too many pages follow this server; reload to see what is new",
                retryAfter: 30)
        }
        let events = CollectionEvents(
            collection: selection.collection(of: served.library), seat: seat, channel: call.channel,
            presence: await call.presence(), timeout: services.limits.receivingSeconds)
        var reply = Reply(stream: ByteStream(events), "text/event-stream")
        reply.headers[.cacheControl] = "no-store"
        // nginx would keep the events to itself until it has enough of them.
        reply.headers[HTTPField.Name("X-Accel-Buffering")!] = "no"
        return reply
    }
}

extension Reply {
    /// What is true now and need not be a moment later.
    static func json(_ value: JSONValue) -> Reply {
        var reply = Reply(text: value.description, "application/json")
        reply.headers[.cacheControl] = "no-store"
        return reply
    }
}
