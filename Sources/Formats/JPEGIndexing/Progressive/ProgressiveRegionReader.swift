package import Files
package import ViewportGeometry

/// Extracts regions of a progressive JPEG as small sequential JPEGs that any decoder reads.
///
/// Every scan of a progressive JPEG covers the whole image (T.81, annex G). The coefficients of a region are collected
/// from all scans: through an index only those of the region are read, without one all rows down to its end. They are
/// coded again as one sequential scan (annex F). Coefficients and quantization tables are the same, so libjpeg-turbo
/// makes the same pixels of them.
///
/// `ProgressiveHeader` has checked what this assumes: the scans complete all coefficients, since libjpeg smooths the
/// blocks of those that are missing, and the quantization tables stay the same. As in `JPEGRegionReader`, a region has
/// a margin of one MCU where pixels are interpolated from their neighbors. Rows above the region are read only
/// where there is no index: their nonzero coefficients are marked, because the lengths of refinements depend on them,
/// but have no values. Bands let a large region be decoded part by part, with the coefficients of some rows in memory.
package struct ProgressiveRegionReader: Sendable {
    /// The headers of the file.
    package let header: ProgressiveHeader
    /// The index of the file, if any.
    package let index: ProgressiveIndex?

    /// - Throws: `JPEGIndexError.staleIndex` where the index belongs to an image of another size.
    package init(header: ProgressiveHeader, index: ProgressiveIndex?) throws(JPEGIndexError) {
        if let index {
            guard index.scans.count == header.scans.count,
                index.columns == ProgressiveIndex.columns(header, index.interval)
            else { throw .staleIndex }
        }
        self.header = header
        self.index = index
    }

    #if !hasFeature(Embedded)
    /// Passes a region of a file to a closure as JPEGs to decode at a scale, band by band from the top.
    ///
    /// Only little of the file is in memory at any time.
    ///
    /// - Parameters:
    ///   - rect: The region in pixels of the scaled image; what lies outside of the image is cut off.
    ///   - scale: The scale to decode at.
    ///   - bandHeight: The most rows of pixels of a band.
    ///   - threads: The scans are divided among so many, in files that are large enough.
    ///   - band: Receives the bands. Decoded at that scale by libjpeg-turbo and cropped, they have exactly the pixels
    ///     of the whole file decoded at that scale.
    /// - Throws: `JPEGIndexError`, or what `band` throws.
    package func read(
        _ rect: PixelRect<ReducedGrid>, at scale: JPEGScale, of file: any RandomAccessBytes,
        bandHeight: Int = .max, threads: Int = 1, isCancelled: @escaping @Sendable () -> Bool = { false },
        band: (JPEGRegion) throws -> Void
    ) throws {
        var failure: (any Error)?
        do throws(JPEGIndexError) {
            try bands(
                rect, at: scale, of: file, bandHeight: bandHeight, threads: threads, keeping: { _ in false },
                isCancelled: isCancelled
            ) { region throws(JPEGIndexError) in
                do {
                    try band(region)
                } catch {
                    // Kept aside: `bands` throws errors of its own kind only. The one thrown here just ends it.
                    failure = error
                    throw .outside
                }
            }
        } catch {
            throw failure ?? error
        }
    }
    #endif

    private func bands(
        _ rect: PixelRect<ReducedGrid>, at scale: JPEGScale, of file: any RandomAccessBytes,
        bandHeight: Int, threads: Int, keeping: (JPEGHeader.Segment) -> Bool,
        isCancelled: @escaping @Sendable () -> Bool,
        band: (JPEGRegion) throws(JPEGIndexError) -> Void
    ) throws(JPEGIndexError) {
        let readAhead =
            index == nil ? ProgressiveWalk.readAhead : file.isRemote ? Self.margin : Self.readAhead
        let file = ByteWindow(file, readAhead: readAhead, isCancelled: isCancelled)
        let frame = header.header
        guard let rect = rect.limited(to: frame.size(at: scale)) else { throw .outside }
        let height = min(max(1, bandHeight), rect.height)
        var bands = stride(from: rect.y, to: rect.maxY, by: height).map { y in
            let part = PixelRect<ReducedGrid>(
                x: rect.x, y: y, width: rect.width, height: min(height, rect.maxY - y))
            return Band(rect: part, writer: SequentialWriter(frame.mcus(covering: part, at: scale)))
        }[...]
        let all = frame.mcus(covering: rect, at: scale)
        // Readers begin at checkpoints.
        let columns = index.map {
            all.columns.lowerBound / $0.interval * $0.interval..<all.columns.upperBound
        }
        let rows = (index == nil ? 0 : all.rows.lowerBound)..<all.rows.upperBound
        let walk = ProgressiveWalk(
            header, file, scans: scans(for: scale), threads: threads, columns: columns, index: index)
        try walk.run(rows: rows, valuesFrom: all.rows.lowerBound) { blocks throws(JPEGIndexError) in
            for row in blocks.rows {
                // Bands overlap where they have margins: a row may belong to several.
                for number in bands.indices {
                    guard bands[number].writer.range.rows.contains(row) else { break }
                    guard bands[number].writer.append(row: row, of: blocks, frame) else {
                        throw .brokenStream(mcuRow: row)
                    }
                }
                while let first = bands.first, first.writer.range.rows.upperBound == row + 1 {
                    bands.removeFirst()
                    let range = first.writer.range
                    let jpeg = first.writer.finish(frame, of: file, keeping: keeping)
                    try band(frame.region(first.rect, at: scale, of: range, jpeg: jpeg))
                }
            }
        }
    }

    /// Returns a region of an open file as one JPEG to decode at a scale, read on the calling thread.
    ///
    /// - Parameter keeping: Whether to keep a metadata segment, such as a color profile.
    package func region(
        _ rect: PixelRect<ReducedGrid>, at scale: JPEGScale, of file: any RandomAccessBytes,
        keeping: (JPEGHeader.Segment) -> Bool = { _ in false },
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(JPEGIndexError) -> JPEGRegion {
        var region: JPEGRegion?
        try bands(
            rect, at: scale, of: file, bandHeight: .max, threads: 1, keeping: keeping,
            isCancelled: isCancelled
        ) { made throws(JPEGIndexError) in
            region = made
        }
        guard let region else { throw .outside }
        return region
    }

    /// Returns the bytes of the file that a region needs, for files of which ranges are fetched: for each scan, one range
    /// for each line of its blocks.
    ///
    /// - Throws: `JPEGIndexError.outside` where no pixel is left or there is no index.
    package func byteRanges(
        of rect: PixelRect<ReducedGrid>, at scale: JPEGScale, fileSize: Int
    ) throws(JPEGIndexError) -> [Range<Int>] {
        let frame = header.header
        guard let index, let rect = rect.limited(to: frame.size(at: scale)) else { throw .outside }
        let all = frame.mcus(covering: rect, at: scale)
        // Each line of blocks is read from the checkpoint before its first column to the one behind its last.
        let end = (all.columns.upperBound + index.interval - 1) / index.interval * index.interval
        var result: [Range<Int>] = []
        for number in scans(for: scale) {
            let scan = header.scans[number]
            let (lines, most) =
                scan.isInterleaved
                ? (1, frame.mcuRows)
                : (
                    frame.blocks(of: scan.components[0]).down,
                    frame.componentBlocks(scan.components[0]).height
                )
            for row in (all.rows.lowerBound * lines)..<min(all.rows.upperBound * lines, most) {
                let next =
                    end / index.interval < index.columns
                    ? index.checkpoint(scan: number, row: row, column: end)
                    : index.checkpoint(scan: number, row: row + 1, column: 0)
                guard
                    let first = index.checkpoint(scan: number, row: row, column: all.columns.lowerBound)
                else { throw .staleIndex }
                let start = Int(truncatingIfNeeded: first.bitPosition >> 3)
                // The last bits may be in a byte of their own, with a stuffed one behind it.
                let stop =
                    next.map { Int(truncatingIfNeeded: $0.bitPosition >> 3) + 16 } ?? scan.data.upperBound
                guard start <= stop, start < fileSize else { throw .staleIndex }
                result.append(start..<min(max(stop, start + 1), fileSize))
            }
        }
        return result
    }

    /// The bytes around a range of `byteRanges` that are read with it, of a remote file.
    package static var margin: Int { 1 << 9 }

    /// The rows of a region lie far apart: little more is read than they are.
    private static var readAhead: Int { 1 << 12 }

    /// A part of the region, with the JPEG of it so far.
    private struct Band {
        var rect: PixelRect<ReducedGrid>
        var writer: SequentialWriter
    }

    /// The scans that a scale needs: at 1/8 most components are decoded from their DC values alone.
    ///
    /// Scans of DC values are always needed; those of AC where a block becomes more than one sample.
    private func scans(for scale: JPEGScale) -> [Int] {
        header.scans.indices.filter { number in
            let scan = header.scans[number]
            return scan.band.lowerBound == 0
                || header.header.blockSide(of: scan.components[0], at: scale) > 1
        }
    }
}

extension JPEGHeader {
    /// The size of a component in blocks, as scans of this component alone have them.
    ///
    /// They leave out the blocks that only complete MCUs (A.2.4): the rows have other lengths than those of MCUs.
    ///
    /// Source: ITU-T T.81, A.1.1 and A.2.2.
    func componentBlocks(_ component: Int) -> (width: Int, height: Int) {
        let (across, down) = blocks(of: component)
        func count(_ length: Int, _ factor: Int, _ maximum: Int) -> Int {
            (length * factor + 8 * maximum - 1) / (8 * maximum)
        }
        return (
            count(size.width, across, maximumHorizontal), count(size.height, down, maximumVertical)
        )
    }
}
