package import Files

/// A pass over a JPEG from the top, on several threads, which finds the checkpoints of its index.
///
/// Other threads read chunks of the file ahead of it. It adopts what they found from the position on at which it meets
/// them, the resync point; without such a position it reads the chunk itself. The result does not depend on the threads.
///
/// An index needs the position and the DC predictors at some MCUs, and entropy-coded data tells them only in order:
/// MCUs follow each other (T.81, A.2.3) without marks, and DC values are differences from the block before
/// (F.1.1.5.1). A reader that starts anywhere lacks two things, the number of its first MCU and one constant for each
/// component. From the resync point on both are known, and addition gives exactly what this pass would have found. The
/// pass trusts no chunk before that point, and always goes on in the order of the file, so errors name the first row
/// that is broken.
///
/// Before, two threads began at the beginning and in the middle of the file. Chunks serve any number of threads, one
/// pass makes the index and a reduced image, and it ends at the last row that is wanted.
package struct IndexScan: ~Copyable {
    private let scanner: EntropyScanner
    private let chunks: ChunkQueue
    private let reduced: (any ReducedRows)?
    private var cursor: MCUCursor
    private var found: JPEGIndex
    /// The chunk that the cursor is in.
    private var chunk: Chunk?
    /// What reads chunks on the thread of this pass, once it had to.
    private var walk: BlockWalk?

    /// Begins a pass over an open file, of which little is in memory at any time.
    ///
    /// - Parameters:
    ///   - known: An index of its first rows, behind which the pass begins.
    ///   - chunkSize: The bytes that a thread reads at once; nil for what suits the file.
    ///   - isCancelled: Called on every thread after each half megabyte at most; once it returns true, the pass throws
    ///     as if the data ended there.
    /// - Throws: `JPEGIndexError.staleIndex` where `known` belongs to another image.
    package init(
        _ file: any RandomAccessBytes, header: JPEGHeader, after known: JPEGIndex? = nil, threads: Int,
        chunkSize: Int? = nil,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(JPEGIndexError) {
        if let known {
            guard known.mcusPerRow == header.mcusPerRow, known.rows <= header.mcuRows else {
                throw .staleIndex
            }
        }
        self.init(
            ByteWindow(file, isCancelled: isCancelled), EntropyScanner(header), after: known,
            threads: threads,
            chunkSize: chunkSize
        )
    }

    init(
        _ window: ByteWindow, _ scanner: EntropyScanner, after known: JPEGIndex? = nil,
        interval: Int = JPEGIndex.defaultInterval, reduced: (any ReducedRows)? = nil, threads: Int,
        chunkSize: Int? = nil
    ) {
        self.scanner = scanner
        self.reduced = reduced
        let header = scanner.header
        found = JPEGIndex(
            interval: known?.interval ?? interval, rows: header.mcuRows, mcusPerRow: header.mcusPerRow)
        // It goes on in the window of the first chunk.
        let window = window.duplicate(of: 0)
        cursor = MCUCursor(scanner, window)
        if let known, let last = known.bitPositions.indices.last {
            found.append(known)
            cursor = found.cursor(scanner, window, at: last)
        }
        chunks = ChunkQueue(
            window, scanner, reduced?.reduction, from: Int(truncatingIfNeeded: cursor.bitPosition >> 3),
            threads: threads, chunkSize: chunkSize)
    }

    // No other thread reads the file after the pass.
    deinit { chunks.end() }

    /// The index of the rows that were read.
    package var index: JPEGIndex { found.prefix(rows: min(cursor.mcu / found.mcusPerRow, found.rows)) }

    /// The first whole byte behind what was read.
    var end: Int { cursor.state.nextByte(in: cursor.window.data) }

    /// A reader of the rows that were read.
    package var reader: JPEGRegionReader { JPEGRegionReader(scanner, index) }

    /// Reads on until the checkpoints of some rows from the top are known.
    ///
    /// - Throws: `JPEGIndexError.brokenStream` where the data is broken or ends too early.
    package mutating func read(rows: Int) throws(JPEGIndexError) {
        try read(rows: rows) { _, _ in }
    }

    /// Stops the threads that read ahead.
    package func stopReadingAhead() { chunks.end() }

    /// Reads on, and emits the rows of a reduced image, if one is made.
    mutating func read(rows: Int, _ emit: (Int, RawSpan) -> Void) throws(JPEGIndexError) {
        let count = min(rows, found.rows) * found.mcusPerRow
        while cursor.mcu < count {
            if let chunk, cursor.bitPosition < chunk.end {
                // In small steps: what is behind the end of the chunk may have been read by another thread.
                try advance(by: 64, emit)
            } else {
                try beginChunk(upTo: count, emit)
            }
        }
    }

    /// Moves the cursor to the next chunk, and adopts what was found in it.
    private mutating func beginChunk(
        upTo count: Int, _ emit: (Int, RawSpan) -> Void
    ) throws(JPEGIndexError) {
        let bitPosition = cursor.bitPosition
        // Other threads may move the window from now on.
        if chunk != nil { chunks.giveBack() }
        let next = chunks.take(&walk)
        chunk = next
        cursor = MCUCursor(
            scanner, next.window, mcu: cursor.mcu, bitPosition: bitPosition,
            predictors: cursor.state.predictors)
        if let resync = try resyncPoint(in: next, upTo: count, emit) { try adopt(next, from: resync, emit) }
    }

    /// Advances by some MCUs at most: to the next checkpoint, or less.
    private mutating func advance(
        by limit: Int, _ emit: (Int, RawSpan) -> Void
    ) throws(JPEGIndexError) {
        if cursor.mcu == found.nextMCU { try found.append(cursor) }
        // Each row begins with a checkpoint.
        let count = min(limit, found.nextMCU - cursor.mcu)
        guard let reduced else { return try cursor.advance(by: count) }
        try reduced.decode(&cursor, count, emit)
    }

    /// Advances to the resync point; returns its position in the chunk, or nil where there is none.
    ///
    /// - Parameter count: the MCUs that are wanted: behind them, the data may be broken.
    private mutating func resyncPoint(
        in chunk: Chunk, upTo count: Int, _ emit: (Int, RawSpan) -> Void
    ) throws(JPEGIndexError) -> Int? {
        var candidates = chunk.content.candidates
        while cursor.mcu < count {
            let bitPosition = cursor.bitPosition
            while let next = candidates.first, next.bitPosition < bitPosition {
                candidates.removeFirst()
            }
            guard let next = candidates.first else { return nil }
            if next.bitPosition == bitPosition {
                // Both must expect the same restart markers, which are numbered modulo 8 (T.81, B.2.1).
                let interval = scanner.header.restartInterval
                let distance = cursor.mcu - chunk.content.mcu(at: candidates.startIndex)
                return interval == 0 || distance % (8 * interval) == 0 ? candidates.startIndex : nil
            }
            try advance(by: 1, emit)
        }
        return nil
    }

    /// Adopts what was found in a chunk from the resync point on, and advances behind it.
    private mutating func adopt(
        _ chunk: Chunk, from resync: Int, _ emit: (Int, RawSpan) -> Void
    ) throws(JPEGIndexError) {
        // DC values are coded as differences: all that the reader of the chunk did not know is the number of its first
        // MCU and one constant for each component.
        let mcus = cursor.mcu - chunk.content.mcu(at: resync)
        let predictors = cursor.state.predictors &- chunk.content.states[resync].predictors
        var end = min(chunk.content.lastMCU + mcus, scanner.header.mcuCount)
        if let reduced {
            end = reduced.adopt(chunk, cursor.mcu..<end, less: mcus, adding: predictors, emit)
        }
        while true {
            let mcu = min(found.nextMCU, end)
            let index = chunk.content.state(before: mcu - mcus)
            if chunk.content.mcu(at: index) + mcus > cursor.mcu {
                let state = chunk.content.states[index]
                cursor = MCUCursor(
                    scanner, chunk.window, mcu: chunk.content.mcu(at: index) + mcus,
                    bitPosition: state.bitPosition, predictors: state.predictors &+ predictors)
            }
            try cursor.advance(by: mcu - cursor.mcu)
            guard mcu < end else { return }
            try found.append(cursor)
        }
    }
}

/// Rows of a reduced image that a pass over a file makes as it reads MCUs.
protocol ReducedRows: AnyObject {
    /// What threads that read ahead make of the blocks.
    var reduction: ReductionPlan { get }

    /// Decodes some MCUs of a row.
    func decode(
        _ cursor: inout MCUCursor, _ count: Int, _ emit: (Int, RawSpan) -> Void
    ) throws(JPEGIndexError)

    /// Adopts the samples that a chunk has of some MCUs, after adding constants to its DC values.
    ///
    /// - Parameter difference: what the MCUs' numbers exceed those of the chunk by.
    /// - Returns: the MCU behind the last adopted one; samples to which the constants cannot be added are not.
    func adopt(
        _ chunk: Chunk, _ mcus: Range<Int>, less difference: Int, adding constants: SIMD4<Int32>,
        _ emit: (Int, RawSpan) -> Void
    ) -> Int
}

extension JPEGIndex {
    /// Finds the checkpoints of an open file in chunks of any size.
    ///
    /// - Parameter hasOverview: Whether to make the image at one eighth, too.
    package static func scan(
        _ file: any RandomAccessBytes, header: JPEGHeader, interval: Int = defaultInterval, threads: Int,
        chunkSize: Int, hasOverview: Bool = false,
        overviewRow: (_ y: Int, _ pixels: RawSpan) -> Void = { _, _ in }
    ) throws(JPEGIndexError) -> JPEGIndex {
        var scan = IndexScan(
            ByteWindow(file), EntropyScanner(header), interval: valid(interval),
            reduced: hasOverview ? try OverviewRows(header) : nil, threads: threads, chunkSize: chunkSize)
        try scan.read(rows: header.mcuRows, overviewRow)
        return scan.index
    }
}

extension JPEGIndex {
    /// Finds the checkpoints of a file in memory by one pass over its entropy-coded data.
    ///
    /// - Parameters:
    ///   - file: All bytes of the JPEG.
    ///   - header: Its header.
    ///   - rows: The rows of MCUs to index, from the top; nil for all. One region needs none below it.
    ///   - interval: The MCUs between two checkpoints of a row; values below 1 count as 1.
    ///   - threads: The threads that scan a large file. The result is the same.
    /// - Throws: `JPEGIndexError.brokenStream` where the data is broken or ends too early.
    public init(
        _ file: RawSpan, header: JPEGHeader, rows: Int? = nil, interval: Int = defaultInterval,
        threads: Int = 1
    ) throws(JPEGIndexError) {
        self = try ByteWindow.lending(file) { window throws(JPEGIndexError) in
            try JPEGIndex(window, header, rows: rows, interval: interval, threads: threads)
        }
    }

    /// Finds the checkpoints of an open file, of which little is in memory at any time.
    ///
    /// - Parameter isCancelled: Called on every thread after each half megabyte at most; once it returns true, the scan
    ///   throws as if the data ended there.
    package init(
        _ file: any RandomAccessBytes, header: JPEGHeader, rows: Int? = nil, interval: Int = defaultInterval,
        threads: Int = 1, isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(JPEGIndexError) {
        let window = ByteWindow(file, isCancelled: isCancelled)
        try self.init(window, header, rows: rows, interval: interval, threads: threads)
    }

    private init(
        _ window: ByteWindow, _ header: JPEGHeader, rows: Int?, interval: Int, threads: Int
    ) throws(JPEGIndexError) {
        let rows = max(0, min(rows ?? header.mcuRows, header.mcuRows))
        var scan = IndexScan(
            window, EntropyScanner(header), interval: Self.valid(interval), threads: threads)
        try scan.read(rows: rows)
        self = scan.index.prefix(rows: rows)
    }
}
