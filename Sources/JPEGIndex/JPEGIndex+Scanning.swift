extension JPEGIndex {
    /// Reads the compressed data once and notes where decoding can begin.
    ///
    /// `rows` stops behind so many rows of MCUs: for a single look at a file, where the rows below the region
    /// need not be read. With two threads, large files are read from the middle too; the result is the same.
    /// One thread tells `passed` now and then which byte it has come to; it does not go back behind that.
    /// Throws where the data is broken or ends too early.
    public init(
        _ file: RawSpan, header: JPEGHeader, rows: Int? = nil, interval: Int = standardInterval,
        threads: Int = 1, passed: (_ byte: Int) -> Void = { _ in }
    ) throws(JPEGIndexError) {
        precondition(interval > 0, "an index needs places")
        self = try LentBytes.of(file) { data throws(JPEGIndexError) in
            let scanner = EntropyScanner(header)
            let isLarge = data.count >= Self.leastSizeForTwoThreads
            if threads > 1, isLarge, rows == nil || rows! >= header.mcuRows {
                return try JPEGIndex.inTwoParts(data, scanner, interval: interval)
            }
            return try JPEGIndex(data, scanner, rows: rows, interval: interval, passed: passed)
        }
    }

    /// How many bytes are passed before it is told.
    static var bytesBetweenNews: Int { 1 << 20 }

    /// Below, starting a second thread gains nothing that anybody feels.
    private static var leastSizeForTwoThreads: Int { 20_000_000 }

    init(
        _ data: LentBytes, _ scanner: EntropyScanner, rows: Int?, interval: Int, passed: (Int) -> Void
    ) throws(JPEGIndexError) {
        let header = scanner.header
        self.init(
            interval: interval, rows: max(0, min(rows ?? header.mcuRows, header.mcuRows)),
            mcusPerRow: header.mcusPerRow)
        var cursor = MCUCursor(scanner, data)
        var told = 0
        try scan(&cursor) { cursor in
            let byte = Int(cursor.place / 8)
            if byte - told > Self.bytesBetweenNews {
                told = byte
                passed(byte)
            }
            return false
        }
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
