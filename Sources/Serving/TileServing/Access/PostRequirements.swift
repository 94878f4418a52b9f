#if Server
internal import Hummingbird
internal import HTTPTypes

/// What a request has to show before it may change anything.
///
/// A form or a script of another website cannot show it: browsers send `Sec-Fetch-Site`, `Origin` or `Referer`, which name
/// the asking page, and a script of another origin would have to ask first, by a preflight that no route grants, whether it
/// may send the header, JSON or bytes.
enum PostRequirements {
    /// The header that requests need, with any value.
    static let header = HTTPField.Name("X-Viewport-Request")!

    /// What a body holds.
    enum Body: String {
        case json = "application/json"
        /// A piece of a file.
        case bytes = "application/octet-stream"

        /// The maximum length in bytes.
        var maximumLength: Int { self == .json ? 1 << 20 : 8 << 20 }
    }

    /// - Parameter own: The authorities of pages of this server.
    /// - Throws: `RouteError` unless a page of this server, or a tool, sent the request on purpose.
    static func check(_ headers: HTTPFields, own: [Authority], _ body: Body) throws(RouteError) {
        guard FetchMetadata.isFromOwnPage(headers, own: own) else { throw .foreignPost }
        guard headers[header] != nil else {
            throw RouteError(
                .forbidden, "a request that changes something needs the header \(header.rawName)")
        }
        let type = headers[.contentType]?.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard type == body.rawValue else {
            let what = body == .json ? "JSON" : "a piece of a file"
            throw RouteError(
                .unsupportedMediaType, "the body has to be \(what), with the type \(body.rawValue)")
        }
    }

    /// Reads the body.
    ///
    /// - Throws: `RouteError` if it is too long.
    static func body(of request: Request, _ kind: Body) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await part in request.body {
            guard bytes.count + part.readableBytes <= kind.maximumLength else {
                throw RouteError(.contentTooLarge, "the body is longer than \(kind.maximumLength) bytes")
            }
            bytes += part.readableBytesView
        }
        return bytes
    }
}

extension RouteError {
    fileprivate static let foreignPost = RouteError(
        .forbidden, "only pages of this server may change something here")
}
#endif
