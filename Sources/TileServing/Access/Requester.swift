internal import HTTPTypes

/// Whose page a browser asks for.
enum Requester {
    /// Whether it is a page of another origin; a link to one of our own pages is followed all the same.
    ///
    /// Where browsers do not say it in `Sec-Fetch-Site`, what they ask for others to read has an `Origin`.
    ///
    /// - Parameter own: the names under which our own pages may be.
    /// Source: Fetch Metadata Request Headers, W3C.
    static func isForeign(_ headers: HTTPFields, own: [Authority]) -> Bool {
        if let site = headers[fetchSite] {
            if site == "same-origin" || site == "none" { return false }
            return
                !(headers[fetchMode] == "navigate" && ["document", nil].contains(headers[fetchDestination]))
        }
        guard let origin = headers[.origin] else { return false }
        guard let asking = Authority(ofAddress: origin) else { return true }
        return !own.contains { name in
            name.host == asking.host
                && (name.port.map { $0 == asking.port } ?? [80, 443].contains(asking.port))
        }
    }

    /// Whether a person goes to the address, and no script or tool.
    static func isNavigation(_ headers: HTTPFields) -> Bool {
        if let mode = headers[fetchMode] { return mode == "navigate" }
        return headers[.accept]?.contains("text/html") ?? false
    }

    /// Whether a page of another site leads a person to the address.
    static func isLinked(_ headers: HTTPFields) -> Bool { headers[fetchSite] == "cross-site" }

    private static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
    private static let fetchMode = HTTPField.Name("Sec-Fetch-Mode")!
    private static let fetchDestination = HTTPField.Name("Sec-Fetch-Dest")!
}
