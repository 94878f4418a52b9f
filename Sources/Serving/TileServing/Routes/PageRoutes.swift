#if Server
package import Basics
internal import Files
internal import HTTPTypes
internal import NIOCore
package import ViewerPages

/// The files of all pages: compressed once, and under names that change with their content.
package final class PageAssets: Sendable {
    private let extensions: [any ServerExtension]
    private let reportsOpenPages: Bool
    private let made = Once<PageFiles>()

    /// - Parameter reportingOpenPages: Whether pages connect each minute while they are open.
    init(_ extensions: [any ServerExtension], reportingOpenPages: Bool) {
        self.extensions = extensions
        reportsOpenPages = reportingOpenPages
    }

    /// Returns the template of a page, with the names that change with the content of what it loads.
    package func template(_ name: String) throws(RouteError) -> PageTemplate {
        guard let file = files[name] else { throw .notFound }
        let html = String(decoding: file.bytes, as: UTF8.self)
        return PageTemplate(html.replacing("\n</head>", with: reporter(base: "{{base}}") + "\n</head>"))
    }

    /// The script of a page that connects while it is open; nothing if the server does not ask for it.
    func reporter(base: String) -> String {
        guard reportsOpenPages else { return "" }
        return "\n<script type=\"module\" src=\"\(base)/\(path(of: "open-page.js"))\"></script>"
    }

    /// The address of what a page shows without JavaScript.
    fileprivate static func still(_ service: String) -> String { "\(service)/full/!1600,1200/0/default.jpg" }

    /// Returns the page of an image at `view/NAME`, where the image is at `iiif/3/NAME`.
    package func viewer(of name: String, title: String, navigation: String) throws(RouteError)
        -> RouteResponse
    {
        // Relative: another name of the host would be another origin, which the page cannot access.
        let service = "../iiif/3/\(PageTemplate.escaped(PercentCoding.encode(name)))"
        return RouteResponse.page(
            try template("viewer.html").filled([
                "title": PageTemplate.escaped(title), "base": "..", "source": "data-service=\"\(service)\"",
                "preload": "<link rel=\"preload\" as=\"fetch\" crossorigin href=\"\(service)/info.json\">",
                "still": PageAssets.still(service),
                "full": "\(service)/full/max/0/default.jpg", "navigation": navigation,
            ]))
    }

    /// Returns a file of pages.
    ///
    /// - Throws: `RouteError` if there is no file of that name.
    package func file(_ name: String, _ request: RouteRequest) throws -> RouteResponse {
        guard let file = files[name] else { throw RouteError.notFound }
        let packed = request.acceptsGzip ? file.gzip : nil
        // The bytes of an encoding have their own tag.
        let tag = packed == nil ? file.etag : file.etag.dropLast() + "-gzip\""
        var headers: HTTPFields = [
            .contentType: file.mediaType, .eTag: tag,
            .cacheControl: file.isFinal ? "public, max-age=31536000, immutable" : "no-cache",
        ]
        if file.gzip != nil { headers[.vary] = "Accept-Encoding" }
        if let known = request[.ifNoneMatch], known == tag || known == file.etag {
            return RouteResponse(.notModified, headers: headers)
        }
        if packed != nil { headers[.contentEncoding] = "gzip" }
        return RouteResponse(.ok, headers: headers, body: ByteBuffer(bytes: packed ?? file.bytes))
    }

    /// The path of a file below the mount path of the server, by the name that changes with its content.
    package func path(of name: String) -> String { "page/" + files.address(of: name) }

    /// All files.
    ///
    /// They take some milliseconds, which servers without visitors need not spend.
    var files: PageFiles {
        made.valueEvenIfCancelled {
            var sources = ViewerPage.all
            for one in extensions { sources.merge(one.assets) { $1 } }
            return extensions.isEmpty ? ViewerPage.files : PageFiles(sources)
        }
    }
}

/// `/view/{identifier}`: the viewer of an image.
///
/// An image that is missing or damaged has the page with the status of the problem: its links lead on and back.
struct ViewRoute: Route {
    let images: OpenImages
    let prepared: PreparedImages
    let assets: PageAssets
    /// Whether the server has no other image.
    let isAlone: Bool

    var prefix: String { "view" }

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        let identifier = try IIIFPath.identifier(request.path.dropFirst())
        guard !identifier.isEmpty else { throw RouteError.imageNotFound }
        var status = HTTPResponse.Status.ok
        do {
            let image = try await images.image(identifier, for: request)
            // Prepares the image while the browser loads the page.
            Task { try? await prepared.preload(image) }
        } catch let error as RouteError where Self.pageStatuses.contains(error.status) {
            status = error.status
        }
        var response = try assets.viewer(
            of: identifier, title: PageTemplate.title(of: identifier),
            navigation: isAlone ? "" : "<a href=\"../\" aria-label=\"All images\">‹</a>")
        response.status = status
        return response
    }

    /// The problems of one image, not of the request.
    private static let pageStatuses: Set<HTTPResponse.Status> = [
        .forbidden, .notFound, .unprocessableContent, .badGateway, .serviceUnavailable,
    ]
}

/// `/compare/{first}/{second}`: two images beside each other.
struct CompareRoute: Route {
    let images: OpenImages
    let assets: PageAssets

    var prefix: String { "compare" }

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        guard request.path.count == 3 else {
            throw RouteError(
                .badRequest, "the path is /compare/FIRST/SECOND, with / in a name encoded as %2F")
        }
        let first = try IIIFPath.identifier(request.path[1...1])
        let second = try IIIFPath.identifier(request.path[2...2])
        for identifier in [first, second] { _ = try await images.image(identifier, for: request) }
        let one = PageTemplate.escaped(PercentCoding.encode(first))
        let other = PageTemplate.escaped(PercentCoding.encode(second))
        func service(_ name: String) -> String { "../../iiif/3/\(name)" }
        let query = request.query.isEmpty ? "" : "?" + PageTemplate.escaped(String(request.query))
        return RouteResponse.page(
            try assets.template("compare.html").filled([
                "title": PageTemplate.escaped(
                    "\(PageTemplate.title(of: first)) – \(PageTemplate.title(of: second))"),
                "base": "../..",
                "first": PageTemplate.escaped(PageTemplate.title(of: first)),
                "second": PageTemplate.escaped(PageTemplate.title(of: second)),
                "source": "data-first=\"\(service(one))\" data-second=\"\(service(other))\"",
                "firstPage": "../../view/\(one)\(query)", "firstStill": PageAssets.still(service(one)),
                "secondPage": "../../view/\(other)", "secondStill": PageAssets.still(service(other)),
            ]))
    }
}

/// `/neighbors/{identifier}`: the previous and the next image of a folder in the order of the index (`sort`), as JSON; the
/// count is 0 for images that the index does not list.
struct NeighborsRoute: Route {
    let roots: ImageRoots
    let access: AccessControl?

    var prefix: String { "neighbors" }

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        let identifier = try IIIFPath.identifier(request.path.dropFirst())
        let roots = roots
        let order = try FolderOrder(of: request)
        let found = try await roots.root(of: identifier)?.threads.run {
            roots.neighbors(of: identifier, by: order)
        }
        if let found { try await access?.check(folder: found.folder, in: roots, for: request) }
        let query = order.parameter.map { "?\($0)" } ?? ""
        func json(_ identifier: String?) -> JSONValue {
            guard let identifier else { return .null }
            return .object([
                "page": .string("view/\(PercentCoding.encode(identifier))\(query)"),
                "name": .string(PathText.shown(PageTemplate.title(of: identifier))),
            ])
        }
        let folder = found?.folder ?? ""
        let back = [folder.isEmpty ? nil : "folder=\(PercentCoding.encode(folder))", order.parameter]
            .compactMap(\.self)
        let answer = JSONValue.object([
            "title": .string(folder.isEmpty ? "Images" : PathText.shown(folder)),
            "back": .string(back.isEmpty ? "" : "?\(back.joined(separator: "&"))"),
            "number": .int(found?.number ?? 0), "count": .int(found?.count ?? 0),
            "previous": json(found?.previous), "next": json(found?.next),
        ])
        return .json(answer)
    }
}

/// `/page/{name}`: the files of pages.
struct AssetRoute: Route {
    let assets: PageAssets

    var prefix: String { "page" }

    func respond(to request: RouteRequest) throws -> RouteResponse {
        guard request.path.count == 2 else { throw RouteError.notFound }
        return try assets.file(String(request.path[1]), request)
    }
}

/// `/favicon.ico`, which browsers request from every site: the icon of the pages.
struct FaviconRoute: Route {
    let assets: PageAssets

    var prefix: String { "favicon.ico" }

    func respond(to request: RouteRequest) throws -> RouteResponse {
        guard request.path.count == 1 else { throw RouteError.notFound }
        return try assets.file("icon.svg", request)
    }
}

extension RouteRequest {
    /// Whether the client reads gzip.
    ///
    /// Source: RFC 9110, section 12.5.3.
    var acceptsGzip: Bool {
        (self[.acceptEncoding] ?? "").split(separator: ",").contains { coding in
            let parts = coding.split(separator: ";").map { $0.filter { $0 != " " }.lowercased() }
            guard let name = parts.first, name == "gzip" || name == "*" else { return false }
            return !parts.dropFirst().contains {
                $0.hasPrefix("q=0") && !$0.contains { ("1"..."9").contains($0) }
            }
        }
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

extension PageTemplate {
    /// The last component of an identifier.
    static func title(of identifier: String) -> String {
        FilePath(identifier).names.last?.text ?? identifier
    }
}

extension RouteResponse {
    /// JSON that is never cached.
    package static func json(_ value: JSONValue) -> RouteResponse {
        var response = RouteResponse(text: value.description, "application/json")
        response.headers[.cacheControl] = "no-store"
        return response
    }

    /// Returns a page that loads nothing from other hosts and cannot be framed.
    ///
    /// - Parameters:
    ///   - sendsForms: Whether its forms may be sent to this server.
    ///   - pictures: The origin of another server from which it may load pictures.
    package static func page(_ html: String, sendsForms: Bool = false, pictures: String? = nil)
        -> RouteResponse
    {
        var response = RouteResponse(text: html, "text/html; charset=utf-8")
        response.headers[.eTag] = EntityTag(html).text
        response.headers[.contentSecurityPolicy] =
            "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:\(pictures.map { " " + $0 } ?? ""); media-src 'self'; "
            + "connect-src 'self'; base-uri 'none'; form-action '\(sendsForms ? "self" : "none")'; frame-ancestors 'none'"
        response.headers[HTTPField.Name("Referrer-Policy")!] = "no-referrer"
        response.headers[HTTPField.Name("X-Frame-Options")!] = "DENY"
        response.headers[.cacheControl] = "no-cache"
        return response
    }
}
#endif
