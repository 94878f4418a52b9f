/// Keeps rows, or the pieces of a row, as they come: what `RowResampler` is where nothing has to be scaled.
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

    /// Forgets what came and keeps its memory for what comes.
    package mutating func removeAll() {
        pixels.removeAll(keepingCapacity: true)
    }
}
