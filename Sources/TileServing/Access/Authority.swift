/// The host and the port of an address, as `Host` and `Origin` have them.
///
/// Source: RFC 3986, section 3.2; user names are refused, as RFC 9110 does.
struct Authority: Hashable, Sendable {
    /// In lower case, without the dot that may end a name and without the brackets of an IPv6 address.
    let host: String
    let port: Int?

    init?(_ text: some StringProtocol) {
        guard (1...300).contains(text.utf8.count) else { return nil }
        var (host, rest) = (Substring(text), ""[...])
        if host.hasPrefix("[") {
            guard let end = host.firstIndex(of: "]") else { return nil }
            rest = host[host.index(after: end)...]
            host = host[..<end].dropFirst()
            guard host.contains(":"), NetworkAddress(host) != nil, rest.isEmpty || rest.first == ":" else {
                return nil
            }
        } else {
            if let colon = host.firstIndex(of: ":") { (host, rest) = (host[..<colon], host[colon...]) }
            if host.hasSuffix("."), host.utf8.count > 1 { host = host.dropLast() }
            guard !host.isEmpty, host.utf8.allSatisfy(Self.isAllowed) else { return nil }
        }
        let digits = rest.dropFirst()
        guard digits.utf8.count <= 5, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        let port = digits.isEmpty ? nil : Int(digits)
        guard (port ?? 1) <= 65535 else { return nil }
        (self.host, self.port) = (host.lowercased(), port)
    }

    /// The authority of "https://host:port", or of an address that goes on; nil for others.
    init?(ofAddress text: some StringProtocol) {
        guard let end = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<end.lowerBound].lowercased()
        guard ["http", "https"].contains(scheme),
            let authority = Authority(text[end.upperBound...].prefix { !"/?#".contains($0) })
        else { return nil }
        self.init(host: authority.host, port: authority.port ?? (scheme == "https" ? 443 : 80))
    }

    private init(host: String, port: Int?) { (self.host, self.port) = (host, port) }

    var address: NetworkAddress? { NetworkAddress(host) }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }
}
