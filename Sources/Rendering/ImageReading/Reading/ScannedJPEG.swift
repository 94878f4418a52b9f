internal import Basics
internal import Files
internal import JPEGIndexing
internal import Synchronization
internal import ViewportGeometry

/// A JPEG without a complete index: reads scan it down to their last row, and keep the index of what they passed.
///
/// The next read, of this process or through a cache, continues where the scan ended.
final class ScannedJPEG: Sendable {
    private let file: OpenFile
    private let header: JPEGHeader
    private let threads: Int
    /// The index of the first rows when the file was opened.
    private let known: JPEGIndex?
    private let found = Mutex<JPEGIndex?>(nil)

    /// - Parameter known: an index of the first rows.
    init(_ file: OpenFile, _ header: JPEGHeader, threads: Int, after known: JPEGIndex? = nil) {
        self.file = file
        self.header = header
        self.threads = threads
        self.known = known
    }

    /// The index of the rows that are known.
    var index: JPEGIndex? { found.withLock { $0 } ?? known }

    /// The index, where reads have added to it what took noticeable time: parts that are read in 20 ms are not worth
    /// a file.
    var newIndex: JPEGIndex? {
        guard let index = found.withLock({ $0 }) else { return nil }
        return index.lastByte - (known?.lastByte ?? 0) >= 4 << 20 ? index : nil
    }

    /// Keeps the index of a scan that went further than those before.
    func keep(_ index: JPEGIndex) {
        found.withLock { found in
            if index.rows > max(found?.rows ?? 0, known?.rows ?? 0) { found = index }
        }
    }

    /// Returns an index of some rows from the top, or of more.
    ///
    /// - Parameter bytes: those of the file; nil for the file itself.
    func index(
        rows: Int, from bytes: (any RandomAccessBytes)? = nil
    ) throws(JPEGIndexError) -> JPEGIndex {
        let known = index
        if let known, known.rows >= rows { return known }
        let index = try CancellationCheck.run { check throws(JPEGIndexError) -> JPEGIndex in
            var scan = try scan(rows: rows, of: bytes ?? file, after: known) { check.isCancelled }
            try scan.read(rows: rows)
            return scan.index
        }
        keep(index)
        return index
    }

    /// Returns an index of the rows that a rectangle of stored pixels needs.
    func index(downTo rect: PixelRect<StoredGrid>) throws(JPEGIndexError) -> JPEGIndex {
        try index(rows: Self.rowsNeeded(for: rect, at: .full, header))
    }

    /// Reads a rectangle at a scale and lends its rows.
    ///
    /// Bands are decoded while other threads scan the rows below.
    ///
    /// - Throws: `JPEGIndexError` or `JPEGDecodingError` where the compressed data is broken.
    func read(
        _ rect: PixelRect<StoredGrid>, at scale: JPEGScale, row: (RawSpan) throws -> Void
    ) throws {
        let last = Self.rowsNeeded(for: rect, at: scale, header)
        let known = index
        if let known, known.rows >= last {
            return try JPEGRegionReader(header: header, index: known).read(
                rect, at: scale, of: file, threads: threads, row: row)
        }
        try CancellationCheck.run { check in
            var scan = try scan(rows: last, of: file, after: known) { check.isCancelled }
            if file.isRemote, last < header.mcuRows { try announceRest(rows: last, after: known, &scan) }
            for band in header.bands(of: rect, at: scale, threads: 1) {
                let rows = Self.rowsNeeded(for: band, at: scale, header)
                try scan.read(rows: rows)
                if rows == last {
                    scan.stopReadingAhead()
                    keep(scan.index)
                }
                try scan.reader.read(band, at: scale, of: file, threads: 1, row: row)
            }
        }
    }

    /// Announces what is left of a part of a remote file, once the first half of its rows shows how many bytes they take.
    private func announceRest(
        rows: Int, after known: JPEGIndex?, _ scan: inout IndexScan
    ) throws(JPEGIndexError) {
        let (start, first) = (known?.lastByte ?? header.dataStart, known?.rows ?? 0)
        let half = (rows - first) / 2
        guard half > 0 else { return }
        try scan.read(rows: first + half)
        let end = scan.index.lastByte
        let rest = (end - start) * (rows - first - half) / half
        // Two ranges: behind one that continues another, more would be requested for a scan that goes on.
        let (middle, last) = (end + rest / 2, end + rest + rest / 16 + Self.partChunk)
        file.willRead([end..<min(file.count, middle), min(file.count, middle)..<min(file.count, last)])
    }

    /// The bytes that a scan of a part of a remote file reads at once.
    private static let partChunk = 1 << 14

    /// Begins a scan of some rows from the top.
    ///
    /// Of a remote file, half of what they usually need is announced, and hardly anything is read behind them.
    private func scan(
        rows: Int, of bytes: any RandomAccessBytes, after known: JPEGIndex?,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(JPEGIndexError) -> IndexScan {
        let isPart = file.isRemote && rows < header.mcuRows
        if file.isRemote {
            let (start, first) = (known?.lastByte ?? header.dataStart, known?.rows ?? 0)
            let share = Double(rows - first) / Double(max(1, header.mcuRows - first)) * (isPart ? 0.5 : 1)
            let needed = Int(Double(max(0, file.count - start)) * share)
            let last = isPart ? needed + needed / 16 + Self.partChunk : needed
            file.willRead([start..<min(file.count, start + last)])
        }
        return try IndexScan(
            bytes, header: header, after: known, threads: isPart ? 1 : threads,
            chunkSize: isPart ? Self.partChunk : nil, isCancelled: isCancelled)
    }

    private static func rowsNeeded(
        for rect: PixelRect<StoredGrid>, at scale: JPEGScale, _ header: JPEGHeader
    ) -> Int {
        let reduced = PixelRect<ReducedGrid>(x: rect.x, y: rect.y, width: rect.width, height: rect.height)
        return JPEGRegionReader.rowsNeeded(for: reduced, at: scale, header: header)
    }
}
