extension [UInt8] {
    /// Lends the bytes as a span, as a mapped file would be lent.
    package func lent<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
        // Bytes have no padding that could be read.
        try unsafe body(span.bytes)
    }
}
