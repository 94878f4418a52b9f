package import Files

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
    ///
    /// - Parameter isCancelled: asked on every thread after each half megabyte; once it says true, the scan throws
    ///   as if the data ended there.
    package init(
        _ file: OpenFile, header: JPEGHeader, rows: Int? = nil, interval: Int = standardInterval,
        threads: Int = 1, isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(JPEGIndexError) {
        let window = ByteWindow(file, isCancelled: isCancelled)
        try self.init(window, header, rows: rows, interval: interval, threads: threads)
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
