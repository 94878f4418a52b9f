internal import Files
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

/// The names that the server answers to.
///
/// A page of another site can make its own name lead to this machine and then read what the server answers
/// (DNS rebinding). Its name in `Host` gives it away; an address in `Host` cannot be led elsewhere.
struct ServedHosts: Sendable {
    /// Nil where every name is right.
    private let names: Set<String>?
    private let takesAddresses: Bool

    /// - Parameter machine: the machine's own name.
    init(_ settings: TileServerSettings, machine: String? = ProcessEnvironment.hostName) {
        let bound = settings.host.lowercased()
        takesAddresses = !Self.isLocal(bound)
        guard !settings.isPublic else {
            names = nil
            return
        }
        var names: Set = ["localhost", bound]
        if let base = settings.baseURL.flatMap({ Authority(ofAddress: $0) }) { names.insert(base.host) }
        if takesAddresses, let machine = machine?.lowercased() {
            let first = String(machine.prefix { $0 != "." })
            names.formUnion([machine, first, first + ".local"])
        }
        self.names = names
    }

    /// Whether only this machine can reach a server that listens there.
    static func isLocal(_ host: String) -> Bool {
        host.lowercased() == "localhost" || NetworkAddress(host)?.isLoopback == true
    }

    func contains(_ authority: Authority) -> Bool {
        guard let names, !names.contains(authority.host) else { return true }
        guard let address = authority.address else { return false }
        return takesAddresses || address.isLoopback
    }
}

/// The address that clients see of the server: configured, or told by a proxy that is trusted, or asked for.
struct BaseAddress: Sendable {
    /// Without a slash at its end; nil where each request tells.
    private let configured: String?
    private let proxies: [AddressRange]

    /// - Parameter proxies: whose `X-Forwarded-` headers are believed, beside this machine's.
    init(_ configured: String?, proxies: [AddressRange] = []) {
        self.configured = configured.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        self.proxies = proxies
    }

    /// - Parameter peer: the address at the other end of the connection.
    func text(_ headers: HTTPFields, authority: String?, peer: String?) -> String {
        if let configured { return configured }
        let isTrusted = peer.map(isTrusted) ?? false
        let scheme = isTrusted ? first(headers[Self.forwardedProto]) : nil
        let host = isTrusted ? first(headers[Self.forwardedHost]) : nil
        let known = [host, authority].lazy.compactMap { $0 }.first { Authority($0) != nil }
        return "\(scheme == "https" ? "https" : "http")://\(known ?? "localhost")"
    }

    private func isTrusted(_ peer: String) -> Bool {
        guard let address = NetworkAddress(peer) else { return false }
        return address.isLoopback || proxies.contains { $0.contains(address) }
    }

    private static let forwardedProto = HTTPField.Name("X-Forwarded-Proto")!
    private static let forwardedHost = HTTPField.Name("X-Forwarded-Host")!

    /// Of several proxies the outermost stands first.
    private func first(_ list: String?) -> String? {
        list?.split(separator: ",").first.map { $0.filter { $0 != " " } }
    }
}
