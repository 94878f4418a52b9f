internal import Digests
internal import HTTPTypes

/// A secret that every request has to show.
struct AccessToken: Sendable {
    /// How a request shows the secret.
    enum Proof {
        case query, bearer, cookie
    }

    private let secret: [UInt8]
    /// What browsers keep: it lets in, but does not tell the secret to the other servers of this machine, which
    /// get each other's cookies.
    private let pass: String

    init(_ secret: String) {
        self.secret = Array(secret.utf8)
        pass = SHA256.authenticationCode(of: Array("viewport cookie 1".utf8), key: self.secret).hexadecimal
    }

    /// How the request shows the secret; nil where it does not.
    func proof(_ headers: HTTPFields, query: Substring, cookie name: String) -> Proof? {
        for pair in query.split(separator: "&") where pair.hasPrefix("token=") {
            if let given = PercentCoding.decode(pair.dropFirst("token=".count)),
                SHA256.isEqual(Array(given.utf8), secret)
            {
                return .query
            }
        }
        if let given = headers[.authorization], given.prefix(7).lowercased() == "bearer ",
            SHA256.isEqual(Array(given.utf8.dropFirst(7).drop { $0 == 0x20 }), secret)
        {
            return .bearer
        }
        for cookie in (headers[.cookie] ?? "").split(separator: ";") {
            let cookie = cookie.drop { $0 == " " }
            if cookie.hasPrefix(name + "="),
                SHA256.isEqual(Array(cookie.utf8.dropFirst(name.utf8.count + 1)), Array(pass.utf8))
            {
                return .cookie
            }
        }
        return nil
    }

    /// The name of the cookie: cookies are sent to all ports of a host.
    static func cookieName(base: String) -> String {
        "viewport-\(Authority(ofAddress: base)?.port ?? 0)"
    }

    /// Leads a browser to the same address without the secret, which stays in no history, with a cookie instead.
    ///
    /// - Parameter isLinked: whether a page of another site led there. Browsers do not show the cookie in a
    ///   redirect then, but do when a page of ours leads on.
    func redirect(path: Substring, query: Substring, base: String, isLinked: Bool) -> Reply {
        let rest = query.split(separator: "&").filter { !$0.hasPrefix("token=") }.joined(separator: "&")
        // Relative to the page's folder: whatever stands in the path, it leads to no other host.
        let last = path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...]
        let place = "./\(last)" + (rest.isEmpty ? "" : "?\(rest)")
        let onwards =
            "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=\(PageTemplate.escaped(place))\">"
        var reply = isLinked ? Reply.page(onwards) : Reply.seeOther(place)
        let secure = base.hasPrefix("https:") ? "; Secure" : ""
        reply.headers[.setCookie] =
            "\(Self.cookieName(base: base))=\(pass); Path=/; HttpOnly; SameSite=Strict\(secure)"
        reply.headers[.cacheControl] = "no-store"
        return reply
    }
}
