internal import CTurboJPEG

/// Decodes JPEGs of any kind row by row, and can be cancelled between rows of blocks.
///
/// A progressive JPEG is decoded after all of its scans are read. Reading them can be cancelled, too.
package enum JPEGRowDecoder {
    /// Decodes a JPEG at 1/1, 1/2, 1/4 or 1/8 and passes its rows to a closure, from the top.
    ///
    /// Produces the same samples as `JPEGDecoder`. Each side is divided by `denominator` and rounded up.
    ///
    /// - Parameters:
    ///   - bands: 1 for gray, 3 for RGB, 4 for CMYK as it is stored.
    ///   - rows: The rows to pass to `row`.
    ///   - isStrict: Whether a warning, such as for truncated data, is an error. Only strict decoding continues to
    ///     the end of the file after the last of `rows`.
    ///   - isCancelled: Returns 1 to stop; called once per row and once per row of blocks of each scan, on the
    ///     calling thread.
    ///   - row: Receives each row.
    /// - Throws: `JPEGDecodingError`, after the rows that precede the damage, or what `row` throws.
    /// - Precondition: `denominator` is 1, 2, 4 or 8.
    package static func decode(
        _ jpeg: [UInt8], denominator: Int, bands: Int, rows: Range<Int>, isStrict: Bool = true,
        isCancelled: @convention(c) () -> Int32 = { Task.isCancelled ? 1 : 0 },
        row: (RawSpan) throws -> Void
    ) throws {
        precondition([1, 2, 4, 8].contains(denominator), "libjpeg has no such scale")
        guard let decoder = unsafe cjpeg_decoder_new(isStrict ? 1 : 0, isCancelled) else {
            throw JPEGDecodingError(reason: "no memory")
        }
        // Nothing uses the decoder after this call.
        defer { unsafe cjpeg_decoder_free(decoder) }
        func check(_ code: Int32) throws {
            guard code == 1 else { throw JPEGDecodingError(unsafe JPEGContext(decoder.pointee.context)) }
        }
        // The decoder reads `jpeg` only within this closure.
        try unsafe jpeg.withUnsafeBufferPointer { bytes in
            let code = unsafe cjpeg_decoder_start(
                decoder, bytes.baseAddress, bytes.count, Int32(denominator), Int32(bands))
            try check(code)
            let rowBytes = Int(unsafe cjpeg_decoder_width(decoder)) * bands
            var samples = [UInt8](repeating: 0, count: rowBytes)
            let height = Int(unsafe cjpeg_decoder_height(decoder))
            for y in 0..<(isStrict ? height : min(height, rows.upperBound)) {
                // libjpeg writes exactly one row of `rowBytes` bytes.
                let code = unsafe samples.withUnsafeMutableBufferPointer { buffer in
                    unsafe cjpeg_decoder_read(decoder, buffer.baseAddress)
                }
                try check(code)
                // Bytes have no padding.
                if rows.contains(y) { try row(unsafe samples.span.bytes) }
            }
            if isStrict { try check(unsafe cjpeg_decoder_finish(decoder)) }
        }
    }
}

/// Why a coder stopped.
struct JPEGContext {
    let reason: String
    let isCancelled: Bool

    init(_ context: cjpeg_context) {
        // A number that C has written.
        isCancelled = unsafe context.was_cancelled != 0
        // The text ends in a zero, and the tuple that C's array becomes outlives the closure.
        reason =
            isCancelled
            ? "it was cancelled"
            : unsafe withUnsafeBytes(of: context.reason) { text in
                unsafe String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
            }
    }
}
