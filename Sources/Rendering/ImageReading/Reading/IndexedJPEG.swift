internal import Basics
internal import Files
internal import JPEGCoding
internal import JPEGIndexing
internal import Resampling
internal import Synchronization
internal import ViewportGeometry

/// A JPEG with an index of its blocks, through which any region is read directly, and its image at 1/4.
final class IndexedJPEG: Sendable {
    let reader: JPEGRegionReader
    private let file: OpenFile
    private let threads: Int
    private let quarter: JPEGQuarter?

    /// Returns nil where the index belongs to another file.
    ///
    /// - Parameters:
    ///   - threads: The number of threads for one read.
    ///   - optimizesForRandomAccess: whether to keep further offsets and reduced images in memory.
    init?(
        _ file: OpenFile, _ header: JPEGHeader, _ index: JPEGIndex, threads: Int,
        optimizesForRandomAccess: Bool
    ) {
        guard
            let reader = try? JPEGRegionReader(
                header: header, index: index, optimizesForRandomAccess: optimizesForRandomAccess)
        else { return nil }
        self.file = file
        self.reader = reader
        self.threads = threads
        quarter = optimizesForRandomAccess ? JPEGQuarter(file, reader) : nil
    }

    /// Reads a rectangle at a scale and lends its rows.
    ///
    /// - Throws: `JPEGIndexError` or `JPEGDecodingError` where the compressed data is broken.
    func read(
        _ rect: PixelRect<StoredGrid>, at scale: JPEGScale, row: (RawSpan) throws -> Void
    ) throws {
        if scale == .quarter, let quarter, try quarter.read(rect, row: row) { return }
        try reader.read(rect, at: scale, of: file, threads: threads, row: row)
    }
}

extension JPEGRegionReader {
    /// Decodes a rectangle of the image at a scale and lends its rows, from the top.
    func read(
        _ rect: PixelRect<StoredGrid>, at scale: JPEGScale, of file: OpenFile, threads: Int,
        row: (RawSpan) throws -> Void
    ) throws {
        if file.isRemote {
            let reduced = PixelRect<ReducedGrid>(x: rect.x, y: rect.y, width: rect.width, height: rect.height)
            // A window begins some bytes before what it is loaded for.
            let ranges = try byteRanges(of: reduced, at: scale, fileSize: file.count)
            file.willRead(ranges.map { max(0, $0.lowerBound - 64)..<$0.upperBound })
        }
        try header.readBands(of: rect, at: scale, threads: threads, row: row) { band, isCancelled in
            try region(band, at: scale, of: file, isCancelled: isCancelled)
        }
    }
}

extension JPEGHeader {
    /// Decodes a rectangle in bands, each from a small JPEG of its blocks, and lends its rows from the top.
    ///
    /// - Parameter region: Returns the JPEG of a band, on any thread.
    func readBands(
        of rect: PixelRect<StoredGrid>, at scale: JPEGScale, threads: Int, row: (RawSpan) throws -> Void,
        region:
            @escaping @Sendable (PixelRect<ReducedGrid>, @escaping @Sendable () -> Bool) throws
            -> JPEGRegion
    ) throws {
        let bands = bands(of: rect, at: scale, threads: threads)
        try CancellationCheck.run { check in
            try OrderedWork.run(bands.count, threads: threads) { number in
                guard !check.isCancelled else { throw CancellationError() }
                let band = bands[number]
                let part = try region(
                    PixelRect(x: band.x, y: band.y, width: band.width, height: band.height),
                    { check.isCancelled })
                guard !check.isCancelled else { throw CancellationError() }
                let pixels = try JPEGDecoder().decode(
                    part.jpeg, denominator: scale.rawValue, bands: components.count)
                return (pixels, part.crop)
            } use: { pixels, crop in
                for y in crop.y..<crop.maxY {
                    try pixels.withRow(y, columns: crop.x..<crop.maxX, row)
                }
            }
        }
    }

    /// The parts of a rectangle that are decoded one at a time on each thread, from the top.
    func bands(of rect: PixelRect<StoredGrid>, at scale: JPEGScale, threads: Int) -> [PixelRect<StoredGrid>] {
        var height = bandHeight(width: rect.width, at: scale)
        // Each band decodes some rows of its neighbors, too.
        if threads > 1, rect.size.area >= Self.leastAreaForThreads {
            let count = ((rect.height + height - 1) / height + threads - 1) / threads * threads
            height = max(1, (rect.height + count - 1) / count)
        }
        return stride(from: rect.y, to: rect.maxY, by: height).map { y in
            PixelRect(x: rect.x, y: y, width: rect.width, height: min(height, rect.maxY - y))
        }
    }

    private static var leastAreaForThreads: Int { 1 << 19 }
}

/// A JPEG at 1/8 in memory, decoded once when a reduced view first needs it.
///
/// Through an index, a region at 1/8 costs nearly as much as at full resolution, because all of its compressed data
/// is parsed; the whole image at 1/8 takes one pass and 1/64 of the pixels.
final class JPEGOverview: Sendable {
    private let file: OpenFile
    private let header: JPEGHeader
    private let pixels = Once<[UInt8]>()

    /// The most pixels of an overview: 64 MB of RGB.
    private static let greatestArea = 22_000_000

    /// Returns nil where the image has no overview, or one that is too large.
    init?(_ file: OpenFile, _ header: JPEGHeader) {
        guard header.hasOverview, header.size(at: .eighth).area <= Self.greatestArea else { return nil }
        self.file = file
        self.header = header
    }

    /// Whether it is in memory.
    var isResident: Bool { pixels.valueIfMade != nil }

    /// Decodes it in the same pass over the file that makes an index of the whole file.
    ///
    /// - Throws: `JPEGIndexError` where the compressed data is broken, or `CancellationError`.
    func makeWithIndex() throws -> JPEGIndex {
        var index: JPEGIndex?
        let made = try decode { collect, check throws(JPEGIndexError) in
            index = try JPEGIndex(
                file, header: header, interval: JPEGIndex.denseInterval,
                isCancelled: { check.isCancelled }, overviewRow: collect)
        }
        pixels.keep(made)
        // The closure has set it, or thrown.
        return index!
    }

    /// Lends rows of the overview; the first reader decodes it, and concurrent readers wait.
    ///
    /// - Throws: `JPEGIndexError` where the compressed data is broken.
    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
        let samples = try make()
        let bands = header.components.count
        let width = header.size(at: .eighth).width
        for y in rect.y..<rect.maxY {
            let start = (y * width + rect.x) * bands
            try samples.withRow(start..<(start + rect.width * bands), row)
        }
    }

    /// Decodes the overview unless it is in memory.
    @discardableResult
    func make() throws -> [UInt8] {
        try pixels.value {
            try decode { collect, check throws(JPEGIndexError) in
                _ = try JPEGIndex(
                    file, header: header, threads: Processors.count, isCancelled: { check.isCancelled },
                    overviewRow: collect
                )
            }
        }
    }

    private func decode(
        _ read: ((Int, RawSpan) -> Void, CancellationCheck) throws(JPEGIndexError) -> Void
    ) throws -> [UInt8] {
        var collector = RowCollector(byteCount: header.size(at: .eighth).area * header.components.count)
        try file.checkedRows {
            do {
                try CancellationCheck.run { check throws(JPEGIndexError) -> Void in
                    try read({ _, row in collector.push(row) }, check)
                }
            } catch {
                guard !Task.isCancelled else { throw CancellationError() }
                throw error
            }
        }
        return collector.pixels
    }
}

/// A JPEG at 1/4 in memory, decoded in the background once an eighth of it was read at this scale.
///
/// A region at 1/4 costs as much as sixteen times its pixels at 1/1, because all of its compressed data is parsed.
/// After an eighth of the image was read, more of it is likely to be.
final class JPEGQuarter: Sendable {
    private enum State {
        /// The number of pixels that were read.
        case counting(Int)
        /// It is being decoded, or decoding failed.
        case pending
        case resident([UInt8])
    }

    private let file: OpenFile
    private let reader: JPEGRegionReader
    private let size: PixelSize<StoredGrid>
    private let state = Mutex(State.counting(0))

    /// The most pixels that are kept: 64 MB of RGB.
    private static let greatestArea = 22_000_000

    /// Returns nil where the image is too large.
    init?(_ file: OpenFile, _ reader: JPEGRegionReader) {
        let size = reader.header.size(at: .quarter)
        guard size.area <= Self.greatestArea else { return nil }
        self.file = file
        self.reader = reader
        self.size = PixelSize(width: size.width, height: size.height)
    }

    /// Lends the rows of a rectangle; returns false without rows where the image is not decoded yet.
    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws -> Bool {
        guard let pixels = pixels(reading: rect) else { return false }
        let bands = reader.header.components.count
        for y in rect.y..<rect.maxY {
            let start = (y * size.width + rect.x) * bands
            try pixels.withRow(start..<(start + rect.width * bands), row)
        }
        return true
    }

    /// Returns the whole image if it is decoded; the read that reaches the threshold starts decoding.
    private func pixels(reading rect: PixelRect<StoredGrid>) -> [UInt8]? {
        let (pixels, starts) = state.withLock { state -> ([UInt8]?, Bool) in
            switch state {
            case .resident(let pixels):
                return (pixels, false)
            case .pending:
                return (nil, false)
            case .counting(let area):
                let starts = area + rect.size.area >= size.area / 8
                state = starts ? .pending : .counting(area + rect.size.area)
                return (nil, starts)
            }
        }
        if starts { WorkerThread.start("viewport.whole-image", isUtility: true) { self.make() } }
        return pixels
    }

    private func make() {
        var collector = RowCollector(byteCount: size.area * reader.header.components.count)
        do {
            try file.checkedRows {
                try reader.read(PixelRect(size), at: .quarter, of: file, threads: 1) { collector.push($0) }
            }
        } catch {
            // Damage is reported when a reader reaches it.
            return
        }
        let pixels = collector.pixels
        state.withLock { $0 = .resident(pixels) }
    }
}
