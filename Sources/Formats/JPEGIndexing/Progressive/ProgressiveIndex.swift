package import Files

/// Checkpoints in all scans of a progressive JPEG, from which any region can be decoded.
///
/// There is one at the beginning of each row of each scan, and one after every `interval` MCUs in it. Like a
/// `JPEGIndex` it is a hint: whatever it says, reading through it stays inside the file.
package struct ProgressiveIndex: Hashable, Sendable {
    /// The MCUs between two checkpoints of a row.
    package let interval: Int
    /// The checkpoints of a row.
    let columns: Int
    /// By scan.
    let scans: [ScanCheckpoints]

    /// The default interval: a checkpoint takes about 10 bytes of memory in each scan.
    package static let defaultInterval = 16

    init(interval: Int, columns: Int, scans: [ScanCheckpoints]) {
        self.interval = interval
        self.columns = columns
        self.scans = scans
    }

    /// Finds the checkpoints of an open file by one pass over all of its scans together.
    ///
    /// - Parameters:
    ///   - interval: The MCUs between two checkpoints of a row; values below 1 count as 1.
    ///   - threads: The scans are divided among so many.
    ///   - isCancelled: Called on every thread; once it returns true, the pass throws as if the data ended there.
    /// - Throws: `JPEGIndexError.brokenStream` where the data is broken or ends too early.
    package init(
        _ file: any RandomAccessBytes, header: ProgressiveHeader, interval: Int = defaultInterval,
        threads: Int = 1, isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(JPEGIndexError) {
        let window = ByteWindow(file, readAhead: ProgressiveWalk.readAhead, isCancelled: isCancelled)
        let interval = JPEGIndex.valid(interval)
        let walk = ProgressiveWalk(
            header, window, scans: Array(header.scans.indices), threads: threads, notesEvery: interval)
        try walk.run(rows: 0..<header.header.mcuRows, valuesFrom: header.header.mcuRows) { _ in }
        self.init(
            interval: interval, columns: Self.columns(header, interval), scans: walk.checkpoints)
    }

    static func columns(_ header: ProgressiveHeader, _ interval: Int) -> Int {
        (header.header.mcusPerRow + interval - 1) / interval
    }

    /// The checkpoint at a column of MCUs, a multiple of the interval, in a row of a scan; nil where there is none.
    func checkpoint(scan: Int, row: Int, column: Int) -> ScanCheckpoints.Checkpoint? {
        guard scans.indices.contains(scan) else { return nil }
        return scans[scan].checkpoint(row * columns + column / interval)
    }

    /// The same index with every `step`th checkpoint of each row.
    package func keeping(every step: Int) -> ProgressiveIndex {
        ProgressiveIndex(
            interval: interval * step, columns: (columns + step - 1) / step,
            scans: scans.map { $0.keeping(every: step, of: columns) })
    }
}

/// The checkpoints of one scan, row by row.
struct ScanCheckpoints: Hashable, Sendable {
    /// What a reader needs to begin somewhere in a scan.
    struct Checkpoint {
        var bitPosition: UInt64
        var run: Int
        var predictors: SIMD4<Int16>
    }

    /// In bits from the beginning of the file.
    private(set) var bitPositions: [UInt64] = []
    /// The blocks left whose coefficients have ended; empty for scans of DC values.
    private(set) var runs: [UInt16] = []
    /// The last DC value of each component of the frame; empty for all but the first scans of DC values.
    private(set) var predictors: [SIMD4<Int16>] = []
    private let hasRuns: Bool
    private let hasPredictors: Bool

    init(_ scan: ProgressiveScan) {
        hasRuns = scan.band.lowerBound > 0
        hasPredictors = scan.kind == .dc
    }

    mutating func append(_ bitPosition: UInt64, run: Int, _ predictors: SIMD4<Int16>) {
        bitPositions.append(bitPosition)
        // Runs have at most 15 bits.
        if hasRuns { runs.append(UInt16(clamping: run)) }
        if hasPredictors { self.predictors.append(predictors) }
    }

    func checkpoint(_ number: Int) -> Checkpoint? {
        guard bitPositions.indices.contains(number) else { return nil }
        return Checkpoint(
            bitPosition: bitPositions[number], run: hasRuns ? Int(runs[number]) : 0,
            predictors: hasPredictors ? predictors[number] : .zero)
    }

    fileprivate func keeping(every step: Int, of columns: Int) -> Self {
        var result = self
        let kept = bitPositions.indices.filter { $0 % columns % step == 0 }
        result.bitPositions = kept.map { bitPositions[$0] }
        if hasRuns { result.runs = kept.map { runs[$0] } }
        if hasPredictors { result.predictors = kept.map { predictors[$0] } }
        return result
    }
}
