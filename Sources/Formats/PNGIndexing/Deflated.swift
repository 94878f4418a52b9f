internal import CDeflate

/// Deflate of small buffers that are in memory as a whole, by libdeflate.
package enum Deflated {
    /// Returns the raw deflate stream of some bytes.
    static func deflate(_ bytes: [UInt8]) -> [UInt8] {
        // Freed below. Without memory there is no other way to go on.
        guard let state = unsafe libdeflate_alloc_compressor(6) else { fatalError("out of memory") }
        // The only owner.
        defer { unsafe libdeflate_free_compressor(state) }
        let bound = unsafe libdeflate_deflate_compress_bound(state, bytes.count)
        return unsafe [UInt8](unsafeUninitializedCapacity: bound) { output, count in
            // libdeflate stays within both counts.
            count = unsafe bytes.withUnsafeBytes {
                unsafe libdeflate_deflate_compress(state, $0.baseAddress, $0.count, output.baseAddress, bound)
            }
        }
    }

    /// Returns the bytes of a raw deflate stream; nil unless it is valid and has exactly `size` bytes.
    static func inflate(raw bytes: some Collection<UInt8>, size: Int) -> [UInt8]? {
        guard size > 0 else { return [] }
        return inflate(Array(bytes), capacity: size, isRaw: true).flatMap { $0.count == size ? $0 : nil }
    }

    /// Returns the bytes of a zlib stream; nil if it is damaged or longer than `limit`.
    package static func inflate(_ bytes: ArraySlice<UInt8>, limit: Int) -> [UInt8]? {
        let input = Array(bytes)
        var capacity = min(limit, max(1 << 12, 4 * input.count))
        while true {
            if let result = inflate(input, capacity: capacity, isRaw: false) { return result }
            guard capacity < limit else { return nil }
            capacity = min(limit, 4 * capacity)
        }
    }

    private static func inflate(_ input: [UInt8], capacity: Int, isRaw: Bool) -> [UInt8]? {
        // Freed below.
        guard let state = unsafe libdeflate_alloc_decompressor() else { return nil }
        // The only owner.
        defer { unsafe libdeflate_free_decompressor(state) }
        var result = LIBDEFLATE_BAD_DATA
        let output = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
            result = unsafe input.withUnsafeBytes {
                // libdeflate stays within both counts.
                unsafe (isRaw ? libdeflate_deflate_decompress : libdeflate_zlib_decompress)(
                    state, $0.baseAddress, $0.count, output.baseAddress, capacity, &count)
            }
            if result != LIBDEFLATE_SUCCESS { count = 0 }
        }
        return result == LIBDEFLATE_SUCCESS ? output : nil
    }
}
