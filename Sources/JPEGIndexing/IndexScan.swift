package import Files
internal import ViewportGeometry

/// A pass over a JPEG from the top, on several threads, which finds the checkpoints of its index.
///
/// Other threads read chunks of the file ahead of it. It adopts what they found from the position on at which it meets
/// them, the resync point; without such a position it reads the chunk itself. The result does not depend on the threads.
package struct IndexScan: ~Copyable {
    private let scanner: EntropyScanner
    private let chunks: ChunkQueue
    private let overview: OverviewRows?
    private var cursor: MCUCursor
    private var found: JPEGIndex
    /// The chunk that the cursor is in.
    private var chunk: Chunk?

    /// Begins a pass over an open file, of which little is in memory at any time.
    ///
    /// - Parameters:
    ///   - known: An index of its first rows, behind which the pass begins.
    ///   - isCancelled: Called on every thread after each half megabyte; once it returns true, the pass throws as if
    ///     the data ended there.
    /// - Throws: `JPEGIndexError.staleIndex` where `known` belongs to another image.
    package init(
        _ file: any RandomAccessBytes, header: JPEGHeader, after known: JPEGIndex? = nil, threads: Int,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(JPEGIndexError) {
        if let known {
            guard known.mcusPerRow == header.mcusPerRow, known.rows <= header.mcuRows else {
                throw .staleIndex
            }
        }
        self.init(
            ByteWindow(file, isCancelled: isCancelled), EntropyScanner(header), after: known, threads: threads
        )
    }

    init(
        _ window: ByteWindow, _ scanner: EntropyScanner, after known: JPEGIndex? = nil,
        interval: Int = JPEGIndex.defaultInterval, overview: OverviewRows? = nil, threads: Int,
        chunkSize: Int? = nil
    ) {
        self.scanner = scanner
        self.overview = overview
        let header = scanner.header
        found = JPEGIndex(
            interval: known?.interval ?? interval, rows: header.mcuRows, mcusPerRow: header.mcusPerRow)
        cursor = MCUCursor(scanner, window)
        if let known, let last = known.bitPositions.indices.last {
            found.append(known)
            cursor = found.cursor(scanner, window, at: last)
        }
        chunks = ChunkQueue(
            window, scanner, overview?.plan, from: Int(truncatingIfNeeded: cursor.bitPosition >> 3),
            threads: threads, chunkSize: chunkSize)
    }

    // No other thread reads the file after the pass.
    deinit { chunks.end() }

    /// The index of the rows that were read.
    package var index: JPEGIndex { found.prefix(rows: min(cursor.mcu / found.mcusPerRow, found.rows)) }

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

    /// Reads on, and emits the rows of the overview, if one is made.
    mutating func read(rows: Int, _ emit: (Int, RawSpan) -> Void) throws(JPEGIndexError) {
        let count = min(rows, found.rows) * found.mcusPerRow
        while cursor.mcu < count {
            if let chunk, cursor.bitPosition < chunk.end {
                try advance(by: 64, emit)
            } else {
                try beginChunk(emit)
            }
        }
    }

    /// Moves the cursor to the next chunk, and adopts what another thread found in it.
    private mutating func beginChunk(_ emit: (Int, RawSpan) -> Void) throws(JPEGIndexError) {
        let bitPosition = cursor.bitPosition
        // Other threads may move the window from now on.
        if chunk != nil { chunks.giveBack() }
        let (next, isRead) = chunks.take()
        chunk = next
        cursor = MCUCursor(
            scanner, next.window, mcu: cursor.mcu, bitPosition: bitPosition,
            predictors: cursor.state.predictors)
        if isRead, let resync = try resyncPoint(in: next, emit) { try adopt(next, from: resync, emit) }
    }

    /// Advances by some MCUs at most: to the next checkpoint, or less.
    private mutating func advance(
        by limit: Int, _ emit: (Int, RawSpan) -> Void
    ) throws(JPEGIndexError) {
        if cursor.mcu == found.nextMCU { try found.append(cursor) }
        // Each row begins with a checkpoint.
        let count = min(limit, found.nextMCU - cursor.mcu)
        guard let overview else { return try cursor.advance(by: count) }
        let column = cursor.mcu % found.mcusPerRow
        try cursor.decode(from: column, to: column + count, overview.plan, overview.samples)
        overview.emitRow(endingAt: cursor.mcu, emit)
    }

    /// Advances to the resync point; returns its position in the chunk, or nil where there is none.
    private mutating func resyncPoint(
        in chunk: Chunk, _ emit: (Int, RawSpan) -> Void
    ) throws(JPEGIndexError) -> Int? {
        var candidates = chunk.candidates
        while cursor.mcu < scanner.header.mcuCount {
            let bitPosition = cursor.bitPosition
            while let next = candidates.first, next.bitPosition < bitPosition { candidates.removeFirst() }
            guard let next = candidates.first else { return nil }
            if next.bitPosition == bitPosition {
                // Both must expect the same restart markers.
                let interval = scanner.header.restartInterval
                let distance = cursor.mcu - chunk.mcu(at: candidates.startIndex)
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
        let mcus = cursor.mcu - chunk.mcu(at: resync)
        let predictors = cursor.state.predictors &- chunk.positions[resync].predictors
        var end = min(chunk.lastMCU + mcus, scanner.header.mcuCount)
        if let overview {
            end = overview.adopt(chunk, cursor.mcu..<end, less: mcus, adding: predictors, emit)
        }
        while true {
            let mcu = min(found.nextMCU, end)
            let index = chunk.position(before: mcu - mcus)
            if chunk.mcu(at: index) + mcus > cursor.mcu {
                cursor = MCUCursor(
                    scanner, chunk.window, mcu: chunk.mcu(at: index) + mcus,
                    bitPosition: chunk.positions[index].bitPosition,
                    predictors: chunk.positions[index].predictors &+ predictors)
            }
            try cursor.advance(by: mcu - cursor.mcu)
            guard mcu < end else { return }
            try found.append(cursor)
        }
    }
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
            overview: hasOverview ? try OverviewRows(header) : nil, threads: threads, chunkSize: chunkSize)
        try scan.read(rows: header.mcuRows, overviewRow)
        return scan.index
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
