/// The 64-bit hash of Fowler, Noll and Vo: detects accidents, not attacks.
package enum FNV1a {
    /// The hash of no bytes.
    package static let offsetBasis: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Hashes bytes; long inputs can be hashed in parts, each continuing the previous hash.
    @inlinable package static func hash(
        _ bytes: some Sequence<UInt8>, continuing hash: UInt64 = offsetBasis
    ) -> UInt64 {
        var hash = hash
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return hash
    }

    /// Hashes an array: several times faster than the generic form, which callers do not always specialize.
    package static func hash(_ bytes: [UInt8]) -> UInt64 { hash(bytes.span) }

    /// Hashes a part of an array.
    package static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 { hash(bytes.span) }

    /// Hashes bytes that lie in memory.
    package static func hash(_ bytes: Span<UInt8>, continuing hash: UInt64 = offsetBasis) -> UInt64 {
        var hash = hash
        for index in bytes.indices { hash = (hash ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01B3 }
        return hash
    }
}
