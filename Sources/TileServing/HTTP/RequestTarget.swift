internal import HTTPTypes
internal import Hummingbird

/// What a request asks for, and of whom.
///
/// Of "http://host/path" only the path is left when it comes here; `Host` says the name.
struct RequestTarget {
    /// Not decoded; "*" where a client asks for the options of the whole server.
    let path: Substring
    /// What follows the question mark, not decoded.
    let query: Substring
    /// The server's name and port as the client wrote them; nil where it says nothing, which no browser does.
    let host: String?
    let authority: Authority?

    /// The longest address that is looked at.
    private static let longest = 4096

    /// - Throws: `Failure` where it is no address of a server like this one.
    init(_ request: Request) throws(Failure) {
        let target = request.head.path ?? ""
        guard target.utf8.count <= Self.longest,
            target.hasPrefix("/") || (target == "*" && request.method == .options)
        else { throw Failure(.badRequest, "the address is no path of at most \(Self.longest) bytes") }
        // The first of several is taken out of the headers.
        guard request.headers[Self.hostName] == nil else {
            throw Failure(.badRequest, "the request has more than one Host header")
        }
        host = request.head.authority.flatMap { $0.isEmpty ? nil : $0 }
        authority = host.flatMap { Authority($0) }
        guard host == nil || authority != nil else {
            throw Failure(.badRequest, "the Host header is no name and port of a server")
        }
        path = target.prefix { $0 != "?" }
        query = target.dropFirst(path.count + 1)
    }

    private static let hostName = HTTPField.Name("Host")!
}
