internal import Basics
internal import CDeflate
internal import Containers

/// Decompression of zlib data up to a limit, for texts of PNG that hold metadata.
enum Inflate {
    /// Decompresses a zlib stream; nil if it is damaged or longer than `limit`.
    ///
    /// The checksum is not verified: a readable text is better than none. Source: RFC 1950.
    static func zlib(_ bytes: FileBytes, limit: Int) -> [UInt8]? {
        guard let header = bytes.uint16(at: 0), header % 31 == 0, header >> 8 & 15 == 8, header & 0x20 == 0
        else { return nil }
        // Incompressible data is slightly longer than the text; longer input can only be hostile.
        let input = bytes.extracting(2..<min(bytes.count, 2 * limit + 2)).array
        // The state is freed below, and no one else holds it.
        guard let state = unsafe libdeflate_alloc_decompressor() else { return nil }
        // The one owner frees it once.
        defer { unsafe libdeflate_free_decompressor(state) }
        var capacity = min(limit, max(1 << 12, 4 * input.count))
        while true {
            var result = LIBDEFLATE_BAD_DATA
            // libdeflate writes within the capacity given, and the count set is what it wrote.
            let output = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
                // The array lends its memory for this call only.
                result = unsafe input.withUnsafeBytes {
                    // libdeflate reads within the count given.
                    unsafe libdeflate_deflate_decompress(
                        state, $0.baseAddress, $0.count, output.baseAddress, capacity, &count)
                }
                if result != LIBDEFLATE_SUCCESS { count = 0 }
            }
            if result == LIBDEFLATE_SUCCESS { return output }
            guard result == LIBDEFLATE_INSUFFICIENT_SPACE, capacity < limit else { return nil }
            capacity = min(limit, 4 * capacity)
        }
    }
}
