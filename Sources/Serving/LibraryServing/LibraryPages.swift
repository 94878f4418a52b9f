#if Server && Library
internal import Files
internal import Containers
internal import HTTPTypes
internal import PhotoCatalog
internal import TileServing
internal import ViewerPages

/// The pages of a library: its groups, the grid of a group, the map, and the page of a video.
struct LibraryPages {
    let assets: PageAssets
    let allowsEdits: Bool
    let mapTiles: MapTiles?

    /// The maximum number of groups on a page.
    private static let maximumGroups = 5000

    /// Returns the page of all groups with their covers, without scripts.
    func groups(of served: ServedLibrary) async throws -> RouteResponse {
        let groups = try await served.library.groups()
        let kinds: [(title: String, kinds: Set<AssetGroup.Kind>)] = [
            ("Library", [.all, .picks]), ("Albums", [.album]), ("Folders", [.folder]),
        ]
        let sections = kinds.map { title, kinds in
            section(title, groups.filter { kinds.contains($0.kind) })
        }
        let isEmpty = groups.allSatisfy { $0.count == 0 }
        let more = groups.count - Self.maximumGroups
        let rest = more > 0 ? "<p>And \(more) more: everything is in the library's own grid.</p>" : ""
        return try page(
            "groups.html",
            [
                "title": PageTemplate.escaped(served.name), "base": "../..",
                "groups": isEmpty
                    ? "<p class=\"nothing\">\(PageTemplate.escaped(Self.emptyLibrary(served)))</p>"
                    : sections.joined(separator: "\n") + rest,
                "shares": allowsEdits ? Self.tool("shares", "Shared links", Self.shareIcon) : "",
                "trash": allowsEdits ? Self.tool("trash", "Trash", Self.trashIcon) : "",
            ], sendsForms: true)
    }

    private static func tool(_ address: String, _ title: String, _ path: String) -> String {
        "<a class=\"tool\" href=\"\(address)\" aria-label=\"\(title)\" title=\"\(title)\">"
            + "<svg viewBox=\"0 0 24 24\"><path d=\"\(path)\"/></svg></a>"
    }

    private static let shareIcon = "M12 15V4M8 7.500L12 3.500l4 4M6 11v9h12v-9"
    private static let trashIcon =
        "M5 7h14M10 7V4.500h4V7M7 7l.7 12.500h8.600L17 7M10.500 10.500v5.500M13.500 10.500v5.500"

    private static func emptyLibrary(_ served: ServedLibrary) -> String {
        "This library has no photos yet. Copy some into it with “viewport library import \(served.name) FOLDER”, "
            + "or put them into its folder and run “viewport library index \(served.name)”."
    }

    private func section(_ title: String, _ groups: [AssetGroup]) -> String {
        guard !groups.isEmpty else { return "" }
        let items = groups.prefix(Self.maximumGroups).map { group in
            let name = PageTemplate.escaped(group.title)
            // The words lie under the cover, which may fail to load; an empty group has none.
            let picture = "<img loading=\"lazy\" alt=\"\" src=\"cover/\(group.id.pathComponent)\">"
            let cover = group.count > 0 ? "<p aria-hidden=\"true\">No picture</p>\(picture)" : ""
            return "<li><a href=\"group/\(group.id.pathComponent)\"><figure>\(cover)</figure>"
                + "<b>\(name)</b><span>\(Self.grouped(group.count))</span></a></li>"
        }
        return "<section><h2>\(title)</h2><ul>\(items.joined(separator: "\n"))</ul></section>"
    }

    /// Returns "1 234 567", with thin spaces as in ISO 31-0.
    private static func grouped(_ number: Int) -> String {
        var text = ""
        for (index, digit) in "\(number)".reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3) { text.append("\u{2009}") }
            text.append(digit)
        }
        return String(text.reversed())
    }

    /// Returns the grid of a group; the page itself parses the query of its URL.
    func grid(of served: ServedLibrary, _ name: String, _ request: RouteRequest) async throws -> RouteResponse
    {
        guard let id = AssetGroup.ID(pathComponent: name), let group = try await served.library.group(id)
        else {
            return try missing(RouteError.noGroup, in: served, request)
        }
        if let query = AssetRequest.Parameter.queryOfPage(request) {
            return .seeOther("\(id.pathComponent)?\(query)")
        }
        // Its search box will ask for them.
        try await served.terms.refresh(from: served.library)
        var values = values(of: served, group, request)
        let empty =
            switch group.kind {
            case .all: Self.emptyLibrary(served)
            case .picks: "No photo is picked yet."
            case .album, .folder: "There are no photos here."
            }
        values["empty"] = PageTemplate.escaped(empty)
        let usual = AssetRequest.ofPages
        values["by"] = Self.menu(.groupBy, usual: usual.unit.rawValue)
        values["show"] = Self.menu(.filter, usual: usual.kinds.words, given: request.value("filter"))
        values["order"] = Self.menu(.sort, usual: usual.order.word)
        values["stacks"] = Self.menu(.stack, usual: usual.stacks.rawValue)
        return try page("grid.html", values)
    }

    /// Returns the values of a parameter as a menu, and that of the address if it joins some of them.
    private static func menu(
        _ parameter: AssetRequest.Parameter, usual: String, given: String? = nil
    ) -> String {
        var words = parameter.words.map { (word: $0.word, title: $0.title) }
        if let kinds = given.flatMap(AssetKinds.init(words:)),
            !words.contains(where: { $0.word == kinds.words })
        {
            let parts = words.filter { AssetKinds.words(in: kinds.words).contains($0.word[...]) }
            words.append((kinds.words, parts.map(\.title).joined(separator: ", ")))
        }
        return words.map { word, title in
            let checked = word == usual ? " checked" : ""
            let input = "<input type=\"radio\" name=\"\(parameter.rawValue)\" value=\"\(word)\"\(checked)>"
            return "          <label>\(input)<span>\(PageTemplate.escaped(title))</span></label>"
        }.joined(separator: "\n")
    }

    /// Returns the photos of a selection as links, without scripts.
    func list(of served: ServedLibrary, _ request: RouteRequest) async throws -> RouteResponse {
        try await ListPage(served, request).response(assets.template("list.html"))
    }

    /// Returns what is in the trash, which can be restored where edits are allowed.
    func trash(of served: ServedLibrary, _ request: RouteRequest) async throws -> RouteResponse {
        try await TrashPage(served, request, allowsEdits: allowsEdits).response(assets.template("trash.html"))
    }

    /// Returns the map of a group, or of what a search finds; the page itself parses the query of its URL.
    func map(of served: ServedLibrary, _ request: RouteRequest) async throws -> RouteResponse {
        let name = request.value("group") ?? AssetGroup.ID.all.pathComponent
        guard let id = AssetGroup.ID(pathComponent: name), let group = try await served.library.group(id)
        else {
            return try missing(RouteError.noGroup, in: served, request)
        }
        if let query = AssetRequest.Parameter.queryOfPage(request) { return .seeOther("map?\(query)") }
        var values = values(of: served, group, request)
        values["base"] = "../.."
        values["tiles"] =
            mapTiles.map { " data-tiles=\"\(PageTemplate.escaped($0.template))\"" } ?? ""
        values["credit"] = PageTemplate.escaped(mapTiles?.attribution ?? Atlas.credit)
        return RouteResponse.page(
            try assets.template("map.html").filled(values), pictures: mapTiles?.origin)
    }

    private func values(
        of served: ServedLibrary, _ group: AssetGroup, _ request: RouteRequest
    ) -> [String: String] {
        [
            "title": PageTemplate.escaped(group.title), "library": PageTemplate.escaped(served.name),
            "base": "../../..", "group": group.id.pathComponent, "edits": allowsEdits ? "true" : "",
            // For the list, where there are no scripts.
            "query": request.query.isEmpty ? "" : "&amp;" + PageTemplate.escaped(String(request.query)),
        ]
    }

    /// Returns the page of an asset that the viewer cannot show: a film, or a format without a decoder.
    ///
    /// A missing file has the page, too, with the status 404: its links lead on and back.
    func film(of served: ServedLibrary, _ id: Substring, _ request: RouteRequest) async throws
        -> RouteResponse
    {
        let asset: Asset
        do {
            asset = try await served.asset(id)
        } catch let error as RouteError {
            return try missing(error, in: served, request)
        }
        let isThere = try await served.threads.run { served.file(of: asset) != nil }
        let words =
            !isThere
            ? "The file is not there any more. The library still knows it, until it is indexed again."
            : asset.isVideo
                ? ""
                : "This is a small picture of a file that the viewer does not open, as cameras write them."
        let file = "../file/\(asset.id)/\(PageTemplate.escaped(PercentCoding.encode(asset.name)))"
        var response = try page(
            "film.html",
            [
                "title": PageTemplate.escaped(asset.name), "base": "../../..", "words": words,
                "picture": "../thumbnail/\(asset.id)/\(asset.version)/whole",
                "kind": !isThere ? "missing" : asset.isVideo ? "film" : "picture",
                "type": asset.format.type.mediaType, "back": backAddress(request),
                "file": file, "download": isThere ? Self.downloadLink(file) : "",
            ])
        if !isThere { response.status = .notFound }
        return response
    }

    static func downloadLink(_ file: String) -> String {
        "<p id=\"download\"><a href=\"\(file)?download\" download>Download the file</a></p>"
    }

    /// The address of the grid from which a page was opened, as far as it is known.
    private func backAddress(_ request: RouteRequest) -> String {
        let group = request.value("group").flatMap(AssetGroup.ID.init(pathComponent:))
        return group.map { "../group/\($0.pathComponent)" } ?? "../"
    }

    /// Returns a page with an error's sentence and a way back, for people; others get the sentence.
    private func missing(
        _ error: RouteError, in served: ServedLibrary, _ request: RouteRequest
    ) throws -> RouteResponse {
        guard request[.accept]?.contains("text/html") == true else { throw error }
        var response = try page(
            "missing.html",
            [
                "title": PageTemplate.escaped(served.name),
                "base": Array(repeating: "..", count: max(1, request.path.count - 1)).joined(separator: "/"),
                "library": served.address,
                "words": PageTemplate.escaped(error.sentence),
            ])
        response.status = error.status
        return response
    }

    private func page(
        _ name: String, _ values: [String: String], sendsForms: Bool = false
    ) throws -> RouteResponse {
        RouteResponse.page(try assets.template(name).filled(values), sendsForms: sendsForms)
    }
}
#endif
