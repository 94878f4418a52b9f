/// The result of a hash function.
package struct Digest: Hashable, Sendable {
    /// 32 bytes of SHA-256, 16 of MD5.
    package let bytes: [UInt8]

    /// Two lowercase digits per byte.
    package var hexadecimal: String { bytes.hexadecimal }
}

extension Sequence<UInt8> {
    /// Two lowercase digits per byte.
    package var hexadecimal: String {
        let digits: StaticString = "0123456789abcdef"
        return String(
            decoding: flatMap { byte in
                // Both indices are below 16.
                unsafe [digits.utf8Start[Int(byte >> 4)], digits.utf8Start[Int(byte & 15)]]
            }, as: UTF8.self)
    }
}
