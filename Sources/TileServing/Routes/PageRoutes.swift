#if Server
internal import Files
internal import HTTPTypes
internal import NIOCore
internal import ViewerPages
internal import ViewportGeometry
internal import ViewportRendering

/// A file that pages load.
package struct PageAsset: Sendable {
    package var bytes: [UInt8]
    package var mediaType: String
    /// A strong entity tag of the bytes, with its quotation marks.
    package var etag: String

    package init(bytes: [UInt8], mediaType: String, etag: String) {
        self.bytes = bytes
        self.mediaType = mediaType
        self.etag = etag
    }
}

/// The files of all pages by name.
package struct PageAssets: Sendable {
    private let extensions: [any ServerExtension]

    init(_ extensions: [any ServerExtension]) {
        self.extensions = extensions
    }

    package func asset(named name: String) -> PageAsset? {
        if let asset = ViewerPage.asset(named: name) {
            return PageAsset(bytes: asset.bytes, mediaType: asset.mediaType, etag: asset.etag)
        }
        return extensions.lazy.compactMap { $0.asset(named: name) }.first
    }
}

/// `/view/{identifier}`: the viewer of an image.
struct ViewRoute: Route {
    let images: OpenImages
    let assets: PageAssets

    var prefix: String { "view" }

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        let identifier = try IIIFPath.identifier(request.path.dropFirst())
        guard let template = assets.asset(named: "viewer.html") else { throw RouteError.notFound }
        let image = try await images.image(identifier, for: request)
        // Prepares the image while the browser loads the page.
        Task { try? await images.preload(image) }
        let title = identifier.split(separator: "/").last.map(String.init) ?? identifier
        let html = PageTemplate(String(decoding: template.bytes, as: UTF8.self)).filled([
            // Relative: another name of the host would be another origin, which the page cannot access.
            "title": PageTemplate.escaped(title), "base": "..",
            "identifier": PageTemplate.escaped(PercentCoding.encode(identifier)),
            "navigation": "<a href=\"../\" aria-label=\"All images\">‹</a>",
        ])
        return RouteResponse.page(html)
    }
}

/// `/page/{name}`: the files of pages.
struct AssetRoute: Route {
    let assets: PageAssets

    var prefix: String { "page" }

    func respond(to request: RouteRequest) throws -> RouteResponse {
        guard request.path.count == 2, let asset = assets.asset(named: String(request.path[1])) else {
            throw RouteError.notFound
        }
        let headers: HTTPFields = [
            .contentType: asset.mediaType, .eTag: asset.etag, .cacheControl: "no-cache",
        ]
        if request[.ifNoneMatch] == asset.etag { return RouteResponse(.notModified, headers: headers) }
        return RouteResponse(.ok, headers: headers, body: ByteBuffer(bytes: asset.bytes))
    }
}

/// A root with its own pages; the index links to them and does not list its images.
package struct IndexEntry: Sendable {
    /// The root's path.
    package var root: String
    package var title: String
    /// The path of its first page below the mount path.
    package var address: String
    /// The path of its cover image below the mount path.
    package var cover: String

    package init(root: String, title: String, address: String, cover: String) {
        self.root = root
        self.title = title
        self.address = address
        self.cover = cover
    }
}

/// A text with placeholders: {{name}}.
package struct PageTemplate {
    private let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// Replaces the placeholders with values; placeholders in values are not replaced.
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

    /// Escapes a text for HTML and its attributes.
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

extension RouteResponse {
    /// Returns a page that loads nothing from other hosts and cannot be framed.
    ///
    /// - Parameter sendsForms: Whether its forms may be sent to this server.
    package static func page(_ html: String, sendsForms: Bool = false) -> RouteResponse {
        var response = RouteResponse(text: html, "text/html; charset=utf-8")
        response.headers[.contentSecurityPolicy] =
            "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; "
            + "connect-src 'self'; base-uri 'none'; form-action '\(sendsForms ? "self" : "none")'; frame-ancestors 'none'"
        response.headers[HTTPField.Name("Referrer-Policy")!] = "no-referrer"
        response.headers[HTTPField.Name("X-Frame-Options")!] = "DENY"
        response.headers[.cacheControl] = "no-cache"
        return response
    }
}
#endif
