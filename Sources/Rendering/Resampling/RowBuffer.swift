/// Rows of an image, appended from the top and dropped when they are no longer needed.
///
/// Dropping rows does not change the numbers of the others: row 0 is the first one that was appended.
package struct RowBuffer: ~Copyable {
    /// The size of a row in bytes.
    package let rowBytes: Int
    /// The rows in the buffer.
    package private(set) var rows = 0..<0
    private var bytes: [UInt8] = []

    /// - Parameter capacity: the maximum number of rows.
    package init(rowBytes: Int, capacity: Int) {
        self.rowBytes = rowBytes
        bytes.reserveCapacity(rowBytes * capacity)
    }

    /// Appends the next row.
    package mutating func append(_ row: RawSpan) {
        precondition(row.byteCount == rowBytes, "a row is as long as the others")
        // The bytes are copied before the call returns.
        unsafe row.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        rows = rows.lowerBound..<(rows.upperBound + 1)
    }

    /// Drops the rows above `row`.
    package mutating func drop(before row: Int) {
        let count = min(max(0, row - rows.lowerBound), rows.count)
        guard count > 0 else { return }
        bytes.removeSubrange(0..<(count * rowBytes))
        rows = (rows.lowerBound + count)..<rows.upperBound
    }

    /// Returns the bytes of a rectangle, row by row; `columns` are byte offsets.
    package func cut(columns: Range<Int>, rows range: Range<Int>) -> [UInt8] {
        precondition(range.lowerBound >= rows.lowerBound && range.upperBound <= rows.upperBound)
        var result: [UInt8] = []
        result.reserveCapacity(columns.count * range.count)
        for row in range {
            let start = (row - rows.lowerBound) * rowBytes
            result.append(contentsOf: bytes[(start + columns.lowerBound)..<(start + columns.upperBound)])
        }
        return result
    }

    /// Calls a closure with one of `rows`.
    package func withRow<R, E: Error>(_ row: Int, _ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        precondition(rows.contains(row))
        let start = (row - rows.lowerBound) * rowBytes
        // Bytes have no padding that could be read.
        return try body(unsafe bytes.span.bytes.extracting(start..<(start + rowBytes)))
    }
}

/// Concatenates rows or parts of rows: the counterpart of `RowResampler` for scale 1.
package struct RowCollector: ~Copyable {
    package private(set) var pixels: [UInt8]

    package init(byteCount: Int) { pixels = [UInt8](room: byteCount) }

    /// Appends the next row.
    package mutating func push(_ row: RawSpan) {
        // The bytes are copied before the call returns.
        unsafe row.withUnsafeBytes { unsafe pixels.append(contentsOf: $0) }
    }

    /// Removes all pixels and keeps the memory.
    package mutating func removeAll() {
        pixels.removeAll(keepingCapacity: true)
    }
}

extension [UInt8] {
    /// Calls a closure with a range of the bytes.
    package func withRow<R>(_ range: Range<Int>, _ body: (RawSpan) throws -> R) rethrows -> R {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        // Checked above; the array outlives the call.
        return try unsafe withUnsafeBytes {
            try body(unsafe UnsafeRawBufferPointer(rebasing: $0[range]).bytes)
        }
    }
}

extension [UInt8] {
    /// Calls a closure, which may throw a typed error, with a range of the bytes.
    package func withRawBytes<R, E: Error>(
        _ range: Range<Int>, _ body: (RawSpan) throws(E) -> R
    ) throws(E) -> R {
        // Bytes have no padding, and the span lives as long as the array.
        try body(unsafe span.bytes.extracting(range))
    }
}

extension MutableRawSpan {
    /// Copies bytes to an offset; they must fit.
    package mutating func copy(_ bytes: [UInt8], at offset: Int) {
        precondition(offset >= 0 && offset + bytes.count <= byteCount, "bytes beyond the end of a buffer")
        // Checked above; the memory is valid during the call.
        unsafe withUnsafeMutableBytes { buffer in
            unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[offset..<(offset + bytes.count)])
                .copyBytes(from: bytes)
        }
    }
}
