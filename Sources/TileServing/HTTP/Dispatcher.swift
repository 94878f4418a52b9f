internal import Files
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore

/// Leads requests to routes, and makes of everything that goes wrong one sentence.
struct Dispatcher: HTTPResponder {
    typealias Context = ServerContext

    private let routes: [Substring: any Route]
    private let base: BaseAddress
    private let hosts: ServedHosts
    private let token: AccessToken?
    private let observer: RequestObserver

    init(
        _ routes: [any Route], base: BaseAddress, hosts: ServedHosts, token: AccessToken?,
        observer: RequestObserver
    ) {
        self.routes = Dictionary(uniqueKeysWithValues: routes.map { ($0.prefix[...], $0) })
        self.base = base
        self.hosts = hosts
        self.token = token
        self.observer = observer
    }

    func respond(to request: Request, context: Context) async throws -> Response {
        let start = ContinuousClock.now
        var (reply, route) = await reply(to: request, context)
        if [.notFound, .internalServerError].contains(reply.status), Descriptors.areExhausted {
            // What looks missing or damaged could not be opened.
            reply = Failure.noDescriptors.reply
        }
        var response = Response(status: reply.status, headers: reply.headers, body: Self.body(of: reply))
        setAccess(&response.headers, isOpen: route?.isOpen ?? false && !reply.isPrivate)
        // The parser takes nothing more from a connection that is to speak another protocol.
        if request.headers[.upgrade] != nil { response.headers[.connection] = "close" }
        observer.observe(request, Self.name(of: route), response, ContinuousClock.now - start)
        return request.method == .head ? response.createHeadResponse() : response
    }

    /// Says who may read an answer, and who may keep it.
    private func setAccess(_ headers: inout HTTPFields, isOpen: Bool) {
        if isOpen {
            headers[.accessControlAllowOrigin] = "*"
            headers[Self.exposedHeaders] = "ETag, Last-Modified, Link, Location, Retry-After"
        }
        headers[Self.resourcePolicy] = isOpen ? "cross-origin" : "same-origin"
        headers[.xContentTypeOptions] = "nosniff"
        if headers[Self.referrerPolicy] == nil { headers[Self.referrerPolicy] = "no-referrer" }
        // A proxy that keeps an answer would give it to those who have no token, or are not to read it.
        if !isOpen || token != nil, let cache = headers[.cacheControl], cache.hasPrefix("public") {
            headers[.cacheControl] = "private" + cache.dropFirst("public".count)
        }
    }

    private static func name(of route: (any Route)?) -> String {
        route.map { $0.prefix.isEmpty ? "index" : $0.prefix } ?? "none"
    }

    private static func body(of reply: Reply) -> ResponseBody {
        guard let stream = reply.stream else { return ResponseBody(byteBuffer: reply.body) }
        return ResponseBody(contentLength: stream.length) { writer in
            for try await bytes in stream.bytes { try await writer.write(bytes) }
            try await writer.finish(nil)
        }
    }

    private static let exposedHeaders = HTTPField.Name("Access-Control-Expose-Headers")!
    private static let resourcePolicy = HTTPField.Name("Cross-Origin-Resource-Policy")!
    private static let referrerPolicy = HTTPField.Name("Referrer-Policy")!

    private func reply(to request: Request, _ context: Context) async -> (Reply, (any Route)?) {
        var route: (any Route)?
        do {
            let target = try RequestTarget(request)
            if let name = target.authority, !hosts.contains(name) {
                throw Failure(
                    .misdirectedRequest,
                    "the server does not answer to the name \(name.host); start it with --base-url and that name, or with --public"
                )
            }
            guard [.get, .head, .options].contains(request.method) else {
                throw Failure(.methodNotAllowed, "only GET, HEAD and OPTIONS are answered here")
            }
            if target.path == "*" { return (Self.options(isOpen: false), nil) }
            let parts = target.path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
            route = routes[parts.first ?? ""]
            guard let route else { throw Failure(.notFound, "there is nothing here") }
            // Browsers ask so before they show a token.
            if request.method == .options { return (Self.options(isOpen: route.isOpen), route) }
            let base = base.text(
                request.headers, authority: target.host, peer: context.channel.remoteAddress?.ipAddress)
            let names = [target.authority, Authority(ofAddress: base)].compactMap { $0 }
            let isForeign = Requester.isForeign(request.headers, own: names)
            guard route.isOpen || !isForeign else { throw Failure.foreign }
            if let redirect = try admit(request.headers, target, base) { return (redirect, route) }
            let call = Call(
                method: request.method, path: parts, query: target.query, headers: request.headers,
                base: base, isForeign: isForeign, channel: context.channel)
            return (try await route.reply(to: call), route)
        } catch let failure as Failure {
            var reply = failure.reply
            if failure.status == .methodNotAllowed { reply.headers[.allow] = "GET, HEAD, OPTIONS" }
            if failure.status == .unauthorized {
                reply.headers[.wwwAuthenticate] = "Bearer realm=\"viewport\""
            }
            return (reply, route)
        } catch is CancellationError {
            return (Failure.tooSlow.reply, route)
        } catch {
            // What went wrong inside is for the log, not for clients.
            context.logger.error(
                "request failed", metadata: ["path": "\(request.head.path ?? "")", "error": "\(error)"])
            return (
                Failure(.internalServerError, "something went wrong in the server; its log says what").reply,
                route
            )
        }
    }

    /// Asks for the token, where there is one.
    ///
    /// - Returns: for people who have it in the address, the way to the same address without it.
    private func admit(_ headers: HTTPFields, _ target: RequestTarget, _ base: String) throws(Failure)
        -> Reply?
    {
        guard let token else { return nil }
        switch token.proof(headers, query: target.query, cookie: AccessToken.cookieName(base: base)) {
        case .query where Requester.isNavigation(headers):
            return token.redirect(
                path: target.path, query: target.query, base: base, isLinked: Requester.isLinked(headers))
        case .query, .bearer, .cookie:
            return nil
        case nil:
            throw Failure(
                .unauthorized, "this server asks for a token: add ?token=… or an Authorization header")
        }
    }

    /// Source: Fetch Standard, CORS-preflight.
    private static func options(isOpen: Bool) -> Reply {
        var reply = Reply(.noContent, headers: [.allow: "GET, HEAD, OPTIONS"])
        guard isOpen else { return reply }
        reply.headers[.accessControlAllowMethods] = "GET, HEAD, OPTIONS"
        reply.headers[.accessControlAllowHeaders] =
            "Accept, Authorization, If-None-Match, If-Modified-Since"
        reply.headers[.accessControlMaxAge] = "86400"
        return reply
    }
}

/// What Hummingbird knows of a request beside the request itself.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
