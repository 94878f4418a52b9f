internal import Containers
package import Files
public import ViewportGeometry

/// Extracts regions of one JPEG through its index, as small JPEGs that any decoder reads.
///
/// A region is a rectangle of MCUs. In one row of them, their codes are consecutive bits (T.81, A.2.3), whose
/// beginning is found from the nearest checkpoint. They are copied, not decoded (`RunCopier`), behind a header with
/// the same tables and components but the size of the rectangle (B.2.2). At the right and bottom edge that is the size
/// that is left, so that the decoder ends rows where the whole image does. Any decoder can read the result.
///
/// Equal pixels assume libjpeg-turbo's way to enlarge subsampled colors: where it interpolates, pixels at the edge of
/// an MCU depend on the next one, and the region gets a margin of one MCU (`needsMargin`). An index is a hint: it may
/// be of another file, so positions from it are never trusted to be inside of the data.
///
/// Tiles once walked from a checkpoint of every 64 MCUs: 40 to their beginning and then all of their own, in every
/// row. Files that are read often therefore get checkpoints at every fourth MCU in memory, and runs are copied to a
/// known end.
///
/// A reader keeps tables made from the header, but none of the file's bytes, which are an argument of every call.
public struct JPEGRegionReader: Sendable {
    /// The header of the file.
    public let header: JPEGHeader
    /// The index of the file, or of its first rows.
    public let index: JPEGIndex
    let scanner: EntropyScanner
    private let subindex: Subindex?

    /// Makes a reader of files with a header and an index.
    ///
    /// - Parameters:
    ///   - header: The header of the file.
    ///   - index: The index of the file, or of its first rows.
    ///   - optimizesForRandomAccess: Whether to keep the checkpoints that are found while regions are read. They
    ///     take up to 16 bytes of memory for every four MCUs.
    /// - Throws: `JPEGIndexError.staleIndex` where the index belongs to an image of another size.
    public init(
        header: JPEGHeader, index: JPEGIndex, optimizesForRandomAccess: Bool = false
    ) throws(JPEGIndexError) {
        guard index.mcusPerRow == header.mcusPerRow, index.rows <= header.mcuRows else { throw .staleIndex }
        self.init(
            EntropyScanner(header), index, optimizesForRandomAccess ? Subindex(between: index) : nil)
    }

    /// A reader with the tables of an index's scan.
    init(_ scanner: EntropyScanner, _ index: JPEGIndex, _ subindex: Subindex? = nil) {
        header = scanner.header
        self.index = index
        self.scanner = scanner
        self.subindex = subindex
    }

    /// Returns a region of a file in memory, as a JPEG to decode at a scale.
    ///
    /// Decoded at that scale by libjpeg-turbo and cropped, it has exactly the pixels that the whole file has there
    /// when it is decoded at that scale.
    ///
    /// - Parameters:
    ///   - rect: The region in pixels of the scaled image; what lies outside of the image is cut off.
    ///   - scale: The scale to decode at.
    ///   - file: All bytes of the file that the index was made from.
    /// - Throws: `JPEGIndexError.outside` where no pixel is left or the index lacks rows of it, `brokenStream` where
    ///   the data is broken or the index belongs to another file.
    public func region(
        _ rect: PixelRect<ReducedGrid>, at scale: JPEGScale, of file: RawSpan
    ) throws(JPEGIndexError) -> JPEGRegion {
        try ByteWindow.lending(file) { window throws(JPEGIndexError) in
            try region(rect, at: scale, of: window) { _ in false }
        }
    }

    /// Returns a region of an open file, of which only what the region needs is read.
    ///
    /// - Parameters:
    ///   - keeping: Whether to keep a metadata segment, such as a color profile.
    ///   - isCancelled: Called at least for each row of MCUs; once it returns true, the call throws as if the data
    ///     ended.
    package func region(
        _ rect: PixelRect<ReducedGrid>, at scale: JPEGScale, of file: any RandomAccessBytes,
        keeping: (JPEGHeader.Segment) -> Bool = { _ in false },
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(JPEGIndexError) -> JPEGRegion {
        let window = ByteWindow(file, readAhead: Self.readAhead(of: file), isCancelled: isCancelled)
        return try region(rect, at: scale, of: window, keeping)
    }

    /// The rows of MCUs of a region lie far apart: little more is read than they are.
    static var readAhead: Int { 1 << 14 }

    /// Of a remote file, no more than the announced ranges.
    static func readAhead(of file: any RandomAccessBytes) -> Int { file.isRemote ? 0 : readAhead }

    private func region(
        _ rect: PixelRect<ReducedGrid>, at scale: JPEGScale, of file: ByteWindow,
        _ keeping: (JPEGHeader.Segment) -> Bool
    ) throws(JPEGIndexError) -> JPEGRegion {
        guard let rect = rect.limited(to: header.size(at: scale)) else { throw .outside }
        let range = header.mcus(covering: rect, at: scale)
        let jpeg = try copy(range, of: file, keeping: keeping)
        return header.region(rect, at: scale, of: range, jpeg: jpeg)
    }

    /// Returns the bytes of the file that a region needs, for files of which ranges are fetched.
    ///
    /// There is one range for each row of MCUs. Ranges may touch or overlap where the region is nearly as wide as the
    /// image. The header of the file is needed, too.
    ///
    /// - Parameters:
    ///   - rect: The region in pixels of the scaled image.
    ///   - scale: The scale to decode at.
    ///   - fileSize: The size of the file in bytes.
    /// - Throws: `JPEGIndexError.outside` where no pixel is left or the index lacks rows of it.
    package func byteRanges(
        of rect: PixelRect<ReducedGrid>, at scale: JPEGScale, fileSize: Int
    ) throws(JPEGIndexError) -> [Range<Int>] {
        guard let rect = rect.limited(to: header.size(at: scale)) else { throw .outside }
        let range = header.mcus(covering: rect, at: scale)
        guard range.rows.upperBound <= index.rows else { throw .outside }
        var result: [Range<Int>] = []
        for row in range.rows {
            let (start, end) = try bytes(row: row, columns: range.columns)
            // Behind the last checkpoint are at most the MCUs of an interval.
            let (most, overflow) = (index.interval + 1).multipliedReportingOverflow(
                by: scanner.maximumMCUSize)
            let last = end ?? (overflow ? fileSize : start + min(most, fileSize))
            guard start < min(last, fileSize) else { throw .staleIndex }
            result.append(start..<min(last, fileSize))
        }
        return result
    }

    /// Returns the number of rows of MCUs that an index needs for a region, for files of which one region is read.
    ///
    /// - Parameters:
    ///   - rect: The region in pixels of the scaled image.
    ///   - scale: The scale to decode at.
    ///   - header: The header of the file.
    public static func rowsNeeded(
        for rect: PixelRect<ReducedGrid>, at scale: JPEGScale, header: JPEGHeader
    ) -> Int {
        let step = header.reducedMCU(at: scale).height
        let margin = header.needsMargin(at: scale) ? 1 : 0
        let (sum, overflow) = rect.y.addingReportingOverflow(rect.height)
        let bottom = overflow ? (rect.y < 0 ? 0 : .max) : max(0, sum)
        return min(header.mcuRows, (min(bottom, header.size.height) + step - 1) / step + margin)
    }

    /// Returns a part of a file in memory as a new file: codes are copied, not decoded.
    ///
    /// - Parameters:
    ///   - rect: The part, which is widened to whole MCUs; what lies outside of the image is cut off.
    ///   - file: All bytes of the file that the index was made from.
    ///   - keeping: Whether to keep a metadata segment; those of JFIF and Adobe are always kept.
    /// - Throws: `JPEGIndexError`, as `region(_:at:of:)`.
    public func losslessCrop(
        _ rect: PixelRect<StoredGrid>, of file: RawSpan,
        keeping: (JPEGHeader.Segment) -> Bool = { _ in true }
    ) throws(JPEGIndexError) -> JPEGCrop {
        try ByteWindow.lending(file) { window throws(JPEGIndexError) in
            try losslessCrop(rect, of: window, keeping)
        }
    }

    /// Returns a part of an open file, of which only what the part needs is read.
    package func losslessCrop(
        _ rect: PixelRect<StoredGrid>, of file: any RandomAccessBytes,
        keeping: (JPEGHeader.Segment) -> Bool = { _ in true }
    ) throws(JPEGIndexError) -> JPEGCrop {
        try losslessCrop(rect, of: ByteWindow(file, readAhead: Self.readAhead(of: file)), keeping)
    }

    private func losslessCrop(
        _ rect: PixelRect<StoredGrid>, of file: ByteWindow, _ keeping: (JPEGHeader.Segment) -> Bool
    ) throws(JPEGIndexError) -> JPEGCrop {
        guard let rect = rect.limited(to: header.size) else { throw .outside }
        let mcu = header.mcuSize
        let range = MCURange(
            columns: (rect.x / mcu.width)..<((rect.maxX + mcu.width - 1) / mcu.width),
            rows: (rect.y / mcu.height)..<((rect.maxY + mcu.height - 1) / mcu.height))
        return JPEGCrop(jpeg: try copy(range, of: file, keeping: keeping), rect: header.storedRect(range))
    }

    /// A JPEG of some MCUs, without restart markers: libjpeg-turbo's fast decoder is off where there are any.
    private func copy(
        _ range: MCURange, of file: ByteWindow, keeping: (JPEGHeader.Segment) -> Bool
    ) throws(JPEGIndexError) -> [UInt8] {
        guard range.rows.upperBound <= index.rows else { throw .outside }
        guard header.dataStart <= file.count else { throw .staleIndex }
        var copier = RunCopier(scanner)
        for row in range.rows {
            try load(file, row: row, columns: range.columns)
            var start = try cursor(file, row: row, column: range.columns.lowerBound)
            if header.restartInterval > 0 {
                try copier.append(range.columns.count, from: &start)
                continue
            }
            let end = try cursor(file, row: row, column: range.columns.upperBound, from: start)
            try copier.append(from: start, to: end)
        }
        var output = header.written(
            size: header.storedRect(range).size, dcCodes: copier.dcCodes, from: file, keeping: keeping)
        copier.finish(to: &output)
        output += JPEGSegment.endOfImage
        return output
    }

    /// Loads the bytes of some MCUs of a row in one read, if the index has the position of their end.
    func load(_ file: ByteWindow, row: Int, columns: Range<Int>) throws(JPEGIndexError) {
        let range = try bytes(row: row, columns: columns)
        // The copier returns to the first of them once the end of the last is known.
        file.retainedStart = range.lowerBound
        // The index may be wrong.
        if let end = range.upperBound, end - range.lowerBound < 1 << 26 {
            return file.load(range.lowerBound..<end)
        }
        file.loadStart(at: range.lowerBound)
    }

    /// The bytes of some MCUs of a row; without an end where the index does not have it.
    private func bytes(
        row: Int, columns: Range<Int>
    ) throws(JPEGIndexError) -> (lowerBound: Int, upperBound: Int?) {
        let first = try index.checkpoint(row: row, column: columns.lowerBound)
        let last = try index.checkpoint(row: row, column: columns.upperBound)
        let start = Int(truncatingIfNeeded: index.bitPositions[first] >> 3)
        guard last + 1 < index.bitPositions.count else { return (start, nil) }
        // A little more: the last bits may be in a byte of their own, and readers load eight bytes at a time.
        let end = Int(truncatingIfNeeded: index.bitPositions[last + 1] >> 3) + 16
        return (start, end < start ? nil : end)
    }

    /// A cursor at an MCU, or behind the last of a row: from the nearest checkpoint before it, or from `near`.
    func cursor(
        _ window: ByteWindow, row: Int, column: Int, from near: MCUCursor? = nil
    ) throws(JPEGIndexError) -> MCUCursor {
        let checkpoint = try index.checkpoint(row: row, column: column)
        let mcu = row * index.mcusPerRow + column
        var cursor =
            try subindex?.cursor(before: mcu, after: checkpoint, of: index, scanner, window)
            ?? index.cursor(scanner, window, at: checkpoint)
        if let near, near.mcu > cursor.mcu, near.mcu <= mcu { cursor = near }
        try cursor.advance(by: mcu - cursor.mcu)
        return cursor
    }
}

/// A small JPEG that decodes to a region of a large one and some pixels around it.
public struct JPEGRegion: Hashable, Sendable {
    /// The bytes of the JPEG.
    public let jpeg: [UInt8]
    /// The scale to decode it at: libjpeg's `scale_denom`.
    public let scale: JPEGScale
    /// The size that libjpeg decodes it to at that scale.
    ///
    /// libvips omits the last column or row where the image ends within a pixel of the scale.
    public let decodedSize: PixelSize<ReducedGrid>
    /// The region within the decoded pixels.
    public let crop: PixelRect<ReducedGrid>
}

/// A part of a JPEG as a new file, with the pixels of the original.
public struct JPEGCrop: Hashable, Sendable {
    /// The bytes of the file.
    public let jpeg: [UInt8]
    /// The part of the original that it holds: the given rectangle, widened to whole MCUs.
    public let rect: PixelRect<StoredGrid>
}

/// Some rows and columns of MCUs.
struct MCURange {
    var columns: Range<Int>
    var rows: Range<Int>
}

extension JPEGHeader {
    /// The MCUs of a region, with those that its edge pixels are interpolated from.
    func mcus(covering rect: PixelRect<ReducedGrid>, at scale: JPEGScale) -> MCURange {
        let step = reducedMCU(at: scale)
        let margin = needsMargin(at: scale) ? 1 : 0
        let columns = (rect.x / step.width - margin)..<((rect.maxX - 1) / step.width + 1 + margin)
        let rows = (rect.y / step.height - margin)..<((rect.maxY - 1) / step.height + 1 + margin)
        return MCURange(columns: columns.clamped(to: 0..<mcusPerRow), rows: rows.clamped(to: 0..<mcuRows))
    }

    /// The pixels of some MCUs; at the right and bottom edge only those of the image.
    func storedRect(_ range: MCURange) -> PixelRect<StoredGrid> {
        let (x, y) = (range.columns.lowerBound * mcuSize.width, range.rows.lowerBound * mcuSize.height)
        return PixelRect(
            x: x, y: y, width: min(range.columns.upperBound * mcuSize.width, size.width) - x,
            height: min(range.rows.upperBound * mcuSize.height, size.height) - y)
    }

    /// The region of a JPEG of some MCUs.
    func region(
        _ rect: PixelRect<ReducedGrid>, at scale: JPEGScale, of range: MCURange, jpeg: [UInt8]
    ) -> JPEGRegion {
        let step = reducedMCU(at: scale)
        let size = storedRect(range).size
        return JPEGRegion(
            jpeg: jpeg, scale: scale,
            decodedSize: PixelSize(
                width: (size.width + scale.rawValue - 1) / scale.rawValue,
                height: (size.height + scale.rawValue - 1) / scale.rawValue),
            crop: PixelRect(
                x: rect.x - range.columns.lowerBound * step.width,
                y: rect.y - range.rows.lowerBound * step.height, width: rect.width, height: rect.height))
    }

    /// The pixels of one MCU at a scale.
    fileprivate func reducedMCU(at scale: JPEGScale) -> PixelSize<ReducedGrid> {
        PixelSize(width: mcuSize.width / scale.rawValue, height: mcuSize.height / scale.rawValue)
    }
}

extension PixelRect {
    /// The part inside of an image, with any coordinates; nil if it is empty.
    func limited(to size: PixelSize<Grid>) -> Self? {
        // Nothing here can overflow: `maxX` can.
        guard width > 0, height > 0, x < size.width, y < size.height else { return nil }
        let (left, top) = (max(x, 0), max(y, 0))
        let (width, height) = (
            x < 0 ? width + x : width,
            y < 0 ? height + y : height
        )
        guard width > 0, height > 0 else { return nil }
        return PixelRect(
            x: left, y: top, width: min(width, size.width - left), height: min(height, size.height - top))
    }
}

#if !hasFeature(Embedded)
// None is `Codable`: their bytes are files.

extension JPEGRegion: CustomStringConvertible {
    /// The size and the scale: "1040x784 at 1/4, 41234 bytes".
    public var description: String { "\(decodedSize) at 1/\(scale.rawValue), \(jpeg.count) bytes" }
}

extension JPEGCrop: CustomStringConvertible {
    /// The part and the size of the file: "896,576,2064,1552, 41234 bytes".
    public var description: String { "\(rect), \(jpeg.count) bytes" }
}
#endif
