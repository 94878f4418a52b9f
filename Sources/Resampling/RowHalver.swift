/// Makes one row of a picture of half the size out of two rows, each sample the mean of four.
///
/// Numbers are rounded as libvips rounds them, so that levels equal those of `vips dzsave`. Colours are
/// weighted by their alpha. Source: libvips, region.c, vips_region_shrink_method.
package struct RowHalver: Sendable {
    /// The pixels of a row, and of the row that is made.
    package let width: Int
    package let halfWidth: Int
    private let bands: Int
    private let hasAlpha: Bool
    /// 1 where the first pixel has no partner and pairs begin after it; else 0, and that pixel is the last.
    private let shift: Int

    /// - Parameter fromEnd: whether pixels are paired from the right end of the row.
    package init(width: Int, bands: Int, hasAlpha: Bool, fromEnd: Bool) {
        self.width = width
        self.bands = bands
        self.hasAlpha = hasAlpha
        halfWidth = (width + 1) / 2
        shift = fromEnd && width % 2 == 1 ? 1 : 0
    }

    /// Sets `half` to the means of two rows and lends it; a row without a partner stands in for both.
    package func halve(
        _ upper: RawSpan, _ lower: RawSpan, into half: inout [UInt8], _ body: (RawSpan) throws -> Void
    ) rethrows {
        precondition(upper.byteCount == width * bands && lower.byteCount == width * bands)
        precondition(half.count == halfWidth * bands)
        // The three are lent for the call, and their sizes were checked.
        unsafe upper.withUnsafeBytes { upper in
            unsafe lower.withUnsafeBytes { lower in
                unsafe half.withUnsafeMutableBytes { half in
                    // Not empty: a row has a pixel.
                    let rows = (upper.baseAddress!, lower.baseAddress!, half.baseAddress!)
                    unsafe halve(rows.0, rows.1, rows.2)
                }
            }
        }
        // Bytes have no padding that could be read.
        try body(unsafe half.span.bytes)
    }

    private func halve(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ out: UnsafeMutableRawPointer) {
        let first = shift
        let last = (width + shift) / 2
        if first == 1 { unsafe mean(a, b, 0, 0, out, 0) }
        if hasAlpha {
            for x in first..<max(first, last) {
                unsafe mean(a, b, 2 * x - shift, 2 * x - shift + 1, out, x)
            }
        } else {
            let start = (2 * first - shift) * bands
            // Whole pairs only: inside both rows, and inside the row that is made.
            let rows = unsafe (a + start, b + start, out + first * bands)
            unsafe means(rows.0, rows.1, rows.2, count: max(0, last - first))
        }
        if shift == 0, width % 2 == 1 { unsafe mean(a, b, width - 1, width - 1, out, halfWidth - 1) }
    }

    /// The means of pairs that stand side by side.
    private func means(
        _ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ out: UnsafeMutableRawPointer, count: Int
    ) {
        // The loops are unrolled for the usual numbers of bands; the addresses are the caller's.
        switch bands {
        case 1: unsafe means(a, b, out, count: count, bands: 1)
        case 3: unsafe means(a, b, out, count: count, bands: 3)
        default: unsafe means(a, b, out, count: count, bands: bands)
        }
    }

    @inline(__always)
    private func means(
        _ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ out: UnsafeMutableRawPointer, count: Int, bands: Int
    ) {
        let a = unsafe a.assumingMemoryBound(to: UInt8.self)
        let b = unsafe b.assumingMemoryBound(to: UInt8.self)
        let out = unsafe out.assumingMemoryBound(to: UInt8.self)
        for x in 0..<count {
            for band in 0..<bands {
                let left = x &* 2 &* bands &+ band
                let right = left &+ bands
                // Inside, as the caller has said.
                let sum = unsafe UInt16(a[left]) &+ UInt16(a[right]) &+ UInt16(b[left]) &+ UInt16(b[right])
                unsafe out[x &* bands &+ band] = UInt8(truncatingIfNeeded: (sum &+ 2) &>> 2)
            }
        }
    }

    /// The mean of the pixels of two columns of two rows.
    private func mean(
        _ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ left: Int, _ right: Int,
        _ out: UnsafeMutableRawPointer, _ x: Int
    ) {
        /// One band of the four pixels.
        func four(_ band: Int) -> SIMD4<Int> {
            // Pixels are inside their rows: `halve` only asks for those.
            unsafe SIMD4(
                Int(a.load(fromByteOffset: left * bands + band, as: UInt8.self)),
                Int(a.load(fromByteOffset: right * bands + band, as: UInt8.self)),
                Int(b.load(fromByteOffset: left * bands + band, as: UInt8.self)),
                Int(b.load(fromByteOffset: right * bands + band, as: UInt8.self)))
        }
        let colors = hasAlpha ? bands - 1 : bands
        let alphas = hasAlpha ? four(bands - 1) : SIMD4(repeating: 1)
        let weight = alphas.wrappedSum()
        for band in 0..<colors {
            let sum = (four(band) &* alphas).wrappedSum()
            let value = hasAlpha ? (weight == 0 ? 0 : sum / weight) : (sum + 2) >> 2
            unsafe out.storeBytes(of: UInt8(value), toByteOffset: x * bands + band, as: UInt8.self)
        }
        guard hasAlpha else { return }
        unsafe out.storeBytes(of: UInt8(weight >> 2), toByteOffset: x * bands + colors, as: UInt8.self)
    }
}
