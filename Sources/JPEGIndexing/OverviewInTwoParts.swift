internal import ViewportGeometry

/// The image at one eighth, read from the beginning and from the middle at once.
///
/// The reader from the beginning gives the rows. Where it comes to a place at which the other stood between two
/// MCUs, it knows how much that one's DC values lack, and takes over what it has read: see `JPEGIndex.inTwoParts`.
struct OverviewInTwoParts {
    private let header: JPEGHeader
    private let plan: OverviewPlan
    private let samples: SampleRows
    private let tail: OverviewTail
    private let middle: UInt64
    private var cursor: MCUCursor
    private var pixels: [UInt8]

    init(_ scanner: EntropyScanner, _ window: ByteWindow, _ plan: OverviewPlan) {
        header = scanner.header
        self.plan = plan
        samples = SampleRows(plan, mcusPerRow: header.mcusPerRow)
        tail = OverviewTail(scanner, window.another, plan)
        middle = UInt64(header.dataStart + (window.count - header.dataStart) / 2) << 3
        cursor = MCUCursor(scanner, window)
        pixels = [UInt8](repeating: 0, count: header.size(at: .eighth).width * plan.components.count)
    }

    mutating func read(_ emit: (Int, RawSpan) -> Void) throws(JPEGIndexError) {
        tail.start(at: Int(middle >> 3))
        do throws(JPEGIndexError) {
            while cursor.place < middle, cursor.mcu < header.mcuCount { try readRow(emit) }
        } catch {
            // The data is lent until this returns, and the other thread reads it.
            tail.end()
            throw error
        }
        tail.end()
        if let first = try meet(emit) { try take(from: first, emit) }
        while cursor.mcu < header.mcuCount { try readRow(emit) }
    }

    /// Goes on to the end of a row of MCUs.
    private mutating func readRow(_ emit: (Int, RawSpan) -> Void) throws(JPEGIndexError) {
        try read(header.mcusPerRow - cursor.mcu % header.mcusPerRow, emit)
    }

    /// Goes on by MCUs of one row, and gives its pixels where it ends.
    private mutating func read(_ count: Int, _ emit: (Int, RawSpan) -> Void) throws(JPEGIndexError) {
        let column = cursor.mcu % header.mcusPerRow
        try cursor.decode(from: column, to: column + count, plan, samples)
        if column + count == header.mcusPerRow { give(cursor.mcu / header.mcusPerRow - 1, emit) }
    }

    private mutating func give(_ row: Int, _ emit: (Int, RawSpan) -> Void) {
        let height = header.size(at: .eighth).height
        for y in 0..<min(plan.mcuHeight, height - row * plan.mcuHeight) {
            plan.convert(samples, y: y, to: &pixels)
            // Bytes have no padding, and the span is lent no longer than the array lives.
            emit(row * plan.mcuHeight + y, unsafe pixels.span.bytes)
        }
    }

    /// Goes on until it stands where the tail stood: the tail's MCU there; nil where that does not happen.
    private mutating func meet(_ emit: (Int, RawSpan) -> Void) throws(JPEGIndexError) -> Int? {
        guard tail.isUsable else { return nil }
        var next = 0
        while cursor.mcu < header.mcuCount {
            let place = cursor.place
            while next < tail.places.count, tail.places[next] < place { next += 1 }
            guard next < tail.places.count else { return nil }
            if tail.places[next] == place { return next }
            try read(1, emit)
        }
        return nil
    }

    /// Takes the tail's MCUs for the rest, and stands behind the last of them.
    ///
    /// It ends early where the tail did, or has samples that may not be floated: they are read again.
    private mutating func take(from first: Int, _ emit: (Int, RawSpan) -> Void) throws(JPEGIndexError) {
        let constants = cursor.state.predictors &- tail.predictors[first]
        var mcu = cursor.mcu
        for number in first..<tail.count where mcu < header.mcuCount {
            let column = mcu % header.mcusPerRow
            guard tail.set(number, adding: constants, to: samples, column: column) else { break }
            mcu += 1
            if column + 1 == header.mcusPerRow { give(mcu / header.mcusPerRow - 1, emit) }
        }
        if mcu < header.mcuCount { try cursor.advance(by: mcu - cursor.mcu) } else { cursor.end() }
    }
}
