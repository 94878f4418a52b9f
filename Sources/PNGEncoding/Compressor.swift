internal import CDeflate

/// A libdeflate compressor, owned and used by one thread.
// libdeflate's state is freed once: the type cannot be copied.
@safe struct Compressor: ~Copyable {
    private let state: OpaquePointer

    init(level: PNGEncoder.Level) throws(PNGEncodingError) {
        let number: Int32 =
            switch level {
            case .fast: 1
            // Above, each 1 % takes as long again as all before.
            case .small: 6
            case .store: 0
            }
        // Freed in deinit.
        guard let state = unsafe libdeflate_alloc_compressor(number) else { throw .outOfMemory }
        // The one owner of the state.
        unsafe self.state = state
    }

    // Nobody else holds the state.
    deinit { unsafe libdeflate_free_compressor(state) }

    /// The most bytes that `count` bytes can become, as raw deflate or as zlib.
    func bound(_ count: Int) -> Int {
        // The state is alive as long as self.
        unsafe libdeflate_zlib_compress_bound(state, count)
    }

    /// Writes `input` as raw deflate of one or more blocks, the last marked final; gives the bytes written.
    ///
    /// `output` must have room for `bound(input.count)` bytes.
    func compress(_ input: UnsafeByteView, to output: UnsafeMutableByteView) -> Int {
        // libdeflate stays within the counts given.
        let size = unsafe libdeflate_deflate_compress(
            state, input.address, input.count, output.address, output.count)
        precondition(size > 0, "libdeflate's bound was too small")
        return size
    }

    /// A zlib stream of a few bytes, such as a profile.
    func zlib(_ input: [UInt8]) -> [UInt8] {
        let capacity = bound(input.count)
        // libdeflate writes within the capacity given, and the count set is what it wrote.
        return unsafe [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
            // The array lends its memory for this call only.
            count = unsafe input.withUnsafeBytes {
                // libdeflate stays within the counts given.
                unsafe libdeflate_zlib_compress(state, $0.baseAddress, $0.count, output.baseAddress, capacity)
            }
        }
    }
}

/// Checksums as zlib and PNG define them.
enum Checksum {
    /// Of all bytes up to these, given the checksum of those before, which is 1 at the beginning.
    static func adler32(_ bytes: UnsafeByteView, after previous: UInt32) -> UInt32 {
        // libdeflate reads within the count given.
        unsafe libdeflate_adler32(previous, bytes.address, bytes.count)
    }

    /// The CRC of `first` followed by `second`.
    static func crc32(_ first: [UInt8], _ second: UnsafeByteView?) -> UInt32 {
        // The array lends its memory for this call only.
        var value = unsafe first.withUnsafeBytes { unsafe libdeflate_crc32(0, $0.baseAddress, $0.count) }
        if let second {
            // libdeflate reads within the count given.
            value = unsafe libdeflate_crc32(value, second.address, second.count)
        }
        return value
    }
}

/// The checksum of PNG and ZIP, CRC-32.
package enum CRC32 {
    /// The checksum of bytes, or of all that had `previous` and then these.
    package static func of(_ bytes: Span<UInt8>, after previous: UInt32 = 0) -> UInt32 {
        // libdeflate reads within the count given.
        unsafe bytes.withUnsafeBytes { unsafe libdeflate_crc32(previous, $0.baseAddress, $0.count) }
    }
}

/// Deflate outside of PNG.
package enum Deflate {
    /// The bytes as a zlib stream, the same for the same bytes.
    ///
    /// - Throws: `PNGEncodingError.outOfMemory`.
    package static func zlib(_ bytes: [UInt8]) throws(PNGEncodingError) -> [UInt8] {
        try Compressor(level: .small).zlib(bytes)
    }
}
