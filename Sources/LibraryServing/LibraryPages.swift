#if Server && Library
internal import HTTPTypes
internal import PhotoCatalog
package import TileServing

/// The pages of a library: its groups, the grid of a group, and the page of a video.
struct LibraryPages {
    let assets: PageAssets

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
        let more = groups.count - Self.maximumGroups
        let rest = more > 0 ? "<p>And \(more) more: everything is in the library's own grid.</p>" : ""
        return try page(
            "groups.html",
            [
                "title": PageTemplate.escaped(served.name), "base": "../..",
                "groups": sections.joined(separator: "\n") + rest,
            ])
    }

    private func section(_ title: String, _ groups: [AssetGroup]) -> String {
        guard !groups.isEmpty else { return "" }
        let items = groups.prefix(Self.maximumGroups).map { group in
            let name = PageTemplate.escaped(group.title)
            // An empty group has no cover.
            let cover =
                group.count > 0
                ? "<img loading=\"lazy\" alt=\"\" src=\"cover/\(group.id.pathComponent)\">" : ""
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
    func grid(of served: ServedLibrary, _ name: String) async throws -> RouteResponse {
        guard let id = AssetGroup.ID(pathComponent: name) else { throw RouteError.noGroup }
        let group = try await served.group(id)
        return try page(
            "grid.html",
            [
                "title": PageTemplate.escaped(group.title), "library": PageTemplate.escaped(served.name),
                "base": "../../..", "group": id.pathComponent,
            ])
    }

    /// Returns the page of an asset that the viewer cannot show.
    func film(of served: ServedLibrary, _ id: Substring) async throws -> RouteResponse {
        let asset = try await served.asset(id)
        let words =
            asset.isVideo
            ? "This is one frame of a film. The server shows no films: open its file to see it move and to hear it."
            : "This is a small picture of a file that the viewer does not open, as cameras write them."
        return try page(
            "film.html",
            [
                "title": PageTemplate.escaped(asset.name), "base": "../../..",
                "picture": "../thumbnail/\(asset.id)/\(asset.version)/whole", "words": words,
            ])
    }

    private func page(_ name: String, _ values: [String: String]) throws -> RouteResponse {
        guard let template = assets.asset(named: name) else {
            throw RouteError(.notFound, "this server has no pages")
        }
        return RouteResponse.page(
            PageTemplate(String(decoding: template.bytes, as: UTF8.self)).filled(values))
    }
}

/// The static files of the library pages, embedded in the program.
package enum LibraryPageAssets {
    /// Returns the file with a name; nil if there is none.
    package static func asset(named name: String) -> PageAsset? { assets[name] }

    /// The names of all files, sorted.
    package static var names: [String] { assets.keys.sorted() }

    private static let assets: [String: PageAsset] = [
        "asset-store.js": script(PackageResources.asset_store_js),
        "changes.js": script(PackageResources.changes_js),
        "choices.js": script(PackageResources.choices_js),
        "film.html": asset(PackageResources.film_html, "text/html; charset=utf-8"),
        "film.js": script(PackageResources.film_js),
        "grid-keys.js": script(PackageResources.grid_keys_js),
        "grid-layout.js": script(PackageResources.grid_layout_js),
        "grid-rows.js": script(PackageResources.grid_rows_js),
        "grid.html": asset(PackageResources.grid_html, "text/html; charset=utf-8"),
        "grid.js": script(PackageResources.grid_js),
        "groups.html": asset(PackageResources.groups_html, "text/html; charset=utf-8"),
        "library.css": asset(PackageResources.library_css, "text/css; charset=utf-8"),
        "long-scroll.js": script(PackageResources.long_scroll_js),
        "titles.js": script(PackageResources.titles_js),
    ]

    private static func script(_ bytes: [UInt8]) -> PageAsset {
        asset(bytes, "text/javascript; charset=utf-8")
    }

    private static func asset(_ bytes: [UInt8], _ mediaType: String) -> PageAsset {
        PageAsset(
            bytes: bytes, mediaType: mediaType, etag: EntityTag(String(decoding: bytes, as: UTF8.self)).text)
    }
}
#endif
