internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore

/// Leads requests to routes, and makes of everything that goes wrong one sentence.
struct Dispatcher: HTTPResponder {
    typealias Context = ServerContext

    let routes: [Substring: any Route]
    let base: BaseAddress
    let token: AccessToken?
    let observer: RequestObserver

    /// The longest path that is looked at.
    private static let longestPath = 4096

    init(_ routes: [any Route], base: BaseAddress, token: AccessToken?, observer: RequestObserver) {
        self.routes = Dictionary(uniqueKeysWithValues: routes.map { ($0.prefix[...], $0) })
        self.base = base
        self.token = token
        self.observer = observer
    }

    func respond(to request: Request, context: Context) async throws -> Response {
        let start = ContinuousClock.now
        let (reply, route) = await reply(to: request, context)
        var response = Response(status: reply.status, headers: reply.headers, body: Self.body(of: reply))
        response.headers[.accessControlAllowOrigin] = "*"
        response.headers[Self.exposedHeaders] = "ETag, Last-Modified, Link, Location, Retry-After"
        response.headers[.xContentTypeOptions] = "nosniff"
        token?.remember(request, &response)
        observer.observe(request, route, response, ContinuousClock.now - start)
        return request.method == .head ? response.createHeadResponse() : response
    }

    private static func body(of reply: Reply) -> ResponseBody {
        guard let stream = reply.stream else { return ResponseBody(byteBuffer: reply.body) }
        return ResponseBody(contentLength: stream.length) { writer in
            for try await bytes in stream.bytes { try await writer.write(bytes) }
            try await writer.finish(nil)
        }
    }

    private static let exposedHeaders = HTTPField.Name("Access-Control-Expose-Headers")!

    private func reply(to request: Request, _ context: Context) async -> (Reply, String) {
        var name = "none"
        do {
            let target = request.head.path ?? ""
            let path = target.prefix { $0 != "?" }
            guard target.utf8.count <= Self.longestPath, path.hasPrefix("/") else {
                throw Failure(.badRequest, "the address is no path of at most \(Self.longestPath) bytes")
            }
            guard [.get, .head, .options].contains(request.method) else {
                throw Failure(.methodNotAllowed, "only GET, HEAD and OPTIONS are answered here")
            }
            let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
            guard let route = routes[parts.first ?? ""] else {
                throw Failure(.notFound, "there is nothing here")
            }
            name = route.prefix.isEmpty ? "index" : route.prefix
            guard token?.isGiven(request, query: target.dropFirst(path.count + 1)) ?? true else {
                throw Failure(
                    .unauthorized, "this server asks for a token: add ?token=… or an Authorization header")
            }
            if request.method == .options { return (Self.options, name) }
            let call = Call(
                method: request.method, path: parts, query: target.dropFirst(path.count + 1),
                headers: request.headers,
                base: base.text(request.headers, authority: request.head.authority),
                channel: context.channel)
            return (try await route.reply(to: call), name)
        } catch let failure as Failure {
            var reply = failure.reply
            if failure.status == .methodNotAllowed { reply.headers[.allow] = "GET, HEAD, OPTIONS" }
            return (reply, name)
        } catch is CancellationError {
            return (Failure.tooSlow.reply, name)
        } catch {
            // What went wrong inside is for the log, not for clients.
            context.logger.error(
                "request failed", metadata: ["path": "\(request.head.path ?? "")", "error": "\(error)"])
            return (
                Failure(.internalServerError, "something went wrong in the server; its log says what").reply,
                name
            )
        }
    }

    /// Source: Fetch Standard, CORS-preflight.
    private static let options = Reply(
        .noContent,
        headers: [
            .allow: "GET, HEAD, OPTIONS", .accessControlAllowMethods: "GET, HEAD, OPTIONS",
            .accessControlAllowHeaders: "Accept, Authorization, If-None-Match, If-Modified-Since",
            .accessControlMaxAge: "86400",
        ])
}
