#if Server
internal import Files
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore

/// Checks who asks, passes requests to routes, and turns every error into one sentence.
struct Dispatcher: Sendable {
    private let routes: [Substring: any Route]
    private let base: BaseURL
    private let hosts: AllowedHosts
    private let unknownHostRemedy: String?
    private let token: AccessToken?
    private let observer: RequestObserver

    init(
        _ routes: [any Route], base: BaseURL, hosts: AllowedHosts, unknownHostRemedy: String?,
        token: AccessToken?, observer: RequestObserver
    ) {
        self.routes = Dictionary(uniqueKeysWithValues: routes.map { ($0.prefix[...], $0) })
        self.base = base
        self.hosts = hosts
        self.unknownHostRemedy = unknownHostRemedy
        self.token = token
        self.observer = observer
    }

    /// Answers a request.
    ///
    /// - Parameter mountPath: what the server's paths begin with: empty, or as "/images".
    func respond(
        to request: Request, at mountPath: String, _ context: some RequestContext
    ) async -> Response {
        let start = ContinuousClock.now
        var (routed, route) = await route(request, mountPath, context)
        if [.notFound, .internalServerError].contains(routed.status), Descriptors.areExhausted {
            // What looks missing or damaged could not be opened.
            routed = RouteError.tooManyOpenFiles.response
        }
        var response = Response(status: routed.status, headers: routed.headers, body: Self.body(of: routed))
        setAccess(&response.headers, isOpen: route?.isOpen ?? false && !routed.isPrivate)
        // The parser takes nothing more from a connection that is to speak another protocol.
        if request.headers[.upgrade] != nil { response.headers[.connection] = "close" }
        observer.observe(request, Self.name(of: route), response, ContinuousClock.now - start)
        return request.method == .head ? response.createHeadResponse() : response
    }

    /// Says who may read a response, and who may cache it.
    private func setAccess(_ headers: inout HTTPFields, isOpen: Bool) {
        if isOpen {
            headers[.accessControlAllowOrigin] = "*"
            headers[Self.exposedHeaders] = "ETag, Last-Modified, Link, Location, Retry-After"
        }
        headers[Self.resourcePolicy] = isOpen ? "cross-origin" : "same-origin"
        headers[.xContentTypeOptions] = "nosniff"
        if headers[Self.referrerPolicy] == nil { headers[Self.referrerPolicy] = "no-referrer" }
        // A shared cache would give the response to clients without the token, or of other origins.
        if !isOpen || token != nil, let cache = headers[.cacheControl], cache.hasPrefix("public") {
            headers[.cacheControl] = "private" + cache.dropFirst("public".count)
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
                    "the server does not answer to the name \(name.host)"
                        + (unknownHostRemedy.map { "; \($0)" } ?? ""))
            }
            guard [.get, .head, .options].contains(request.method) else {
                throw RouteError(.methodNotAllowed, "only GET, HEAD and OPTIONS are answered here")
            }
            if target.path == "*" { return (Self.options(isOpen: false), nil) }
            let parts = target.path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
            route = routes[parts.first ?? ""]
            guard let route else { throw RouteError.notFound }
            // Browsers ask before they show a token.
            if request.method == .options { return (Self.options(isOpen: route.isOpen), route) }
            let channel = (context as? any ChannelRequestContext)?.channel
            let peer =
                (context as? any RemoteAddressRequestContext)?.remoteAddress ?? channel?.remoteAddress
            let base = base.string(
                request.headers, authority: target.host, peer: peer?.ipAddress, mountPath: mountPath)
            let names = [target.authority, Authority(ofAddress: base)].compactMap { $0 }
            let isCrossOrigin = FetchMetadata.isCrossOrigin(request.headers, own: names)
            guard route.isOpen || !isCrossOrigin else { throw RouteError.crossOrigin }
            if let redirect = try authorize(request.headers, target, base) { return (redirect, route) }
            // Pages link to what lies below the server's address.
            if target.path.isEmpty { return (.seeOther(target.withSlash), route) }
            let routed = RouteRequest(
                method: request.method, path: parts, query: target.query, headers: request.headers,
                base: base, isCrossOrigin: isCrossOrigin, channel: channel)
            return (try await route.respond(to: routed), route)
        } catch let error as RouteError {
            var response = error.response
            if error.status == .methodNotAllowed { response.headers[.allow] = "GET, HEAD, OPTIONS" }
            if error.status == .unauthorized {
                response.headers[.wwwAuthenticate] = "Bearer realm=\"viewport\""
            }
            return (response, route)
        } catch is CancellationError {
            return (RouteError.timedOut.response, route)
        } catch {
            // Internal errors are for the log, not for clients.
            context.logger.error(
                "request failed", metadata: ["path": "\(request.head.path ?? "")", "error": "\(error)"])
            return (RouteError.internalError.response, route)
        }
    }

    /// Checks the token, where there is one.
    ///
    /// - Returns: for people who have the token in the address, a redirect to the same address without it.
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
                .unauthorized, "this server asks for a token: add ?token=… or an Authorization header")
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
