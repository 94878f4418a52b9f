internal import Dispatch

extension JPEGIndex {
    /// The index of a file that two threads read, from the beginning and from the middle.
    ///
    /// JPEG's codes are self-synchronizing: a reader that starts in the middle soon reads the same MCUs as one
    /// from the beginning, without knowing their numbers and DC values. The reader from the beginning proves it
    /// by reaching a position where the other was between two MCUs, the resync point: from there, both read the
    /// same. Without such a point, it continues alone.
    package static func splitScan(
        _ file: RawSpan, header: JPEGHeader, interval: Int = defaultInterval
    ) throws(JPEGIndexError) -> JPEGIndex {
        try ByteWindow.lending(file) { window throws(JPEGIndexError) in
            try splitScan(window, EntropyScanner(header), interval: interval)
        }
    }

    static func splitScan(
        _ window: ByteWindow, _ scanner: EntropyScanner, interval: Int
    ) throws(JPEGIndexError) -> JPEGIndex {
        let scan = SplitScan(window, scanner, interval: valid(interval))
        DispatchQueue.concurrentPerform(iterations: 2) { half in
            if half == 0 { scan.readHead() } else { scan.readTail() }
        }
        return try scan.merged()
    }
}

/// The two readers of one file.
// The readers share no properties, and `merged` runs when both have ended.
private final class SplitScan: @unchecked Sendable {
    private let scanner: EntropyScanner
    private let middle: Int
    // The head's.
    private var index: JPEGIndex
    private var cursor: MCUCursor
    private var error: JPEGIndexError?
    // The tail's.
    private let tailWindow: ByteWindow
    private var trace: SyncTrace?

    init(_ window: ByteWindow, _ scanner: EntropyScanner, interval: Int) {
        let header = scanner.header
        self.scanner = scanner
        tailWindow = window.duplicate()
        middle = header.dataStart + (window.count - header.dataStart) / 2
        index = JPEGIndex(interval: interval, rows: header.mcuRows, mcusPerRow: header.mcusPerRow)
        cursor = MCUCursor(scanner, window)
    }

    func readHead() {
        let end = UInt64(middle) << 3
        do throws(JPEGIndexError) {
            try index.scan(&cursor) { $0.bitPosition >= end }
        } catch {
            self.error = error
        }
    }

    func readTail() { trace = SyncTrace(scanner, tailWindow, from: middle) }

    func merged() throws(JPEGIndexError) -> JPEGIndex {
        if let error { throw error }
        guard let trace, let resync = try resyncPoint(in: trace) else {
            try index.scan(&cursor) { _ in false }
            return index
        }
        while !index.isComplete {
            let mcu = index.nextMCU
            // The tail's last entry before that MCU, unless the cursor is nearer.
            if let entry = trace.last(before: mcu - resync.mcus), entry.mcu + resync.mcus > cursor.mcu {
                cursor = MCUCursor(
                    scanner, cursor.window, mcu: entry.mcu + resync.mcus, bitPosition: entry.bitPosition,
                    predictors: entry.predictors &+ resync.predictors)
            }
            try cursor.advance(by: mcu - cursor.mcu)
            try index.append(cursor)
        }
        try cursor.advance(by: scanner.header.mcuCount - cursor.mcu)
        return index
    }

    /// Continues from the head to the resync point; returns what to add to the tail's numbers and predictors.
    ///
    /// Nil where there is none among the dense entries.
    private func resyncPoint(
        in trace: SyncTrace
    ) throws(JPEGIndexError) -> (mcus: Int, predictors: SIMD4<Int32>)? {
        var next = 0
        while !index.isComplete {
            if cursor.mcu == index.nextMCU { try index.append(cursor) }
            let bitPosition = cursor.bitPosition
            while next < trace.dense.count, trace.dense[next].bitPosition < bitPosition { next += 1 }
            guard next < trace.dense.count else { break }
            let entry = trace.dense[next]
            if entry.bitPosition == bitPosition {
                return (cursor.mcu - entry.mcu, cursor.state.predictors &- entry.predictors)
            }
            guard cursor.mcu < scanner.header.mcuCount else { break }
            try cursor.advance(by: 1)
        }
        // To the next checkpoint, from which scanning continues.
        if !index.isComplete { try cursor.advance(by: index.nextMCU - cursor.mcu) }
        return nil
    }
}

/// The MCUs that a reader found after it started somewhere in the data.
private struct SyncTrace {
    struct Entry {
        /// Counted from the reader's start.
        var mcu: Int
        var bitPosition: UInt64
        var predictors: SIMD4<Int32>

        init(_ cursor: MCUCursor) {
            mcu = cursor.mcu
            bitPosition = cursor.bitPosition
            predictors = cursor.state.predictors
        }
    }

    /// Every MCU of the beginning: the candidates for the resync point.
    private(set) var dense: [Entry] = []
    /// One MCU of every `step`, from the beginning.
    private var sparse: [Entry] = []

    private static let denseCount = 2048
    private static let step = 8

    /// Nil where the data cannot be read from any of a few starting points.
    init?(_ scanner: EntropyScanner, _ window: ByteWindow, from start: Int) {
        for attempt in 0..<32 {
            guard let cursor = MCUCursor(scanner, window, near: start + 61 * attempt) else { return nil }
            if read(cursor) { return }
        }
        return nil
    }

    /// Reads as far as possible; returns false where that is less than the dense part.
    private mutating func read(_ start: MCUCursor) -> Bool {
        var cursor = start
        dense = []
        sparse = []
        do throws(JPEGIndexError) {
            while dense.count < Self.denseCount {
                dense.append(Entry(cursor))
                try cursor.advance(by: 1)
            }
            while true {
                sparse.append(Entry(cursor))
                try cursor.advance(by: Self.step)
            }
        } catch {
            return dense.count == Self.denseCount
        }
    }

    /// The last entry at an MCU or before it.
    func last(before mcu: Int) -> Entry? {
        guard let first = dense.first, mcu >= first.mcu else { return nil }
        if mcu - first.mcu < dense.count { return dense[mcu - first.mcu] }
        guard let start = sparse.first else { return dense.last }
        return sparse[min((mcu - start.mcu) / Self.step, sparse.count - 1)]
    }
}

extension MCUCursor {
    /// At a byte in the middle, most likely not between two MCUs, with DC values counted from 0; where the file has
    /// restart markers, behind the next of them.
    init?(_ scanner: EntropyScanner, _ window: ByteWindow, near start: Int) {
        var byte = start
        let interval = scanner.header.restartInterval
        if interval == 0 {
            guard byte < window.count else { return nil }
            // Not between 0xFF and its stuffed zero.
            if window.byte(byte - 1) == 0xFF { byte += 1 }
            self.init(scanner, window, mcu: 0, bitPosition: UInt64(byte) << 3, predictors: .zero)
            return
        }
        while let first = window.byte(byte), let second = window.byte(byte + 1) {
            if first == 0xFF, (0xD0...0xD7).contains(second) {
                // The marker's number sets the count, so that the next markers are expected with theirs.
                let mcu = (Int(second & 7) + 1) * interval
                self.init(
                    scanner, window, mcu: mcu, bitPosition: UInt64(byte + 2) << 3, predictors: .zero)
                return
            }
            byte += 1
        }
        return nil
    }
}
