#if Server
internal import Hummingbird
internal import Files
internal import HTTPTypes

/// The path, query and host of a request.
///
/// NIO reduces "http://host/path" to the path; the host is in `Host`.
struct RequestTarget {
    /// The path below the mount path, percent-encoded; "*" for OPTIONS of the whole server.
    let path: Substring
    /// The query, percent-encoded.
    let query: Substring
    /// The header `Host`; nil if it is missing, which no browser does.
    let host: String?
    let authority: Authority?
    /// The last component of the whole path, percent-encoded.
    private let name: Substring

    /// The maximum length of a target in bytes.
    private static let maximumLength = 4096

    /// - Parameter mountPath: The path at which the server is mounted.
    /// - Throws: `RouteError` if the target or `Host` is malformed.
    init(_ request: Request, below mountPath: String) throws(RouteError) {
        let target = request.head.path ?? ""
        guard target.utf8.count <= Self.maximumLength,
            target.utf8.first == UInt8(ascii: "/") || (target == "*" && request.method == .options)
        else {
            throw RouteError(.badRequest, "the path is invalid or longer than \(Self.maximumLength) bytes")
        }
        // Hummingbird removes the first of several from the headers.
        guard request.headers[Self.hostName] == nil else {
            throw RouteError(.badRequest, "the request has more than one Host header")
        }
        host = request.head.authority.flatMap { $0.isEmpty ? nil : $0 }
        authority = host.flatMap { Authority($0) }
        guard host == nil || authority != nil else {
            throw RouteError(.badRequest, "the Host header is malformed")
        }
        // By bytes: a combining mark is no part of the slash before it.
        let whole = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        query = Substring(target.utf8.dropFirst(whole.count + 1))
        // A value that cannot be decoded would count as one that is not given.
        guard let values = PercentCoding.decode(query) else {
            throw RouteError(.badRequest, "the query of the URL has a malformed percent-encoding")
        }
        guard !values.utf8.contains(0) else {
            throw RouteError(
                .badRequest, "the query of the URL has the character NUL, which no value can have")
        }
        path = Substring(whole.dropFirst(mountPath.utf8.count))
        let slash = whole.lastIndex(of: UInt8(ascii: "/"))
        name = Substring(whole[(slash.map { whole.index(after: $0) } ?? whole.startIndex)...])
    }

    /// Returns the URL relative to its own folder, with another query.
    ///
    /// The result never leads to another host.
    func relative(query: some StringProtocol) -> String { "./\(name)" + (query.isEmpty ? "" : "?\(query)") }

    /// The relative URL with a trailing slash.
    var withSlash: String { "./\(name)/" + (query.isEmpty ? "" : "?\(query)") }

    private static let hostName = HTTPField.Name("Host")!
}
#endif
