/// Checkpoints in a JPEG's entropy-coded data from which decoding can begin.
///
/// There is one at the beginning of each row of MCUs, and one after every `interval` MCUs in it. An index is a hint
/// about the file it was made from: whatever it says, reading through it stays inside the file.
public struct JPEGIndex: Hashable, Sendable {
    /// The MCUs between two checkpoints of a row.
    public let interval: Int
    /// The rows of MCUs that are indexed, from the top.
    public let rows: Int
    /// The MCUs in a row.
    let mcusPerRow: Int
    /// The checkpoints' positions, in bits from the beginning of the file.
    private(set) var bitPositions: [UInt64] = []
    /// The last DC value of each component before each checkpoint.
    private(set) var predictors: [SIMD4<Int16>] = []

    /// The default interval.
    public static let defaultInterval = 64

    /// An interval for files that are read often: it takes 16 bytes of memory for every four MCUs.
    public static let denseInterval = 4

    /// An interval from 1 to more MCUs than any row has.
    static func valid(_ interval: Int) -> Int { max(1, min(interval, 1 << 16)) }
}

extension JPEGIndex {
    /// The position in the file of the last checkpoint.
    package var lastByte: Int { bitPositions.last.map { Int(truncatingIfNeeded: $0 >> 3) } ?? 0 }

    /// The checkpoints of a row.
    var checkpointsPerRow: Int { (mcusPerRow + interval - 1) / interval }

    /// The checkpoints of a complete index.
    var checkpointCount: Int { rows * checkpointsPerRow }

    /// The MCU of the next checkpoint to add.
    var nextMCU: Int { mcu(ofCheckpoint: bitPositions.count) }

    /// The MCU behind a checkpoint.
    func mcu(ofCheckpoint number: Int) -> Int {
        number / checkpointsPerRow * mcusPerRow + number % checkpointsPerRow * interval
    }

    /// The last checkpoint at or before an MCU; the column behind the last of a row still belongs to that row.
    func checkpoint(row: Int, column: Int) throws(JPEGIndexError) -> Int {
        guard row >= 0, row < rows, column >= 0, column <= mcusPerRow else { throw .outside }
        return row * checkpointsPerRow + min(column / interval, checkpointsPerRow - 1)
    }

    /// A cursor at a checkpoint.
    func cursor(_ scanner: EntropyScanner, _ window: ByteWindow, at checkpoint: Int) -> MCUCursor {
        MCUCursor(
            scanner, window, mcu: mcu(ofCheckpoint: checkpoint), bitPosition: bitPositions[checkpoint],
            predictors: SIMD4<Int32>(truncatingIfNeeded: predictors[checkpoint]))
    }

    /// Adds a checkpoint at a cursor.
    mutating func append(_ cursor: MCUCursor) throws(JPEGIndexError) {
        append(cursor.bitPosition, try cursor.savedPredictors)
    }

    /// Adds a checkpoint.
    mutating func append(_ bitPosition: UInt64, _ predictors: SIMD4<Int16>) {
        self.predictors.append(predictors)
        bitPositions.append(bitPosition)
    }

    /// Adds the checkpoints of an index of the first rows.
    mutating func append(_ index: JPEGIndex) {
        bitPositions += index.bitPositions
        predictors += index.predictors
    }

    /// The index of the first rows.
    func prefix(rows: Int) -> JPEGIndex {
        guard rows < self.rows else { return self }
        var result = JPEGIndex(interval: interval, rows: rows, mcusPerRow: mcusPerRow)
        result.bitPositions = Array(bitPositions.prefix(result.checkpointCount))
        result.predictors = Array(predictors.prefix(result.checkpointCount))
        return result
    }

    /// The same index with every second checkpoint of each row.
    package func thinned() -> JPEGIndex {
        var result = JPEGIndex(interval: interval * 2, rows: rows, mcusPerRow: mcusPerRow)
        for number in bitPositions.indices where number % checkpointsPerRow % 2 == 0 {
            result.append(bitPositions[number], predictors[number])
        }
        return result
    }
}

/// A position between two MCUs, which advances from MCU to MCU and over restart markers.
struct MCUCursor {
    let scanner: EntropyScanner
    let window: ByteWindow
    var state: EntropyState
    /// The number of the next MCU, row by row.
    private(set) var mcu: Int

    /// Makes a cursor at a position that is known to be before an MCU.
    init(
        _ scanner: EntropyScanner, _ window: ByteWindow, mcu: Int, bitPosition: UInt64,
        predictors: SIMD4<Int32>
    ) {
        self.scanner = scanner
        self.window = window
        self.mcu = mcu
        window.load(at: Int(truncatingIfNeeded: bitPosition >> 3))
        state = EntropyState(window.data, at: bitPosition, predictors: predictors)
    }

    /// Makes a cursor at the first MCU.
    init(_ scanner: EntropyScanner, _ window: ByteWindow) {
        self.init(
            scanner, window, mcu: 0, bitPosition: UInt64(scanner.header.dataStart) << 3, predictors: .zero)
    }

    /// The position of the next bit, counted from the beginning of the file.
    var bitPosition: UInt64 { state.bitPosition(in: window.data) }

    /// The MCUs before the next restart marker, or before the end.
    var mcusToRestart: Int {
        let interval = scanner.header.restartInterval
        let toEnd = scanner.mcuCount - mcu
        return interval == 0 ? toEnd : min(toEnd, interval - mcu % interval)
    }

    /// The last DC values in the form that an index keeps.
    var savedPredictors: SIMD4<Int16> {
        get throws(JPEGIndexError) {
            let small = SIMD4<Int16>(truncatingIfNeeded: state.predictors)
            // Predictors of valid data have 12 bits.
            guard SIMD4<Int32>(truncatingIfNeeded: small) == state.predictors else { throw error }
            return small
        }
    }

    /// The number of the next MCUs that can be read with the loaded bytes: `limit`, or fewer, at least one.
    @inline(__always)
    func loadedMCUs(upTo limit: Int) -> Int {
        window.loadedMCUs(upTo: limit, of: scanner.maximumMCUSize, at: state.position)
    }

    /// Advances by `count` MCUs and over the restart markers between and behind them.
    mutating func advance(by count: Int) throws(JPEGIndexError) {
        var left = count
        while left > 0 {
            let run = loadedMCUs(upTo: min(left, mcusToRestart))
            guard run > 0, scanner.skip(run, window.data, &state) else { throw error }
            try passed(run)
            left -= run
        }
    }

    /// Counts MCUs that the caller has read through `state`, and passes a restart marker behind them.
    mutating func passed(_ count: Int) throws(JPEGIndexError) {
        mcu += count
        let interval = scanner.header.restartInterval
        guard interval > 0, mcu % interval == 0, mcu < scanner.mcuCount else { return }
        var byte = state.nextByte(in: window.data)
        guard window.byte(byte) == 0xFF else { throw error }
        while window.byte(byte) == 0xFF { byte += 1 }
        guard window.byte(byte) == 0xD0 + UInt8((mcu / interval - 1) & 7) else { throw error }
        window.load(at: byte + 1)
        state = EntropyState(window.data, at: UInt64(byte + 1) << 3)
    }

    /// The error of data that cannot be read here.
    var error: JPEGIndexError { .brokenStream(mcuRow: mcu / scanner.header.mcusPerRow) }
}

#if !hasFeature(Embedded)
extension JPEGIndex: CustomStringConvertible {
    /// The number of checkpoints: "14364 checkpoints in 189 rows".
    public var description: String { "\(bitPositions.count) checkpoints in \(rows) rows" }
}
#endif
