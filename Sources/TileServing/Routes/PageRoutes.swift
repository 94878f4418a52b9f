internal import Files
internal import HTTPTypes
internal import NIOCore
internal import ViewportGeometry
internal import ViewportRendering

/// `/view/{identifier}`: the page to look around in an image.
struct ViewRoute: Route {
    let images: OpenImages
    let assets: any PageAssets

    var prefix: String { "view" }

    func reply(to call: Call) async throws -> Reply {
        let identifier = try IIIFAddressing.identifier(call.path.dropFirst())
        guard let template = assets.asset(named: "viewer.html") else { throw Failure.notFound }
        let image = try await images.image(identifier, for: call)
        // Made while the browser loads the page.
        Task { _ = try? await images.prepared(image) }
        let title = identifier.split(separator: "/").last.map(String.init) ?? identifier
        let html = PageTemplate(String(decoding: template.bytes, as: UTF8.self)).filled([
            // Relative: another name of the host would be another origin, which the page may not ask.
            "title": PageTemplate.escaped(title), "base": "..",
            "identifier": PageTemplate.escaped(PercentCoding.encode(identifier)),
            "navigation": "<a href=\"../\" aria-label=\"All images\">‹</a>",
        ])
        return Reply.page(html)
    }
}

/// `/page/{name}`: what pages are made of.
struct AssetRoute: Route {
    let assets: any PageAssets

    var prefix: String { "page" }

    func reply(to call: Call) throws -> Reply {
        guard call.path.count == 2, let asset = assets.asset(named: String(call.path[1])) else {
            throw Failure(.notFound, "there is nothing here")
        }
        let headers: HTTPFields = [
            .contentType: asset.mediaType, .eTag: asset.etag, .cacheControl: "no-cache",
        ]
        if call[.ifNoneMatch] == asset.etag { return Reply(.notModified, headers: headers) }
        return Reply(.ok, headers: headers, body: ByteBuffer(bytes: asset.bytes))
    }
}

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

/// A file that pages are made of.
package struct PageAsset: Sendable {
    package var bytes: [UInt8]
    package var mediaType: String
    /// Names these bytes, in quotes.
    package var etag: String

    package init(bytes: [UInt8], mediaType: String, etag: String) {
        self.bytes = bytes
        self.mediaType = mediaType
        self.etag = etag
    }
}

/// The files of the pages: the seam between the server and what browsers show.
///
/// `viewer.html` is a template: {{title}}, {{base}}, {{identifier}} and {{navigation}} are filled in.
package protocol PageAssets: Sendable {
    func asset(named name: String) -> PageAsset?
}

/// A text with places to fill in: {{name}}.
package struct PageTemplate {
    private let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// Filled once, from the front: what is filled in is not looked at again.
    package func filled(_ values: [String: String]) -> String {
        var result = ""
        var rest = text[...]
        while let open = rest.firstRange(of: "{{"), let close = rest[open.upperBound...].firstRange(of: "}}")
        {
            result +=
                rest[..<open.lowerBound] + (values[String(rest[open.upperBound..<close.lowerBound])] ?? "")
            rest = rest[close.upperBound...]
        }
        return result + rest
    }

    /// A text that stands for itself in HTML, in quotes as well.
    package static func escaped(_ text: String) -> String {
        PathText.shown(text).reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.append(character)
            }
        }
    }
}

extension Reply {
    /// A page that loads nothing from elsewhere and is framed by nobody.
    package static func page(_ html: String) -> Reply {
        var reply = Reply(text: html, "text/html; charset=utf-8")
        reply.headers[.contentSecurityPolicy] =
            "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; "
            + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        reply.headers[HTTPField.Name("Referrer-Policy")!] = "no-referrer"
        reply.headers[HTTPField.Name("X-Frame-Options")!] = "DENY"
        reply.headers[.cacheControl] = "no-cache"
        return reply
    }
}
