/// Keeps rows as they come: what `RowResampler` is where nothing has to be scaled.
package struct RowCollector: ~Copyable {
    package private(set) var pixels: [UInt8] = []

    package init(byteCount: Int) {
        pixels.reserveCapacity(byteCount)
    }

    /// Takes the next row.
    package mutating func push(_ row: RawSpan) {
        // The bytes are copied before the call returns.
        unsafe row.withUnsafeBytes { unsafe pixels.append(contentsOf: $0) }
    }
}
