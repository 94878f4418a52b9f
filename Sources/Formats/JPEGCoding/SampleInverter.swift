/// Inverts rows of samples of 8 bits, one after another in the same memory.
package struct SampleInverter {
    private var inverted: [UInt8] = []

    package init() {}

    /// Lends the inverted samples of a row.
    package mutating func lend(_ samples: RawSpan, to row: (RawSpan) throws -> Void) rethrows {
        inverted.removeAll(keepingCapacity: true)
        // Lent during the call.
        unsafe samples.withUnsafeBytes { unsafe inverted.append(contentsOf: $0.lazy.map { ~$0 }) }
        // Bytes have no padding.
        try row(unsafe inverted.span.bytes)
    }
}
