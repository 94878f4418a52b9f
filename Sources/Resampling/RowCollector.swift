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

extension [UInt8] {
    /// Lends some of the bytes.
    package func withRow<R>(_ range: Range<Int>, _ body: (RawSpan) throws -> R) rethrows -> R {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        // Checked above; the array outlives the call.
        return try unsafe withUnsafeBytes {
            try body(unsafe UnsafeRawBufferPointer(rebasing: $0[range]).bytes)
        }
    }
}
