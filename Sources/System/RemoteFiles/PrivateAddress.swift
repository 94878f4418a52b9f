internal import Platform

/// Addresses that are not on the public internet.
///
/// Source: IANA IPv4 and IPv6 Special-Purpose Address Registries.
enum PrivateAddress {
    /// Whether the bytes of an IPv4 address are of a network that is not public.
    static func contains(_ ip: [UInt8]) -> Bool {
        if ip.count == 16 { return containsIPv6(ip) }
        guard ip.count == 4 else { return true }
        return switch (ip[0], ip[1]) {
        case (0, _), (10, _), (127, _), (169, 254), (172, 16...31), (192, 168): true
        // Shared address space of providers, benchmarks, protocol assignments and documentation.
        case (100, 64...127), (198, 18...19): true
        case (192, 0): ip[2] == 0 || ip[2] == 2
        case (198, 51): ip[2] == 100
        case (203, 0): ip[2] == 113
        // Multicast, reserved, broadcast.
        case (224..., _): true
        default: false
        }
    }

    private static func containsIPv6(_ ip: [UInt8]) -> Bool {
        // An IPv4 address in one of IPv6: mapped, translated (64:ff9b::/96) or of 6to4 (2002::/16).
        if ip[..<10].allSatisfy({ $0 == 0 }), ip[10] == 0xFF, ip[11] == 0xFF {
            return contains(Array(ip[12...]))
        }
        if ip.starts(with: [0, 0x64, 0xFF, 0x9B]) { return contains(Array(ip[12...])) }
        if ip[0] == 0x20, ip[1] == 0x02 { return contains(Array(ip[2..<6])) }
        // Only 2000::/3 is global unicast; without documentation and Teredo, which hides an IPv4 address.
        guard ip[0] & 0xE0 == 0x20 else { return true }
        return ip.starts(with: [0x20, 0x01, 0x0D, 0xB8]) || ip.starts(with: [0x20, 0x01, 0, 0])
    }

    /// Whether a socket address is not public; true for anything but IPv4 and IPv6.
    @unsafe static func contains(_ address: UnsafePointer<sockaddr>) -> Bool {
        // The family says which structure the caller has filled.
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET:
            let ip = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr
            return unsafe withUnsafeBytes(of: ip) { unsafe contains(Array($0)) }
        case AF_INET6:
            let ip = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self).sin6_addr
            return unsafe withUnsafeBytes(of: ip) { unsafe contains(Array($0)) }
        default:
            return true
        }
    }
}
