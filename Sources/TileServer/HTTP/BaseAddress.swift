internal import HTTPTypes

/// The address that clients see of the server: configured, or told by a proxy, or asked for.
struct BaseAddress: Sendable {
    /// Without a slash at its end; nil where each request tells.
    let configured: String?

    init(_ configured: String?) {
        self.configured = configured.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    }

    func text(_ headers: HTTPFields, authority: String?) -> String {
        if let configured { return configured }
        let scheme = first(headers[Self.forwardedProto]).flatMap {
            ["http", "https"].contains($0) ? $0 : nil
        }
        let host = first(headers[Self.forwardedHost]).flatMap(Self.host) ?? authority.flatMap(Self.host)
        return "\(scheme ?? "http")://\(host ?? "localhost")"
    }

    private static let forwardedProto = HTTPField.Name("X-Forwarded-Proto")!
    private static let forwardedHost = HTTPField.Name("X-Forwarded-Host")!

    /// Of several proxies the outermost stands first.
    private func first(_ list: String?) -> String? {
        list?.split(separator: ",").first.map { $0.filter { $0 != " " } }
    }

    /// A host that may stand in an address: nothing in it can end it.
    private static func host(_ text: String) -> String? {
        let isHost =
            (1...255).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x3A, 0x5B, 0x5D, 0x5F: true
                default: false
                }
            }
        return isHost ? text : nil
    }
}
