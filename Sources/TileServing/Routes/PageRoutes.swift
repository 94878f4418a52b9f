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
