/// Two rows and the row that becomes of them.
///
// It runs on raw pointers: checked subscripts cost a factor of 3 here. Every index comes from `RowHalver`, which
// keeps inside of the rows.
@unsafe struct RowPair<S: HalvedSample> {
    let upper: UnsafePointer<S>
    let lower: UnsafePointer<S>
    let half: UnsafeMutablePointer<S>
    let bands: Int
    let hasAlpha: Bool

    /// Makes the means of pairs that stand side by side; `first` is a pixel of the rows, `out` of what is made.
    func means(from first: Int, to out: Int, count: Int) {
        if unsafe hasAlpha {
            for pair in 0..<count { unsafe mean(first + 2 * pair, first + 2 * pair + 1, to: out + pair) }
            return
        }
        // The loop is unrolled for the usual numbers of bands.
        switch unsafe bands {
        case 1: unsafe means(first, out, count: count, bands: 1)
        case 3: unsafe means(first, out, count: count, bands: 3)
        default: unsafe means(first, out, count: count, bands: bands)
        }
    }

    @inline(__always)
    private func means(_ first: Int, _ out: Int, count: Int, bands: Int) {
        let (a, b) = unsafe (upper + first * bands, lower + first * bands)
        let half = unsafe half + out * bands
        for x in 0..<count {
            for band in 0..<bands {
                let left = x &* 2 &* bands &+ band
                let right = left &+ bands
                unsafe half[x &* bands &+ band] = S.mean(a[left], a[right], b[left], b[right])
            }
        }
    }

    /// Makes the mean of the pixels of two columns.
    func mean(_ left: Int, _ right: Int, to out: Int) {
        let (left, right, out) = unsafe (left * bands, right * bands, out * bands)
        guard unsafe hasAlpha else {
            for band in unsafe 0..<bands {
                unsafe half[out + band] = S.mean(
                    upper[left + band], upper[right + band], lower[left + band], lower[right + band])
            }
            return
        }
        let alpha = unsafe bands - 1
        let weights = unsafe (
            upper[left + alpha], upper[right + alpha], lower[left + alpha], lower[right + alpha]
        )
        for band in 0..<alpha {
            unsafe half[out + band] = S.mean(
                upper[left + band], upper[right + band], lower[left + band], lower[right + band],
                weights: weights)
        }
        unsafe half[out + alpha] = S.mean(weights.0, weights.1, weights.2, weights.3)
    }
}

/// A sample of which four have a mean that is the same on every machine.
protocol HalvedSample: BitwiseCopyable {
    /// The mean, rounded to the nearest; halves go to the even number, or every level would be an eighth brighter.
    static func mean(_ a: Self, _ b: Self, _ c: Self, _ d: Self) -> Self
    /// The weighted mean, rounded to the nearest; 0 where nothing has a weight.
    static func mean(_ a: Self, _ b: Self, _ c: Self, _ d: Self, weights: (Self, Self, Self, Self)) -> Self
}

extension HalvedSample where Self: FixedWidthInteger & UnsignedInteger {
    static func mean(_ a: Self, _ b: Self, _ c: Self, _ d: Self, weights: (Self, Self, Self, Self)) -> Self {
        let weight = UInt64(weights.0) &+ UInt64(weights.1) &+ UInt64(weights.2) &+ UInt64(weights.3)
        guard weight > 0 else { return 0 }
        // Four products of 16 bits each.
        let sum =
            UInt64(a) &* UInt64(weights.0) &+ UInt64(b) &* UInt64(weights.1)
            &+ UInt64(c) &* UInt64(weights.2) &+ UInt64(d) &* UInt64(weights.3)
        return Self(truncatingIfNeeded: (sum &+ weight / 2) / weight)
    }
}

extension UInt8: HalvedSample {
    @inline(__always)
    static func mean(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) -> UInt8 {
        let sum = UInt16(a) &+ UInt16(b) &+ UInt16(c) &+ UInt16(d)
        return UInt8(truncatingIfNeeded: (sum &+ 1 &+ (sum &>> 2 & 1)) &>> 2)
    }
}

extension UInt16: HalvedSample {
    @inline(__always)
    static func mean(_ a: UInt16, _ b: UInt16, _ c: UInt16, _ d: UInt16) -> UInt16 {
        let sum = UInt32(a) &+ UInt32(b) &+ UInt32(c) &+ UInt32(d)
        return UInt16(truncatingIfNeeded: (sum &+ 1 &+ (sum &>> 2 & 1)) &>> 2)
    }
}

extension Float: HalvedSample {
    @inline(__always)
    static func mean(_ a: Float, _ b: Float, _ c: Float, _ d: Float) -> Float {
        ((a + b) + (c + d)) / 4
    }

    static func mean(
        _ a: Float, _ b: Float, _ c: Float, _ d: Float, weights: (Float, Float, Float, Float)
    ) -> Float {
        let weight = (weights.0 + weights.1) + (weights.2 + weights.3)
        guard weight > 0 else { return 0 }
        return ((a * weights.0 + b * weights.1) + (c * weights.2 + d * weights.3)) / weight
    }
}
