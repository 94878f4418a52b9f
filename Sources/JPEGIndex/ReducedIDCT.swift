/// The inverse transforms of libjpeg that make one or four samples of a block, to the bit.
///
/// Source: libjpeg-turbo, jidctred.c (jpeg_idct_1x1, jpeg_idct_2x2) and jdmaster.c (prepare_range_limit_table).
enum ReducedIDCT {
    /// The one sample of a block from its dequantised DC.
    @inline(__always)
    static func one(_ dc: Int32) -> UInt8 { limited((dc &+ 4) >> 3) }

    /// The places in zigzag order of the coefficients that two by two samples need, column by column.
    ///
    /// Rows and columns 0, 1, 3, 5 and 7 of the block; -1 for all others.
    static let slots: [Int8] = {
        let used = [0, 1, 3, 5, 7]
        var result = [Int8](repeating: -1, count: 64)
        for (zigzag, natural) in naturalOrder.enumerated() {
            guard let row = used.firstIndex(of: natural / 8), let column = used.firstIndex(of: natural % 8)
            else {
                continue
            }
            result[zigzag] = Int8(column * 5 + row)
        }
        return result
    }()

    /// A dequantised coefficient as the vector code of libjpeg-turbo holds it, in 16 bits.
    @inline(__always)
    static func narrowed(_ value: Int32) -> Int32 { Int32(Int16(truncatingIfNeeded: value)) }

    /// The four samples of a block from its 25 dequantised coefficients in the order of `slots`.
    ///
    /// Values that no encoder makes are cut where libjpeg-turbo's vector code cuts them, with 16 bits.
    static func four(_ input: InlineArray<25, Int32>) -> SIMD4<UInt8> {
        var top = SIMD8<Int32>()
        var bottom = SIMD8<Int32>()
        for column in 0..<5 {
            let first = column * 5
            let dc = input[first] &<< 15
            let odd = odd(input[first + 1], input[first + 2], input[first + 3], input[first + 4])
            top[column] = narrow((dc &+ odd &+ 4096) >> 13)
            bottom[column] = narrow((dc &- odd &+ 4096) >> 13)
        }
        let upper = pair(top)
        let lower = pair(bottom)
        return SIMD4(upper.0, upper.1, lower.0, lower.1)
    }

    private static func pair(_ row: SIMD8<Int32>) -> (UInt8, UInt8) {
        let dc = row[0] &<< 15
        let odd = odd(row[1], row[2], row[3], row[4])
        return (clamped((dc &+ odd &+ 524_288) >> 20), clamped((dc &- odd &+ 524_288) >> 20))
    }

    /// What the odd coefficients 1, 3, 5 and 7 add: 13 bits of fraction.
    @inline(__always)
    private static func odd(_ one: Int32, _ three: Int32, _ five: Int32, _ seven: Int32) -> Int32 {
        one &* 29692 &- three &* 10426 &+ five &* 6967 &- seven &* 5906
    }

    @inline(__always)
    private static func narrow(_ value: Int32) -> Int32 { max(-32768, min(32767, value)) }

    @inline(__always)
    private static func clamped(_ value: Int32) -> UInt8 {
        UInt8(truncatingIfNeeded: max(0, min(255, value &+ 128)))
    }

    /// A sample around zero as 0...255, with libjpeg's wrap-around for values that no encoder makes.
    @inline(__always)
    private static func limited(_ value: Int32) -> UInt8 {
        let index = value & 1023
        return index < 512
            ? UInt8(truncatingIfNeeded: min(index &+ 128, 255))
            : UInt8(truncatingIfNeeded: max(index &- 896, 0))
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
