#if Server && Library
internal import Basics
internal import Files
internal import Foundation
internal import HTTPTypes
internal import PhotoCatalog
internal import TileServing
internal import ViewerPages

/// `trash`: what was moved to the trash of a library, some at a time, by the day on which that was.
///
/// Without scripts, and where edits are not allowed, it is a list.
struct TrashPage {
    private let served: ServedLibrary
    private let request: RouteRequest
    private let allowsEdits: Bool

    /// The number of photos on a page.
    private static let length = 240

    init(_ served: ServedLibrary, _ request: RouteRequest, allowsEdits: Bool) {
        (self.served, self.request, self.allowsEdits) = (served, request, allowsEdits)
    }

    /// - Throws: `RouteError` if there is no such page of the list.
    func response(_ template: PageTemplate) async throws -> RouteResponse {
        let ids = try await served.library.trashedIDs()
        let pages = max(1, (ids.count + Self.length - 1) / Self.length)
        guard let page = Int(strict: request.value("page") ?? "1"), page >= 1 else {
            throw RouteError(.badRequest, "a page is a number from 1")
        }
        // The last page may have been emptied by what was restored.
        let shown = min(page, pages)
        let trashed = try await served.library.trashedAssets(
            ids[((shown - 1) * Self.length)...].prefix(Self.length))
        func link(to page: Int, _ relation: String, _ title: String) -> String {
            (1...pages).contains(page)
                ? "<a rel=\"\(relation)\" href=\"?page=\(page)\">\(title)</a>" : ""
        }
        return RouteResponse.page(
            template.filled([
                "title": "Trash", "library": PageTemplate.escaped(served.name), "base": "../..",
                "edits": allowsEdits ? "true" : "",
                "count": "\(ids.count) \(ids.count == 1 ? "photo" : "photos")"
                    + (pages > 1 ? ", page \(shown) of \(pages)" : ""),
                "list": ids.isEmpty
                    ? "<p class=\"nothing\">The trash is empty.</p>" : note + sections(trashed),
                "navigation": link(to: shown - 1, "prev", "Previous") + " "
                    + link(to: shown + 1, "next", "Next"),
            ]))
    }

    private var note: String {
        let command = PageTemplate.escaped("viewport library trash \(served.name) --empty --yes")
        return "<p class=\"faint\">Photos stay here until <code>\(command)</code> removes them for good.</p>"
    }

    /// The photos by days, of which those next to each other are equal.
    private func sections(_ trashed: [TrashedAsset]) -> String {
        var days: [(day: Substring, items: [String])] = []
        for one in trashed {
            let day = one.date.ISO8601Format().prefix(10)
            if days.last?.day != day { days.append((day, [])) }
            days[days.count - 1].items.append(item(one))
        }
        return days.map { day, items in
            "<section><h2><time datetime=\"\(day)\">\(day)</time></h2><ul>\(items.joined(separator: "\n"))</ul></section>"
        }.joined(separator: "\n")
    }

    private func item(_ one: TrashedAsset) -> String {
        let name = PageTemplate.escaped(one.file.name.text)
        let folder = one.file.parent?.text ?? ""
        let size = one.asset.fileSize.readableBytes
        return "<li data-trashed=\"\(one.id)\"><a href=\"trash/\(one.id)/whole\"><figure>"
            + "<p aria-hidden=\"true\">No picture</p><img loading=\"lazy\" alt=\"\" src=\"trash/\(one.id)/256\"></figure>"
            + "<b>\(name)</b><span>\(folder.isEmpty ? "" : PageTemplate.escaped(folder) + ", ")\(size)</span></a>"
            + "<label hidden><input type=\"checkbox\" aria-label=\"Select \(name)\"></label></li>"
    }
}
#endif
