/// Rows of an image that are appended from the top and dropped when they are no longer needed.
///
/// Rows keep their numbers: the first one appended is 0, also after it is dropped.
package struct RowBuffer: ~Copyable {
    /// The bytes of a row.
    package let rowBytes: Int
    /// The rows that are held.
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

    /// The bytes of columns of rows, row after row; `columns` are bytes.
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

    /// Lends a row that is held.
    package func withRow<R, E: Error>(_ row: Int, _ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        precondition(rows.contains(row))
        let start = (row - rows.lowerBound) * rowBytes
        // Bytes have no padding that could be read.
        return try body(unsafe bytes.span.bytes.extracting(start..<(start + rowBytes)))
    }
}

/// Collects rows, or pieces of a row, one after the other: a `RowResampler` for scale 1.
package struct RowCollector: ~Copyable {
    package private(set) var pixels: [UInt8] = []

    package init(byteCount: Int) {
        pixels.reserveCapacity(byteCount)
    }

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
    /// Lends some of the bytes.
    package func withRow<R>(_ range: Range<Int>, _ body: (RawSpan) throws -> R) rethrows -> R {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        // Checked above; the array outlives the call.
        return try unsafe withUnsafeBytes {
            try body(unsafe UnsafeRawBufferPointer(rebasing: $0[range]).bytes)
        }
    }
}

extension [UInt8] {
    /// Lends some of the bytes as raw memory.
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
        // Checked above; the memory is lent for the call.
        unsafe withUnsafeMutableBytes { buffer in
            unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[offset..<(offset + bytes.count)])
                .copyBytes(from: bytes)
        }
    }
}
