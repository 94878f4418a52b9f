public import ViewportGeometry

extension JPEGRegionReader {
    /// Returns the parts of the file that a region is read from, in their order: one for each row of MCUs.
    ///
    /// A reader over a network requests them together.
    ///
    /// - Parameters:
    ///   - rect: The region in pixels of the scaled image; what lies outside of the image is cut off.
    ///   - scale: The scale to decode at.
    ///   - count: The bytes of the file.
    public func byteRanges(
        of rect: PixelRect<ReducedGrid>, at scale: JPEGScale, fileSize count: Int
    ) -> [Range<Int>] {
        guard let rect = rect.limited(to: header.size(at: scale)) else { return [] }
        let range = header.mcus(covering: rect, at: scale)
        return range.rows.compactMap { row in
            guard let first = try? index.checkpoint(row: row, column: range.columns.lowerBound),
                let last = try? index.checkpoint(row: row, column: range.columns.upperBound)
            else { return nil }
            // What windows load before a position and behind an end.
            let start = max(0, Int(truncatingIfNeeded: index.bitPositions[first] >> 3) - 64)
            let next = last + 1 < index.bitPositions.count
            let end = next ? Int(truncatingIfNeeded: index.bitPositions[last + 1] >> 3) + 16 : start + 1 << 16
            return start < min(end, count) ? start..<min(end, count) : nil
        }
    }
}
