#if Server
internal import Files
internal import HTTPTypes

/// The headers in which browsers describe the page that sent a request.
enum FetchMetadata {
    /// Returns whether a page of another origin sent the request, except by a link that a person followed.
    ///
    /// Browsers without `Sec-Fetch-Site` send `Origin` with requests whose responses a page can read.
    ///
    /// - Parameter own: The authorities of pages of this server.
    /// Source: Fetch Metadata Request Headers, W3C.
    static func isCrossOrigin(_ headers: HTTPFields, own: [Authority]) -> Bool {
        if let site = headers[fetchSite] {
            if site == "same-origin" || site == "none" { return false }
            return
                !(headers[fetchMode] == "navigate" && ["document", nil].contains(headers[fetchDestination]))
        }
        guard let origin = headers[.origin] else { return false }
        return !isOwn(origin, own)
    }

    /// Returns whether a page of this server sent the request, or a tool that describes no page.
    ///
    /// Unlike `isCrossOrigin`, it does not let links and forms of other sites pass, and asks `Referer`, too.
    static func isFromOwnPage(_ headers: HTTPFields, own: [Authority]) -> Bool {
        if let site = headers[fetchSite], site != "same-origin" { return false }
        return [headers[.origin], headers[.referer]].allSatisfy { $0.map { isOwn($0, own) } ?? true }
    }

    private static func isOwn(_ origin: String, _ own: [Authority]) -> Bool {
        guard let asking = Authority(ofAddress: origin) else { return false }
        return own.contains { name in
            name.host == asking.host
                && (name.port.map { $0 == asking.port } ?? [80, 443].contains(asking.port))
        }
    }

    /// Returns whether a browser navigates to the URL, unlike a script or a tool.
    static func isNavigation(_ headers: HTTPFields) -> Bool {
        if let mode = headers[fetchMode] { return mode == "navigate" }
        return headers[.accept]?.contains("text/html") ?? false
    }

    /// Returns whether a page of another site sent the request.
    static func isCrossSite(_ headers: HTTPFields) -> Bool { headers[fetchSite] == "cross-site" }

    private static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
    private static let fetchMode = HTTPField.Name("Sec-Fetch-Mode")!
    private static let fetchDestination = HTTPField.Name("Sec-Fetch-Dest")!
}

/// The host names that the server accepts.
///
/// In a DNS rebinding attack, a page of another site makes its host name resolve to this machine and reads the responses.
/// `Host` then contains that name. IP addresses cannot be rebound.
struct AllowedHosts: Sendable {
    /// Nil if all names are accepted.
    private let names: Set<String>?
    private let allowsAddresses: Bool

    /// - Parameter machine: The host name of this machine.
    init(_ configuration: TileServer.Configuration, machine: String? = ProcessEnvironment.hostName) {
        let bound = configuration.host.lowercased()
        allowsAddresses = !Self.isLocal(bound)
        guard !configuration.isPublic else {
            names = nil
            return
        }
        var names: Set = ["localhost", bound]
        if let base = configuration.baseURL.flatMap({ Authority(ofAddress: $0) }) { names.insert(base.host) }
        if allowsAddresses, let machine = machine?.lowercased() {
            let first = String(machine.prefix { $0 != "." })
            names.formUnion([machine, first, first + ".local"])
        }
        self.names = names
    }

    /// Returns whether only this machine can connect to an address.
    static func isLocal(_ host: String) -> Bool {
        host.lowercased() == "localhost" || NetworkAddress(host)?.isLoopback == true
    }

    func contains(_ authority: Authority) -> Bool {
        guard let names, !names.contains(authority.host) else { return true }
        guard let address = authority.address else { return false }
        return allowsAddresses || address.isLoopback
    }
}

/// The URL of the server for clients: configured, from a trusted proxy, or from the request.
struct BaseURL: Sendable {
    /// Without a trailing slash; nil to derive it from each request.
    private let configured: String?
    private let proxies: [AddressRange]

    /// - Parameter proxies: Proxies whose `X-Forwarded-` headers are trusted, in addition to those on this machine.
    init(_ configured: String?, proxies: [AddressRange] = []) {
        self.configured = configured.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        self.proxies = proxies
    }

    /// - Parameters:
    ///   - authority: The host and port of the request.
    ///   - peer: The IP address of the other end of the connection.
    ///   - mountPath: The path at which the server is mounted.
    func string(
        _ headers: HTTPFields, authority: String?, peer: String?, mountPath: String = ""
    ) -> String {
        if let configured { return configured }
        let isTrusted = peer.map(isTrusted) ?? false
        let scheme = isTrusted ? first(headers[Self.forwardedProto]) : nil
        let host = isTrusted ? first(headers[Self.forwardedHost]) : nil
        let known = [host, authority].lazy.compactMap { $0 }.first { Authority($0) != nil }
        return "\(scheme == "https" ? "https" : "http")://\(known ?? "localhost")\(mountPath)"
    }

    private func isTrusted(_ peer: String) -> Bool {
        guard let address = NetworkAddress(peer) else { return false }
        return address.isLoopback || proxies.contains { $0.contains(address) }
    }

    private static let forwardedProto = HTTPField.Name("X-Forwarded-Proto")!
    private static let forwardedHost = HTTPField.Name("X-Forwarded-Host")!

    /// Returns the first value of a list, which is that of the outermost proxy.
    private func first(_ list: String?) -> String? {
        list?.split(separator: ",").first.map { $0.filter { $0 != " " } }
    }
}
#endif
