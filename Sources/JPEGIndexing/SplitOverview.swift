internal import Dispatch
package import Files
internal import Synchronization
internal import ViewportGeometry

/// The samples of the second half of the entropy-coded data, read without knowing the first.
// Only the thread that claims the work reads; the other uses the results after `end` alone.
final class OverviewTail: @unchecked Sendable {
    private let scanner: EntropyScanner
    private let window: ByteWindow
    private let plan: OverviewPlan
    private let valuesPerMCU: Int
    private let isClaimed = Atomic(false)
    private let isDone = DispatchSemaphore(value: 0)
    private var samples = DCRelativeSamples()
    /// The MCUs that were read.
    private(set) var count = 0
    /// Where the first of them begin, and their DC values but for a constant: the candidates for the resync point.
    private(set) var bitPositions: [UInt64] = []
    private(set) var predictors: [SIMD4<Int32>] = []

    init(_ scanner: EntropyScanner, _ window: ByteWindow, _ plan: OverviewPlan) {
        self.scanner = scanner
        self.window = window
        self.plan = plan
        valuesPerMCU = scanner.groups.reduce(0) { sum, group in
            let side = plan.components[group.component].side
            return sum + group.blocks * side * side
        }
    }

    /// Whether all candidates were read, and constants can be added to all samples.
    var isUsable: Bool { bitPositions.count == candidateCount && samples.isExact }

    // The reader from the beginning ends with a row: the resync point is less than two rows away, but for the MCUs
    // that synchronizing takes.
    private var candidateCount: Int { 1024 + 2 * scanner.header.mcusPerRow }

    /// Lets another thread read from a byte on, once one is free.
    func start(at byte: Int) {
        DispatchQueue.global().async {
            guard self.claim() else { return }
            self.read(from: byte)
            self.isDone.signal()
        }
    }

    /// Waits until no thread reads; work that no thread has begun is dropped.
    func end() {
        if !claim() { isDone.wait() }
    }

    /// Whether no other thread has claimed the work.
    private func claim() -> Bool {
        isClaimed.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
    }

    /// Reads from a byte, or from one of a few behind it, to the end.
    private func read(from start: Int) {
        for attempt in 0..<32 {
            guard let cursor = MCUCursor(scanner, window, near: start + 61 * attempt) else { return }
            read(cursor)
            if bitPositions.count == candidateCount { return }
        }
    }

    private func read(_ start: MCUCursor) {
        var cursor = start
        samples = DCRelativeSamples(capacity: scanner.header.mcuCount * 9 / 16 * valuesPerMCU)
        count = 0
        bitPositions = []
        predictors = []
        while true {
            if bitPositions.count < candidateCount {
                bitPositions.append(cursor.bitPosition)
                predictors.append(cursor.state.predictors)
            }
            _ = cursor.loadedMCUs(upTo: 1)
            guard scanner.decode(window.data, &cursor.state, plan, to: &samples) else { return }
            count += 1
            guard (try? cursor.passed(1)) != nil else { return }
        }
    }

    /// Sets the samples of an MCU; false where a constant cannot be added to them.
    func set(_ number: Int, adding constants: SIMD4<Int32>, to rows: SampleRows, column: Int) -> Bool {
        var index = number * valuesPerMCU
        for group in scanner.groups {
            let component = plan.components[group.component]
            let constant = constants[group.component] &* component.quantization
            let stride = rows.strides[group.component]
            let start = rows.starts[group.component] + column * component.across * component.side
            for y in 0..<component.down {
                for x in 0..<component.across {
                    let offset = start + (y * stride + x) * component.side
                    if component.side == 1 {
                        rows[offset] = DCRelativeSamples.one(samples.values[index], adding: constant)
                        index += 1
                        continue
                    }
                    for corner in 0..<4 {
                        guard let sample = DCRelativeSamples.four(samples.values[index], adding: constant)
                        else {
                            return false
                        }
                        rows[offset + (corner >> 1) * stride + corner & 1] = sample
                        index += 1
                    }
                }
            }
        }
        return true
    }
}

/// The image at one eighth, read by two threads from the beginning and from the middle.
///
/// The reader from the beginning emits the rows. At the resync point it knows the difference of the other's DC
/// values, and adopts its samples: see `JPEGIndex.splitScan`.
struct SplitOverview {
    private let header: JPEGHeader
    private let plan: OverviewPlan
    private let samples: SampleRows
    private let tail: OverviewTail
    private let middle: UInt64
    private var cursor: MCUCursor
    private var pixels: [UInt8]

    init(_ scanner: EntropyScanner, _ window: ByteWindow, _ plan: OverviewPlan) {
        header = scanner.header
        self.plan = plan
        samples = SampleRows(plan, mcusPerRow: header.mcusPerRow)
        tail = OverviewTail(scanner, window.duplicate(), plan)
        middle = UInt64(header.dataStart + (window.count - header.dataStart) / 2) << 3
        cursor = MCUCursor(scanner, window)
        pixels = [UInt8](repeating: 0, count: header.size(at: .eighth).width * plan.components.count)
    }

    mutating func read(_ emit: (Int, RawSpan) -> Void) throws(JPEGIndexError) {
        tail.start(at: Int(middle >> 3))
        do throws(JPEGIndexError) {
            while cursor.bitPosition < middle, cursor.mcu < header.mcuCount { try readRow(emit) }
        } catch {
            // The other thread must not read the data after this returns.
            tail.end()
            throw error
        }
        tail.end()
        if let first = try resync(emit) { try adopt(from: first, emit) }
        while cursor.mcu < header.mcuCount { try readRow(emit) }
    }

    /// Advances to the end of a row of MCUs.
    private mutating func readRow(_ emit: (Int, RawSpan) -> Void) throws(JPEGIndexError) {
        try read(header.mcusPerRow - cursor.mcu % header.mcusPerRow, emit)
    }

    /// Advances by MCUs of one row, and emits its pixels at its end.
    private mutating func read(_ count: Int, _ emit: (Int, RawSpan) -> Void) throws(JPEGIndexError) {
        let column = cursor.mcu % header.mcusPerRow
        try cursor.decode(from: column, to: column + count, plan, samples)
        if column + count == header.mcusPerRow { emitRow(cursor.mcu / header.mcusPerRow - 1, emit) }
    }

    private mutating func emitRow(_ row: Int, _ emit: (Int, RawSpan) -> Void) {
        let height = header.size(at: .eighth).height
        for y in 0..<min(plan.mcuHeight, height - row * plan.mcuHeight) {
            plan.convert(samples, y: y, to: &pixels)
            // Bytes have no padding, and the span is lent no longer than the array lives.
            emit(row * plan.mcuHeight + y, unsafe pixels.span.bytes)
        }
    }

    /// Advances to the resync point; returns the tail's MCU there, or nil where there is none.
    private mutating func resync(_ emit: (Int, RawSpan) -> Void) throws(JPEGIndexError) -> Int? {
        guard tail.isUsable else { return nil }
        var next = 0
        while cursor.mcu < header.mcuCount {
            let position = cursor.bitPosition
            while next < tail.bitPositions.count, tail.bitPositions[next] < position { next += 1 }
            guard next < tail.bitPositions.count else { return nil }
            if tail.bitPositions[next] == position { return next }
            try read(1, emit)
        }
        return nil
    }

    /// Adopts the tail's MCUs from one on, and advances behind the last of them.
    ///
    /// It ends early where the tail did, and at samples to which the constant cannot be added: they are read again.
    private mutating func adopt(from first: Int, _ emit: (Int, RawSpan) -> Void) throws(JPEGIndexError) {
        let constants = cursor.state.predictors &- tail.predictors[first]
        var mcu = cursor.mcu
        for number in first..<tail.count where mcu < header.mcuCount {
            let column = mcu % header.mcusPerRow
            guard tail.set(number, adding: constants, to: samples, column: column) else { break }
            mcu += 1
            if column + 1 == header.mcusPerRow { emitRow(mcu / header.mcusPerRow - 1, emit) }
        }
        if mcu < header.mcuCount { try cursor.advance(by: mcu - cursor.mcu) } else { cursor.end() }
    }
}

extension JPEGIndex {
    /// Makes the image at one eighth of a file in memory, as `init(_:header:interval:overviewRow:)` without an index.
    ///
    /// - Parameters:
    ///   - file: All bytes of the JPEG.
    ///   - header: Its header.
    ///   - threads: With 2 or more, files above 1 MB are also read from the middle. The rows are the same.
    ///   - row: Called with the rows of `header.size(at: .eighth)` from the top, by one thread at a time.
    /// - Throws: `JPEGIndexError.unsupportedSampling` where `header.hasOverview` is false, `brokenStream` where the
    ///   data is broken or ends too early.
    public static func overview(
        _ file: RawSpan, header: JPEGHeader, threads: Int = 1, row: (_ y: Int, _ pixels: RawSpan) -> Void
    ) throws(JPEGIndexError) {
        try ByteWindow.lending(file) { window throws(JPEGIndexError) in
            try overview(window, header, threads, row)
        }
    }

    /// Makes the image at one eighth of an open file, of which little is in memory at any time.
    ///
    /// - Parameter isCancelled: Called on every thread after each half megabyte; once it returns true, the read throws
    ///   as if the data ended there.
    package static func overview(
        _ file: any RandomAccessBytes, header: JPEGHeader, threads: Int = 1,
        isCancelled: @escaping @Sendable () -> Bool = { false }, row: (_ y: Int, _ pixels: RawSpan) -> Void
    ) throws(JPEGIndexError) {
        try overview(ByteWindow(file, isCancelled: isCancelled), header, threads, row)
    }

    private static func overview(
        _ window: ByteWindow, _ header: JPEGHeader, _ threads: Int, _ row: (Int, RawSpan) -> Void
    ) throws(JPEGIndexError) {
        if threads > 1, window.count >= minimumSizeForSplitOverview {
            try splitOverview(window, header, row)
        } else {
            _ = try JPEGIndex(window, header, overviewRow: row)
        }
    }

    /// Makes the image at one eighth on two threads, of files of any size.
    package static func splitOverview(
        _ file: RawSpan, header: JPEGHeader, row: (_ y: Int, _ pixels: RawSpan) -> Void
    ) throws(JPEGIndexError) {
        try ByteWindow.lending(file) { window throws(JPEGIndexError) in
            try splitOverview(window, header, row)
        }
    }

    private static func splitOverview(
        _ window: ByteWindow, _ header: JPEGHeader, _ row: (Int, RawSpan) -> Void
    ) throws(JPEGIndexError) {
        guard let plan = OverviewPlan(header) else { throw .unsupportedSampling }
        var overview = SplitOverview(EntropyScanner(header), window, plan)
        try overview.read(row)
    }

    /// Below, a second thread has hardly begun when the first is done.
    private static var minimumSizeForSplitOverview: Int { 1 << 20 }
}

/// Samples at one eighth whose DC values lack a constant, which is added to each component later.
///
/// Both kinds of samples, those of a DC value alone and those of two by two, are held as eight times the sample plus
/// rounding. DC values are added to that, so the constant can be added, too.
struct DCRelativeSamples {
    /// Eight times the samples less 128, MCU by MCU, with the 16 bits that libjpeg uses.
    private(set) var values: [Int16] = []
    /// Whether the constant can be added: libjpeg would clip none of the sums before.
    private(set) var isExact = true

    init(capacity: Int = 0) {
        values.reserveCapacity(capacity)
    }

    /// Appends a sample of a DC value alone.
    @inline(__always)
    mutating func append(_ value: Int32) {
        values.append(Int16(truncatingIfNeeded: value))
    }

    /// Appends two by two samples, from sums without DC.
    @inline(__always)
    mutating func append(_ sums: ReducedIDCT.Sums, _ dc: Int32) {
        let (four, constant, varying) = ReducedIDCT.values(sums)
        // Far beyond what encoders make, and far enough below 16 bits.
        let limits = (SIMD2<Int32>(repeating: 8000), SIMD2<Int32>(repeating: 2000 << 17))
        if any(constant .> limits.0) || any(constant .< 0 &- limits.0) || any(varying .> limits.1)
            || any(varying .< 0 &- limits.1)
        {
            isExact = false
        }
        for index in 0..<4 { append(four[index] &>> 17 &+ dc) }
    }

    /// A sample of a DC value alone.
    @inline(__always)
    static func one(_ value: Int16, adding constant: Int32) -> UInt8 {
        // The value includes the rounding.
        ReducedIDCT.one(Int32(Int16(truncatingIfNeeded: Int32(value) &+ constant)) &- 4)
    }

    /// One of two by two samples; nil where libjpeg might have clipped a sum before.
    @inline(__always)
    static func four(_ value: Int16, adding constant: Int32) -> UInt8? {
        let sum = Int32(Int16(truncatingIfNeeded: Int32(value) &+ constant))
        guard abs(sum) < 2048 else { return nil }
        return UInt8(truncatingIfNeeded: min(max(sum &>> 3 &+ 128, 0), 255))
    }
}
