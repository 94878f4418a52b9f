internal import Basics

/// Reads all scans of a progressive JPEG together, a few rows of MCUs at a time.
///
/// A refinement's length depends on the coefficients that the scans before it made nonzero: these are known for the
/// present rows only, so that memory does not grow with the image.
struct ProgressiveWalk {
    private let header: JPEGHeader
    /// The readers by stage: several threads each read some scans, of different rows.
    private let stages: [Stage]
    private let columns: Range<Int>
    private let index: ProgressiveIndex?

    /// What each scan's reader loads at a time.
    static let readAhead = 1 << 16

    /// - Parameters:
    ///   - scans: The scans to read, by number.
    ///   - threads: The most threads.
    ///   - columns: The columns of MCUs; nil for all. Others than all need an index, and begin at one of its checkpoints.
    ///   - index: Where the rows begin; without it they are read from the first on.
    ///   - notesEvery: The interval of checkpoints to note, of all rows.
    init(
        _ header: ProgressiveHeader, _ file: ByteWindow, scans: [Int], threads: Int,
        columns: Range<Int>? = nil, index: ProgressiveIndex? = nil, notesEvery interval: Int? = nil
    ) {
        self.header = header.header
        self.columns = columns ?? 0..<header.header.mcusPerRow
        self.index = index
        stages = Self.split(scans, header, threads).map { numbers in
            Stage(
                numbers: numbers,
                readers: numbers.map {
                    ScanReader(
                        header.scans[$0], header.header, file.duplicate(), interval: interval ?? 1,
                        notes: interval != nil)
                })
        }
    }

    /// The scans for each thread, with about the same number of bytes.
    ///
    /// Every refinement follows what it refines, so consecutive scans are taken.
    private static func split(_ scans: [Int], _ header: ProgressiveHeader, _ threads: Int) -> [[Int]] {
        let total = scans.reduce(0) { $0 + header.scans[$1].data.count }
        guard threads > 1, total > minimumSizeForThreads else { return [scans] }
        var result: [[Int]] = [[]]
        var sum = 0
        for scan in scans {
            let size = header.scans[scan].data.count
            // A new part where more of the scan lies behind the ideal border than before it.
            if result.count < threads, (sum + size / 2) * threads > total * result.count,
                !result[result.count - 1].isEmpty
            {
                result.append([])
            }
            result[result.count - 1].append(scan)
            sum += size
        }
        return result
    }

    /// Below, a second thread gains nothing noticeable.
    private static let minimumSizeForThreads = 1 << 17

    /// The checkpoints noted, by scan.
    var checkpoints: [ScanCheckpoints] { stages.flatMap { $0.readers.compactMap { $0.checkpoints } } }

    /// The first whole byte behind what was read of each scan.
    var ends: [Int] { stages.flatMap { $0.readers.map(\.end) } }

    /// Reads rows of MCUs.
    ///
    /// - Parameters:
    ///   - rows: Without an index they begin at 0.
    ///   - valuesFrom: The first row whose coefficients are kept; of those above only their places are known.
    ///   - body: Called with rows that have coefficients, from the top.
    func run(
        rows: Range<Int>, valuesFrom: Int, body: (BlockRows) throws(JPEGIndexError) -> Void
    ) throws(JPEGIndexError) {
        let batches = batches(rows, valuesFrom: valuesFrom)
        // As many batches are in work at a time as there are stages.
        let ring = stages.map { _ in BlockRows(header, columns: columns) }
        for round in 0..<(batches.count + stages.count) {
            // Each stage reads the rows that the one before it has read.
            if round < batches.count {
                let batch = batches[round]
                ring[round % ring.count].reset(batch, hasValues: batch.lowerBound >= valuesFrom)
            }
            let work = stages.indices.filter { batches.indices.contains(round - $0) }
            Processors.run(threads: work.count) { number in
                read(work[number], ring[(round - work[number]) % ring.count])
            }
            for stage in stages { if let error = stage.error { throw error } }
            let finished = round - stages.count + 1
            guard batches.indices.contains(finished) else { continue }
            let blocks = ring[finished % ring.count]
            if blocks.hasValues { try body(blocks) }
        }
    }

    private func read(_ stage: Int, _ blocks: BlockRows) { stages[stage].read(blocks, from: index) }

    /// Rows to read at a time: about as much as the processor's cache holds, with or without values.
    private func batches(_ rows: Range<Int>, valuesFrom: Int) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var next = rows.lowerBound
        while next < rows.upperBound {
            let hasValues = next >= valuesFrom
            let bytes = BlockRows.rowBytes(header, columns: columns.count, hasValues: hasValues)
            let count = max(1, min(16, Self.batchBytes / max(1, bytes)))
            let end = min(next + count, hasValues ? rows.upperBound : min(valuesFrom, rows.upperBound))
            result.append(next..<end)
            next = end
        }
        return result
    }

    private static let batchBytes = 1 << 19
}

/// The scans that one thread reads.
// One thread at a time reads a stage; the walk looks at it in between.
private final class Stage: @unchecked Sendable {
    let numbers: [Int]
    let readers: [ScanReader]
    private(set) var error: JPEGIndexError?

    init(numbers: [Int], readers: [ScanReader]) {
        self.numbers = numbers
        self.readers = readers
    }

    func read(_ blocks: BlockRows, from index: ProgressiveIndex?) {
        do throws(JPEGIndexError) {
            for (number, reader) in zip(numbers, readers) {
                try reader.read(blocks, from: index, scan: number)
            }
        } catch {
            self.error = error
        }
    }
}
