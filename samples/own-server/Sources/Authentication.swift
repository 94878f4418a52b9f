import Hummingbird

/// Passes on the requests that carry the token of a user.
struct Authentication<Context: RequestContext>: RouterMiddleware {
    /// The users by their tokens.
    let users: [String: String]

    @concurrent
    func handle(
        _ request: Request, context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let words = (request.headers[.authorization] ?? "").split(separator: " ")
        guard words.count == 2, words[0] == "Bearer", let user = users[String(words[1])] else {
            throw HTTPError(.unauthorized, headers: [.wwwAuthenticate: "Bearer"])
        }
        context.logger.debug("\(user) requests \(request.uri.path)")
        return try await next(request, context)
    }
}
