internal import HTTPTypes
internal import PhotoCatalog
internal import TileServing

/// The pages of a library: its groups, a group's grid, and what is said of films.
struct LibraryPages {
    let assets: (any PageAssets)?

    /// The most groups that a page lists.
    private static let mostGroups = 5000

    /// All groups with their covers; it needs no scripts.
    func groups(of served: ServedLibrary) async throws -> Reply {
        let groups = try await served.library.groups()
        let kinds: [(title: String, kinds: Set<AssetGroup.Kind>)] = [
            ("Library", [.all, .picks]), ("Albums", [.album]), ("Folders", [.folder]),
        ]
        let sections = kinds.map { title, kinds in
            section(title, groups.filter { kinds.contains($0.kind) })
        }
        let more = groups.count - Self.mostGroups
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
        let items = groups.prefix(Self.mostGroups).map { group in
            let name = PageTemplate.escaped(group.title)
            // An empty group has no cover.
            let cover =
                group.count > 0
                ? "<img loading=\"lazy\" alt=\"\" src=\"cover/\(group.id.addressed)\">" : ""
            return "<li><a href=\"group/\(group.id.addressed)\"><figure>\(cover)</figure>"
                + "<b>\(name)</b><span>\(Self.grouped(group.count))</span></a></li>"
        }
        return "<section><h2>\(title)</h2><ul>\(items.joined(separator: "\n"))</ul></section>"
    }

    /// "1 234 567": thin spaces are understood everywhere.
    private static func grouped(_ number: Int) -> String {
        var text = ""
        for (index, digit) in "\(number)".reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3) { text.append("\u{2009}") }
            text.append(digit)
        }
        return String(text.reversed())
    }

    /// The grid of a group; what it shows and in which order stands in the address's query.
    func grid(of served: ServedLibrary, _ name: String) async throws -> Reply {
        guard let id = AssetGroup.ID(addressed: name) else { throw Failure.noGroup }
        let group = try await served.group(id)
        return try page(
            "grid.html",
            [
                "title": PageTemplate.escaped(group.title), "library": PageTemplate.escaped(served.name),
                "base": "../../..", "group": id.addressed,
            ])
    }

    /// What is shown of an asset that the viewer does not show.
    func film(of served: ServedLibrary, _ id: Substring) async throws -> Reply {
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

    private func page(_ name: String, _ values: [String: String]) throws -> Reply {
        guard let template = assets?.asset(named: name) else {
            throw Failure(.notFound, "this server has no pages")
        }
        return Reply.page(
            PageTemplate(String(decoding: template.bytes, as: UTF8.self)).filled(values))
    }
}
