internal import CDeflate
internal import CISAL
internal import Platform

/// A compressor, owned and used by one thread.
// The type cannot be copied, so the state is freed once.
@safe struct Compressor: ~Copyable {
    /// How bytes are compressed.
    enum Method: Hashable {
        /// By libdeflate, at a level of 0 to 12.
        case libdeflate(Int32)
        /// By ISA-L: half the time of libdeflate's first level, and files of photographs that are a few hundredths larger.
        case isal
        /// By `RunDeflate`.
        case runs
    }

    private let state: OpaquePointer
    let method: Method

    init(_ method: Method) throws(PNGEncodingError) {
        let level: Int32 = if case .libdeflate(let level) = method { level } else { 1 }
        // Freed in deinit.
        guard let state = unsafe libdeflate_alloc_compressor(level) else { throw .outOfMemory }
        // The only owner of the state.
        unsafe self.state = state
        self.method = method
    }

    // The state has no other owner.
    deinit { unsafe libdeflate_free_compressor(state) }

    /// Returns the maximum compressed size of `count` bytes, as raw deflate or zlib.
    func bound(_ count: Int) -> Int {
        // The state is alive as long as self.
        let bound = unsafe libdeflate_zlib_compress_bound(state, count)
        return method == .runs ? max(bound, RunDeflate.bound(count)) : bound
    }

    /// Writes `input` as raw deflate and returns the number of bytes written.
    ///
    /// The last block is marked final, or the stream can be continued at a whole byte. `output` must have room for
    /// `bound(input.count)` bytes and, for the latter, five more.
    func compress(
        _ input: UnsafeByteView, to output: UnsafeMutableByteView, isLast: Bool = true
    ) -> Int {
        switch method {
        case .runs:
            let size = RunDeflate.blockSize
            return RunDeflate.compress(
                blocks: (input.count + size - 1) / size, to: output, isLast: isLast
            ) { input.part($0 * size, count: min(size, input.count - $0 * size)) }
        case .isal:
            if let size = Self.compressByISAL(input, to: output, isLast: isLast) { return size }
        case .libdeflate: break
        }
        let size = compressFinally(input, to: output.part(0, count: bound(input.count)))
        return isLast ? size : Self.open(output, count: size)
    }

    /// Returns nil where the output has no room for the bytes of ISA-L, which gives no bound.
    private static func compressByISAL(
        _ input: UnsafeByteView, to output: UnsafeMutableByteView, isLast: Bool
    ) -> Int? {
        guard let inputSize = UInt32(exactly: input.count) else { return nil }
        let stream = UnsafeMutablePointer<isal_zstream>.allocate(capacity: 1)
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: isal_level2_size, alignment: 64)
        // Nobody else has their addresses.
        defer {
            unsafe stream.deallocate()
            unsafe memory.deallocate()
        }
        // ISA-L 2.30 does not set the length of its window: what was in the memory would change the result.
        unsafe memset(stream, 0, MemoryLayout<isal_zstream>.size)
        unsafe isal_deflate_stateless_init(stream)
        unsafe stream.pointee.level = 2
        unsafe stream.pointee.level_buf = memory.assumingMemoryBound(to: UInt8.self)
        unsafe stream.pointee.level_buf_size = UInt32(isal_level2_size)
        unsafe stream.pointee.end_of_stream = isLast ? 1 : 0
        // An empty stored block pads the stream to a whole byte.
        unsafe stream.pointee.flush = UInt16(isLast ? NO_FLUSH : FULL_FLUSH)
        // ISA-L only reads the input, and stays within both counts.
        unsafe stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.address.assumingMemoryBound(to: UInt8.self))
        unsafe stream.pointee.avail_in = inputSize
        unsafe stream.pointee.next_out = output.address.assumingMemoryBound(to: UInt8.self)
        unsafe stream.pointee.avail_out = UInt32(clamping: output.count)
        guard unsafe isal_deflate_stateless(stream) == COMP_OK, unsafe stream.pointee.avail_in == 0 else {
            return nil
        }
        return unsafe Int(stream.pointee.total_out)
    }

    private func compressFinally(_ input: UnsafeByteView, to output: UnsafeMutableByteView) -> Int {
        // libdeflate stays within the given counts.
        let size = unsafe libdeflate_deflate_compress(
            state, input.address, input.count, output.address, output.count)
        precondition(size > 0, "libdeflate's bound was too small")
        return size
    }

    /// Makes the deflate stream in the first `count` bytes continuable; returns its new size.
    ///
    /// The final-block flag is cleared, and an empty stored block pads the stream to a whole byte (RFC 1951, 3.2.3 and 3.2.4).
    private static func open(_ body: UnsafeMutableByteView, count: Int) -> Int {
        let walk = DeflateWalk(body.part(0, count: count).readable)
        body[walk.finalBlock >> 3] &= ~(1 << UInt8(walk.finalBlock & 7))
        // Three zero bits begin a stored block that is not the last. They may need one more byte.
        if walk.end & 7 > 0 { body[walk.end >> 3] &= 1 << UInt8(walk.end & 7) - 1 }
        let blockEnd = (walk.end + 3 + 7) / 8
        for index in count..<max(count, blockEnd) { body[index] = 0 }
        body.store(UInt32(0xFFFF_0000).littleEndian, at: blockEnd)
        return blockEnd + 4
    }

    /// Returns a zlib stream of a small input, such as a profile.
    func zlib(_ input: [UInt8]) -> [UInt8] {
        let capacity = bound(input.count)
        // libdeflate writes within the given capacity and returns the number of bytes written.
        return unsafe [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
            // The memory of the array is valid during this call.
            count = unsafe input.withUnsafeBytes {
                // libdeflate stays within the given counts.
                unsafe libdeflate_zlib_compress(state, $0.baseAddress, $0.count, output.baseAddress, capacity)
            }
        }
    }
}

/// The checksum of zlib.
enum Checksum {
    /// Returns the Adler-32 checksum of bytes that follow others, given the previous checksum: 1 at the beginning.
    static func adler32(_ bytes: UnsafeByteView, after previous: UInt32) -> UInt32 {
        // libdeflate reads within the given count.
        unsafe libdeflate_adler32(previous, bytes.address, bytes.count)
    }

    /// Returns the Adler-32 checksum of some bytes followed by `count` others, given those of both.
    ///
    /// Source: zlib, adler32_combine.
    static func adler32(_ first: UInt32, followedBy second: UInt32, count: Int) -> UInt32 {
        let base: UInt64 = 65521
        let (count, one, two) = (UInt64(count) % base, UInt64(first), UInt64(second))
        let low = (one & 0xFFFF) + (two & 0xFFFF) + base - 1
        let high = count * (one & 0xFFFF) + one >> 16 + two >> 16 + base - count
        return UInt32(high % base) << 16 | UInt32(low % base)
    }
}

/// Deflate outside of PNG.
package enum Deflate {
    /// Returns a zlib stream of the bytes; equal bytes give equal streams.
    ///
    /// - Throws: `PNGEncodingError.outOfMemory`.
    package static func zlib(_ bytes: [UInt8]) throws(PNGEncodingError) -> [UInt8] {
        try Compressor(.libdeflate(6)).zlib(bytes)
    }
}
