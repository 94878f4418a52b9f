#if Server
package import HTTPTypes
package import NIOCore

/// Answers the requests below one path: the seam for everything that the server shows.
package protocol Route: Sendable {
    /// The first component of the paths that it answers; empty for "/".
    var prefix: String { get }
    /// Whether pages of other origins may read the responses, unless a response is private.
    var isOpen: Bool { get }
    /// Answers a request whose path begins with `prefix`.
    ///
    /// - Throws: `RouteError`, which the client reads; of any other error it learns nothing.
    func respond(to request: RouteRequest) async throws -> RouteResponse
}

extension Route {
    package var isOpen: Bool { false }
}

/// A request as routes see it, its path and query not decoded.
package struct RouteRequest: Sendable {
    package let method: HTTPRequest.Method
    /// The components of the path below the server's.
    package let path: [Substring]
    /// What follows the question mark.
    package let query: Substring
    package let headers: HTTPFields
    /// The URL of the server as the client sees it, without a slash at its end.
    package let base: String
    /// Whether a page of another origin sent it.
    package let isCrossOrigin: Bool
    /// The client's connection; nil in an application whose request context does not have it.
    package let channel: (any Channel)?

    /// A header's value.
    package subscript(name: HTTPField.Name) -> String? { headers[name] }

    /// The decoded value of a name in the query; nil where it is missing or malformed.
    package func value(_ name: String) -> String? {
        for pair in query.split(separator: "&") where pair.hasPrefix(name + "=") {
            // HTML forms encode spaces as +.
            let value = pair.dropFirst(name.utf8.count + 1).map { $0 == "+" ? "%20" : String($0) }
            return PercentCoding.decode(value.joined())
        }
        return nil
    }

    /// Runs work that is cancelled when the client disconnects.
    package func cancellingOnDisconnect<R: Sendable>(
        _ work: @escaping @Sendable () async throws -> R
    ) async throws -> R {
        guard let handler = await disconnectHandler() else { return try await work() }
        return try await handler.cancellingOnDisconnect(work)
    }

    /// The handler that notices when the client disconnects; nil where the connection has none.
    package func disconnectHandler() async -> DisconnectHandler? {
        try? await channel?.pipeline.handler(type: DisconnectHandler.self).get()
    }
}

/// A status, headers and a body.
package struct RouteResponse: Sendable {
    package var status: HTTPResponse.Status
    package var headers: HTTPFields
    package var body: ByteBuffer
    /// Sent instead of `body`.
    package var stream: ByteStream?
    /// Whether only pages of this server may read it, even where the route is open.
    package var isPrivate = false

    package init(_ status: HTTPResponse.Status, headers: HTTPFields = [:], body: ByteBuffer = ByteBuffer()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A body of a media type that is streamed.
    package init(_ status: HTTPResponse.Status = .ok, stream: ByteStream, _ mediaType: String) {
        self.init(status, headers: [.contentType: mediaType])
        self.stream = stream
    }

    /// A text of a media type.
    package init(_ status: HTTPResponse.Status = .ok, text: String, _ mediaType: String) {
        self.init(status, headers: [.contentType: mediaType], body: ByteBuffer(string: text))
    }

    /// A redirect that is followed with GET.
    package static func seeOther(_ address: String) -> RouteResponse {
        RouteResponse(.seeOther, headers: [.location: address])
    }
}

/// A body in parts: the next one is asked for when the previous one has been taken.
package struct ByteStream: Sendable {
    package typealias Bytes = AsyncSequence<ByteBuffer, any Error> & Sendable

    let bytes: any Bytes
    /// The length of all parts, where that is known.
    let length: Int?

    package init(_ bytes: any Bytes, length: Int? = nil) {
        self.bytes = bytes
        self.length = length
    }
}

/// A status other than success, and one sentence for the reader.
package struct RouteError: Error, Sendable {
    package var status: HTTPResponse.Status
    package var message: String
    /// Seconds after which the client may try again.
    package var retryAfter: Int?
    /// As of a response.
    var isPrivate = false

    package init(_ status: HTTPResponse.Status, _ message: String, retryAfter: Int? = nil) {
        self.status = status
        self.message = message
        self.retryAfter = retryAfter
    }

    static let tooManyOpenFiles = RouteError(
        .serviceUnavailable, "the server has too many files open; try again", retryAfter: 2)
    /// A page of another origin asked for what only pages of this server may read.
    static let crossOrigin = {
        var error = RouteError(
            .forbidden, "only pages of this server may read this; open its address in the browser itself")
        error.isPrivate = true
        return error
    }()
    package static let imageNotFound = RouteError(.notFound, "there is no such image here")
    package static let notFound = RouteError(.notFound, "there is nothing here")
    static let busy = RouteError(
        .serviceUnavailable, "the server has too much to do; try again", retryAfter: 2)
    static let timedOut = RouteError(
        .serviceUnavailable, "the picture took too long; try again, or ask for a smaller one", retryAfter: 10)
    static let internalError = RouteError(
        .internalServerError, "something went wrong in the server; its log says what")
    /// The image file was replaced or written to while it was read.
    static let fileChanged = RouteError(
        .serviceUnavailable, "the image file is being written; try again", retryAfter: 5)

    /// The error as it is sent.
    var response: RouteResponse {
        var response = RouteResponse(status, text: message + "\n", "text/plain; charset=utf-8")
        response.headers[.cacheControl] = "no-store"
        response.isPrivate = isPrivate
        if let retryAfter { response.headers[.retryAfter] = "\(retryAfter)" }
        return response
    }
}

extension HTTPField.Name {
    /// Source: RFC 8288.
    static let link = HTTPField.Name("Link")!
}
#endif
