internal import CZlib

/// Decompresses a raw deflate stream piece by piece, with zlib.
///
/// Source: RFC 1951.
@safe final class RawInflater {
    enum Outcome {
        /// All input was used, or the output is full.
        case more
        case end
        case broken
    }

    private let stream: UnsafeMutablePointer<z_stream>

    /// Nil without memory.
    init?() {
        // Freed in deinit; zlib remembers the address.
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        // Negative: without a header.
        let status = unsafe inflateInit2_(
            stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else {
            unsafe stream.deallocate()
            return nil
        }
    }

    // No other owner.
    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Decompresses a part of `input` into `output` from its beginning; returns how many bytes were used and made.
    func inflate(
        _ input: [UInt8], from start: Int, into output: inout [UInt8]
    ) -> (used: Int, made: Int, outcome: Outcome) {
        let room = output.count
        // zlib reads and writes within the counts that it is given, during the call.
        let status = unsafe input.withUnsafeBufferPointer { source in
            unsafe output.withUnsafeMutableBufferPointer { target in
                unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress! + start)
                unsafe stream.pointee.avail_in = UInt32(source.count - start)
                unsafe stream.pointee.next_out = target.baseAddress
                unsafe stream.pointee.avail_out = UInt32(target.count)
                return unsafe CZlib.inflate(stream, Z_NO_FLUSH)
            }
        }
        let used = unsafe input.count - start - Int(stream.pointee.avail_in)
        let made = unsafe room - Int(stream.pointee.avail_out)
        return switch status {
        case Z_STREAM_END: (used, made, .end)
        // Without progress there is no more input or output.
        case Z_OK, Z_BUF_ERROR: (used, made, .more)
        default: (used, made, .broken)
        }
    }
}
