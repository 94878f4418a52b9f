internal import HTTPTypes
internal import Hummingbird

/// A secret that every request has to show.
struct AccessToken: Sendable {
    private let secret: [UInt8]

    init(_ secret: String) {
        self.secret = Array(secret.utf8)
    }

    /// Whether a request shows it: in its query, as a bearer, or in the cookie that the first page sets.
    func isGiven(_ request: Request, query: Substring) -> Bool {
        if let bearer = request.headers[.authorization], bearer.hasPrefix("Bearer ") {
            return matches(bearer.dropFirst("Bearer ".count))
        }
        for pair in query.split(separator: "&") where pair.hasPrefix("token=") {
            return PercentCoding.decode(pair.dropFirst("token=".count)).map { matches($0[...]) } ?? false
        }
        for cookie in (request.headers[.cookie] ?? "").split(separator: ";") {
            let cookie = cookie.drop { $0 == " " }
            if cookie.hasPrefix("token=") { return matches(cookie.dropFirst("token=".count)) }
        }
        return false
    }

    /// Lets a browser that has shown the secret in a page's address show it for the page's pictures, too.
    func remember(_ request: Request, _ response: inout Response) {
        let path = request.head.path ?? ""
        guard response.status == .ok, path.contains("?"),
            isGiven(request, query: path.drop { $0 != "?" }.dropFirst())
        else { return }
        response.headers[.setCookie] =
            "token=\(String(decoding: secret, as: UTF8.self)); Path=/; HttpOnly; SameSite=Strict"
    }

    /// Compares in a time that tells nothing of where they differ.
    private func matches(_ text: Substring) -> Bool {
        let given = Array(text.utf8)
        guard given.count == secret.count else { return false }
        return zip(given, secret).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
