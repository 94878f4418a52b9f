extension EntropyScanner {
    /// Reads `count` MCUs as `skip` does, and sets their samples at one eighth from a column of MCUs on.
    func decode(
        _ count: Int, _ data: UnsafeByteView, _ state: inout EntropyState, _ plan: OverviewPlan,
        to rows: SampleRows, column: Int
    ) -> Bool {
        var local = state
        for mcu in column..<(column + count) {
            for group in groups {
                let component = plan.components[group.component]
                let stride = rows.strides[group.component]
                let width = component.across * component.side
                let start = rows.starts[group.component] + mcu * width
                var dc = local.predictors[group.component]
                for y in 0..<component.down {
                    for x in 0..<component.across {
                        guard let difference = readDifference(group, data, &local) else { return false }
                        dc &+= difference
                        let offset = start + (y * stride + x) * component.side
                        let value = dc &* component.quantization
                        if component.side == 1 {
                            guard skipCoefficients(group, data, &local) else { return false }
                            rows[offset] = ReducedIDCT.one(value)
                        } else {
                            guard let sums = readSums(group, component, value, data, &local) else {
                                return false
                            }
                            let four = ReducedIDCT.four(sums)
                            rows[offset] = four[0]
                            rows[offset + 1] = four[1]
                            rows[offset + stride] = four[2]
                            rows[offset + stride + 1] = four[3]
                        }
                    }
                }
                local.predictors[group.component] = dc
            }
        }
        state = local
        return !state.isExhausted
    }

    /// Reads the AC codes of one block and sums up its two by two samples; nil where the data is broken.
    @inline(__always)
    func readSums<Bits: CodeBits>(
        _ group: Group, _ component: OverviewPlan.Component, _ dc: Int32, _ data: Bits.Bytes,
        _ state: inout Bits
    ) -> ReducedIDCT.Sums? {
        var sums = ReducedIDCT.Sums(repeating: 0)
        // Four in units of 1/8192, as the factors are: libjpeg's CONST_BITS + 2.
        sums[0] = ReducedIDCT.narrowed(dc) &<< 15
        var coefficient = 1
        while coefficient < 64 {
            state.refill(data)
            let (bits, code) = coefficientCode(group, state.buffer)
            if bits == 0 { return nil }
            let (run, size) = (code >> 4, code & 15)
            if size == 0 {
                state.drop(bits)
                if run != 15 { return sums }
                coefficient &+= 16
                continue
            }
            coefficient &+= run
            guard coefficient < 64 else { return nil }
            let rest = Int((state.buffer &<< UInt64(bits)) &>> UInt64(64 &- size))
            let value = Int32(truncatingIfNeeded: DCEntry.extend(rest, size))
            // Coefficients that are not needed are added to an unused sum, with a factor of zero.
            let slot = component.slots[coefficient]
            sums[Int(slot.index)] &+= ReducedIDCT.narrowed(value &* slot.quantization) &* slot.factor
            state.drop(bits &+ size)
            coefficient &+= 1
        }
        return coefficient == 64 ? sums : nil
    }
}

/// The inverse transforms of libjpeg that make one or four samples of a block, to the bit.
///
/// One sample is the mean of a block, an eighth of its DC value. Two by two samples are the means of its quarters.
/// Over half a row or column, the cosines of the coefficients 2, 4 and 6 add up to zero (T.81, A.3.3): rows and
/// columns 0, 1, 3, 5 and 7 are left, 25 of 64 coefficients. The factors are libjpeg's, with 13 bits of fraction.
///
/// The transform has two passes, over columns and over rows. The first one only adds products, in any order: each
/// coefficient is added to the sums of its column as soon as its code is read. Before, the 25 coefficients were
/// collected and transformed afterwards. Values have 16 bits where libjpeg-turbo's vector code has.
///
/// Source: libjpeg-turbo, jidctred.c (jpeg_idct_1x1, jpeg_idct_2x2) and jdmaster.c (prepare_range_limit_table).
enum ReducedIDCT {
    /// The one sample of a block from its dequantized DC.
    @inline(__always)
    static func one(_ dc: Int32) -> UInt8 {
        let index = (dc &+ 4) >> 3 & 1023
        // libjpeg's wrap-around for values that no encoder makes.
        return UInt8(truncatingIfNeeded: index < 512 ? min(index &+ 128, 255) : max(index &- 896, 0))
    }

    /// The sums that the first of two passes makes of a block for two by two samples.
    ///
    /// 0 to 4 are the even parts of columns 0, 1, 3, 5 and 7 of the block, 8 to 12 their odd parts, with 15 bits
    /// of fraction: each coefficient is added with its factor as it is read.
    #if canImport(Darwin)
    // The same with older systems: InlineArray came with macOS 26.
    typealias Sums = SIMD16<Int32>
    #else
    typealias Sums = InlineArray<16, Int32>
    #endif

    /// The sum that a coefficient of a block is added to, and its factor; nil for those that are not needed.
    static func slot(natural: Int) -> (index: Int, factor: Int32)? {
        let used = [0, 1, 3, 5, 7]
        guard let row = used.firstIndex(of: natural / 8), let column = used.firstIndex(of: natural % 8) else {
            return nil
        }
        return (row == 0 ? column : 8 + column, [1 << 15, 29692, -10426, 6967, -5906][row])
    }

    /// The four samples of a block, row by row.
    ///
    /// Values that no encoder makes are cut where libjpeg-turbo's vector code cuts them, with 16 bits.
    @inline(__always)
    static func four(_ sums: Sums) -> SIMD4<UInt8> {
        let samples = values(sums).four &>> 20 &+ SIMD4(repeating: 128)
        return SIMD4<UInt8>(
            truncatingIfNeeded: samples.clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 255)))
    }

    /// The four samples before their last shift by 20 bits, rounding included, and what they are made of: the
    /// constant parts of the two rows, with 2 bits of fraction, and the others.
    @inline(__always)
    static func values(_ sums: Sums) -> (four: SIMD4<Int32>, constant: SIMD2<Int32>, varying: SIMD2<Int32>) {
        let even = SIMD8(sums[0], sums[1], sums[2], sums[3], sums[4], 0, 0, 0)
        let odd = SIMD8(sums[8], sums[9], sums[10], sums[11], sums[12], 0, 0, 0)
        let half = SIMD8<Int32>(repeating: 4096)
        let (top, bottom) = (narrow((even &+ odd &+ half) &>> 13), narrow((even &- odd &+ half) &>> 13))
        let factors = SIMD8<Int32>(0, 29692, -10426, 6967, -5906, 0, 0, 0)
        let (above, below) = ((top &* factors).wrappedSum(), (bottom &* factors).wrappedSum())
        let (first, second) = (top[0] &<< 15, bottom[0] &<< 15)
        let four = SIMD4(first &+ above, first &- above, second &+ below, second &- below)
        return (four &+ SIMD4(repeating: 524_288), SIMD2(top[0], bottom[0]), SIMD2(above, below))
    }

    /// A dequantized coefficient as the vector code of libjpeg-turbo holds it, in 16 bits.
    @inline(__always)
    static func narrowed(_ value: Int32) -> Int32 { Int32(Int16(truncatingIfNeeded: value)) }

    @inline(__always)
    private static func narrow(_ values: SIMD8<Int32>) -> SIMD8<Int32> {
        values.clamped(lowerBound: SIMD8(repeating: -32768), upperBound: SIMD8(repeating: 32767))
    }

    /// The index in the block of each coefficient of the stream (T.81, figure A.6).
    static let naturalOrder = [
        0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,
        7,
        14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31,
        39,
        46, 53, 60, 61, 54, 47, 55, 62, 63,
    ]
}

/// What each coefficient of a block adds to the sums of `ReducedIDCT`.
// Written once, in init; the memory stays in place.
@safe final class DequantizationTable: @unchecked Sendable {
    /// What one coefficient adds to which sum; by default nothing to an unused one.
    struct Slot {
        var index: Int32 = 15
        var quantization: Int32 = 0
        var factor: Int32 = 0
    }

    private let base: UnsafeMutablePointer<Slot>

    /// For the factors of the coefficients in zigzag order.
    init(_ quantization: [UInt16]) {
        precondition(quantization.count == 64)
        // Freed in deinit.
        unsafe base = .allocate(capacity: 64)
        for (zigzag, natural) in ReducedIDCT.naturalOrder.enumerated() {
            var slot = Slot()
            if let (index, factor) = ReducedIDCT.slot(natural: natural) {
                slot = Slot(
                    index: Int32(index), quantization: Int32(quantization[zigzag]), factor: factor)
            }
            // 64 coefficients.
            unsafe (base + zigzag).initialize(to: slot)
        }
    }

    // Plans keep the tables of their views.
    deinit { unsafe base.deallocate() }

    /// Its entries, for loops that must not count references; the caller keeps the table while it uses them.
    @unsafe var view: View { unsafe View(base: UnsafePointer(base)) }

    /// The entries of a table, which its owner keeps.
    // The entries are never written again.
    @safe struct View: @unchecked Sendable {
        fileprivate let base: UnsafePointer<Slot>

        /// The slot of a coefficient from 0 to 63.
        @inline(__always)
        subscript(_ coefficient: Int) -> Slot {
            // Six bits are always inside.
            unsafe base[coefficient & 63]
        }
    }
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

    mutating func removeAll() {
        values.removeAll(keepingCapacity: true)
        isExact = true
    }

    /// Appends a sample of a DC value alone.
    @inline(__always)
    mutating func append(_ dc: Int32) {
        values.append(Int16(truncatingIfNeeded: dc &+ 4))
    }

    /// Appends two by two samples of a DC value alone.
    @inline(__always)
    mutating func append(four dc: Int32) {
        for _ in 0..<4 { append(dc) }
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
        // The passes multiply a DC value by 2^17 without rounding it, so it can be added behind the shift.
        for index in 0..<4 { values.append(Int16(truncatingIfNeeded: four[index] &>> 17 &+ dc)) }
    }

    /// A sample of a DC value alone, of the sum with the constant.
    @inline(__always)
    static func one(_ sum: Int16) -> UInt8 {
        // The sum includes the rounding.
        ReducedIDCT.one(Int32(sum) &- 4)
    }

    /// Two by two samples of the sums with the constant; nil where libjpeg might have clipped a sum before.
    @inline(__always)
    static func four(_ sums: SIMD4<Int16>) -> SIMD4<UInt8>? {
        guard all(sums .< 2048), all(sums .> -2048) else { return nil }
        let samples = sums &>> 3 &+ 128
        return SIMD4(
            truncatingIfNeeded: samples.clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 255)))
    }
}
