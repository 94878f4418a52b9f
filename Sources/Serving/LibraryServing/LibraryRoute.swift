#if Server && Library
internal import Basics
internal import Files
internal import HTTPTypes
internal import PhotoCatalog
internal import TileServing

/// `/library/{name}/…`: the pages of libraries and their data.
///
/// `groups`, `entries`, `assets`, `asset`, `info`, `neighbors`, `suggest`, `clusters`, `places` and `annotations` are JSON,
/// `atlas` has parts of the map, `events` is a stream of changes; `manifest.json`, `collection.json` and those below
/// `group/GROUP` are manifests; `group`, `list`, `map`, `film`, `trash` and `shares` are pages, `thumbnail` and `cover` renders, `file`,
/// `motion` and `zip` files. `edit`, `annotate`, `choose`, `share` and `upload` take POST.
struct LibraryRoute: Route {
    private let libraries: [FilePath: ServedLibrary]
    private let services: ServerServices
    private let eventStreams: ConnectionLimiter

    init(libraries: [FilePath: ServedLibrary], services: ServerServices) {
        self.libraries = libraries
        self.services = services
        eventStreams = ConnectionLimiter(services.limits.eventStreams)
    }

    var prefix: String { "library" }
    var acceptsPosts: Bool { true }
    func acceptsBytes(at path: [Substring]) -> Bool { path.count == 6 && path[2] == "upload" }

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        let parts = request.path.dropFirst()
        guard let name = parts.first.flatMap({ PercentCoding.decode($0) }),
            let served = libraries[FilePath(name)]
        else {
            throw RouteError(.notFound, "there is no such library here")
        }
        guard parts.count > 1 else { return .seeOther("../\(served.address)/") }
        do {
            let rest = Array(parts.dropFirst())
            try await checkAccess(to: rest, of: served, request)
            return request.method == .post
                ? try await respond(toPost: request, rest, served)
                : try await respond(to: request, rest, served)
        } catch let error as LibraryError {
            switch error.cause {
            case .busy, .indexing, .editing, .importing:
                throw RouteError(
                    .serviceUnavailable, "the library is being written; try again", retryAfter: 2)
            case .noAsset, .noAlbum, .noAnnotation: throw RouteError(.notFound, error.description)
            case .annotationChanged: throw RouteError(.conflict, error.description)
            case .albumExists: throw RouteError(.conflict, error.description)
            case .query: throw RouteError(.badRequest, error.description)
            default: throw error
            }
        }
    }

    /// Asks the application about the photos that a path or a body names, and about the folder for everything else.
    private func checkAccess(
        to parts: [Substring], of served: ServedLibrary, _ request: RouteRequest
    ) async throws {
        guard let access = services.access else { return }
        var (ids, trashed): ([Asset.ID], [TrashedAsset.ID]) = ([], [])
        if request.method == .post, parts[0] != "upload" {
            let body = try EditResponses.object(request)
            // A link to an album, and undoing, name no photos.
            if body["assets"] != nil { ids = try EditResponses.assets(body) }
            if body["trashed"] != nil { trashed = try EditResponses.trashed(body) }
        } else if parts[0] == "trash", parts.count > 1 {
            trashed = [TrashedAsset.ID(String(parts[1]))].compactMap(\.self)
        } else if parts[0] == "zip", parts.count == 2 {
            ids = served.chosen.ids(named: parts[1]) ?? []
        } else if Self.onePhoto.contains(parts[0]), parts.count > 1 {
            ids = Int64(strict: parts[1]).map { [$0] } ?? []
        }
        if request.method == .post || parts.count < 2 || !Self.onePhoto.contains(parts[0]) {
            try await access.check(served.library.root, isFolder: true, for: request)
        }
        for asset in try await served.library.assets(ids) {
            try await access.check(served.path(of: asset), for: request)
        }
        // By the names that they had.
        for one in try await served.library.trashedAssets(trashed) {
            try await access.check("\(served.library.root)/\(one.file.text)", for: request)
        }
    }

    /// The first component of the paths of one photo.
    private static let onePhoto: [Substring] = [
        "asset", "info", "thumbnail", "file", "motion", "film", "annotations",
    ]

    private func respond(toPost request: RouteRequest, _ parts: [Substring], _ served: ServedLibrary)
        async throws -> RouteResponse
    {
        switch (parts[0], parts.count) {
        case ("upload", 2):
            let upload = try UploadResponses(served, session: parts[1], services)
            return .json(try await upload.finish(EditResponses.object(request)))
        case ("upload", 4):
            let upload = try UploadResponses(served, session: parts[1], services)
            return .json(try await upload.add(parts[2...], request))
        case ("edit", 1): return .json(try await EditResponses(served, request, services).respond())
        case ("annotate", 1):
            return .json(try await AnnotationResponses(served, request, services).change())
        case ("share", 1):
            return .json(
                try await ShareResponses(served, services).respond(to: EditResponses.object(request)))
        case ("choose", 1):
            let ids = try EditResponses.assets(EditResponses.object(request))
            return .json(.object(["name": .string(served.chosen.keep(ids)), "count": .int(ids.count)]))
        default: throw RouteError(.methodNotAllowed, "only GET, HEAD and OPTIONS are supported")
        }
    }

    private func respond(to request: RouteRequest, _ parts: [Substring], _ served: ServedLibrary) async throws
        -> RouteResponse
    {
        switch (parts[0], parts.count) {
        case ("", 1): try await pages.groups(of: served)
        case ("group", 2): try await pages.grid(of: served, String(parts[1]), request)
        case ("manifest.json", 1), ("collection.json", 1), ("group", 3), ("group", 4):
            try await ManifestResponses(served, services, request).respond(to: parts)
        case ("list", 1): try await pages.list(of: served, request)
        case ("map", 1): try await pages.map(of: served, request)
        case ("film", 2): try await pages.film(of: served, parts[1], request)
        case ("trash", 1): try await pages.trash(of: served, request)
        case ("trash", 3):
            try await thumbnails.thumbnail(
                inTrash: served.trashed(parts[1]), in: served, form: parts[2], request)
        case ("shares", 1): try await ShareResponses(served, services).page()
        case ("groups", 1): .json(try await served.groups())
        case ("entries", 1): .json(try await CollectionResponses(served, request).entries())
        case ("assets", 1): .json(try await CollectionResponses(served, request).assets())
        case ("ids", 1): .json(try await CollectionResponses(served, request).ids())
        case ("neighbors", 1): .json(try await CollectionResponses(served, request).neighbors())
        case ("asset", 2): .json(try await served.asset(parts[1]).json(in: served))
        case ("info", 2):
            .json(try await AssetInformation(of: served.asset(parts[1]), in: served, services).json())
        case ("suggest", 1):
            .json(try await SearchResponses(served).suggestions(for: request.value("word") ?? ""))
        case ("atlas", 2): try AtlasResponses(request: request).cell(parts[1])
        case ("places", 1): .json(try await AtlasResponses(request: request).places())
        case ("annotations", 1): .json(try await AnnotationResponses(served, request, services).page())
        case ("annotations", 2):
            .json(try await AnnotationResponses(served, request, services).page(of: served.asset(parts[1])))
        case ("clusters", 1): .json(try await MapResponses(served, request).clusters())
        case ("events", 1): try await events(request, served)
        case ("thumbnail", 4):
            try await thumbnails.thumbnail(
                of: served.asset(parts[1]), in: served, version: parts[2], form: parts[3], request)
        case ("cover", 2): try await thumbnails.cover(of: served, String(parts[1]), request)
        case ("file", 2), ("file", 3):
            try await FileResponses(services: services).file(of: served.asset(parts[1]), in: served, request)
        case ("motion", 2), ("motion", 3):
            try await FileResponses(services: services).film(
                inside: served.asset(parts[1]), in: served, request)
        case ("upload", 2):
            .json(try await UploadResponses(served, session: parts[1], services).received())
        case ("zip", 2): try await archive(parts[1], served, request)
        default: throw RouteError.notFound
        }
    }

    private func archive(
        _ name: Substring, _ served: ServedLibrary, _ request: RouteRequest
    ) async throws -> RouteResponse {
        guard let ids = served.chosen.ids(named: name) else {
            throw RouteError(.notFound, "the choice is no longer kept; choose the photos again")
        }
        return try await ArchiveResponses(services: services).archive(of: ids, in: served, request)
    }

    private var pages: LibraryPages {
        LibraryPages(
            assets: services.assets, allowsEdits: services.allowsEdits, mapTiles: services.mapTiles)
    }
    private var thumbnails: ThumbnailResponses { ThumbnailResponses(services: services) }

    private func events(_ request: RouteRequest, _ served: ServedLibrary) async throws -> RouteResponse {
        let selection = try AssetRequest(request)
        _ = try await served.group(selection.group)
        guard let permit = eventStreams.acquire() else {
            throw RouteError(
                .serviceUnavailable, "too many pages follow this server; reload to see what is new",
                retryAfter: 30)
        }
        let events = CollectionEvents(
            collection: try await served.collection(for: selection), permit: permit,
            channel: request.channel,
            disconnectHandler: await request.disconnectHandler(), timeout: services.limits.writeTimeout)
        var response = RouteResponse(stream: ByteStream(events), "text/event-stream")
        response.headers[.cacheControl] = "no-store"
        // nginx would buffer the events.
        response.headers[HTTPField.Name("X-Accel-Buffering")!] = "no"
        return response
    }
}
#endif
