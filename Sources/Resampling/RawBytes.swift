extension [UInt8] {
    /// Lends some of the bytes as raw memory.
    package func withRawBytes<R, E: Error>(
        _ range: Range<Int>, _ body: (RawSpan) throws(E) -> R
    ) throws(E) -> R {
        // Bytes have no padding, and the span lives as long as the array.
        try body(unsafe span.bytes.extracting(range))
    }
}
