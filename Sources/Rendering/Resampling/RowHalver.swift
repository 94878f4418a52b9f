/// Two rows and the row of their means.
///
// Uses raw pointers, because checked subscripts take 3 times as long. Every index comes from `RowHalver`, which
// stays within the rows.
@unsafe struct RowPair<S: HalvedSample> {
    let upper: UnsafePointer<S>
    let lower: UnsafePointer<S>
    let half: UnsafeMutablePointer<S>
    let bands: Int
    let hasAlpha: Bool

    /// Writes the means of `count` pairs of pixels, from pixel `first` of the rows to pixel `out` of the result.
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

    /// Writes the mean of the pixels of two columns.
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

/// A sample whose means are the same on every machine.
protocol HalvedSample: BitwiseCopyable {
    /// Returns the mean, rounded to nearest, ties to even; rounding ties up would add 1/8 per level on average.
    static func mean(_ a: Self, _ b: Self, _ c: Self, _ d: Self) -> Self
    /// Returns the weighted mean, rounded to nearest; 0 where all weights are 0.
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
        // Adds 1, or 2 where the quotient is odd: of the four rests only 2, the tie, then differs.
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

/// Halves an image: makes one row from two, each sample the mean of four.
///
/// Means are rounded to nearest, ties to even. Colors are weighted by their alpha, so that transparent pixels
/// do not contribute.
///
/// Levels are made of levels, up to a small picture: what one mean adds, all add. Ties were rounded up before, which
/// made each level an eighth of a step brighter than the one before it, and cost 1.6 dB at a sixteenth of a photo.
/// Colors beside an alpha are divided by the sum of alphas, and are rounded without that care: there, ties go up.
///
/// The same code makes levels for the cache and while a file is read, in the same order of additions, so that a
/// picture has the same bytes from both and on every machine. An odd last column is paired with itself. Columns of a
/// mirrored image are paired from the other end (`fromEnd`), so that its levels are mirrored, too.
package struct RowHalver: Sendable {
    /// The number of pixels in an input row.
    package let width: Int
    /// The number of pixels in an output row.
    package let halfWidth: Int
    private let layout: SampleLayout
    /// The first pixel of the first pair: 1 if the row is odd and its first pixel, not its last, has no partner.
    private let shift: Int

    /// - Parameter fromEnd: Whether pixels are paired from the right end of the row.
    /// - Precondition: A row has pixels, and a pixel has samples.
    package init(width: Int, layout: SampleLayout, fromEnd: Bool = false) {
        precondition(width > 0 && layout.bands > 0, "rows without samples")
        self.width = width
        self.layout = layout
        halfWidth = (width + 1) / 2
        shift = fromEnd && width % 2 == 1 ? 1 : 0
    }

    /// The size of an output row in bytes.
    package var halfBytes: Int { halfWidth * layout.pixelBytes }

    /// Sets `half` to the means of two rows and calls a closure with it; a row without a partner is passed twice.
    package func halve(
        _ upper: RawSpan, _ lower: RawSpan, into half: inout [UInt8], _ body: (RawSpan) throws -> Void
    ) rethrows {
        let rowBytes = width * layout.pixelBytes
        precondition(upper.byteCount == rowBytes && lower.byteCount == rowBytes)
        precondition(half.count == halfBytes)
        switch layout.type {
        case .uint8: halve(upper, lower, &half, as: UInt8.self)
        case .uint16: halve(upper, lower, &half, as: UInt16.self)
        case .float32: halve(upper, lower, &half, as: Float.self)
        }
        // Bytes have no padding that could be read.
        try body(unsafe half.span.bytes)
    }

    private func halve<S: HalvedSample>(
        _ upper: RawSpan, _ lower: RawSpan, _ half: inout [UInt8], as type: S.Type
    ) {
        // All three are valid during the call, and their sizes were checked. An array is aligned for any sample, and
        // rows are aligned for theirs.
        unsafe upper.withUnsafeBytes { upper in
            unsafe lower.withUnsafeBytes { lower in
                unsafe half.withUnsafeMutableBytes { half in
                    // Not empty: a row has a pixel.
                    let pair = unsafe RowPair(
                        upper: upper.baseAddress!.assumingMemoryBound(to: S.self),
                        lower: lower.baseAddress!.assumingMemoryBound(to: S.self),
                        half: half.baseAddress!.assumingMemoryBound(to: S.self), bands: layout.bands,
                        hasAlpha: layout.hasAlpha)
                    unsafe halve(pair)
                }
            }
        }
    }

    private func halve<S: HalvedSample>(_ rows: RowPair<S>) {
        // In an odd row, the first or last pixel is paired with itself.
        if shift == 1 { unsafe rows.mean(0, 0, to: 0) }
        // Complete pairs only, so that all indices are within the three rows.
        unsafe rows.means(from: shift, to: shift, count: width / 2)
        if shift == 0, width % 2 == 1 { unsafe rows.mean(width - 1, width - 1, to: halfWidth - 1) }
    }
}

/// Halves an image several times while its rows are pushed one by one, from the top.
///
/// Sides are rounded up: an odd last row or column is paired with itself. Holds one row of each size.
package final class RowShrinker {
    private let halver: RowHalver
    /// Halves the output of this one; nil for the last.
    private let next: RowShrinker?
    /// The row that waits for its partner.
    private var upper: [UInt8] = []
    private var isWaiting = false
    private var half: [UInt8]

    /// - Parameter times: The number of halvings, at least 1.
    package init(width: Int, layout: SampleLayout, times: Int) {
        precondition(times >= 1)
        halver = RowHalver(width: width, layout: layout)
        half = [UInt8](repeating: 0, count: halver.halfBytes)
        next = times > 1 ? RowShrinker(width: halver.halfWidth, layout: layout, times: times - 1) : nil
    }

    /// Adds the next row, and calls `body` with the output row that it completes, if any.
    ///
    /// - Parameter isLast: Whether this is the last row of the image.
    package func push(_ row: RawSpan, isLast: Bool, _ body: (RawSpan) throws -> Void) rethrows {
        guard isWaiting || isLast else {
            upper.removeAll(keepingCapacity: true)
            // The bytes are copied before the call returns.
            unsafe row.withUnsafeBytes { unsafe upper.append(contentsOf: $0) }
            isWaiting = true
            return
        }
        if isWaiting {
            isWaiting = false
            try upper.withRow(0..<upper.count) { upper in
                try halver.halve(upper, row, into: &half) { try lend($0, isLast, body) }
            }
        } else {
            try halver.halve(row, row, into: &half) { try lend($0, isLast, body) }
        }
    }

    private func lend(_ made: RawSpan, _ isLast: Bool, _ body: (RawSpan) throws -> Void) rethrows {
        if let next { try next.push(made, isLast: isLast, body) } else { try body(made) }
    }
}
