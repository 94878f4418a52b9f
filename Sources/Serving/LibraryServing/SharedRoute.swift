#if Server && Library
internal import Basics
internal import Containers
internal import Files
internal import Foundation
internal import HTTPTypes
internal import PhotoCatalog
internal import Presentation
internal import TileServing
internal import ViewerPages

/// `/shared/{token}/…`: the photos of a link, for people who may see nothing else of the server.
///
/// `view`, `film` and the list itself are pages, `neighbors` is JSON, `iiif` and `thumbnail` are pictures without metadata,
/// `zip` has copies. `file`, and `zip` without a size, have the originals, if the link has them. Photos have their numbers as
/// names, not their paths. `manifest.json` is for viewers of IIIF, which may be pages of other origins, unless the application
/// decides about each request.
struct SharedRoute: Route {
    let libraries: [ServedLibrary]
    let services: ServerServices

    var prefix: String { "shared" }
    var isOpen: Bool { services.access == nil }
    /// The link is the permission.
    var needsToken: Bool { false }

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        guard request.path.count > 1 else { throw RouteError.notFound }
        let token = String(request.path[1])
        guard request.path.count > 2 else { return .seeOther("\(token)/") }
        for served in libraries {
            guard let share = try await served.library.share(token: token) else { continue }
            guard share.expires > Date() else {
                throw RouteError(.gone, "this link has ended; ask for a new one")
            }
            let isOpen = isOpen && SharedResponses.openParts.contains { request.path[2].hasPrefix($0) }
            guard isOpen || !request.isCrossOrigin else { throw RouteError.crossOrigin }
            var response = try await SharedResponses(
                share: share, served: served, services: services, request: request
            ).respond()
            response.isPrivate = !isOpen
            response.headers[HTTPField.Name("X-Robots-Tag")!] = "noindex, nofollow"
            return response
        }
        throw RouteError(.notFound, "there is no such link, or it was revoked")
    }
}

struct SharedResponses {
    let share: Share
    let served: ServedLibrary
    let services: ServerServices
    let request: RouteRequest

    /// What viewers of other origins need.
    static let openParts = ["iiif", "manifest", "collection.json", "thumbnail"]

    /// The number of photos on a page of the list.
    private static let length = 120

    private var parts: ArraySlice<Substring> { request.path.dropFirst(2) }

    func respond() async throws -> RouteResponse {
        let parts = Array(parts)
        switch (parts[0], parts.count) {
        case ("", 1): return try await list()
        case ("page", 2): return try services.assets.file(String(parts[1]), request)
        case ("view", 2): return try await view(parts[1])
        case ("film", 2): return try await film(parts[1])
        case ("neighbors", 2): return try await neighbors(of: parts[1])
        case ("iiif", 3...): return try await image(parts)
        case ("thumbnail", 4):
            return try await ThumbnailResponses(services: services).thumbnail(
                of: asset(parts[1]), in: served, version: parts[2], form: parts[3], request)
        case ("file", 2), ("file", 3):
            guard share.includesOriginals else { throw Self.noOriginals }
            return try await FileResponses(services: services).file(of: asset(parts[1]), in: served, request)
        case ("canvas", 2):
            let name = try IIIFName(parts[1])
            let asset = try await asset(name.number)
            return .seeOther("\(address)/\(page(of: asset))\(name.page)")
        case (let name, 1) where PresentationDocument(name) != nil:
            return try await manifest(PresentationDocument(name) ?? .manifest)
        case ("zip", 1):
            guard share.includesOriginals || request.value("size") != nil else { throw Self.noOriginals }
            return try await ArchiveResponses(services: services).archive(
                of: assets().map(\.id), in: served, request)
        default: throw RouteError.notFound
        }
    }

    private static let noOriginals = RouteError(
        .forbidden, "this link has no originals; zip?size=2048 has copies")

    /// The URL of the link.
    var address: String { "\(request.base)/shared/\(share.token)" }

    /// The photos that the application lets this client see.
    func assets() async throws -> [Asset] {
        let all = try await served.library.assets(of: share)
        guard let access = services.access else { return all }
        var allowed: [Asset] = []
        for asset in all
        where try await access.decision(served.path(of: asset), for: request) == .allow {
            allowed.append(asset)
        }
        return allowed
    }

    private func asset(_ number: Substring) async throws -> Asset {
        guard let id = Int64(strict: number), let asset = try await served.library.asset(id, of: share) else {
            throw RouteError(.notFound, "there is no such photo behind this link")
        }
        try await services.access?.check(served.path(of: asset), for: request)
        return asset
    }

    private func list() async throws -> RouteResponse {
        let assets = try await assets()
        let pages = try ListPages(request, of: assets.count, length: Self.length)
        let items = assets[pages.range.clamped(to: assets.indices)].map(item)
        let downloads = [
            "<a href=\"zip?size=2048\" download>Download copies</a>",
            share.includesOriginals ? "<a href=\"zip\" download>Download the originals</a>" : nil,
        ].compactMap(\.self)
        return RouteResponse.page(
            try services.assets.template("shared.html").filled([
                "title": PageTemplate.escaped(share.title), "base": ".",
                "count": "\(assets.count) \(assets.count == 1 ? "photo" : "photos")\(pages.position). "
                    + "The link ends on \(share.lastDay).",
                "list": items.isEmpty
                    ? "<p>No photos.</p>" : "<section><ul>\(items.joined(separator: "\n"))</ul></section>",
                "navigation": pages.links { "?page=\($0)" },
                "downloads": assets.isEmpty ? "" : downloads.joined(separator: " "),
            ]))
    }

    private func item(_ asset: Asset) -> String {
        "<li><a href=\"\(page(of: asset))\"><figure>"
            + "<p aria-hidden=\"true\">No picture</p><img loading=\"lazy\" alt=\"\" src=\"thumbnail/\(asset.id)/\(asset.version)/256\"></figure>"
            + "<b>\(PageTemplate.escaped(asset.name))</b></a></li>"
    }

    private func page(of asset: Asset) -> String {
        "\(asset.page(in: served).hasPrefix("view/") ? "view" : "film")/\(asset.id)"
    }

    private func view(_ number: Substring) async throws -> RouteResponse {
        let name = try IIIFName(number)
        let asset = try await asset(name.number)
        let way = "<a href=\"../\" aria-label=\"All photos\">‹</a>"
        return try services.assets.viewer(of: "\(asset.id)\(name.page)", title: asset.name, navigation: way)
    }

    private func film(_ number: Substring) async throws -> RouteResponse {
        let asset = try await asset(number)
        let file = "../file/\(asset.id)/\(PageTemplate.escaped(PercentCoding.encode(asset.name)))"
        let hasFile = share.includesOriginals
        return RouteResponse.page(
            try services.assets.template("film.html").filled([
                "title": PageTemplate.escaped(asset.name), "base": "..", "back": "../",
                "words": hasFile ? "" : "This is a picture of the file, which is not behind this link.",
                "picture": "../thumbnail/\(asset.id)/\(asset.version)/whole",
                "kind": hasFile && asset.isVideo ? "film" : "picture", "type": asset.format.type.mediaType,
                "file": hasFile ? file : "",
                "download": hasFile ? LibraryPages.downloadLink(file) : "",
            ]))
    }

    private func neighbors(of number: Substring) async throws -> RouteResponse {
        let (own, assets) = (try await asset(IIIFName(number).number), try await assets())
        guard let place = assets.firstIndex(where: { $0.id == own.id }) else {
            throw RouteError.imageNotFound
        }
        func json(_ index: Int) -> JSONValue {
            guard assets.indices.contains(index) else { return .null }
            return .object([
                "page": .string(page(of: assets[index])), "name": .string(assets[index].name),
            ])
        }
        return .json(
            .object([
                "title": .string(share.title), "back": .string(""), "number": .int(place + 1),
                "count": .int(assets.count), "previous": json(place - 1), "next": json(place + 1),
                "isComparable": .bool(false),
            ]))
    }

    /// Passes a request for an image on, with the identifier in the place of the number, which a page may follow: "12;1".
    private func image(_ parts: [Substring]) async throws -> RouteResponse {
        guard ["2", "3"].contains(parts[1]) else { throw RouteError.notFound }
        let name = try IIIFName(parts[2])
        let identifier = served.identifier(of: try await asset(name.number)) + name.page
        let path = ["iiif", parts[1], Substring(PercentCoding.encode(identifier))] + parts.dropFirst(3)
        return try await services.image(
            request.redirected(to: path, base: address, isPermitted: services.access == nil),
            "\(name.number)\(name.page)")
    }
}

/// The name of an image behind a link: its number and, of files with several, the page.
private struct IIIFName {
    let number: Substring
    /// Empty, or ";" and a number.
    let page: String

    init(_ text: Substring) throws(RouteError) {
        let parts = (PercentCoding.decode(text) ?? "").split(separator: ";", omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count <= 2,
            parts.dropFirst().allSatisfy({ Int(strict: $0) != nil })
        else { throw RouteError.imageNotFound }
        number = first
        page = parts.count == 2 ? ";\(parts[1])" : ""
    }
}

extension Share {
    /// The day on which it ends, in UTC: "2026-12-26".
    var lastDay: String { String(expires.ISO8601Format().prefix(10)) }
}

/// The links of a library: making, listing and revoking them.
struct ShareResponses {
    private let served: ServedLibrary
    private let services: ServerServices

    /// The maximum number of days for which a link is valid.
    private static let maximumDays = 3660

    /// - Throws: `RouteError` if the server allows no edits.
    init(_ served: ServedLibrary, _ services: ServerServices) throws(RouteError) {
        guard services.allowsEdits else { throw .noEdits }
        (self.served, self.services) = (served, services)
    }

    /// Makes a link to the album in "group" or the photos in "assets" for "days", or ends the one in "revoke".
    func respond(to body: JSONValue) async throws -> JSONValue {
        if let id = body["revoke"]?.int {
            guard try await served.library.revokeShare(Int64(id)) else {
                throw RouteError(.notFound, "there is no such link; it may have been revoked already")
            }
            return .object(["revoked": .int(id)])
        }
        guard let days = body["days"]?.int, (1...Self.maximumDays).contains(days) else {
            throw RouteError(.badRequest, "\"days\" is a number from 1 to \(Self.maximumDays)")
        }
        guard let title = body["title"]?.string.map({ String($0.trimmed()) }), (1...200).contains(title.count)
        else {
            throw RouteError(.badRequest, "\"title\" is a text of 1 to 200 characters")
        }
        let content: Share.Content
        if let group = body["group"]?.string {
            guard let id = AssetGroup.ID(pathComponent: group), case .album = id else {
                throw RouteError(.badRequest, "\"group\" is an album, such as album-3 or picks")
            }
            content = .album(id)
        } else {
            content = .assets(try EditResponses.assets(body))
        }
        let share = try await served.library.share(
            content, title: title, until: Date(timeIntervalSinceNow: Double(days) * 86_400),
            includingOriginals: body["originals"] == .bool(true))
        return .object([
            "id": .int(Int(share.id)), "address": .string("shared/\(share.token)/"),
            "count": .int(share.count),
            "ends": .string(share.lastDay),
        ])
    }

    /// Returns the page of all links.
    func page() async throws -> RouteResponse {
        let items = try await served.library.shares().reversed().map { share in
            let title = PageTemplate.escaped(share.title)
            let state = share.expires > Date() ? "ends on \(share.lastDay)" : "ended on \(share.lastDay)"
            let originals = share.includesOriginals ? ", with originals" : ""
            return "<li data-share=\"\(share.id)\"><a href=\"../../shared/\(share.token)/\">\(title)</a>"
                + "<span>\(share.count) \(share.count == 1 ? "photo" : "photos")\(originals), \(state)</span>"
                + "<button type=\"button\" hidden>Revoke</button></li>"
        }
        return RouteResponse.page(
            try services.assets.template("shares.html").filled([
                "title": "Shared links", "library": PageTemplate.escaped(served.name), "base": "../..",
                "list": items.isEmpty
                    ? "<p>No links. Select photos and choose Share.</p>"
                    : "<ul>\(items.joined(separator: "\n"))</ul>",
            ]))
    }
}
#endif
