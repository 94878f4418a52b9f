internal import Basics

/// The result of a hash function.
package struct Digest: Hashable, Sendable {
    /// 32 bytes of SHA-256, 16 of MD5.
    package let bytes: [UInt8]

    /// Two lowercase digits per byte.
    package var hexadecimal: String { bytes.hexadecimal }

    /// The digits of the first bytes.
    package func hexadecimal(first count: Int) -> String { bytes.prefix(count).hexadecimal }
}
