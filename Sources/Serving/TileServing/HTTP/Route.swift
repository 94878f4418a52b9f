#if Server
internal import Files
package import HTTPTypes
package import NIOCore

/// Responds to the requests below one path.
package protocol Route: Sendable {
    /// The first path component; empty for "/".
    var prefix: String { get }
    /// Whether pages of other origins may read responses that are not private.
    var isOpen: Bool { get }
    /// Whether a server with a token asks for it.
    var needsToken: Bool { get }
    /// Whether it answers POST, which needs JSON and a page of this server or the header of its tools.
    var acceptsPosts: Bool { get }
    /// Returns whether a POST to a path has the bytes of a file instead of JSON.
    func acceptsBytes(at path: [Substring]) -> Bool
    /// Responds to a request whose path begins with `prefix`.
    ///
    /// - Throws: `RouteError`, which is sent to the client; other errors are only logged.
    func respond(to request: RouteRequest) async throws -> RouteResponse
}

extension Route {
    package var isOpen: Bool { false }
    package var needsToken: Bool { true }
    package var acceptsPosts: Bool { false }
    package func acceptsBytes(at path: [Substring]) -> Bool { false }
}

/// A request to a route, with percent-encoded path and query.
package struct RouteRequest: Sendable {
    package let method: HTTPRequest.Method
    /// The path components below the mount path.
    package let path: [Substring]
    /// The query, without the question mark.
    package let query: Substring
    package let headers: HTTPFields
    /// The body of a POST; empty for other methods.
    package let body: [UInt8]
    /// The URL of the server for the client, without a trailing slash.
    package let base: String
    /// Whether a page of another origin sent the request.
    package let isCrossOrigin: Bool
    /// The client's connection; nil if the request context of the application does not have it.
    package let channel: (any Channel)?

    /// The value of a header.
    package subscript(name: HTTPField.Name) -> String? { headers[name] }

    /// Returns the decoded value of a query parameter; nil if it is missing or malformed.
    package func value(_ name: String) -> String? {
        for pair in query.split(separator: "&") where pair.hasPrefix(name + "=") {
            // HTML forms encode spaces as +.
            let value = pair.dropFirst(name.utf8.count + 1).map { $0 == "+" ? "%20" : String($0) }
            return PercentCoding.decode(value.joined())
        }
        return nil
    }

    /// Returns the same request for another path, as if the server were at another URL.
    ///
    /// - Parameter isPermitted: Whether pages of other origins may read what is private elsewhere.
    package func redirected(to path: [Substring], base: String, isPermitted: Bool = false) -> RouteRequest {
        RouteRequest(
            method: method, path: path, query: query, headers: headers, body: body, base: base,
            isCrossOrigin: isCrossOrigin && !isPermitted, channel: channel)
    }

    /// Runs work and cancels it when the client disconnects.
    package func cancellingOnDisconnect<R: Sendable>(
        _ work: @escaping @Sendable () async throws -> R
    ) async throws -> R {
        guard let handler = await disconnectHandler() else { return try await work() }
        return try await handler.cancellingOnDisconnect(work)
    }

    /// Returns the handler that detects a disconnect; nil if the connection has none.
    package func disconnectHandler() async -> DisconnectHandler? {
        try? await channel?.pipeline.handler(type: DisconnectHandler.self).get()
    }
}

/// A response of a route: status, headers and body.
package struct RouteResponse: Sendable {
    package var status: HTTPResponse.Status
    package var headers: HTTPFields
    package var body: ByteBuffer
    /// Sent instead of `body`.
    package var stream: ByteStream?
    /// Whether only pages of this server may read it, even if the route is open.
    package var isPrivate = false

    package init(_ status: HTTPResponse.Status, headers: HTTPFields = [:], body: ByteBuffer = ByteBuffer()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Creates a response with a streamed body of a media type.
    package init(_ status: HTTPResponse.Status = .ok, stream: ByteStream, _ mediaType: String) {
        self.init(status, headers: [.contentType: mediaType])
        self.stream = stream
    }

    /// Creates a response with a text of a media type.
    package init(_ status: HTTPResponse.Status = .ok, text: String, _ mediaType: String) {
        self.init(status, headers: [.contentType: mediaType], body: ByteBuffer(string: text))
    }

    /// Returns a redirect that clients follow with GET.
    package static func seeOther(_ address: String) -> RouteResponse {
        RouteResponse(.seeOther, headers: [.location: address])
    }
}

/// A body in parts; each is requested after the previous one was sent.
package struct ByteStream: Sendable {
    package typealias Bytes = AsyncSequence<ByteBuffer, any Error> & Sendable

    let bytes: any Bytes
    /// The total length in bytes, if it is known.
    let length: Int?

    package init(_ bytes: any Bytes, length: Int? = nil) {
        self.bytes = bytes
        self.length = length
    }
}

/// An error response: a status and one sentence.
package struct RouteError: Error, Sendable {
    package var status: HTTPResponse.Status
    package var message: String
    /// The value of `Retry-After` in seconds.
    package var retryAfter: Int?
    /// Further headers.
    package var headers: HTTPFields = [:]
    /// As in ``RouteResponse/isPrivate``.
    var isPrivate = false

    package init(_ status: HTTPResponse.Status, _ message: String, retryAfter: Int? = nil) {
        self.status = status
        self.message = message
        self.retryAfter = retryAfter
    }

    static let tooManyOpenFiles = RouteError(
        .serviceUnavailable, "the server has too many files open; try again", retryAfter: 2)
    /// A page of another origin requested a private resource.
    package static let crossOrigin = {
        var error = RouteError(
            .forbidden, "only pages of this server may read this; open the URL in the browser itself")
        error.isPrivate = true
        return error
    }()
    package static let imageNotFound = RouteError(.notFound, "there is no such image here")
    static let folderNotFound = RouteError(.notFound, "there is no such folder here")
    package static let notFound = RouteError(.notFound, "there is no such page")
    static let busy = RouteError(
        .serviceUnavailable, "the server is busy; try again", retryAfter: 2)
    /// The queue of builds is too long.
    static func busy(for wait: Duration) -> RouteError {
        let seconds = min(3600, max(1, Int((wait / .seconds(1)).rounded(.up))))
        return RouteError(
            .serviceUnavailable, "the server is preparing other images; try again in \(seconds) s",
            retryAfter: seconds)
    }
    /// The files of a root cannot be reached now.
    static let storageBusy = RouteError(
        .serviceUnavailable, "the storage of this folder does not answer; try again", retryAfter: 10)
    static let needsTooMuchMemory = RouteError(
        .forbidden, "decoding the image needs more memory than this server allows")
    static let timedOut = RouteError(
        .serviceUnavailable, "rendering took too long; try again, or request a smaller image", retryAfter: 10)
    static let internalError = RouteError(
        .internalServerError, "internal error; see the log of the server")
    /// The image file was replaced or written while it was read.
    static let fileChanged = RouteError(
        .serviceUnavailable, "the image file is being written; try again", retryAfter: 5)

    /// The message as a sentence of a page.
    package var sentence: String { message.prefix(1).uppercased() + message.dropFirst() + "." }

    /// The response for the client.
    var response: RouteResponse {
        var response = RouteResponse(status, text: message + "\n", "text/plain; charset=utf-8")
        response.headers.append(contentsOf: headers)
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
