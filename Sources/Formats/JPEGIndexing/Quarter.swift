package import Files
internal import ViewportGeometry

extension JPEGHeader {
    /// Whether `JPEGIndex` can make the image at one quarter.
    package var hasQuarter: Bool { QuarterPlan(self) != nil }
}

extension JPEGIndex {
    /// Finds the checkpoints of an open file and makes the image at one quarter, for thumbnails, in one pass.
    ///
    /// - Parameters:
    ///   - isCancelled: Called on every thread after each half megabyte at most; once it returns true, the read throws
    ///     as if the data ended there.
    ///   - row: Called with the rows of gray or RGB of `header.size(at: .quarter)` from the top, on the calling thread.
    /// - Throws: `JPEGIndexError.unsupportedSampling` where `header.hasQuarter` is false, `brokenStream` where the data
    ///   is broken or ends too early.
    package init(
        quarterOf file: any RandomAccessBytes, header: JPEGHeader, threads: Int, chunkSize: Int? = nil,
        isCancelled: @escaping @Sendable () -> Bool, row: (_ y: Int, _ pixels: RawSpan) -> Void
    ) throws(JPEGIndexError) {
        guard let rows = QuarterRows(header) else { throw .unsupportedSampling }
        var scan = IndexScan(
            ByteWindow(file, isCancelled: isCancelled), EntropyScanner(header), reduced: rows,
            threads: threads, chunkSize: chunkSize)
        try scan.read(rows: header.mcuRows, row)
        self = scan.index
    }
}

/// How the blocks of an MCU become two by two pixels, or four by four of a component of half the resolution.
///
/// Every block becomes two by two samples by the inverse transform (T.81, A.3.3) of its four lowest coefficients; all
/// other codes are only passed. libjpeg makes the means of four by four pixels instead: those contain more of the high
/// frequencies, which become false patterns in a thumbnail, and they take 25 coefficients. The image at one eighth was
/// used before: shrunk by little more than 2, it lost up to 5.4 dB beside vipsthumbnail; the four lowest coefficients
/// are 3 to 9 dB ahead of it. Four by four samples are made of the same four coefficients: colors change smoothly, as
/// repeated samples would not. Chunks keep coefficients instead of samples, because a DC value that is known later can
/// be added to them exactly.
struct QuarterPlan {
    /// One component's part.
    struct Component {
        /// Blocks across and down an MCU.
        var across: Int
        var down: Int
        /// Samples across and down a block: 2, or 4 where the component has half the resolution both ways.
        var side: Int
        /// Pixels across and down that one sample fills.
        var spreadX: Int
        var spreadY: Int
        /// The factors of the DC value and of the AC values 1, 2 and 4 in zigzag order: right, below, and both.
        var quantization: SIMD4<Int16>
        /// Codes with their values.
        var codes: LookupTable.View
    }

    /// The components by the numbers of the frame.
    let components: [Component]
    /// The components and their numbers in the order of the scan.
    let scanned: [(number: Int, component: Component)]
    /// The blocks of an MCU.
    let blocks: Int
    /// Pixels across and down an MCU.
    let mcuWidth: Int
    let mcuHeight: Int
    let color: OverviewColor
    /// The owners of the components' tables.
    private let tables: [LookupTable]

    /// Nil for CMYK, and for samplings that are not whole.
    init?(_ header: JPEGHeader) {
        let (width, height) = (header.maximumHorizontal, header.maximumVertical)
        guard [1, 3].contains(header.components.count) else { return nil }
        var (result, tables) = ([Component](), [LookupTable]())
        for (index, component) in header.components.enumerated() {
            let (across, down) = header.blocks(of: index)
            guard width % across == 0, height % down == 0 else { return nil }
            let side = width == 2 * across && height == 2 * down ? 4 : 2
            // The parser has checked that the components' tables exist.
            let factors = header.quantization[Int(component.quantization)]!.map {
                Int16(truncatingIfNeeded: $0)
            }
            let table = ACEntry.completeTable(header.acCodes[component.acTable]!)
            tables.append(table)
            // `tables` owns what the view shows.
            result.append(
                unsafe Component(
                    across: across, down: down, side: side, spreadX: 2 * width / (across * side),
                    spreadY: 2 * height / (down * side),
                    quantization: SIMD4(factors[0], factors[1], factors[2], factors[4]),
                    codes: table.view))
        }
        components = result
        scanned = header.scanOrder.map { ($0, result[$0]) }
        blocks = result.reduce(0) { $0 + $1.across * $1.down }
        (mcuWidth, mcuHeight) = (2 * width, 2 * height)
        color = OverviewColor(header)
        self.tables = tables
    }
}

extension EntropyScanner {
    /// Reads one MCU and appends the four lowest coefficients of its blocks; false where the data is broken or ends.
    func decode(
        _ data: UnsafeByteView, _ state: inout EntropyState, _ plan: QuarterPlan,
        to blocks: inout [SIMD4<Int16>]
    ) -> Bool {
        var local = state
        for group in groups {
            let component = plan.components[group.component]
            var dc = local.predictors[group.component]
            for _ in 0..<group.blocks {
                guard let difference = readDifference(group, data, &local),
                    let lowest = readLowest(group, component.codes, data, &local),
                    lowest.next == 128 || skipCoefficients(group, data, &local, from: lowest.next)
                else { return false }
                dc &+= difference
                blocks.append(lowest.block(dc))
            }
            local.predictors[group.component] = dc
        }
        guard !local.isExhausted else { return false }
        state = local
        return true
    }

    /// Reads the first AC codes of one block; nil where the data is broken.
    @inline(__always)
    func readLowest<Bits: CodeBits>(
        _ group: Group, _ codes: LookupTable.View, _ data: Bits.Bytes, _ state: inout Bits
    ) -> LowestCoefficients? {
        var lowest = LowestCoefficients()
        while lowest.next <= 4 {
            state.refill(data)
            let entry = codes[state.buffer]
            var (used, next) = (Int(entry & 255), lowest.next &+ Int(entry >> 8 & 255))
            var value = Int32(Int16(truncatingIfNeeded: entry >> 16))
            if entry == 0 {
                let (bits, code) = coefficientCode(group, state.buffer)
                if bits == 0 { return nil }
                let (run, size) = (code >> 4, code & 15)
                let rest = (state.buffer &<< UInt64(bits)) &>> UInt64(64 &- size)
                value = size == 0 ? 0 : Int32(truncatingIfNeeded: DCEntry.extend(Int(rest), size))
                used = bits &+ size
                next = lowest.next &+ (size == 0 && run != 15 ? 128 : run &+ 1)
            }
            state.drop(used)
            // The coefficient behind the one that was read: 1, 2 and 4 in zigzag order are kept.
            switch next {
            case 2: lowest.right = value
            case 3: lowest.below = value
            case 5: lowest.both = value
            case 128...: next = 128
            default: break
            }
            lowest.next = next
        }
        return lowest
    }
}

extension LowestCoefficients {
    /// Reads the first AC codes of one block from 48 bits; nil where they take more.
    ///
    /// Always four codes, of which the last may be behind the block: without branches, a processor reads several
    /// blocks at once.
    @inline(__always)
    init?(_ codes: LookupTable.View, _ buffer: UInt64) {
        var buffer = buffer
        var isLong = false
        for _ in 0..<4 {
            let entry = codes[buffer]
            isLong = isLong || (entry == 0 && next <= 4)
            // A longer code behind the last one that is needed passes it, too.
            next &+= max(1, Int(entry &>> 8 & 255))
            let value = Int32(Int16(truncatingIfNeeded: entry &>> 16))
            right = next == 2 ? value : right
            below = next == 3 ? value : below
            both = next == 5 ? value : both
            buffer &<<= UInt64(entry & 255)
        }
        if isLong { return nil }
    }
}

/// The values 1, 2 and 4 of a block in zigzag order.
struct LowestCoefficients {
    var right: Int32 = 0
    var below: Int32 = 0
    var both: Int32 = 0
    /// The coefficient behind those that were read; 128 where the block has ended.
    var next = 1

    /// The four lowest coefficients, with a DC value; those that no encoder makes wrap around.
    @inline(__always)
    func block(_ dc: Int32) -> SIMD4<Int16> {
        SIMD4(truncatingIfNeeded: SIMD4(dc, right, below, both))
    }
}

/// Emits the pixels of an image at one quarter as its MCUs are read.
final class QuarterRows: ReducedRows {
    let plan: QuarterPlan
    private let header: JPEGHeader
    private var samples: QuarterSamples
    private var pixels: [UInt8]
    /// The coefficients of the MCUs that the reader of the file decodes itself.
    private var own: [SIMD4<Int16>] = []

    init?(_ header: JPEGHeader) {
        guard let plan = QuarterPlan(header) else { return nil }
        self.plan = plan
        self.header = header
        samples = QuarterSamples(plan, mcusPerRow: header.mcusPerRow)
        let size = header.size(at: .quarter)
        // A byte more, because pixels are written in four bytes.
        pixels = [UInt8](repeating: 0, count: size.width * plan.components.count + 1)
    }

    var reduction: ReductionPlan { .quarter(plan) }

    func decode(
        _ cursor: inout MCUCursor, _ count: Int, _ emit: (Int, RawSpan) -> Void
    ) throws(JPEGIndexError) {
        let first = cursor.mcu
        own.removeAll(keepingCapacity: true)
        for _ in 0..<count { try cursor.decode(plan, to: &own) }
        let column = first % header.mcusPerRow
        samples.set(own[...], adding: .zero, column: column, plan)
        emitRow(endingAt: first + count, emit)
    }

    func adopt(
        _ chunk: Chunk, _ mcus: Range<Int>, less difference: Int, adding constants: SIMD4<Int32>,
        _ emit: (Int, RawSpan) -> Void
    ) -> Int {
        var mcu = mcus.lowerBound
        while mcu < mcus.upperBound {
            let column = mcu % header.mcusPerRow
            let end = min(mcu - column + header.mcusPerRow, mcus.upperBound)
            let first = chunk.content.sampleNumber(of: mcu - difference) * plan.blocks
            let blocks = chunk.content.quarters[first..<(first + (end - mcu) * plan.blocks)]
            samples.set(blocks, adding: constants, column: column, plan)
            emitRow(endingAt: end, emit)
            mcu = end
        }
        return mcus.upperBound
    }

    /// Emits the pixels of a row of MCUs if an MCU is behind its last.
    private func emitRow(endingAt mcu: Int, _ emit: (Int, RawSpan) -> Void) {
        guard mcu % header.mcusPerRow == 0 else { return }
        let top = (mcu / header.mcusPerRow - 1) * plan.mcuHeight
        let size = header.size(at: .quarter)
        for y in top..<min(top + plan.mcuHeight, size.height) {
            samples.convert(y - top, width: size.width, plan, to: &pixels)
            // Bytes have no padding, and the span is lent no longer than the array lives.
            emit(y, unsafe pixels.span.bytes.extracting(0..<(pixels.count - 1)))
        }
    }
}

/// The samples of a row of MCUs, component by component.
private struct QuarterSamples {
    private var bytes: [UInt8]
    private let starts: [Int]
    private let strides: [Int]

    init(_ plan: QuarterPlan, mcusPerRow: Int) {
        var (starts, strides, total) = ([Int](), [Int](), 0)
        for component in plan.components {
            strides.append(mcusPerRow * component.across * component.side)
            starts.append(total)
            total += strides.last! * component.down * component.side
        }
        (self.starts, self.strides) = (starts, strides)
        // Eight at a time are converted.
        bytes = [UInt8](repeating: 0, count: total + 8)
    }

    /// Sets the samples of MCUs from the coefficients of their blocks, after adding constants to the DC values.
    mutating func set(
        _ blocks: ArraySlice<SIMD4<Int16>>, adding constants: SIMD4<Int32>, column: Int, _ plan: QuarterPlan
    ) {
        var first = blocks.startIndex
        for (number, component) in plan.scanned {
            let constant = SIMD4(Int16(truncatingIfNeeded: constants[number]), 0, 0, 0)
            let (stride, side) = (strides[number], component.side)
            let mcuWidth = component.across * side
            var start = starts[number] + column * mcuWidth
            for mcu in Swift.stride(from: first, to: blocks.endIndex, by: plan.blocks) {
                var index = mcu
                for y in 0..<component.down {
                    for x in 0..<component.across {
                        let block = (blocks[index] &+ constant) &* component.quantization
                        let offset = start + y * side * stride + x * side
                        // The last row of the block ends inside of the memory.
                        precondition(offset >= 0 && offset + (side - 1) * stride + side <= bytes.count)
                        // Checked above.
                        unsafe bytes.withUnsafeMutableBytes { bytes in
                            let out = unsafe bytes.baseAddress! + offset
                            if side == 2 {
                                unsafe Self.set(block, out, stride)
                            } else {
                                unsafe Self.set(wide: block, out, stride)
                            }
                        }
                        index += 1
                    }
                }
                start += mcuWidth
            }
            first += component.across * component.down
        }
    }

    /// Sets two by two samples; the coefficients are those of the mean, right, below and both, times eight.
    @inline(__always)
    private static func set(_ block: SIMD4<Int16>, _ out: UnsafeMutableRawPointer, _ stride: Int) {
        let (top, bottom) = (block[0] &+ block[2], block[0] &- block[2])
        let (topSlope, bottomSlope) = (block[1] &+ block[3], block[1] &- block[3])
        let four = samples(
            SIMD4(top &+ topSlope, top &- topSlope, bottom &+ bottomSlope, bottom &- bottomSlope))
        unsafe out.storeBytes(of: four.lowHalf, as: SIMD2<UInt8>.self)
        unsafe (out + stride).storeBytes(of: four.highHalf, as: SIMD2<UInt8>.self)
    }

    /// Sets four by four samples of the same coefficients.
    @inline(__always)
    private static func set(
        wide block: SIMD4<Int16>, _ out: UnsafeMutableRawPointer, _ stride: Int
    ) {
        // The square root of 2 times the cosines of 1/8 and 3/8 of a half turn, with 10 bits.
        let slopes = SIMD4<Int32>(1338, 554, -554, -1338)
        let values = SIMD4<Int32>(truncatingIfNeeded: block)
        for y in 0..<4 {
            let mean = values[0] &+ (values[2] &* slopes[y] &+ 512) &>> 10
            let slope = values[1] &+ (values[3] &* slopes[y] &+ 512) &>> 10
            let row = mean &+ (slope &* slopes &+ 512) &>> 10
            unsafe (out + y * stride).storeBytes(
                of: samples(SIMD4(truncatingIfNeeded: row)), as: SIMD4<UInt8>.self)
        }
    }

    @inline(__always)
    private static func samples(_ eightfold: SIMD4<Int16>) -> SIMD4<UInt8> {
        // JPEG scales the DC value to eight times the mean, and stores samples less 128.
        let samples = (eightfold &+ 4) &>> 3 &+ 128
        return SIMD4(
            truncatingIfNeeded: samples.clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 255)))
    }

    /// Makes a row of pixels; `y` counts from the top of the MCUs.
    func convert(_ y: Int, width: Int, _ plan: QuarterPlan, to pixels: inout [UInt8]) {
        let count = plan.components.count
        precondition(pixels.count > width * count)
        let rows = plan.components.indices.map { starts[$0] + y / plan.components[$0].spreadY * strides[$0] }
        let isVector = plan.color == .yCbCr && plan.components.allSatisfy { $0.spreadX == 1 }
        guard isVector else {
            for (channel, component) in plan.components.enumerated() {
                for x in 0..<width {
                    pixels[x * count + channel] = bytes[rows[channel] + x / component.spreadX]
                }
            }
            if plan.color == .yCbCr { YCbCr.toRGB(&pixels, channels: 3, count: width) }
            return
        }
        precondition(rows.allSatisfy { $0 + width + 8 <= bytes.count })
        // Eight samples behind the last row, and a byte behind the last pixel, exist: checked above.
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe pixels.withUnsafeMutableBytes { pixels in
                func eight(_ index: Int) -> SIMD8<Int32> {
                    SIMD8(
                        truncatingIfNeeded: unsafe bytes.loadUnaligned(
                            fromByteOffset: index, as: SIMD8<UInt8>.self))
                }
                for x in stride(from: 0, to: width, by: 8) {
                    let packed = YCbCr.packed(eight(rows[0] + x), eight(rows[1] + x), eight(rows[2] + x))
                    for index in 0..<min(8, width - x) {
                        unsafe pixels.storeBytes(
                            of: packed[index].littleEndian, toByteOffset: 3 * (x + index), as: UInt32.self)
                    }
                }
            }
        }
    }
}

extension MCUCursor {
    /// Advances by an MCU and appends the lowest coefficients of its blocks.
    mutating func decode(
        _ plan: QuarterPlan, to blocks: inout [SIMD4<Int16>]
    ) throws(JPEGIndexError) {
        _ = loadedMCUs(upTo: 1)
        guard scanner.decode(window.data, &state, plan, to: &blocks) else { throw error }
        try passed(1)
    }
}
