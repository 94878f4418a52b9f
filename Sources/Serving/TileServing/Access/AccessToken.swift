#if Server
internal import Files
internal import Digests
internal import HTTPTypes
internal import ViewerPages

/// The secret that every request must have.
struct AccessToken: Sendable {
    /// The part of a request that contains the secret.
    enum Credential {
        case query, bearer, cookie
    }

    private let secret: [UInt8]
    /// The value of the cookie: derived from the secret, because browsers send cookies to all servers of a host.
    private let cookieValue: String

    init(_ secret: String) {
        self.secret = Array(secret.utf8)
        cookieValue =
            SHA256.authenticationCode(of: Array("viewport cookie 1".utf8), key: self.secret)
            .hexadecimal
    }

    /// Returns the valid credential of a request; nil if there is none.
    func credential(_ headers: HTTPFields, query: Substring, cookie name: String) -> Credential? {
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
                SHA256.isEqual(Array(cookie.utf8.dropFirst(name.utf8.count + 1)), Array(cookieValue.utf8))
            {
                return .cookie
            }
        }
        return nil
    }

    /// Returns the name of the cookie, which contains the port because browsers send cookies to all ports of a host.
    static func cookieName(base: String) -> String {
        "viewport-\(Authority(ofAddress: base)?.port ?? 0)"
    }

    /// Redirects a browser to the same URL with a cookie, which keeps the secret out of its history.
    ///
    /// - Parameter isLinked: Whether a page of another site links to the URL. Browsers then omit the cookie after a redirect,
    ///   but send it after a page of this server that refreshes itself.
    func redirect(_ target: RequestTarget, base: String, isLinked: Bool) -> RouteResponse {
        let pairs = target.query.split(separator: "&").filter { !$0.hasPrefix("token=") }
        let address = target.relative(query: pairs.joined(separator: "&"))
        let page =
            "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=\(PageTemplate.escaped(address))\">"
        var response = isLinked ? RouteResponse.page(page) : RouteResponse.seeOther(address)
        let secure = base.hasPrefix("https:") ? "; Secure" : ""
        response.headers[.setCookie] =
            "\(Self.cookieName(base: base))=\(cookieValue); Path=/; HttpOnly; SameSite=Strict\(secure)"
        response.headers[.cacheControl] = "no-store"
        return response
    }
}
#endif
