internal import HTTPTypes

/// A root with pages of its own, to which the index leads instead of listing its images.
package struct IndexPlace: Sendable {
    /// The root's path.
    package var root: String
    package var title: String
    /// Of its first page, below the server's.
    package var address: String
    /// Of a picture of it, below the server's.
    package var cover: String

    package init(root: String, title: String, address: String, cover: String) {
        self.root = root
        self.title = title
        self.address = address
        self.cover = cover
    }
}

/// `/`: the images that there are.
struct IndexRoute: Route {
    let roots: ImageRoots
    let places: [IndexPlace]

    var prefix: String { "" }

    /// The most images that the page lists.
    private static let mostImages = 2000

    func reply(to call: Call) async throws -> Reply {
        guard call.path.count <= 1 else { throw Failure(.notFound, "there is nothing here") }
        if let place = places.first, roots.all.count == 1 {
            let query = call.query.isEmpty ? "" : "?\(call.query)"
            return .seeOther("./\(place.address)\(query)")
        }
        let elsewhere = Set(places.map(\.root))
        let listing = await RootListing(roots).identifiers(atMost: Self.mostImages, except: elsewhere)
        // Relative: under another name of the host the page may not load anything.
        let links = places.map { place in
            "<li><a href=\"./\(place.address)\"><img loading=\"lazy\" alt=\"\" "
                + "src=\"./\(place.cover)\"><span>\(PageTemplate.escaped(place.title))</span></a></li>"
        }
        let images = listing.map { identifier in
            let encoded = PercentCoding.encode(identifier)
            return "<li><a href=\"./view/\(encoded)\"><img loading=\"lazy\" alt=\"\" "
                + "src=\"./iiif/3/\(encoded)/full/!240,240/0/default.jpg\">"
                + "<span>\(PageTemplate.escaped(identifier))</span></a></li>"
        }
        let items = links + images
        let empty = "<p>There are no images here: serve a folder that has some.</p>"
        return Reply.page(
            """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <title>Images</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <link rel="stylesheet" href="./page/index.css">
            <h1>Images</h1>
            \(items.isEmpty ? empty : "<ul>\n\(items.joined(separator: "\n"))\n</ul>")
            </html>

            """)
    }
}
