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
