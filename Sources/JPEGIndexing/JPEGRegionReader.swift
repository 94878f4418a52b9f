package import Files
internal import Synchronization
public import ViewportGeometry

/// Extracts regions of one JPEG through its index, as small JPEGs that any decoder reads.
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
            try region(rect, at: scale, of: window)
        }
    }

    /// Returns a region of an open file, of which only what the region needs is read.
    ///
    /// - Parameter isCancelled: Called at least for each row of MCUs; once it returns true, the call throws as if the
    ///   data ended.
    package func region(
        _ rect: PixelRect<ReducedGrid>, at scale: JPEGScale, of file: any RandomAccessBytes,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(JPEGIndexError) -> JPEGRegion {
        let window = ByteWindow(file, readAhead: Self.readAhead, isCancelled: isCancelled)
        return try region(rect, at: scale, of: window)
    }

    /// The rows of MCUs of a region lie far apart: little more is read than they are.
    static var readAhead: Int { 1 << 14 }

    private func region(
        _ rect: PixelRect<ReducedGrid>, at scale: JPEGScale, of file: ByteWindow
    ) throws(JPEGIndexError) -> JPEGRegion {
        guard let rect = rect.limited(to: header.size(at: scale)) else { throw .outside }
        let range = header.mcus(covering: rect, at: scale)
        let jpeg = try copy(range, of: file) { _ in false }
        return header.region(rect, at: scale, of: range, jpeg: jpeg)
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
        try losslessCrop(rect, of: ByteWindow(file, readAhead: Self.readAhead), keeping)
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

    /// Passes the whole file without its metadata to a closure, piece by piece: the compressed data is not touched.
    ///
    /// - Throws: `JPEGIndexError.outside` where the index lacks rows, `brokenStream` where the data is broken or cannot
    ///   be read, or what `write` throws.
    package func copyWithoutMetadata(
        of file: any RandomAccessBytes, _ write: ([UInt8]) throws -> Void
    ) throws {
        guard index.rows == header.mcuRows else { throw JPEGIndexError.outside }
        let window = ByteWindow(file, readAhead: Self.readAhead)
        let last = try cursor(window, row: header.mcuRows - 1, column: header.mcusPerRow)
        let end = last.state.nextByte(in: window.data)
        try write(
            header.written(
                size: header.size, dcCodes: header.dcCodes, restartInterval: header.restartInterval,
                from: window, keeping: { _ in false }))
        for start in stride(from: header.dataStart, to: end, by: Self.pieceSize) {
            guard let piece = window.array(start..<min(start + Self.pieceSize, end)) else {
                throw JPEGIndexError.brokenStream(mcuRow: header.mcuRows - 1)
            }
            try write(piece)
        }
        try write([0xFF, 0xD9])
    }

    private static var pieceSize: Int { 1 << 18 }

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
        output += [0xFF, 0xD9]
        return output
    }

    /// Loads the bytes of some MCUs of a row in one read, if the index has the position of their end.
    func load(_ file: ByteWindow, row: Int, columns: Range<Int>) throws(JPEGIndexError) {
        let first = try index.checkpoint(row: row, column: columns.lowerBound)
        let last = try index.checkpoint(row: row, column: columns.upperBound)
        let start = Int(truncatingIfNeeded: index.bitPositions[first] >> 3)
        // The copier returns to the first of them once the end of the last is known.
        file.retainedStart = start
        if last + 1 < index.bitPositions.count {
            let end = Int(truncatingIfNeeded: index.bitPositions[last + 1] >> 3) + 16
            // The index may be wrong.
            if start <= end, end - start < 1 << 26 { return file.load(start..<end) }
        }
        file.loadStart(at: start)
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

/// Checkpoints between those of an index, found by the first read of a part and kept for later reads.
///
/// Together they take the memory of an index of `JPEGIndex.denseInterval`.
final class Subindex: Sendable {
    private struct Checkpoint {
        var bitPosition: UInt64
        var predictors: SIMD4<Int16>
    }

    private static let interval = JPEGIndex.denseInterval

    /// The checkpoints from one of the index to the next, by the number of the first.
    private let found = Mutex([Int: [Checkpoint]]())

    /// Returns nil if the index is as dense.
    init?(between index: JPEGIndex) {
        guard index.interval > Self.interval else { return nil }
    }

    /// A cursor at the last checkpoint at or before an MCU, which lies behind a checkpoint of the index.
    func cursor(
        before mcu: Int, after checkpoint: Int, of index: JPEGIndex, _ scanner: EntropyScanner,
        _ window: ByteWindow
    ) throws(JPEGIndexError) -> MCUCursor {
        let first = index.mcu(ofCheckpoint: checkpoint)
        let checkpoints = try checkpoints(after: checkpoint, of: index, scanner, window)
        let number = min((mcu - first) / Self.interval, checkpoints.count - 1)
        return MCUCursor(
            scanner, window, mcu: first + number * Self.interval,
            bitPosition: checkpoints[number].bitPosition,
            predictors: SIMD4<Int32>(truncatingIfNeeded: checkpoints[number].predictors))
    }

    private func checkpoints(
        after checkpoint: Int, of index: JPEGIndex, _ scanner: EntropyScanner, _ window: ByteWindow
    ) throws(JPEGIndexError) -> [Checkpoint] {
        if let known = found.withLock({ $0[checkpoint] }) { return known }
        var cursor = index.cursor(scanner, window, at: checkpoint)
        let rowEnd = (checkpoint / index.checkpointsPerRow + 1) * index.mcusPerRow
        let end = min(cursor.mcu + index.interval, rowEnd)
        var result = [Checkpoint(bitPosition: cursor.bitPosition, predictors: try cursor.savedPredictors)]
        while cursor.mcu + Self.interval < end {
            try cursor.advance(by: Self.interval)
            result.append(
                Checkpoint(bitPosition: cursor.bitPosition, predictors: try cursor.savedPredictors))
        }
        // Two threads may have found the same.
        found.withLock { [result] in $0[checkpoint] = result }
        return result
    }
}
