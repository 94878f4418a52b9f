/// Reads one scan of a progressive JPEG, from its beginning or from a checkpoint, blocks after blocks.
///
/// A scan has a band of coefficients (T.81, G.1.1.1.1), or one more bit of them (G.1.1.1.2). To begin inside of it
/// takes the position, the DC predictors, and the run of blocks whose coefficients have ended (EOBRUN, G.1.2.2). A
/// refinement of AC has a bit for each coefficient that earlier scans made nonzero (G.1.2.3), so that its length
/// depends on them: `ProgressiveWalk` reads all scans together, and blocks have masks of what is nonzero. Values are
/// kept only where pixels are made of them; elsewhere the codes of a first scan are passed several at once.
// One thread at a time uses a reader.
final class ScanReader: @unchecked Sendable {
    let scan: ProgressiveScan
    private let header: JPEGHeader
    private let window: ByteWindow
    private let tables: [ScanTable]
    /// The blocks that a component has across and down; of an interleaved scan its MCUs (T.81, A.2.2 and A.2.3).
    private let unitsPerRow: Int
    private let unitRows: Int
    /// The most bytes of a block or MCU.
    private let maximumSize: Int
    private var state: EntropyState
    /// The blocks left whose coefficients have ended, or that have only corrections.
    private var run = 0
    /// The blocks or MCUs read so far.
    private var unit = 0
    /// The checkpoints passed, where they are noted.
    private(set) var checkpoints: ScanCheckpoints?
    /// The MCUs between two checkpoints, and the most blocks read at once.
    private let interval: Int

    init(
        _ scan: ProgressiveScan, _ header: JPEGHeader, _ window: ByteWindow, interval: Int, notes: Bool
    ) {
        self.scan = scan
        self.header = header
        self.window = window
        self.interval = interval
        let blocks = header.componentBlocks(scan.components[0])
        (unitsPerRow, unitRows) =
            scan.isInterleaved ? (header.mcusPerRow, header.mcuRows) : (blocks.width, blocks.height)
        tables = scan.tables.tables(of: scan)
        // 63 codes with their bits, or 10 DC codes, all of them stuffed.
        maximumSize = scan.band.lowerBound > 0 ? 512 : 80
        checkpoints = notes ? ScanCheckpoints(scan) : nil
        window.loadStart(at: scan.data.lowerBound)
        state = EntropyState(window.data, at: UInt64(scan.data.lowerBound) << 3)
    }

    /// The first whole byte behind what was read.
    var end: Int { state.nextByte(in: window.data) }

    /// Reads the scan's blocks of some rows of MCUs.
    ///
    /// - Parameter index: Where each row begins, for columns that do not begin at 0.
    func read(_ blocks: BlockRows, from index: ProgressiveIndex?, scan number: Int) throws(JPEGIndexError) {
        for row in blocks.rows {
            let lines = scan.isInterleaved ? 1 : header.blocks(of: scan.components[0]).down
            for line in 0..<lines where row * lines + line < unitRows {
                try read(blocks, row: row, line: line, unitRow: row * lines + line, index, number)
            }
        }
    }

    private func read(
        _ blocks: BlockRows, row: Int, line: Int, unitRow: Int, _ index: ProgressiveIndex?, _ number: Int
    ) throws(JPEGIndexError) {
        let across = scan.isInterleaved ? 1 : header.blocks(of: scan.components[0]).across
        let start = blocks.columns.lowerBound * across
        let end = min(blocks.columns.upperBound * across, unitsPerRow)
        if let index {
            try seek(index, number, row: unitRow, column: blocks.columns.lowerBound)
            unit = unitRow * unitsPerRow + start
        }
        let step = checkpoints == nil ? end - start : interval * across
        for first in stride(from: start, to: end, by: max(1, step)) {
            if checkpoints != nil { try note() }
            var next = first
            let last = min(first + step, end)
            while next < last {
                let count = window.loadedMCUs(
                    upTo: min(last - next, unitsToRestart), of: maximumSize, at: state.position)
                guard count > 0, read(count, blocks, row: row, line: line, from: next),
                    !state.isExhausted
                else { throw .brokenStream(mcuRow: row) }
                next += count
                try passed(count, row)
            }
        }
    }

    private var unitsToRestart: Int {
        scan.restartInterval == 0 ? .max : scan.restartInterval - unit % scan.restartInterval
    }

    /// Counts blocks or MCUs, and passes a restart marker behind them.
    private func passed(_ count: Int, _ row: Int) throws(JPEGIndexError) {
        unit += count
        let interval = scan.restartInterval
        guard interval > 0, unit % interval == 0, unit < unitsPerRow * unitRows else { return }
        var byte = state.nextByte(in: window.data)
        guard window.byte(byte) == 0xFF else { throw .brokenStream(mcuRow: row) }
        // Fill bytes may precede a marker (T.81, B.1.1.2).
        while window.byte(byte) == 0xFF { byte += 1 }
        guard window.byte(byte) == 0xD0 + UInt8((unit / interval - 1) & 7) else {
            throw .brokenStream(mcuRow: row)
        }
        window.load(at: byte + 1)
        // DC values and runs begin again (F.2.1.3.1, G.1.2.2).
        state = EntropyState(window.data, at: UInt64(byte + 1) << 3)
        run = 0
    }

    private func note() throws(JPEGIndexError) {
        let small = SIMD4<Int16>(truncatingIfNeeded: state.predictors)
        guard SIMD4<Int32>(truncatingIfNeeded: small) == state.predictors else {
            throw .brokenStream(mcuRow: 0)
        }
        checkpoints?.append(state.bitPosition(in: window.data), run: run, small)
    }

    private func seek(
        _ index: ProgressiveIndex, _ number: Int, row: Int, column: Int
    ) throws(JPEGIndexError) {
        guard let checkpoint = index.checkpoint(scan: number, row: row, column: column) else {
            throw .outside
        }
        window.loadStart(at: Int(truncatingIfNeeded: checkpoint.bitPosition >> 3))
        state = EntropyState(
            window.data, at: checkpoint.bitPosition,
            predictors: SIMD4<Int32>(truncatingIfNeeded: checkpoint.predictors))
        run = checkpoint.run
    }

    /// Reads blocks of a line, or MCUs of a row; false where the data is broken.
    private func read(_ count: Int, _ blocks: BlockRows, row: Int, line: Int, from first: Int) -> Bool {
        switch scan.kind {
        case .dcRefinement, .dc:
            return scan.isInterleaved
                ? readMCUs(count, blocks, row: row, from: first)
                : readDC(blocks.run(scan.components[0], row: row, line: line, from: first, count: count))
        case .ac:
            let blocks = blocks.run(scan.components[0], row: row, line: line, from: first, count: count)
            return blocks.hasValues
                ? readValues(blocks, tables[0]) : readMasks(blocks, tables[0])
        case .acRefinement:
            let blocks = blocks.run(scan.components[0], row: row, line: line, from: first, count: count)
            return blocks.hasValues
                ? refineValues(blocks, tables[0]) : refineMasks(blocks, tables[0])
        }
    }

    /// Reads the DC values of MCUs.
    private func readMCUs(_ count: Int, _ blocks: BlockRows, row: Int, from first: Int) -> Bool {
        let lines = blocks.lines(scan.components, row: row, first..<(first + count))
        let tables = lines.map { line in
            scan.high > 0 ? nil : scan.components.firstIndex(of: line.component).map { self.tables[$0] }
        }
        var local = state
        let data = window.data
        for mcu in 0..<count {
            for index in lines.indices {
                let line = lines[index]
                let range = (mcu &* line.across)..<((mcu &+ 1) &* line.across)
                guard readDC(line.run, range, line.component, tables[index], data, &local) else {
                    return false
                }
            }
        }
        state = local
        return true
    }

    /// Reads the DC values of blocks of the scan's only component.
    private func readDC(_ blocks: BlockRun) -> Bool {
        var local = state
        let table = scan.high > 0 ? nil : tables[0]
        guard readDC(blocks, 0..<blocks.count, scan.components[0], table, window.data, &local) else {
            return false
        }
        state = local
        return true
    }

    /// - Parameter table: The code of the values; nil for a refinement, which has one bit for each.
    @inline(__always)
    private func readDC(
        _ blocks: BlockRun, _ range: Range<Int>, _ component: Int, _ table: ScanTable?,
        _ data: UnsafeByteView, _ local: inout EntropyState
    ) -> Bool {
        let (low, hasValues) = (scan.low, blocks.hasValues)
        guard let table else {
            for block in range {
                local.refill(data)
                if hasValues, local.buffer >> 63 != 0 { blocks[block, 0] |= 1 &<< Int16(low) }
                local.drop(1)
            }
            return true
        }
        var dc = local.predictors[component]
        for block in range {
            local.refill(data)
            let (difference, bits) = table.difference(local.buffer)
            if bits == 0 { return false }
            local.drop(bits)
            dc &+= difference
            if hasValues {
                guard let value = Int16(exactly: dc &<< Int32(low)) else { return false }
                blocks[block, 0] = value
            }
        }
        local.predictors[component] = dc
        return true
    }

    /// Reads which coefficients are not zero.
    @inline(never)
    private func readMasks(_ blocks: BlockRun, _ table: ScanTable) -> Bool {
        readCoefficients(blocks, table, keepsValues: false)
    }

    /// Reads coefficients.
    @inline(never)
    private func readValues(_ blocks: BlockRun, _ table: ScanTable) -> Bool {
        readCoefficients(blocks, table, keepsValues: true)
    }

    /// Source: T.81, G.1.2.2; libjpeg, jdphuff.c, decode_mcu_AC_first.
    @inline(__always)
    private func readCoefficients(_ blocks: BlockRun, _ table: ScanTable, keepsValues: Bool) -> Bool {
        var (local, run) = (state, run)
        let data = window.data
        let (start, last, low) = (scan.band.lowerBound, scan.band.upperBound, scan.low)
        // `table` owns what the views show.
        let (chain, single) = unsafe (table.chain.view, table.single.view)
        var block = 0
        while block < blocks.count {
            if run > 0 {
                let passed = min(run, blocks.count &- block)
                run &-= passed
                block &+= passed
                continue
            }
            var mask: UInt64 = 0
            var coefficient = start
            while coefficient <= last {
                local.refill(data)
                if !keepsValues {
                    let entry = chain[local.buffer]
                    let next = coefficient &+ Int(truncatingIfNeeded: entry >> 8 & 63)
                    if next <= last, entry != 0 {
                        mask |= UInt64(entry >> 16) &<< UInt64(truncatingIfNeeded: coefficient)
                        local.drop(Int(truncatingIfNeeded: entry & 63))
                        coefficient = next
                        if entry & ScanTable.endsBlock != 0 { break }
                        continue
                    }
                }
                let (bits, value) = table.code(single[local.buffer], local.buffer)
                if bits == 0 { return false }
                let (zeros, size) = (value >> 4, value & 15)
                if size == 0 {
                    local.drop(bits)
                    if zeros == 15 {
                        coefficient &+= 16
                        continue
                    }
                    // A power of two, and so many bits more (T.81, table G.1), without this block.
                    run = 1 &<< zeros
                    if zeros > 0 { run &+= Int(truncatingIfNeeded: local.buffer &>> UInt64(64 &- zeros)) }
                    run &-= 1
                    local.drop(zeros)
                    break
                }
                coefficient &+= zeros
                // 15 bits are the most that a sequential JPEG can have.
                guard coefficient <= last, size &+ low <= 15 else { return false }
                if keepsValues {
                    let rest = Int((local.buffer &<< UInt64(bits)) &>> UInt64(64 &- size))
                    blocks[block, coefficient] =
                        Int16(truncatingIfNeeded: DCEntry.extend(rest, size) &<< low)
                }
                mask |= 1 &<< UInt64(truncatingIfNeeded: coefficient)
                local.drop(bits &+ size)
                coefficient &+= 1
            }
            blocks[mask: block] |= mask
            block &+= 1
        }
        (state, self.run) = (local, run)
        return true
    }

    /// Passes corrections, and notes which coefficients are not zero any more.
    @inline(never)
    private func refineMasks(_ blocks: BlockRun, _ table: ScanTable) -> Bool {
        refine(blocks, table, keepsValues: false)
    }

    /// Corrects coefficients.
    @inline(never)
    private func refineValues(_ blocks: BlockRun, _ table: ScanTable) -> Bool {
        refine(blocks, table, keepsValues: true)
    }

    /// Source: T.81, G.1.2.3; libjpeg, jdphuff.c, decode_mcu_AC_refine.
    @inline(__always)
    private func refine(_ blocks: BlockRun, _ table: ScanTable, keepsValues: Bool) -> Bool {
        var (local, run) = (state, run)
        let data = window.data
        let (start, last) = (scan.band.lowerBound, scan.band.upperBound)
        let bit = Int16(1) &<< Int16(scan.low)
        let band = (~0 &>> UInt64(63 &- last)) & (~0 &<< UInt64(start))
        // `table` owns what the view shows.
        let single = unsafe table.single.view
        for block in 0..<blocks.count {
            let known = blocks[mask: block]
            let history = known & band
            var new: UInt64 = 0
            var coefficient = start
            while run == 0, coefficient <= last {
                local.refill(data)
                let (bits, value) = table.code(single[local.buffer], local.buffer)
                if bits == 0 { return false }
                local.drop(bits)
                let (zeros, size) = (value >> 4, value & 15)
                var isNegative = false
                if size == 0 {
                    if zeros < 15 {
                        run = 1 &<< zeros
                        if zeros > 0 { run &+= Int(truncatingIfNeeded: local.buffer &>> UInt64(64 &- zeros)) }
                        local.drop(zeros)
                        break
                    }
                } else {
                    guard size == 1 else { return false }
                    isNegative = local.buffer >> 63 == 0
                    local.drop(1)
                }
                // The coefficient that is zero, behind as many others, among those that are corrected.
                let rest = band & (~0 &<< UInt64(truncatingIfNeeded: coefficient))
                var free = ~history & rest
                for _ in 0..<zeros { free &= free &- 1 }
                let next = free == 0 ? last &+ 1 : free.trailingZeroBitCount
                guard free != 0 || size == 0 else { return false }
                let between = next > 63 ? rest : rest & ~(~0 &<< UInt64(truncatingIfNeeded: next))
                Self.correct(blocks, block, history & between, bit, data, &local, keepsValues)
                if size != 0 {
                    new |= 1 &<< UInt64(truncatingIfNeeded: next)
                    if keepsValues { blocks[block, next] = isNegative ? 0 &- bit : bit }
                }
                coefficient = next &+ 1
            }
            if run > 0 {
                if coefficient <= last {
                    let rest = history & (~0 &<< UInt64(truncatingIfNeeded: coefficient))
                    Self.correct(blocks, block, rest, bit, data, &local, keepsValues)
                }
                run &-= 1
            }
            blocks[mask: block] = known | new
        }
        (state, self.run) = (local, run)
        return true
    }

    /// Reads one bit for each of some coefficients.
    @inline(__always)
    private static func correct(
        _ blocks: BlockRun, _ block: Int, _ coefficients: UInt64, _ bit: Int16, _ data: UnsafeByteView,
        _ local: inout EntropyState, _ keepsValues: Bool
    ) {
        if !keepsValues {
            var count = coefficients.nonzeroBitCount
            local.refill(data)
            if count > 32 {
                local.drop(32)
                local.refill(data)
                count &-= 32
            }
            local.drop(count)
            return
        }
        var rest = coefficients
        while rest != 0 {
            local.refill(data)
            let count = min(rest.nonzeroBitCount, 32)
            var bits = local.buffer
            local.drop(count)
            // Half of the bits are set: without branches, which would be mispredicted.
            for _ in 0..<count {
                let coefficient = rest.trailingZeroBitCount
                rest &= rest &- 1
                let value = blocks[block, coefficient]
                let sign = value &>> 15
                let isCorrected = Int16(truncatingIfNeeded: Int64(bitPattern: bits) &>> 63) & ~value & bit
                blocks[block, coefficient] = value &+ ((isCorrected ^ sign) &- sign)
                bits &<<= 1
            }
        }
    }
}
