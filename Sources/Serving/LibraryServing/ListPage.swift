#if Server && Library
internal import Basics
internal import Files
internal import HTTPTypes
internal import PhotoCatalog
internal import TileServing
internal import ViewerPages

/// `list`: the photos of a selection as links with small pictures, some at a time, without scripts.
struct ListPage {
    private let served: ServedLibrary
    private let request: RouteRequest
    private let selection: AssetRequest
    private let collection: AssetCollection

    /// The number of photos on a page.
    private static let length = 120

    /// - Throws: `RouteError` if the request is malformed.
    init(_ served: ServedLibrary, _ request: RouteRequest) async throws {
        (self.served, self.request) = (served, request)
        selection = try AssetRequest(request)
        collection = try await served.collection(for: selection)
    }

    /// - Throws: `RouteError` if there is no such page of the list.
    func response(_ template: PageTemplate) async throws -> RouteResponse {
        let group = try await served.group(selection.group)
        let entries = try await collection.entries()
        let count = entries.reduce(0) { $0 + $1.count }
        let pages = try ListPages(request, of: count, length: Self.length)
        let assets = try await collection.assets(pages.range)
        return RouteResponse.page(
            template.filled([
                "title": PageTemplate.escaped(group.title), "library": PageTemplate.escaped(served.name),
                "base": "../..", "where": PageTemplate.escaped(request.value("where") ?? ""),
                "group": group.id.pathComponent,
                "count": "\(count) \(count == 1 ? "photo" : "photos")\(pages.position)",
                "list": count == 0
                    ? "<p>No photos.</p>" : sections(entries, assets, from: pages.range.lowerBound),
                "navigation": pages.links { "list?\((kept + ["page=\($0)"]).joined(separator: "&"))" },
            ]), sendsForms: true)
    }

    /// The photos of a page, each entry with its title.
    private func sections(_ entries: [CollectionEntry], _ assets: [Asset], from first: Int) -> String {
        var sections: [String] = []
        var (start, rest) = (0, assets[...])
        for entry in entries {
            let left = start + entry.count - max(first, start)
            start += entry.count
            guard left > 0, !rest.isEmpty else { continue }
            let items = rest.prefix(left).map(item)
            rest = rest.dropFirst(left)
            let words = PageTemplate.escaped(entry.title(by: selection.unit))
            let title = entry.key == .all ? "" : "<h2>\(words)</h2>"
            sections.append("<section>\(title)<ul>\(items.joined(separator: "\n"))</ul></section>")
        }
        return sections.joined(separator: "\n")
    }

    private func item(_ asset: Asset) -> String {
        let query = ["library=\(PercentCoding.encode(served.name))"] + kept + ["asset=\(asset.id)"]
        let address = "../../\(asset.page(in: served))?\(query.joined(separator: "&"))"
        let date = asset.localDate.map { $0.replacing("T", with: " ").prefix(16) } ?? ""
        return "<li><a href=\"\(PageTemplate.escaped(address))\"><figure>"
            + "<img loading=\"lazy\" alt=\"\" src=\"thumbnail/\(asset.id)/\(asset.version)/256\"></figure>"
            + "<b>\(PageTemplate.escaped(asset.name))</b><span>\(date)</span></a>\(others(of: asset))</li>"
    }

    /// The way to the other files of a stack.
    private func others(of asset: Asset) -> String {
        guard let cover = asset.stack, let count = asset.stackCount else { return "" }
        return " <a href=\"list?group=all&amp;where=stack:\(cover)\">All \(count) files of this stack</a>"
    }

    /// The parameters of the selection, as they were given.
    private var kept: [String] {
        request.query.split(separator: "&").filter { !$0.hasPrefix("page=") }.map(String.init)
    }
}

extension CollectionEntry {
    /// "2014", "2014-05", "2014-05-25" or "2014-05-25 10:00"; the beginning of a week.
    func title(by unit: StandardGrouping.Unit) -> String {
        switch key {
        case .period(let period): return period.text
        case .none: return unit == .place ? "Without a place" : "Undated"
        case .some(let key): return key.description
        }
    }
}
#endif
