#if Server
internal import Basics

/// An IPv4 or IPv6 address; IPv4-mapped IPv6 addresses become IPv4.
///
/// Source: RFC 4291, section 2.2.
struct NetworkAddress: Hashable, Sendable {
    /// 4 or 16 bytes.
    let bytes: [UInt8]

    /// Parses the usual notation; nil for others such as "127.1" and "0x7f000001".
    init?(_ text: some StringProtocol) {
        guard text.utf8.count <= 45, let bytes = Self.parseIPv4(text) ?? Self.parseIPv6(text) else {
            return nil
        }
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        self.bytes = bytes.count == 16 && bytes.starts(with: mapped) ? Array(bytes[12...]) : bytes
    }

    /// Whether the address is a loopback address.
    var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    private static func parseIPv4(_ text: some StringProtocol) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { part in
            // Some parsers read a leading zero as octal.
            part.utf8.allSatisfy { (0x30...0x39).contains($0) } && (part == "0" || !part.hasPrefix("0"))
                ? UInt8(part) : nil
        }
        return parts.count == 4 && bytes.count == 4 ? bytes : nil
    }

    private static func parseIPv6(_ text: some StringProtocol) -> [UInt8]? {
        let halves = text.split(separator: "::", maxSplits: 2, omittingEmptySubsequences: false)
        guard halves.count <= 2,
            let front = halves.first.flatMap({ groups($0, mayEndAsIPv4: halves.count == 1) })
        else { return nil }
        guard halves.count == 2 else { return front.count == 16 ? front : nil }
        guard let back = groups(halves[1], mayEndAsIPv4: true), front.count + back.count <= 14 else {
            return nil
        }
        return front + [UInt8](repeating: 0, count: 16 - front.count - back.count) + back
    }

    private static func groups(_ text: some StringProtocol, mayEndAsIPv4: Bool) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        var bytes: [UInt8] = []
        for (index, part) in parts.enumerated() {
            if mayEndAsIPv4, index == parts.count - 1, let last = parseIPv4(part) {
                bytes += last
            } else if (1...4).contains(part.utf8.count), part.allSatisfy(\.isHexDigit),
                let group = UInt16(part, radix: 16)
            {
                bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
            } else {
                return nil
            }
        }
        return bytes
    }
}

/// A range of IP addresses in CIDR notation, such as "10.0.0.0/8" or "fd00::/8", or a single address.
public struct AddressRange: Hashable, Sendable {
    private let first: NetworkAddress
    /// The length of the common prefix in bits.
    private let prefix: Int

    /// Parses an address with or without a prefix length; nil if the text is malformed.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = NetworkAddress(parts[0]) else { return nil }
        let bits = first.bytes.count * 8
        var prefix = bits
        if parts.count == 2 {
            guard (1...3).contains(parts[1].utf8.count), let number = Int(parts[1]), number >= 0,
                number <= bits, !parts[1].hasPrefix("+")
            else { return nil }
            prefix = number
        }
        (self.first, self.prefix) = (first, prefix)
    }

    func contains(_ address: NetworkAddress) -> Bool {
        guard address.bytes.count == first.bytes.count else { return false }
        return zip(first.bytes, address.bytes).enumerated().allSatisfy { index, bytes in
            let same = min(8, max(0, prefix - index * 8))
            return (bytes.0 ^ bytes.1) >> (8 - UInt8(same)) == 0
        }
    }
}

/// Coded as its `description`.
extension AddressRange: Codable, CustomStringConvertible {
    /// CIDR notation: "10.0.0.0/8", or "fd00:0:0:0:0:0:0:0/8".
    public var description: String {
        let bytes = first.bytes
        let address =
            bytes.count == 4
            ? bytes.map { "\($0)" }.joined(separator: ".")
            : stride(from: 0, to: bytes.count, by: 2).map {
                String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16)
            }.joined(separator: ":")
        return "\(address)/\(prefix)"
    }

    /// Decodes the text, as `init(_:)` parses it.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value("a range of addresses such as 10.0.0.0/8") { Self($0) }
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: description) }
}

/// The host and port of a URL, as in the headers `Host` and `Origin`.
///
/// Source: RFC 3986, section 3.2; user names are refused, as RFC 9110 does.
struct Authority: Hashable, Sendable {
    /// Lowercase, without a trailing dot and without the brackets of an IPv6 address.
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

    /// Parses the authority of an HTTP URL; nil for other URLs.
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
#endif
