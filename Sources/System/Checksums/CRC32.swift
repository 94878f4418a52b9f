internal import CDeflate

/// The CRC-32 checksum of PNG and ZIP.
package enum CRC32 {
    /// Returns the checksum of bytes that follow others with the checksum `previous`.
    package static func of(_ bytes: Span<UInt8>, after previous: UInt32 = 0) -> UInt32 {
        // libdeflate reads within the given count.
        unsafe bytes.withUnsafeBytes { unsafe libdeflate_crc32(previous, $0.baseAddress, $0.count) }
    }
}
