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
