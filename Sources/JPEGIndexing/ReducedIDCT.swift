/// The inverse transforms of libjpeg that make one or four samples of a block, to the bit.
///
/// Source: libjpeg-turbo, jidctred.c (jpeg_idct_1x1, jpeg_idct_2x2) and jdmaster.c (prepare_range_limit_table).
enum ReducedIDCT {
    /// The one sample of a block from its dequantised DC.
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
    typealias Sums = InlineArray<16, Int32>

    /// Where a coefficient of a block is added to, and its factor; nil for those that are not needed.
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

    /// A dequantised coefficient as the vector code of libjpeg-turbo holds it, in 16 bits.
    @inline(__always)
    static func narrowed(_ value: Int32) -> Int32 { Int32(Int16(truncatingIfNeeded: value)) }

    @inline(__always)
    private static func narrow(_ values: SIMD8<Int32>) -> SIMD8<Int32> {
        values.clamped(lowerBound: SIMD8(repeating: -32768), upperBound: SIMD8(repeating: 32767))
    }

    /// The place in the block of each coefficient of the stream (T.81, figure A.6).
    static let naturalOrder = [
        0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,
        7,
        14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31,
        39,
        46, 53, 60, 61, 54, 47, 55, 62, 63,
    ]
}
