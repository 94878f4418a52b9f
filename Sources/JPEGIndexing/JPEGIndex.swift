package import Files

/// Places in a JPEG's compressed data from which decoding can begin.
///
/// One at the beginning of each row of MCUs and every `interval` MCUs in it. An index is a hint about the file
/// it was made from: whatever it says, reading through it stays inside the file.
public struct JPEGIndex: Hashable, Sendable {
    /// MCUs between two places of a row.
    public let interval: Int
    /// The rows of MCUs that are indexed, from the top.
    public let rows: Int
    /// MCUs in a row.
    let mcusPerRow: Int
    /// The places, in bits from the beginning of the file.
    var places: [UInt64]
    /// The last DC value of each component before each place.
    var predictors: [SIMD4<Int16>]

    /// The interval that is used unless another is asked for.
    public static let standardInterval = 64

    /// The interval for files whose parts are read again and again: 16 bytes of memory for every four MCUs.
    public static let denseInterval = 4

    init(interval: Int, rows: Int, mcusPerRow: Int, places: [UInt64] = [], predictors: [SIMD4<Int16>] = []) {
        self.interval = interval
        self.rows = rows
        self.mcusPerRow = mcusPerRow
        self.places = places
        self.predictors = predictors
    }

    /// The places of a row.
    var placesPerRow: Int { (mcusPerRow + interval - 1) / interval }

    /// Notes the place where a cursor stands.
    mutating func append(_ cursor: MCUCursor) throws(JPEGIndexError) {
        predictors.append(try cursor.savedPredictors)
        places.append(cursor.place)
    }

    /// The last place at or before an MCU of a row; the column behind the row's last is of that row still.
    func place(row: Int, column: Int) throws(JPEGIndexError) -> Int {
        guard row >= 0, row < rows, column >= 0, column <= mcusPerRow else { throw .outside }
        return row * placesPerRow + min(column / interval, placesPerRow - 1)
    }

    /// A cursor at a place.
    func cursor(_ scanner: EntropyScanner, _ window: ByteWindow, at place: Int) -> MCUCursor {
        MCUCursor(
            scanner, window, mcu: mcu(ofPlace: place), place: places[place],
            predictors: SIMD4<Int32>(truncatingIfNeeded: predictors[place]))
    }
}

extension JPEGIndex {
    /// Reads the compressed data once and notes where decoding can begin.
    ///
    /// `rows` stops behind so many rows of MCUs: for a single look at a file, where the rows below the region
    /// need not be read. With two threads, large files are read from the middle too; the result is the same.
    /// Throws where the data is broken or ends too early.
    public init(
        _ file: RawSpan, header: JPEGHeader, rows: Int? = nil, interval: Int = standardInterval,
        threads: Int = 1
    ) throws(JPEGIndexError) {
        self = try UnsafeByteView.of(file) { data throws(JPEGIndexError) in
            try JPEGIndex(ByteWindow(data), header, rows: rows, interval: interval, threads: threads)
        }
    }

    /// The same of an open file, of which little is in memory at any time.
    package init(
        _ file: OpenFile, header: JPEGHeader, rows: Int? = nil, interval: Int = standardInterval,
        threads: Int = 1
    ) throws(JPEGIndexError) {
        try self.init(ByteWindow(file), header, rows: rows, interval: interval, threads: threads)
    }

    private init(
        _ window: ByteWindow, _ header: JPEGHeader, rows: Int?, interval: Int, threads: Int
    ) throws(JPEGIndexError) {
        precondition(interval > 0, "an index needs places")
        let scanner = EntropyScanner(header)
        let isLarge = window.count >= Self.leastSizeForTwoThreads
        if threads > 1, isLarge, rows == nil || rows! >= header.mcuRows {
            self = try JPEGIndex.inTwoParts(window, scanner, interval: interval)
        } else {
            try self.init(window, scanner, rows: rows, interval: interval)
        }
    }

    /// Below, starting a second thread gains nothing that anybody feels.
    private static var leastSizeForTwoThreads: Int { 20_000_000 }

    init(
        _ window: ByteWindow, _ scanner: EntropyScanner, rows: Int?, interval: Int
    ) throws(JPEGIndexError) {
        let header = scanner.header
        self.init(
            interval: interval, rows: max(0, min(rows ?? header.mcuRows, header.mcuRows)),
            mcusPerRow: header.mcusPerRow)
        var cursor = MCUCursor(scanner, window)
        try scan(&cursor) { _ in false }
    }

    /// The first MCU behind the places noted so far: where the next place is.
    var nextMCU: Int { mcu(ofPlace: places.count) }

    /// The places of a complete index.
    var placeCount: Int { rows * placesPerRow }

    /// The MCU that a place is before.
    func mcu(ofPlace number: Int) -> Int {
        number / placesPerRow * mcusPerRow + number % placesPerRow * interval
    }

    /// Notes places from `cursor` on, which stands at the next one, up to the end or until `stop` at a place.
    mutating func scan(
        _ cursor: inout MCUCursor, until stop: (MCUCursor) -> Bool
    ) throws(JPEGIndexError) {
        while places.count < placeCount, !stop(cursor) {
            try append(cursor)
            try cursor.advance(by: nextMCU - cursor.mcu)
        }
    }
}

/// A place between two MCUs, which can go on from MCU to MCU over restart markers.
struct MCUCursor {
    let scanner: EntropyScanner
    let window: ByteWindow
    var state: EntropyState
    /// The number of the next MCU, row by row.
    private(set) var mcu: Int

    /// At a known place.
    init(_ scanner: EntropyScanner, _ window: ByteWindow, mcu: Int, place: UInt64, predictors: SIMD4<Int32>) {
        self.scanner = scanner
        self.window = window
        self.mcu = mcu
        window.come(to: Int(truncatingIfNeeded: place >> 3))
        state = EntropyState(window.data, at: place, predictors: predictors)
    }

    /// At the first MCU.
    init(_ scanner: EntropyScanner, _ window: ByteWindow) {
        self.init(scanner, window, mcu: 0, place: UInt64(scanner.header.dataStart) << 3, predictors: .zero)
    }

    /// The position of the next bit, counted from the beginning of the file.
    var place: UInt64 { state.place(window.data) }

    /// The MCUs before the next restart marker, or before the end.
    var mcusToRestart: Int {
        let interval = scanner.header.restartInterval
        let toEnd = scanner.header.mcuCount - mcu
        return interval == 0 ? toEnd : min(toEnd, interval - mcu % interval)
    }

    /// The last DC values in the form that an index keeps.
    var savedPredictors: SIMD4<Int16> {
        get throws(JPEGIndexError) {
            let small = SIMD4<Int16>(truncatingIfNeeded: state.predictors)
            // Predictors of data that is not broken are of 12 bits.
            guard SIMD4<Int32>(truncatingIfNeeded: small) == state.predictors else { throw error }
            return small
        }
    }

    /// How many of the next MCUs can be read with the bytes that are in memory, at least one of some.
    @inline(__always)
    func readable(_ count: Int) -> Int { window.readable(count, at: state.position) }

    /// Goes on by `count` MCUs and over the restart markers between and behind them.
    mutating func advance(by count: Int) throws(JPEGIndexError) {
        var left = count
        while left > 0 {
            let run = readable(min(left, mcusToRestart))
            guard run > 0, scanner.skip(run, window.data, &state) else { throw error }
            try passed(run)
            left -= run
        }
    }

    /// Counts MCUs that the caller has read through `state`, and passes a restart marker behind them.
    mutating func passed(_ count: Int) throws(JPEGIndexError) {
        mcu += count
        let interval = scanner.header.restartInterval
        guard interval > 0, mcu % interval == 0, mcu < scanner.header.mcuCount else { return }
        var byte = state.nextByte(window.data)
        guard window.byte(byte) == 0xFF else { throw error }
        while window.byte(byte) == 0xFF { byte += 1 }
        guard window.byte(byte) == 0xD0 + UInt8((mcu / interval - 1) & 7) else { throw error }
        window.come(to: byte + 1)
        state = EntropyState(window.data, at: UInt64(byte + 1) << 3)
    }

    /// Counts all MCUs that are left as read: nothing can be read after that.
    mutating func end() { mcu = scanner.header.mcuCount }

    /// What to say about data that does not go on here.
    var error: JPEGIndexError { .brokenStream(mcuRow: mcu / scanner.header.mcusPerRow) }
}
