#if Server
internal import Files
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import ViewerPages

/// Checks access, passes requests to routes, and converts every error into one sentence.
struct Dispatcher: Sendable {
    private let routes: [Substring: any Route]
    private let base: BaseURL
    private let hosts: AllowedHosts
    private let unknownHostRemedy: String?
    private let token: AccessToken?
    /// Whether the application decides about each request.
    private let isAuthorized: Bool
    /// The files of pages, if the server has pages.
    private let assets: PageAssets?
    private let onVisit: (@Sendable (String) -> Void)?
    private let observer: RequestObserver

    init(
        _ routes: [any Route], base: BaseURL, hosts: AllowedHosts, unknownHostRemedy: String?,
        token: AccessToken?, isAuthorized: Bool, assets: PageAssets?, onVisit: (@Sendable (String) -> Void)?,
        observer: RequestObserver
    ) {
        self.routes = Dictionary(uniqueKeysWithValues: routes.map { ($0.prefix[...], $0) })
        self.base = base
        self.hosts = hosts
        self.unknownHostRemedy = unknownHostRemedy
        self.token = token
        self.isAuthorized = isAuthorized
        self.assets = assets
        self.onVisit = onVisit
        self.observer = observer
    }

    /// Responds to a request.
    ///
    /// - Parameter mountPath: The path at which the server is mounted: empty, or a path such as "/images".
    func respond(
        to request: Request, at mountPath: String, _ context: some RequestContext
    ) async -> Response {
        let start = ContinuousClock.now
        var (routed, route) = await route(request, mountPath, context)
        if [.notFound, .unprocessableContent, .internalServerError].contains(routed.status),
            Descriptors.areExhausted
        {
            // Without descriptors, files only appear to be missing or damaged.
            routed = RouteError.tooManyOpenFiles.response
        }
        if routed.status == .ok, let tag = routed.headers[.eTag], let known = request.headers[.ifNoneMatch],
            EntityTag.isTag(tag, in: known)
        {
            // A page that the client has.
            (routed.status, routed.body, routed.stream) = (.notModified, ByteBuffer(), nil)
        }
        var response = Response(status: routed.status, headers: routed.headers, body: Self.body(of: routed))
        setAccess(&response.headers, isOpen: route?.isOpen ?? false && !routed.isPrivate)
        // After a request to upgrade, the parser reads no further requests from the connection.
        if request.headers[.upgrade] != nil { response.headers[.connection] = "close" }
        if route?.needsToken ?? true { reportVisit(request, mountPath, routed) }
        observer.observe(request, Self.name(of: route), response, ContinuousClock.now - start)
        return request.method == .head ? Self.head(of: response) : response
    }

    /// Returns a response to GET without its body, with the length of the body.
    ///
    /// Source: RFC 9110, section 8.6.
    private static func head(of response: Response) -> Response {
        guard response.body.contentLength == nil else { return response.createHeadResponse() }
        // An empty body would state the length 0, and the end of one of unknown length is bytes, which a client would take
        // for the next response. The connection ends instead.
        var head = response
        head.headers[.connection] = "close"
        head.body = ResponseBody { _ in throw CancellationError() }
        return head
    }

    /// Reports a page that a person opened.
    private func reportVisit(_ request: Request, _ mountPath: String, _ response: RouteResponse) {
        guard let onVisit, response.status == .ok,
            response.headers[.contentType]?.hasPrefix("text/html") == true,
            FetchMetadata.isNavigation(request.headers),
            let target = try? RequestTarget(request, below: mountPath)
        else { return }
        let query = target.query.split(separator: "&").filter { !$0.hasPrefix("token=") }.joined(
            separator: "&")
        onVisit(Substring(target.path.utf8.dropFirst()) + (query.isEmpty ? "" : "?\(query)"))
    }

    /// Sets the headers for access from other origins and for caches.
    private func setAccess(_ headers: inout HTTPFields, isOpen: Bool) {
        if isOpen {
            headers[.accessControlAllowOrigin] = "*"
            headers[Self.exposedHeaders] = "ETag, Last-Modified, Link, Location, Retry-After"
        }
        headers[Self.resourcePolicy] = isOpen ? "cross-origin" : "same-origin"
        headers[.xContentTypeOptions] = "nosniff"
        if headers[Self.referrerPolicy] == nil { headers[Self.referrerPolicy] = "no-referrer" }
        // A shared cache would serve the response to clients without the token or from other origins.
        if !isOpen || token != nil || isAuthorized, let cache = headers[.cacheControl],
            cache.hasPrefix("public")
        {
            // What one user of a browser may see, the next may not: each use of a stored image asks again.
            headers[.cacheControl] =
                isAuthorized && !cache.hasSuffix("immutable")
                ? "private, no-cache" : "private" + cache.dropFirst("public".count)
        }
    }

    private static func name(of route: (any Route)?) -> String {
        route.map { $0.prefix.isEmpty ? "index" : $0.prefix } ?? "none"
    }

    private static func body(of response: RouteResponse) -> ResponseBody {
        guard let stream = response.stream else { return ResponseBody(byteBuffer: response.body) }
        return ResponseBody(contentLength: stream.length) { writer in
            for try await bytes in stream.bytes { try await writer.write(bytes) }
            try await writer.finish(nil)
        }
    }

    private static let exposedHeaders = HTTPField.Name("Access-Control-Expose-Headers")!
    private static let resourcePolicy = HTTPField.Name("Cross-Origin-Resource-Policy")!
    private static let referrerPolicy = HTTPField.Name("Referrer-Policy")!

    private func route(
        _ request: Request, _ mountPath: String, _ context: some RequestContext
    ) async -> (RouteResponse, (any Route)?) {
        var route: (any Route)?
        do {
            let target = try RequestTarget(request, below: mountPath)
            if let name = target.authority, !hosts.contains(name) {
                throw RouteError(
                    .misdirectedRequest,
                    "the server has no host name \(name.host)"
                        + (unknownHostRemedy.map { "; \($0)" } ?? ""))
            }
            if target.path == "*", request.method == .options { return (Self.options(isOpen: false), nil) }
            let parts = target.path.utf8.dropFirst()
                .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Substring($0) }
            route = routes[parts.first ?? ""]
            guard
                [.get, .head, .options].contains(request.method)
                    || request.method == .post && route?.acceptsPosts == true
            else { throw RouteError(.methodNotAllowed, "only GET, HEAD and OPTIONS are supported") }
            guard let route else { throw RouteError.notFound }
            // Preflight requests of browsers have no token.
            if request.method == .options { return (Self.options(isOpen: route.isOpen), route) }
            let channel = (context as? any ChannelRequestContext)?.channel
            let peer =
                (context as? any RemoteAddressRequestContext)?.remoteAddress ?? channel?.remoteAddress
            let base = base.string(
                request.headers, authority: target.host, peer: peer?.ipAddress, mountPath: mountPath)
            let names = [target.authority, Authority(ofAddress: base)].compactMap { $0 }
            let isCrossOrigin = FetchMetadata.isCrossOrigin(request.headers, own: names)
            guard route.isOpen || !isCrossOrigin else { throw RouteError.crossOrigin }
            if route.needsToken, let redirect = try authorize(request.headers, target, base) {
                return (redirect, route)
            }
            // Relative links in pages need the trailing slash.
            if target.path.isEmpty { return (.seeOther(target.withSlash), route) }
            var body: [UInt8] = []
            if request.method == .post {
                let kind: PostRequirements.Body = route.acceptsBytes(at: parts) ? .bytes : .json
                try PostRequirements.check(request.headers, own: names, kind)
                body = try await PostRequirements.body(of: request, kind)
            }
            let routed = RouteRequest(
                method: request.method, path: parts, query: target.query, headers: request.headers,
                body: body, base: base, isCrossOrigin: isCrossOrigin, channel: channel)
            return (try await route.respond(to: routed), route)
        } catch let error as RouteError {
            var response = page(of: error, for: request, mountPath) ?? error.response
            if error.status == .methodNotAllowed {
                response.headers[.allow] =
                    "GET, HEAD, OPTIONS" + (route?.acceptsPosts == true ? ", POST" : "")
            }
            // What is left of a body that was not read would be taken for the next request.
            if request.method == .post { response.headers[.connection] = "close" }
            if error.status == .unauthorized {
                response.headers[.wwwAuthenticate] = "Bearer realm=\"viewport\""
            }
            return (response, route)
        } catch is CancellationError {
            return (RouteError.timedOut.response, route)
        } catch {
            // Internal errors are logged and not sent to clients.
            context.logger.error(
                "request failed", metadata: ["path": "\(request.head.path ?? "")", "error": "\(error)"])
            return (RouteError.internalError.response, route)
        }
    }

    /// Returns a page with an error's sentence and a way on, for people; programs get the sentence alone.
    ///
    /// Without access there is none, because the page could load no style.
    private func page(of error: RouteError, for request: Request, _ mountPath: String) -> RouteResponse? {
        guard [.get, .head].contains(request.method), FetchMetadata.isNavigation(request.headers),
            !error.isPrivate,
            ![.unauthorized, .misdirectedRequest].contains(error.status),
            let target = try? RequestTarget(request, below: mountPath),
            let template = try? assets?.template("problem.html")
        else { return nil }
        // Relative: another name of the host would be another origin.
        let depth = target.path.utf8.count { $0 == UInt8(ascii: "/") }
        let base = depth < 2 ? "." : Array(repeating: "..", count: depth - 1).joined(separator: "/")
        var response = RouteResponse.page(
            template.filled(["words": PageTemplate.escaped(error.sentence), "base": base]))
        let plain = error.response
        response.status = plain.status
        response.headers[.eTag] = nil
        for field in plain.headers where field.name != .contentType {
            response.headers[field.name] = field.value
        }
        return response
    }

    /// Checks the token, if the server has one.
    ///
    /// - Returns: A redirect to the same URL without the token, if a browser has it in the URL.
    private func authorize(
        _ headers: HTTPFields, _ target: RequestTarget, _ base: String
    ) throws(RouteError) -> RouteResponse? {
        guard let token else { return nil }
        switch token.credential(headers, query: target.query, cookie: AccessToken.cookieName(base: base)) {
        case .query where FetchMetadata.isNavigation(headers):
            return token.redirect(target, base: base, isLinked: FetchMetadata.isCrossSite(headers))
        case .query, .bearer, .cookie:
            return nil
        case nil:
            throw RouteError(
                .unauthorized, "a token is required: add ?token=… or an Authorization header")
        }
    }

    /// Source: Fetch Standard, CORS-preflight.
    private static func options(isOpen: Bool) -> RouteResponse {
        var response = RouteResponse(.noContent, headers: [.allow: "GET, HEAD, OPTIONS"])
        guard isOpen else { return response }
        response.headers[.accessControlAllowMethods] = "GET, HEAD, OPTIONS"
        response.headers[.accessControlAllowHeaders] =
            "Accept, Authorization, If-None-Match, If-Modified-Since"
        response.headers[.accessControlMaxAge] = "86400"
        return response
    }
}
#endif
