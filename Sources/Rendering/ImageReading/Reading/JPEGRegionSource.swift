internal import Basics
internal import Containers
internal import Files
internal import JPEGCoding
internal import JPEGIndexing
internal import Pictures
internal import Resampling
internal import Synchronization
internal import TilePyramid
internal import ViewportGeometry
internal import Vips

/// Reads regions of baseline JPEGs: finds the compressed data of a region and decodes only that.
///
/// A JPEG has no directory of its blocks, but one pass over the compressed data, without decoding pixels, finds
/// them. Without a saved index that pass runs down to the last row of the region.
struct JPEGRegionSource: JPEGSource {
    typealias Level = JPEGRegionLevel

    let file: OpenFile
    let header: JPEGHeader
    let metadata: JPEGMetadata
    let scan: DamageScan
    /// The index of the rows that were read so far.
    private(set) var scanned: ScannedJPEG
    /// The index for reading many parts, made by the first read.
    private let ownIndex: FirstReadIndex<IndexedJPEG>?
    let options: OpenOptions
    /// The scales at which blocks can be decoded.
    let nativePyramid: Pyramid
    let pyramid: Pyramid
    /// The JPEG with a complete index, if any.
    private(set) var indexed: IndexedJPEG?
    /// The image at 1/8 in memory, for reading many parts.
    private(set) var overview: JPEGOverview?

    /// Returns nil where regions cannot be decoded separately.
    init?(_ file: OpenFile, _ options: OpenOptions, _ scan: DamageScan) {
        guard let header = try? JPEGHeader(file),
            header.components.count != 2,
            let metadata = try? JPEGMetadata(header, of: file, assuming: options.assumedProfile)
        else { return nil }
        self.scan = scan
        scanned = ScannedJPEG(file, header, threads: options.threads)
        ownIndex = options.optimizesForRandomAccess ? FirstReadIndex() : nil
        self.file = file
        self.header = header
        self.metadata = metadata
        self.options = options
        nativePyramid = Pyramid(ofJPEG: header.size)
        pyramid = nativePyramid.continuedByHalving
        overview = options.optimizesForRandomAccess ? JPEGOverview(file, header) : nil
    }

    func indexedWhereAsked(
        _ progress: @escaping @Sendable (Double) -> Void
    ) throws(CancellationError) -> Self {
        guard indexed == nil, let ownIndex else { return self }
        var source = self
        source.indexed = try ownIndex.value { () throws(JPEGIndexError) in
            IndexedJPEG(
                file, header, try Self.index(file.reporting(progress), header), threads: options.threads,
                optimizesForRandomAccess: true)
        }
        return source
    }

    /// Returns the source with a complete index.
    func reading(through index: JPEGIndex) -> Self {
        var source = self
        source.use(index)
        return source
    }

    private mutating func use(_ index: JPEGIndex) {
        indexed = IndexedJPEG(
            file, header, index, threads: options.threads,
            optimizesForRandomAccess: options.optimizesForRandomAccess)
    }

    var reader: JPEGRegionReader? { indexed?.reader }

    var hasOverview: Bool { JPEGOverview(file, header) != nil }

    func makeOverview() throws { try overview?.make() }

    func optimizedForRandomAccess() -> Self {
        var source = self
        source.overview = overview ?? JPEGOverview(file, header)
        source.indexed = (reader?.index).flatMap {
            IndexedJPEG(file, header, $0, threads: options.threads, optimizesForRandomAccess: true)
        }
        return source
    }

    // Both from one pass over the file.
    func indexedWithOverview() throws -> Self {
        var source = optimizedForRandomAccess()
        let index = try source.overview?.makeWithIndex() ?? scannedIndex()
        source.indexed = IndexedJPEG(
            file, header, index, threads: options.threads, optimizesForRandomAccess: true)
        return source
    }

    private func scannedIndex() throws -> JPEGIndex {
        do {
            return try Self.index(file, header)
        } catch {
            guard !Task.isCancelled else { throw CancellationError() }
            throw error
        }
    }

    /// Returns a complete index.
    private static func index(
        _ file: any RandomAccessBytes, _ header: JPEGHeader
    ) throws(JPEGIndexError) -> JPEGIndex {
        try CancellationCheck.run { check throws(JPEGIndexError) -> JPEGIndex in
            try JPEGIndex(
                file, header: header, interval: JPEGIndex.denseInterval, threads: Processors.count,
                isCancelled: { check.isCancelled })
        }
    }

    func refuseMissingRows() throws(RenderingError) {
        let extent = header.extent(in: file)
        guard extent.isEnd, extent.rows < header.size.height else { return }
        throw .truncated(file: file.path, missing: FileGap.missingRows(extent.rows..<header.size.height))
    }

    var isIndexed: Bool { indexed != nil }

    var isOverviewResident: Bool { overview?.isResident == true }

    var capabilities: SourceCapabilities {
        var capabilities = commonCapabilities
        capabilities.blocks = self
        return capabilities
    }
}

extension JPEGRegionSource {
    var indexKind: IndexKind { .jpeg }

    func makingIndex(
        _ progress: @escaping @Sendable (Double) -> Void
    ) throws -> any IndexableSource {
        try file.checked { () throws(RenderingError) -> Result<Self, CancellationError> in
            do throws(JPEGIndexError) {
                let index = try scanned.index(rows: header.mcuRows, from: file.reporting(progress))
                return .success(reading(through: index))
            } catch {
                guard !Task.isCancelled else { return .failure(CancellationError()) }
                try refuseMissingRows()
                throw RenderingError.notIndexable(file: file.path, reason: "\(error)")
            }
        }.get()
    }

    func encodedIndex(for identity: FileFingerprint?) throws -> [UInt8]? {
        try (reader?.index).map { index throws(RenderingError) in try encoded(index, for: identity) }
    }

    func encodedNewIndex() throws -> [UInt8]? {
        try scanned.newIndex.map { index throws(RenderingError) in try encoded(index) }
    }

    private func encoded(
        _ index: JPEGIndex, for identity: FileFingerprint? = nil
    ) throws(RenderingError) -> [UInt8] {
        try RenderingError.naming(file.path) { () throws(FileError) in
            index.saved(for: try FileFingerprint(identity, or: file), header: header)
        }
    }

    func reading(
        encodedIndex bytes: [UInt8], for identity: FileFingerprint?
    ) -> (any IndexableSource)? {
        guard let identity = try? FileFingerprint(identity, or: file),
            let index = try? JPEGIndex(saved: bytes, for: identity, header: header)
        else { return nil }
        guard index.rows < header.mcuRows else { return reading(through: index) }
        var source = self
        source.scanned = ScannedJPEG(file, header, threads: options.threads, after: index)
        return source
    }
}

/// One scale of a baseline JPEG: 1, 1/2, 1/4 or 1/8.
struct JPEGRegionLevel: JPEGLevel {
    let source: JPEGRegionSource
    let level: PyramidLevel

    private var header: JPEGHeader { source.header }

    func decode(_ rect: PixelRect<StoredGrid>, _ row: (RawSpan) throws -> Void) throws {
        switch strategy(for: rect) {
        case .sequential: try readSequentially(rect, row)
        case .direct(let way) where header.isCMYK:
            // As libvips does with every CMYK JPEG.
            var inverter = SampleInverter()
            try read(rect, way) { try inverter.lend($0, to: row) }
        case .direct(let way): try read(rect, way, row)
        }
    }

    private func read(
        _ rect: PixelRect<StoredGrid>, _ way: Way, _ row: (RawSpan) throws -> Void
    ) throws {
        switch way {
        case .regions: try readRegions(rect, row)
        case .overview: try readOverview(rect, row)
        case .whole: try source.readWhole(rect, of: level, row)
        }
    }

    /// A way to read a rectangle.
    private enum Strategy {
        /// Without libvips.
        case direct(Way)
        /// The file down to the last row of the rectangle, in strips, by libvips.
        case sequential
    }

    private enum Way {
        /// Only its blocks, found by an index or a scan.
        case regions
        /// The whole file at 1/8, skipping most coefficients.
        case overview
        /// The whole file, which is held in memory as it is stored.
        case whole
    }

    /// Returns the strategy with the least work.
    private func strategy(for rect: PixelRect<StoredGrid>) -> Strategy {
        if scale == .eighth, source.overview != nil { return .direct(.overview) }
        let isSmall = source.isSmall(at: level)
        // The share of the pixels that would be decoded without an index.
        let share =
            Double(rect.size.area) / Double(level.size.width * (isSmall ? level.size.height : rect.maxY))
        let isIndexed = source.isIndexed
        if !isIndexed, scale == .eighth, header.hasOverview, share > 0.3 { return .direct(.overview) }
        if share < (isIndexed ? 0.8 : 0.5) { return .direct(.regions) }
        if isSmall { return .direct(.whole) }
        return VipsLibrary.canStart ? .sequential : .direct(.regions)
    }

    /// Decodes from the top with libvips, which fails on warnings here: one of them may be about missing rows.
    private func readSequentially(_ rect: PixelRect<StoredGrid>, _ row: (RawSpan) throws -> Void) throws {
        do {
            try source.loader(of: level, failOn: "warning").read(rect, row: row)
        } catch RenderingError.damaged(_, let detail) {
            throw JPEGDecodingError(reason: detail)
        }
    }

    /// Decodes only the blocks of the rectangle, found by an index or a scan.
    private func readRegions(_ rect: PixelRect<StoredGrid>, _ row: (RawSpan) throws -> Void) throws {
        if let indexed = source.indexed { return try indexed.read(rect, at: scale, row: row) }
        try source.scanned.read(rect, at: scale, row: row)
    }

    /// Decodes the whole image at 1/8 in one pass that skips most coefficients.
    private func readOverview(_ rect: PixelRect<StoredGrid>, _ row: (RawSpan) throws -> Void) throws {
        if let overview = source.overview { return try overview.read(rect, row: row) }
        try source.readInOnePass(rect, at: .eighth, row)
    }
}

extension JPEGRegionSource: BlockSource {
    var profile: [UInt8]? { metadata.profile }

    func index(downTo rect: PixelRect<StoredGrid>) throws(JPEGIndexError) -> JPEGIndex {
        if let reader { return reader.index }
        return try scanned.index(downTo: rect)
    }

    func thumbnailLevel(forScale scale: Double) -> (any LevelReader)? {
        JPEGThumbnailLevel(self, scale: scale)
    }
}

extension JPEGRegionSource {
    /// Lends the rows of the image at 1/4 or 1/8 while the whole file is read once, and keeps the index.
    func readInOnePass(
        _ rect: PixelRect<StoredGrid>, at scale: JPEGScale, _ row: (RawSpan) throws -> Void
    ) throws {
        let bytes = pixels.layout.bands
        let columns = (rect.x * bytes)..<(rect.maxX * bytes)
        var failure: (any Error)?
        let hasFailed = Atomic(false)
        func lend(_ y: Int, _ pixels: RawSpan) {
            guard failure == nil, (rect.y..<rect.maxY).contains(y) else { return }
            do {
                try row(pixels.extracting(columns))
            } catch {
                failure = error
                hasFailed.store(true, ordering: .relaxed)
            }
        }
        let result = CancellationCheck.run { check -> Result<Void, JPEGIndexError> in
            let isCancelled = { @Sendable in check.isCancelled || hasFailed.load(ordering: .relaxed) }
            return Result { () throws(JPEGIndexError) in
                let index =
                    scale == .quarter
                    ? try JPEGIndex(
                        quarterOf: file, header: header, threads: options.threads, isCancelled: isCancelled,
                        row: lend)
                    : try JPEGIndex(
                        file, header: header, threads: options.threads, isCancelled: isCancelled,
                        overviewRow: lend)
                scanned.keep(index)
            }
        }
        if let failure { throw failure }
        try result.get()
    }
}
