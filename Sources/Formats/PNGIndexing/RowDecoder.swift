/// Makes pixels of the inflated stream: cuts it into rows, reverses their filters and lends the needed columns.
@safe final class RowDecoder {
    private let header: PNGHeader
    private let expansion: PixelExpansion
    private let rows: Range<Int>
    private let columns: Range<Int>
    /// The size of a filtered row.
    private let stride: Int
    /// The bytes of rows that are reconstructed.
    private let count: Int
    /// The number of the next row.
    private var row: Int
    /// The bytes of the stream to pass before the next row.
    private var passed: Int
    private let partial: UnsafeMutableRawPointer
    private var partialCount = 0
    private var above: UnsafeMutableRawPointer
    private var current: UnsafeMutableRawPointer
    private let pixels: UnsafeMutableRawPointer
    /// The row for a checkpoint before it.
    private var marked: MarkedRow?

    /// A row that decoding can begin with.
    struct MarkedRow {
        let row: Int
        /// The row above, as far as it was reconstructed.
        var above: [UInt8] = []
        /// The filter of the row.
        var filter: UInt8?
    }

    /// - Parameters:
    ///   - rows: The rows to lend.
    ///   - columns: Their columns.
    ///   - position: The position in the inflated stream that decoding begins at.
    ///   - above: The row above the first whole row from there; empty for zeros.
    init(
        _ header: PNGHeader, rows: Range<Int>, columns: Range<Int>, from position: Int = 0,
        above bytes: [UInt8] = []
    ) {
        self.header = header
        self.rows = rows
        self.columns = columns
        expansion = PixelExpansion(header)
        stride = header.rowBytes + 1
        // Filters look to the left and up, never to the right: columns behind the needed ones are left out.
        count = header.rowBytes(columns: columns.upperBound)
        row = (position + stride - 1) / stride
        passed = row * stride - position
        let margin = RowFilter.margin
        // Freed in deinit. All rows begin behind a margin, which stays zero.
        func allocate(_ size: Int) -> UnsafeMutableRawPointer {
            let memory = UnsafeMutableRawPointer.allocate(byteCount: size + 2 * margin, alignment: 64)
            unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: size + 2 * margin)
            return unsafe memory
        }
        unsafe partial = allocate(stride)
        unsafe above = allocate(count)
        unsafe current = allocate(count)
        unsafe pixels = allocate(columns.count * header.pixelBytes)
        let kept = min(bytes.count, count)
        unsafe bytes.withUnsafeBytes {
            // The rows above were allocated with this count.
            guard kept > 0, let base = $0.baseAddress else { return }
            unsafe (above + margin).copyMemory(from: base, byteCount: kept)
        }
    }

    // No other owner.
    deinit {
        unsafe partial.deallocate()
        unsafe above.deallocate()
        unsafe current.deallocate()
        unsafe pixels.deallocate()
    }

    /// Whether all needed rows were lent.
    var isDone: Bool { row >= rows.upperBound }

    /// Lends the rows that end in the next bytes of the stream, which have a margin behind them.
    func read(
        _ bytes: UnsafeRawBufferPointer, _ lend: (RawSpan) throws -> Void
    ) throws {
        var offset = min(passed, bytes.count)
        passed -= offset
        while offset < bytes.count, !isDone {
            // Inside of the bytes.
            let start = unsafe UnsafeRawBufferPointer(rebasing: bytes[offset...]).baseAddress!
            let available = bytes.count - offset
            if partialCount == 0, available >= stride {
                let next = available > stride ? unsafe (start + stride).load(as: UInt8.self) : nil
                try unsafe read(start, next: next, lend)
                offset += stride
                continue
            }
            // A row that began in one chunk and ends in another is put together.
            let copied = min(stride - partialCount, available)
            unsafe (partial + partialCount).copyMemory(from: start, byteCount: copied)
            partialCount += copied
            offset += copied
            guard partialCount == stride else { return }
            partialCount = 0
            let next = unsafe offset < bytes.count ? bytes[offset] : nil
            try unsafe read(UnsafeRawPointer(partial), next: next, lend)
        }
    }

    /// Reconstructs a row, where it or the row below needs it, and lends it.
    ///
    /// - Parameter next: The filter of the row below, where it is known.
    private func read(
        _ start: UnsafeRawPointer, next: UInt8?, _ lend: (RawSpan) throws -> Void
    ) throws {
        let filter = unsafe start.load(as: UInt8.self)
        if marked?.row == row { marked?.filter = filter }
        let isMarked = marked?.row == row + 1
        // Nobody needs the row: it is not lent, and the filters 0 and 1 of the row below do not look up.
        if row < rows.lowerBound, !isMarked, let next, next <= 1 {
            guard filter <= 4 else { throw PNGIndexError.brokenData }
            row += 1
            return
        }
        let margin = RowFilter.margin
        guard
            unsafe RowFilter.reverse(
                filter, start + 1, above: above + margin, to: current + margin, count: count,
                distance: header.filterDistance)
        else { throw PNGIndexError.brokenData }
        // Vectors may have written behind the row, where the next one reads only what it does not use.
        unsafe swap(&above, &current)
        if isMarked {
            marked?.above = unsafe [UInt8](UnsafeRawBufferPointer(start: above + margin, count: count))
        }
        defer { row += 1 }
        guard rows.contains(row) else { return }
        try unsafe lendPixels(above + margin, lend)
    }

    private func lendPixels(_ row: UnsafeMutableRawPointer, _ lend: (RawSpan) throws -> Void) throws {
        let size = columns.count * header.pixelBytes
        var start = unsafe UnsafeRawPointer(row) + columns.lowerBound * header.pixelBytes
        if !expansion.isIdentity {
            unsafe expansion.write(row, columns: columns, to: pixels)
            unsafe start = UnsafeRawPointer(pixels)
        }
        // Lent during the call.
        try unsafe lend(UnsafeRawBufferPointer(start: start, count: size).bytes)
    }
}

extension RowDecoder {
    /// Keeps what is needed to begin with the first whole row from a position of the stream on.
    func mark(position: Int) {
        marked = MarkedRow(row: (position + stride - 1) / stride)
        // The row above is complete where the position is the start of a row.
        if marked?.row == row {
            marked?.above = unsafe [UInt8](
                UnsafeRawBufferPointer(start: above + RowFilter.margin, count: count))
        }
    }

    /// The marked row once its filter is known; it is returned once.
    func takeMarked() -> MarkedRow? {
        guard let found = marked, found.filter != nil else { return nil }
        marked = nil
        return found
    }
}
