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
        _ = try await images.image(identifier)
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

/// `/`: the images that there are.
struct IndexRoute: Route {
    let roots: ImageRoots

    var prefix: String { "" }

    /// The most images that the page lists.
    private static let mostImages = 2000

    func reply(to call: Call) async throws -> Reply {
        guard call.path.count <= 1 else { throw Failure(.notFound, "there is nothing here") }
        let listing = await RootListing(roots).identifiers(atMost: Self.mostImages)
        let items = listing.map { identifier in
            let encoded = PercentCoding.encode(identifier)
            return "<li><a href=\"\(call.base)/view/\(encoded)\"><img loading=\"lazy\" alt=\"\" "
                + "src=\"\(call.base)/iiif/3/\(encoded)/full/!240,240/0/default.jpg\">"
                + "<span>\(PageTemplate.escaped(identifier))</span></a></li>"
        }
        let empty = "<p>There are no images here: serve a folder that has some.</p>"
        return Reply.page(
            """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <title>Images</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <link rel="stylesheet" href="\(call.base)/page/index.css">
            <h1>Images</h1>
            \(items.isEmpty ? empty : "<ul>\n\(items.joined(separator: "\n"))\n</ul>")
            </html>

            """)
    }
}

/// A text with places to fill in: {{name}}.
struct PageTemplate {
    private let text: String

    init(_ text: String) {
        self.text = text
    }

    /// Filled once, from the front: what is filled in is not looked at again.
    func filled(_ values: [String: String]) -> String {
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
    static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
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
    static func page(_ html: String) -> Reply {
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
