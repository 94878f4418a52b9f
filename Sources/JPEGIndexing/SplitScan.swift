internal import Dispatch

extension JPEGIndex {
    /// The index of a file that is read from the beginning and from the middle at once.
    ///
    /// Codes of JPEG synchronise themselves: whoever starts in the middle soon reads the same MCUs as whoever
    /// comes from the beginning, though without knowing their numbers and DC values. The reader from the
    /// beginning proves it, by coming to a place where the other stood between two MCUs: from there on both
    /// read the same. Where that does not happen it reads on alone.
    package static func inTwoParts(
        _ file: RawSpan, header: JPEGHeader, interval: Int = standardInterval
    ) throws(JPEGIndexError) -> JPEGIndex {
        try UnsafeByteView.of(file) { data throws(JPEGIndexError) in
            try inTwoParts(ByteWindow(data), EntropyScanner(header), interval: interval)
        }
    }

    static func inTwoParts(
        _ window: ByteWindow, _ scanner: EntropyScanner, interval: Int
    ) throws(JPEGIndexError) -> JPEGIndex {
        let halves = SplitScan(window, scanner, interval: interval)
        DispatchQueue.concurrentPerform(iterations: 2) { half in
            if half == 0 { halves.readHead() } else { halves.readTail() }
        }
        return try halves.joined()
    }
}

/// The two readers of one file.
// Each half has properties of its own, and `joined` runs when both have ended.
private final class SplitScan: @unchecked Sendable {
    private let scanner: EntropyScanner
    private let middle: Int
    // The head's.
    private var index: JPEGIndex
    private var cursor: MCUCursor
    private var error: JPEGIndexError?
    // The tail's.
    private let tailWindow: ByteWindow
    private var trail: SyncTrace?

    init(_ window: ByteWindow, _ scanner: EntropyScanner, interval: Int) {
        let header = scanner.header
        self.scanner = scanner
        tailWindow = window.another
        middle = header.dataStart + (window.count - header.dataStart) / 2
        index = JPEGIndex(interval: interval, rows: header.mcuRows, mcusPerRow: header.mcusPerRow)
        cursor = MCUCursor(scanner, window)
    }

    func readHead() {
        let end = UInt64(middle) << 3
        do throws(JPEGIndexError) {
            try index.scan(&cursor) { $0.place >= end }
        } catch {
            self.error = error
        }
    }

    func readTail() { trail = SyncTrace(scanner, tailWindow, from: middle) }

    func joined() throws(JPEGIndexError) -> JPEGIndex {
        if let error { throw error }
        guard let trail, let meeting = try meeting(with: trail) else {
            try index.scan(&cursor) { _ in false }
            return index
        }
        while index.places.count < index.placeCount {
            let mcu = index.nextMCU
            // The tail's last note before that place, unless the cursor is nearer.
            if let note = trail.last(before: mcu - meeting.offset), note.mcu + meeting.offset > cursor.mcu {
                cursor = MCUCursor(
                    scanner, cursor.window, mcu: note.mcu + meeting.offset, place: note.place,
                    predictors: note.predictors &+ meeting.predictors)
            }
            try cursor.advance(by: mcu - cursor.mcu)
            try index.append(cursor)
        }
        try cursor.advance(by: scanner.header.mcuCount - cursor.mcu)
        return index
    }

    /// Goes on from the head until it stands where the tail stood: what the tail's numbers lack there.
    ///
    /// Nil where they do not meet as long as the tail noted every MCU.
    private func meeting(
        with trail: SyncTrace
    ) throws(JPEGIndexError) -> (offset: Int, predictors: SIMD4<Int32>)? {
        var next = 0
        while index.places.count < index.placeCount {
            if cursor.mcu == index.nextMCU { try index.append(cursor) }
            let place = cursor.place
            while next < trail.dense.count, trail.dense[next].place < place { next += 1 }
            guard next < trail.dense.count else { break }
            let note = trail.dense[next]
            if note.place == place {
                return (cursor.mcu - note.mcu, cursor.state.predictors &- note.predictors)
            }
            guard cursor.mcu < scanner.header.mcuCount else { break }
            try cursor.advance(by: 1)
        }
        // To a place, from which scanning can go on.
        if index.places.count < index.placeCount { try cursor.advance(by: index.nextMCU - cursor.mcu) }
        return nil
    }
}

/// What a reader noted who started somewhere in the data.
private struct SyncTrace {
    struct Note {
        /// Counted from where the reader started.
        var mcu: Int
        var place: UInt64
        var predictors: SIMD4<Int32>

        init(_ cursor: MCUCursor) {
            mcu = cursor.mcu
            place = cursor.place
            predictors = cursor.state.predictors
        }
    }

    /// Every MCU of the beginning: where the readers meet.
    var dense: [Note] = []
    /// One MCU of every `step`, from the beginning.
    private var sparse: [Note] = []

    private static let denseCount = 2048
    private static let step = 8

    /// Nil where nothing could be read from any of a few starting points.
    init?(_ scanner: EntropyScanner, _ window: ByteWindow, from start: Int) {
        for attempt in 0..<32 {
            guard let cursor = MCUCursor(scanner, window, near: start + 61 * attempt) else { return nil }
            if read(cursor) { return }
        }
        return nil
    }

    /// Notes as far as the data can be read; false where that is not even to the end of the dense part.
    private mutating func read(_ start: MCUCursor) -> Bool {
        var cursor = start
        dense = []
        sparse = []
        do throws(JPEGIndexError) {
            while dense.count < Self.denseCount {
                dense.append(Note(cursor))
                try cursor.advance(by: 1)
            }
            while true {
                sparse.append(Note(cursor))
                try cursor.advance(by: Self.step)
            }
        } catch {
            return dense.count == Self.denseCount
        }
    }

    /// The last note at an MCU or before it.
    func last(before mcu: Int) -> Note? {
        guard let first = dense.first, mcu >= first.mcu else { return nil }
        if mcu - first.mcu < dense.count { return dense[mcu - first.mcu] }
        guard let start = sparse.first else { return dense.last }
        return sparse[min((mcu - start.mcu) / Self.step, sparse.count - 1)]
    }
}

extension MCUCursor {
    /// At a byte in the middle, or behind the next restart marker where there are any; without them DC values
    /// are counted from 0, and most likely it is not between two MCUs.
    init?(_ scanner: EntropyScanner, _ window: ByteWindow, near start: Int) {
        var byte = start
        let interval = scanner.header.restartInterval
        if interval == 0 {
            guard byte < window.count else { return nil }
            // Not between 0xFF and its stuffed zero.
            if window.byte(byte - 1) == 0xFF { byte += 1 }
            self.init(scanner, window, mcu: 0, place: UInt64(byte) << 3, predictors: .zero)
            return
        }
        while let first = window.byte(byte), let second = window.byte(byte + 1) {
            if first == 0xFF, (0xD0...0xD7).contains(second) {
                // The marker's number sets the count, so that the next ones are expected with theirs.
                let mcu = (Int(second & 7) + 1) * interval
                self.init(scanner, window, mcu: mcu, place: UInt64(byte + 2) << 3, predictors: .zero)
                return
            }
            byte += 1
        }
        return nil
    }
}
