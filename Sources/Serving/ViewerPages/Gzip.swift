internal import CDeflate

/// The format of compressed files that all browsers accept (RFC 1952).
enum Gzip {
    /// Returns bytes compressed as far as libdeflate can; nil without memory.
    static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        // Freed below.
        guard let state = unsafe libdeflate_alloc_compressor(12) else { return nil }
        defer { unsafe libdeflate_free_compressor(state) }
        let most = unsafe libdeflate_gzip_compress_bound(state, bytes.count)
        // Both buffers live for the closures, and the call stays within their counts.
        return unsafe [UInt8](unsafeUninitializedCapacity: most) { output, count in
            count = unsafe bytes.withUnsafeBytes { input in
                unsafe libdeflate_gzip_compress(
                    state, input.baseAddress, input.count, output.baseAddress, most)
            }
        }
    }
}
