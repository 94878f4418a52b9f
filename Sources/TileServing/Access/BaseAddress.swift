internal import HTTPTypes

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
