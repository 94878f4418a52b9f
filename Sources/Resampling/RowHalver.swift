/// Makes one row of a picture of half the size out of two rows, each sample the mean of four.
///
/// Means are rounded to the nearest, halves to the even. Colors are weighted by their alpha, so that transparent pixels lend no
/// color.
package struct RowHalver: Sendable {
    /// The pixels of a row, and of the row that is made.
    package let width: Int
    package let halfWidth: Int
    package let layout: SampleLayout
    /// 1 where the first pixel has no partner and pairs begin after it; else 0, and that pixel is the last.
    private let shift: Int

    /// - Parameter fromEnd: whether pixels are paired from the right end of the row.
    package init(width: Int, layout: SampleLayout, fromEnd: Bool = false) {
        self.width = width
        self.layout = layout
        halfWidth = (width + 1) / 2
        shift = fromEnd && width % 2 == 1 ? 1 : 0
    }

    /// The bytes of a row that is made.
    package var halfBytes: Int { halfWidth * layout.pixelBytes }

    /// Sets `half` to the means of two rows and lends it; a row without a partner stands in for both.
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
        // The three are lent for the call, and their sizes were checked; an array is aligned for any sample, and
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
        // The first or the last pixel of an odd number is its own partner.
        if shift == 1 { unsafe rows.mean(0, 0, to: 0) }
        // Whole pairs only: inside both rows, and inside the row that is made.
        unsafe rows.means(from: shift, to: shift, count: width / 2)
        if shift == 0, width % 2 == 1 { unsafe rows.mean(width - 1, width - 1, to: halfWidth - 1) }
    }
}
