internal import Dispatch
package import Files
internal import Synchronization
internal import ViewportGeometry

/// What a reader made of the second half of the compressed data without knowing the first.
// One thread reads, whichever took the work; the other looks at what it made after `end` alone.
final class OverviewTail: @unchecked Sendable {
    private let scanner: EntropyScanner
    private let window: ByteWindow
    private let plan: OverviewPlan
    private let valuesPerMCU: Int
    private let isTaken = Atomic(false)
    private let isDone = DispatchSemaphore(value: 0)
    private var samples = DCRelativeSamples()
    /// The MCUs that were read.
    private(set) var count = 0
    /// Where the first of them begin, and their DC values but for a constant: where the readers meet.
    private(set) var places: [UInt64] = []
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

    /// Whether all was read that the readers may meet in, and nothing that could not be floated.
    var isUsable: Bool { places.count == placeCount && samples.isExact }

    // The reader from the beginning ends with a row: the place where they meet is less than two rows away, but
    // for the MCUs that synchronising takes.
    private var placeCount: Int { 1024 + 2 * scanner.header.mcusPerRow }

    /// Lets another thread read from a byte on, when one has time.
    func start(at byte: Int) {
        DispatchQueue.global().async {
            guard self.take() else { return }
            self.read(from: byte)
            self.isDone.signal()
        }
    }

    /// Waits until nobody reads; what no thread has begun is not begun.
    func end() {
        if !take() { isDone.wait() }
    }

    /// Whether nobody took the work before.
    private func take() -> Bool {
        isTaken.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
    }

    /// Reads from a byte to the end, where anything can be read from there or from a few places behind it.
    private func read(from start: Int) {
        for attempt in 0..<32 {
            guard let cursor = MCUCursor(scanner, window, near: start + 61 * attempt) else { return }
            read(cursor)
            if places.count == placeCount { return }
        }
    }

    private func read(_ start: MCUCursor) {
        var cursor = start
        samples = DCRelativeSamples(capacity: scanner.header.mcuCount * 9 / 16 * valuesPerMCU)
        count = 0
        places = []
        predictors = []
        while true {
            if places.count < placeCount {
                places.append(cursor.place)
                predictors.append(cursor.state.predictors)
            }
            _ = cursor.readable(1)
            guard scanner.decode(window.data, &cursor.state, plan, to: &samples) else { return }
            count += 1
            guard (try? cursor.passed(1)) != nil else { return }
        }
    }

    /// Sets the samples of an MCU; false where they may not be floated.
    func set(_ number: Int, adding constants: SIMD4<Int32>, to rows: SampleRows, column: Int) -> Bool {
        var index = number * valuesPerMCU
        for group in scanner.groups {
            let component = plan.components[group.component]
            let constant = constants[group.component] &* component.quantization
            let stride = rows.strides[group.component]
            let start = rows.starts[group.component] + column * component.across * component.side
            for y in 0..<component.down {
                for x in 0..<component.across {
                    let place = start + (y * stride + x) * component.side
                    if component.side == 1 {
                        rows[place] = DCRelativeSamples.one(samples.values[index], adding: constant)
                        index += 1
                        continue
                    }
                    for corner in 0..<4 {
                        guard let sample = DCRelativeSamples.four(samples.values[index], adding: constant)
                        else {
                            return false
                        }
                        rows[place + (corner >> 1) * stride + corner & 1] = sample
                        index += 1
                    }
                }
            }
        }
        return true
    }
}

/// The image at one eighth, read from the beginning and from the middle at once.
///
/// The reader from the beginning gives the rows. Where it comes to a place at which the other stood between two
/// MCUs, it knows how much that one's DC values lack, and takes over what it has read: see `JPEGIndex.inTwoParts`.
struct OverviewInTwoParts {
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
        tail = OverviewTail(scanner, window.another, plan)
        middle = UInt64(header.dataStart + (window.count - header.dataStart) / 2) << 3
        cursor = MCUCursor(scanner, window)
        pixels = [UInt8](repeating: 0, count: header.size(at: .eighth).width * plan.components.count)
    }

    mutating func read(_ emit: (Int, RawSpan) -> Void) throws(JPEGIndexError) {
        tail.start(at: Int(middle >> 3))
        do throws(JPEGIndexError) {
            while cursor.place < middle, cursor.mcu < header.mcuCount { try readRow(emit) }
        } catch {
            // The data is lent until this returns, and the other thread reads it.
            tail.end()
            throw error
        }
        tail.end()
        if let first = try meet(emit) { try take(from: first, emit) }
        while cursor.mcu < header.mcuCount { try readRow(emit) }
    }

    /// Goes on to the end of a row of MCUs.
    private mutating func readRow(_ emit: (Int, RawSpan) -> Void) throws(JPEGIndexError) {
        try read(header.mcusPerRow - cursor.mcu % header.mcusPerRow, emit)
    }

    /// Goes on by MCUs of one row, and gives its pixels where it ends.
    private mutating func read(_ count: Int, _ emit: (Int, RawSpan) -> Void) throws(JPEGIndexError) {
        let column = cursor.mcu % header.mcusPerRow
        try cursor.decode(from: column, to: column + count, plan, samples)
        if column + count == header.mcusPerRow { give(cursor.mcu / header.mcusPerRow - 1, emit) }
    }

    private mutating func give(_ row: Int, _ emit: (Int, RawSpan) -> Void) {
        let height = header.size(at: .eighth).height
        for y in 0..<min(plan.mcuHeight, height - row * plan.mcuHeight) {
            plan.convert(samples, y: y, to: &pixels)
            // Bytes have no padding, and the span is lent no longer than the array lives.
            emit(row * plan.mcuHeight + y, unsafe pixels.span.bytes)
        }
    }

    /// Goes on until it stands where the tail stood: the tail's MCU there; nil where that does not happen.
    private mutating func meet(_ emit: (Int, RawSpan) -> Void) throws(JPEGIndexError) -> Int? {
        guard tail.isUsable else { return nil }
        var next = 0
        while cursor.mcu < header.mcuCount {
            let place = cursor.place
            while next < tail.places.count, tail.places[next] < place { next += 1 }
            guard next < tail.places.count else { return nil }
            if tail.places[next] == place { return next }
            try read(1, emit)
        }
        return nil
    }

    /// Takes the tail's MCUs for the rest, and stands behind the last of them.
    ///
    /// It ends early where the tail did, or has samples that may not be floated: they are read again.
    private mutating func take(from first: Int, _ emit: (Int, RawSpan) -> Void) throws(JPEGIndexError) {
        let constants = cursor.state.predictors &- tail.predictors[first]
        var mcu = cursor.mcu
        for number in first..<tail.count where mcu < header.mcuCount {
            let column = mcu % header.mcusPerRow
            guard tail.set(number, adding: constants, to: samples, column: column) else { break }
            mcu += 1
            if column + 1 == header.mcusPerRow { give(mcu / header.mcusPerRow - 1, emit) }
        }
        if mcu < header.mcuCount { try cursor.advance(by: mcu - cursor.mcu) } else { cursor.end() }
    }
}

extension JPEGIndex {
    /// Makes the image at one eighth, without an index: as the initializer that makes both.
    ///
    /// With two threads, files above a megabyte are read from the middle too; the rows are the same. `row` is
    /// called by one thread at a time. Throws `unsupportedSampling` where `header.hasOverview` is false.
    public static func overview(
        _ file: RawSpan, header: JPEGHeader, threads: Int = 1, row: (_ y: Int, _ pixels: RawSpan) -> Void
    ) throws(JPEGIndexError) {
        try UnsafeByteView.of(file) { data throws(JPEGIndexError) in
            try overview(ByteWindow(data), header, threads, row)
        }
    }

    /// The same of an open file, of which little is in memory at any time.
    package static func overview(
        _ file: OpenFile, header: JPEGHeader, threads: Int = 1, row: (_ y: Int, _ pixels: RawSpan) -> Void
    ) throws(JPEGIndexError) {
        try overview(ByteWindow(file), header, threads, row)
    }

    private static func overview(
        _ window: ByteWindow, _ header: JPEGHeader, _ threads: Int, _ row: (Int, RawSpan) -> Void
    ) throws(JPEGIndexError) {
        if threads > 1, window.count >= leastSizeForOverviewInTwoParts {
            try overviewInTwoParts(window, header, row)
        } else {
            _ = try JPEGIndex(window, header, overviewRow: row)
        }
    }

    /// The same on two threads, of files of any size.
    package static func overviewInTwoParts(
        _ file: RawSpan, header: JPEGHeader, row: (_ y: Int, _ pixels: RawSpan) -> Void
    ) throws(JPEGIndexError) {
        try UnsafeByteView.of(file) { data throws(JPEGIndexError) in
            try overviewInTwoParts(ByteWindow(data), header, row)
        }
    }

    private static func overviewInTwoParts(
        _ window: ByteWindow, _ header: JPEGHeader, _ row: (Int, RawSpan) -> Void
    ) throws(JPEGIndexError) {
        guard let plan = OverviewPlan(header) else { throw .unsupportedSampling }
        var overview = OverviewInTwoParts(EntropyScanner(header), window, plan)
        try overview.read(row)
    }

    /// Below, the second thread has hardly begun when all is done.
    private static var leastSizeForOverviewInTwoParts: Int { 1 << 20 }
}

/// Samples of MCUs whose DC values are known but for a constant, which each component gets later.
///
/// At one eighth both kinds of samples, those of a DC value alone and those of two by two, are eight times the
/// sample plus rounding, and DC values are added to that: the constant can be, too.
struct DCRelativeSamples {
    /// Eight times the samples less 128, MCU by MCU: 16 bits are as many as libjpeg looks at.
    private(set) var values: [Int16] = []
    /// Whether the constant may be added: libjpeg would cut none of the sums on the way.
    private(set) var isExact = true

    init(capacity: Int = 0) {
        values.reserveCapacity(capacity)
    }

    /// Takes a sample of a DC value alone.
    @inline(__always)
    mutating func append(_ value: Int32) {
        values.append(Int16(truncatingIfNeeded: value))
    }

    /// Takes two by two samples, from sums without DC.
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

    /// The sample of a component whose blocks become one sample each.
    @inline(__always)
    static func one(_ value: Int16, adding constant: Int32) -> UInt8 {
        // The rounding is in the value already.
        ReducedIDCT.one(Int32(Int16(truncatingIfNeeded: Int32(value) &+ constant)) &- 4)
    }

    /// One of two by two samples; nil where libjpeg might have cut a sum on the way.
    @inline(__always)
    static func four(_ value: Int16, adding constant: Int32) -> UInt8? {
        let sum = Int32(Int16(truncatingIfNeeded: Int32(value) &+ constant))
        guard abs(sum) < 2048 else { return nil }
        return UInt8(truncatingIfNeeded: min(max(sum &>> 3 &+ 128, 0), 255))
    }
}
