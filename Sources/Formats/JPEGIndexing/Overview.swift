package import Files
internal import ViewportGeometry

extension JPEGHeader {
    /// Whether `JPEGIndex` can make the image at one eighth.
    public var hasOverview: Bool { OverviewPlan(self) != nil }
}

extension JPEGIndex {
    /// Finds the checkpoints of a file in memory and makes the image at one eighth, in one pass.
    ///
    /// The rows are the bytes that libjpeg-turbo decodes at that scale, with one byte for each component of a
    /// pixel: gray, RGB, or CMYK with libjpeg's inversion.
    ///
    /// - Parameters:
    ///   - file: All bytes of the JPEG.
    ///   - header: Its header.
    ///   - interval: The MCUs between two checkpoints of a row; values below 1 count as 1.
    ///   - threads: The threads that scan a large file. The result is the same.
    ///   - overviewRow: Called with the rows of `header.size(at: .eighth)` from the top, on the calling thread.
    /// - Throws: `JPEGIndexError.unsupportedSampling` where `header.hasOverview` is false, `brokenStream` where the
    ///   data is broken or ends too early.
    public init(
        _ file: RawSpan, header: JPEGHeader, interval: Int = defaultInterval, threads: Int = 1,
        overviewRow: (_ y: Int, _ pixels: RawSpan) -> Void
    ) throws(JPEGIndexError) {
        self = try ByteWindow.lending(file) { window throws(JPEGIndexError) in
            try JPEGIndex(window, header, interval: interval, threads: threads, overviewRow: overviewRow)
        }
    }

    /// Finds the checkpoints of an open file and makes the image at one eighth, with little of the file in memory.
    ///
    /// - Parameter isCancelled: Called on every thread after each half megabyte at most; once it returns true, the read
    ///   throws as if the data ended there.
    package init(
        _ file: any RandomAccessBytes, header: JPEGHeader, interval: Int = defaultInterval, threads: Int = 1,
        isCancelled: @escaping @Sendable () -> Bool, overviewRow: (_ y: Int, _ pixels: RawSpan) -> Void
    ) throws(JPEGIndexError) {
        let window = ByteWindow(file, isCancelled: isCancelled)
        try self.init(window, header, interval: interval, threads: threads, overviewRow: overviewRow)
    }

    private init(
        _ window: ByteWindow, _ header: JPEGHeader, interval: Int, threads: Int,
        overviewRow: (_ y: Int, _ pixels: RawSpan) -> Void
    ) throws(JPEGIndexError) {
        var scan = IndexScan(
            window, EntropyScanner(header), interval: Self.valid(interval),
            reduced: try OverviewRows(header), threads: threads)
        try scan.read(rows: header.mcuRows, overviewRow)
        self = scan.index
    }
}

/// Emits the image at one eighth as its MCUs are read.
///
/// A DC value is eight times the mean of a block's samples less 128 (T.81, A.3.1 and A.3.3), and the pass that makes
/// an index reads all DC values anyway: the same pass makes this image. Luminance takes nothing else. Chrominance of
/// half the resolution both ways has a block for sixteen by sixteen pixels, which is two by two samples here, and
/// takes AC coefficients, too: see `ReducedIDCT`.
///
/// Transform, color conversion and the repetition of samples are libjpeg-turbo's, to the bit, so that it does not
/// matter for a picture which of the two made it. Threads that read chunks do not know the DC values before theirs:
/// their samples lack a constant, which is added when the reader of the file adopts them. Before, one thread read from
/// the beginning of the file and another from its middle; chunks serve any number of threads.
final class OverviewRows: ReducedRows {
    let plan: OverviewPlan
    /// The samples of a row of MCUs.
    let samples: SampleRows
    private let mcusPerRow: Int
    private let height: Int
    private var pixels: [UInt8]

    init(_ header: JPEGHeader) throws(JPEGIndexError) {
        guard let plan = OverviewPlan(header) else { throw .unsupportedSampling }
        self.plan = plan
        (mcusPerRow, height) = (header.mcusPerRow, header.size(at: .eighth).height)
        samples = SampleRows(plan, mcusPerRow: header.mcusPerRow)
        pixels = [UInt8](repeating: 0, count: header.size(at: .eighth).width * plan.components.count)
    }

    var reduction: ReductionPlan { .overview(plan) }

    func decode(
        _ cursor: inout MCUCursor, _ count: Int, _ emit: (Int, RawSpan) -> Void
    ) throws(JPEGIndexError) {
        let column = cursor.mcu % mcusPerRow
        try cursor.decode(from: column, to: column + count, plan, samples)
        emitRow(endingAt: cursor.mcu, emit)
    }

    /// Emits the pixels of a row of MCUs if an MCU is behind its last.
    private func emitRow(endingAt mcu: Int, _ emit: (Int, RawSpan) -> Void) {
        guard mcu % mcusPerRow == 0 else { return }
        let top = (mcu / mcusPerRow - 1) * plan.mcuHeight
        for y in top..<min(top + plan.mcuHeight, height) {
            plan.convert(samples, y: y - top, to: &pixels)
            // Bytes have no padding, and the span is lent no longer than the array lives.
            emit(y, unsafe pixels.span.bytes)
        }
    }

    func adopt(
        _ chunk: Chunk, _ mcus: Range<Int>, less difference: Int, adding constants: SIMD4<Int32>,
        _ emit: (Int, RawSpan) -> Void
    ) -> Int {
        // Constants can be added as long as libjpeg clips no sum; these MCUs are read again instead.
        guard chunk.content.samples.isExact else { return mcus.lowerBound }
        var mcu = mcus.lowerBound
        while mcu < mcus.upperBound {
            let column = mcu % mcusPerRow
            let end = min(mcu - column + mcusPerRow, mcus.upperBound)
            let first = chunk.content.sampleNumber(of: mcu - difference)
            let count = samples.set(
                chunk.content.samples, first..<(first + end - mcu), adding: constants, column: column, plan)
            guard mcu + count == end else { return mcu + count }
            emitRow(endingAt: end, emit)
            mcu = end
        }
        return mcus.upperBound
    }
}

extension MCUCursor {
    /// Advances over some MCUs of a row and sets their samples.
    mutating func decode(
        from first: Int, to end: Int, _ plan: OverviewPlan, _ samples: SampleRows
    ) throws(JPEGIndexError) {
        var column = first
        while column < end {
            let run = loadedMCUs(upTo: min(end - column, mcusToRestart))
            guard run > 0,
                scanner.decode(run, window.data, &state, plan, to: samples, column: column)
            else { throw error }
            try passed(run)
            column += run
        }
    }
}

/// How the blocks of an MCU become pixels at one eighth, as libjpeg-turbo makes them.
///
/// A component's block becomes one sample, or a square of two by two where its sampling is halved both ways.
struct OverviewPlan {
    /// One component's part.
    struct Component {
        /// Blocks across and down an MCU.
        var across: Int
        var down: Int
        /// Samples across and down a block: 1 or 2.
        var side: Int
        /// Pixels across and down that one sample fills.
        var spreadX: Int
        var spreadY: Int
        /// The factor of the DC value.
        var quantization: Int32
        /// What the coefficients in zigzag order add to two by two samples.
        var slots: DequantizationTable.View
    }

    let components: [Component]
    /// The components and their numbers in the order of the scan.
    let scanned: [(number: Int, component: Component)]
    /// The samples of an MCU.
    let samplesPerMCU: Int
    /// The owners of the components' tables.
    private let tables: [DequantizationTable]
    /// Pixels of an MCU, one for each of the largest sampling factors.
    let mcuWidth: Int
    let mcuHeight: Int
    let color: OverviewColor

    /// Nil where a block becomes more than two by two samples: no encoder writes such files.
    init?(_ header: JPEGHeader) {
        mcuWidth = header.maximumHorizontal
        mcuHeight = header.maximumVertical
        color = OverviewColor(header)
        var result: [Component] = []
        var tables: [DequantizationTable] = []
        for (index, component) in header.components.enumerated() {
            let (across, down) = header.blocks(of: index)
            let side = header.blockSide(of: index, at: .eighth)
            // The parser has checked that the components' tables exist.
            let table = header.quantization[Int(component.quantization)]!
            guard side <= 2 else { return nil }
            let slots = DequantizationTable(table)
            tables.append(slots)
            // `tables` owns what the view shows.
            result.append(
                unsafe Component(
                    across: across, down: down, side: side, spreadX: mcuWidth / (across * side),
                    spreadY: mcuHeight / (down * side), quantization: Int32(table[0]),
                    slots: slots.view))
        }
        components = result
        scanned = header.scanOrder.map { ($0, result[$0]) }
        samplesPerMCU = result.reduce(0) { $0 + $1.across * $1.down * $1.side * $1.side }
        self.tables = tables
    }
}

/// The color space of a JPEG, by libjpeg's rules.
///
/// T.81 leaves it to applications: it follows from the segments of JFIF and Adobe, else from the components' IDs.
///
/// Source: libjpeg-turbo, jdapimin.c, default_decompress_parms.
enum OverviewColor: Sendable {
    case gray
    case rgb
    case yCbCr
    case cmyk
    case ycck

    init(_ header: JPEGHeader) {
        switch header.components.count {
        case 1: self = .gray
        case 3:
            if header.hasJFIF {
                self = .yCbCr
            } else if let transform = header.adobeTransform {
                self = transform == 0 ? .rgb : .yCbCr
            } else {
                self = header.components.map(\.id) == [0x52, 0x47, 0x42] ? .rgb : .yCbCr
            }
        default:
            self = (header.adobeTransform ?? 0) == 0 ? .cmyk : .ycck
        }
    }
}

extension OverviewPlan {
    /// Makes one row of pixels of the samples of a row of MCUs; `y` counts from the top of those.
    func convert(_ rows: SampleRows, y: Int, to pixels: inout [UInt8]) {
        let channels = components.count
        let width = pixels.count / channels
        for (channel, component) in components.enumerated() {
            let start = rows.starts[channel] + y / component.spreadY * rows.strides[channel]
            var index = channel
            if component.spreadX == 1 {
                for x in 0..<width {
                    pixels[index] = rows[start &+ x]
                    index &+= channels
                }
            } else {
                for x in 0..<width {
                    pixels[index] = rows[start &+ x / component.spreadX]
                    index &+= channels
                }
            }
        }
        switch color {
        case .gray, .rgb, .cmyk: break
        case .yCbCr: YCbCr.toRGB(&pixels, channels: 3)
        case .ycck:
            YCbCr.toRGB(&pixels, channels: 4)
            // Y, Cb and Cr are those of inverted CMY; K is stored as it is.
            for index in pixels.indices where index % 4 != 3 { pixels[index] = ~pixels[index] }
        }
    }
}

/// libjpeg's conversion from luminance and color differences, to the bit.
///
/// Source: libjpeg-turbo, jdcolor.c, build_ycc_rgb_table and ycc_rgb_convert.
enum YCbCr {
    /// Converts the first three of every `channels` bytes in place.
    static func toRGB(_ pixels: inout [UInt8], channels: Int, count: Int? = nil) {
        var span = pixels.mutableSpan
        for index in stride(from: 0, to: count.map { $0 * channels } ?? span.count, by: channels) {
            // 1.402, 0.34414, 0.71414 and 1.772 in units of 1/65536; 32768 rounds. Green is rounded once, as a sum.
            let y = Int32(span[index])
            let cb = Int32(span[index + 1]) &- 128
            let cr = Int32(span[index + 2]) &- 128
            span[index] = clamped(y &+ (cr &* 91881 &+ 32768) >> 16)
            span[index + 1] = clamped(y &+ (cb &* -22554 &+ cr &* -46802 &+ 32768) >> 16)
            span[index + 2] = clamped(y &+ (cb &* 116130 &+ 32768) >> 16)
        }
    }

    /// Returns eight pixels of the same conversion, red in the lowest byte of each.
    @inline(__always)
    static func packed(_ y: SIMD8<Int32>, _ cb: SIMD8<Int32>, _ cr: SIMD8<Int32>) -> SIMD8<UInt32> {
        let (cb, cr) = (cb &- 128, cr &- 128)
        // The standard library's `clamped` is not inlined.
        func clamped(_ values: SIMD8<Int32>) -> SIMD8<UInt32> {
            let room = 255 &- (values & ~(values &>> 31))
            return SIMD8(truncatingIfNeeded: 255 &- (room & ~(room &>> 31)))
        }
        let red = clamped(y &+ (cr &* 91881 &+ 32768) &>> 16)
        let green = clamped(y &+ (cb &* -22554 &+ cr &* -46802 &+ 32768) &>> 16)
        let blue = clamped(y &+ (cb &* 116130 &+ 32768) &>> 16)
        return red | green &<< 8 | blue &<< 16
    }

    @inline(__always)
    private static func clamped(_ value: Int32) -> UInt8 {
        UInt8(truncatingIfNeeded: max(0, min(255, value)))
    }
}

/// The samples of one row of MCUs, component by component.
// Owned memory; every access checks its bounds. One thread writes it.
@safe final class SampleRows {
    private let base: UnsafeMutablePointer<UInt8>
    private let count: Int
    /// The index of each component's first sample, and the samples of one of its rows.
    let starts: [Int]
    let strides: [Int]

    init(_ plan: OverviewPlan, mcusPerRow: Int) {
        var starts: [Int] = []
        var strides: [Int] = []
        var total = 0
        for component in plan.components {
            let stride = mcusPerRow * component.across * component.side
            starts.append(total)
            strides.append(stride)
            total += stride * component.down * component.side
        }
        self.starts = starts
        self.strides = strides
        count = total
        // Freed in deinit; never read before it is set.
        unsafe base = .allocate(capacity: total)
        // All of the memory just allocated.
        unsafe base.initialize(repeating: 0, count: total)
    }

    // Nobody else holds the memory.
    deinit { unsafe base.deallocate() }

    @inline(__always)
    subscript(_ index: Int) -> UInt8 {
        get {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "a sample outside of the row")
            // Checked above.
            return unsafe base[index]
        }
        set {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "a sample outside of the row")
            // Checked above.
            unsafe base[index] = newValue
        }
    }

    /// Sets the samples of MCUs from a column on, after adding constants to the DC values.
    ///
    /// - Parameter numbers: the numbers of the MCUs among `relative`.
    /// - Returns: how many of them, from the first, could be set.
    func set(
        _ relative: DCRelativeSamples, _ numbers: Range<Int>, adding constants: SIMD4<Int32>, column: Int,
        _ plan: OverviewPlan
    ) -> Int {
        var count = numbers.count
        let step = plan.samplesPerMCU
        var first = numbers.lowerBound * step
        let values = relative.values.span
        for (number, component) in plan.scanned {
            let constant = Int16(truncatingIfNeeded: constants[number] &* component.quantization)
            let (stride, side) = (strides[number], component.side)
            let width = component.across * side
            for y in 0..<component.down {
                for x in 0..<component.across {
                    var target = starts[number] + column * width + (y * stride + x) * side
                    var source = first
                    for mcu in 0..<count {
                        if side == 1 {
                            self[target] = DCRelativeSamples.one(values[source] &+ constant)
                        } else {
                            let four = SIMD4(
                                values[source], values[source &+ 1], values[source &+ 2],
                                values[source &+ 3])
                            guard let samples = DCRelativeSamples.four(four &+ constant) else {
                                count = mcu
                                break
                            }
                            self[target] = samples[0]
                            self[target &+ 1] = samples[1]
                            self[target &+ stride] = samples[2]
                            self[target &+ stride &+ 1] = samples[3]
                        }
                        (source, target) = (source &+ step, target &+ width)
                    }
                    first += side * side
                }
            }
        }
        return count
    }
}
