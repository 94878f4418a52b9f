internal import Basics
internal import Files
internal import ImageMetadata
internal import JPEGCoding
internal import JPEGIndexing
internal import Resampling
internal import Synchronization
package import TilePyramid
internal import ViewportGeometry

/// Reads regions of baseline JPEGs: finds the compressed data of a region and decodes only that.
///
/// A JPEG has no directory of its blocks, but one pass over the compressed data, without decoding pixels, finds
/// them. Without a saved index that pass runs down to the last row of the region.
package struct JPEGRegionSource: ImageSource {
    let file: OpenFile
    let header: JPEGHeader
    let metadata: JPEGMetadata
    /// Scans for damage when the first pixels are read.
    private let scan: DamageScan
    /// The index of the rows that were read so far.
    private(set) var scanned: ScannedJPEG
    /// The index for reading many parts, made by the first read.
    private let ownIndex: FirstReadIndex?
    let options: OpenOptions
    /// The scales at which blocks can be decoded.
    package let nativePyramid: Pyramid
    package let pyramid: Pyramid
    /// The JPEG with a complete index, if any.
    private(set) var indexed: IndexedJPEG?
    /// The image at 1/8 in memory, for reading many parts.
    private(set) var overview: JPEGOverview?

    /// Returns nil where regions cannot be decoded separately.
    init?(_ file: OpenFile, _ options: OpenOptions, _ scan: DamageScan) {
        guard let header = try? JPEGHeader(file),
            header.components.count != 2,
            let metadata = try? JPEGMetadata(header, of: file)
        else { return nil }
        self.scan = scan
        scanned = ScannedJPEG(file, header, threads: options.threads)
        ownIndex = options.optimizesForRandomAccess ? FirstReadIndex() : nil
        self.file = file
        self.header = header
        self.metadata = metadata
        self.options = options
        nativePyramid = Pyramid(
            levels: JPEGScale.allCases.compactMap { PyramidLevel(of: header.size, at: $0) })
        pyramid = nativePyramid.continuedByHalving
        overview = options.optimizesForRandomAccess ? JPEGOverview(file, header) : nil
    }

    /// Whether only the end marker is missing.
    var lacksEnd: Bool { scan.damage(.jpeg)?.isWhole == true }

    /// Throws where a part of the picture is missing, which takes a scan if the end marker is missing.
    func refuseDamage() throws(RenderingError) {
        guard let damage = scan.damage(.jpeg), !damage.isWhole else { return }
        throw RenderingError(damage, of: file)
    }

    /// Returns the source with its index, where it is optimized for random access.
    func indexedWhereAsked() throws(CancellationError) -> Self {
        guard indexed == nil, let ownIndex else { return self }
        var source = self
        source.indexed = try ownIndex.value { () throws(JPEGIndexError) in
            IndexedJPEG(file, header, try Self.index(file, header), optimizesForRandomAccess: true)
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
            file, header, index, optimizesForRandomAccess: options.optimizesForRandomAccess)
    }

    /// The index, if any.
    var savedIndex: JPEGIndex? { indexed?.reader.index }

    /// Returns the source with the caches that pay off when many parts are read.
    func optimizedForRandomAccess() -> Self {
        var source = self
        source.overview = overview ?? JPEGOverview(file, header)
        source.indexed = savedIndex.flatMap {
            IndexedJPEG(file, header, $0, optimizesForRandomAccess: true)
        }
        return source
    }

    /// Returns the source with a complete index and its overview in memory, both from one pass over the file.
    ///
    /// - Throws: `JPEGIndexError` where the compressed data is broken, or `CancellationError`.
    func indexedWithOverview() throws -> Self {
        var source = optimizedForRandomAccess()
        let index = try source.overview?.makeWithIndex() ?? scannedIndex()
        source.indexed = IndexedJPEG(file, header, index, optimizesForRandomAccess: true)
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
        _ file: OpenFile, _ header: JPEGHeader
    ) throws(JPEGIndexError) -> JPEGIndex {
        try CancellationCheck.run { check throws(JPEGIndexError) -> JPEGIndex in
            try JPEGIndex(
                file, header: header, interval: JPEGIndex.denseInterval, threads: OpenOptions.processors,
                isCancelled: { check.isCancelled })
        }
    }

    /// Throws where the data ends before the picture: libvips fills such rows with gray without an error.
    func refuseMissingRows() throws(RenderingError) {
        let extent = header.extent(in: file)
        guard extent.isEnd, extent.rows < header.size.height else { return }
        throw .truncated(file: file.path, missing: FileDamage.missingRows(extent.rows..<header.size.height))
    }

    /// The format of libjpeg's output.
    var pixels: SourcePixelFormat {
        let bands = header.components.count
        return SourcePixelFormat(
            layout: SampleLayout(type: .uint8, bands: bands, hasAlpha: false),
            interpretation: bands == 1 ? "b-w" : bands == 3 ? "srgb" : "cmyk", profile: metadata.profile)
    }

    package var description: String { indexed == nil ? "regions of a scan" : "regions by index" }

    package var capabilities: SourceCapabilities {
        var capabilities = SourceCapabilities(access: indexed == nil ? .scanned : .random)
        capabilities.jpeg = self
        capabilities.indexable = self
        capabilities.residentLevel = overview?.isResident == true ? 3 : nil
        return capabilities
    }

    package func sharpeningCompensation(of level: PyramidLevel) -> Double {
        SharpeningCompensation.ofJPEG(level)
    }

    package func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        // JPEG has four scales.
        let last = nativePyramid.levels.last!
        guard level.index > last.index else { return JPEGRegionLevel(source: self, level: level) }
        return HalvedLevel(JPEGRegionLevel(source: self, level: last), times: level.index - last.index)
    }
}

extension JPEGRegionSource: IndexableSource {
    package var indexKind: IndexKind { .jpeg }

    package func makingIndex() throws -> any IndexableSource {
        try file.checked { () throws(RenderingError) -> Result<Self, CancellationError> in
            do throws(JPEGIndexError) {
                return .success(reading(through: try scanned.index(rows: header.mcuRows)))
            } catch {
                guard !Task.isCancelled else { return .failure(CancellationError()) }
                try refuseMissingRows()
                throw RenderingError.notIndexable(file: file.path, reason: "\(error)")
            }
        }.get()
    }

    package func encodedIndex() throws -> [UInt8]? {
        try savedIndex.map { index throws(RenderingError) in try encoded(index) }
    }

    package func encodedNewIndex() throws -> [UInt8]? {
        try scanned.newIndex.map { index throws(RenderingError) in try encoded(index) }
    }

    private func encoded(_ index: JPEGIndex) throws(RenderingError) -> [UInt8] {
        do throws(FileError) {
            return index.saved(for: try FileFingerprint(file), header: header)
        } catch {
            throw RenderingError(error, file: file.path)
        }
    }

    package func reading(encodedIndex bytes: [UInt8]) -> (any IndexableSource)? {
        guard let identity = try? FileFingerprint(file),
            let index = try? JPEGIndex(saved: bytes, for: identity, header: header)
        else { return nil }
        guard index.rows < header.mcuRows else { return reading(through: index) }
        var source = self
        source.scanned = ScannedJPEG(file, header, threads: options.threads, after: index)
        return source
    }
}

extension PyramidLevel {
    /// Creates the level of a JPEG's scale, without a partial last row and column, as in libvips.
    ///
    /// Returns nil where a side has no pixels.
    init?(of size: PixelSize<StoredGrid>, at scale: JPEGScale) {
        let factor = scale.rawValue
        guard min(size.width, size.height) >= factor else { return nil }
        self.init(
            index: factor.trailingZeroBitCount,
            size: PixelSize(width: size.width / factor, height: size.height / factor),
            downsampleX: Double(factor), downsampleY: Double(factor))
    }
}

/// One scale of a baseline JPEG: 1, 1/2, 1/4 or 1/8.
struct JPEGRegionLevel: LevelReader {
    let source: JPEGRegionSource
    let level: PyramidLevel

    var pixels: SourcePixelFormat { source.pixels }

    private var scale: JPEGScale { JPEGScale(rawValue: 1 << level.index)! }
    private var header: JPEGHeader { source.header }

    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
        try source.file.checkedRows {
            try source.refuseDamage()
            try Self(source: try source.indexedWhereAsked(), level: level).readRows(rect, row)
        }
    }

    private func readRows(_ rect: PixelRect<StoredGrid>, _ row: (RawSpan) throws -> Void) throws {
        var emitted = 0
        // As libvips does with every CMYK JPEG.
        var inverts = header.isCMYK
        var inverted: [UInt8] = []
        func emit(_ bytes: RawSpan) throws {
            emitted += 1
            guard inverts else { return try row(bytes) }
            // Bytes have no padding.
            inverted.removeAll(keepingCapacity: true)
            unsafe bytes.withUnsafeBytes { unsafe inverted.append(contentsOf: $0.lazy.map { ~$0 }) }
            try row(unsafe inverted.span.bytes)
        }
        do {
            switch strategy(for: rect) {
            case .regions: try readRegions(rect, emit)
            case .overview: try readOverview(rect, emit)
            case .whole: try readWhole(rect, emit)
            case .sequential:
                inverts = false
                try readSequentially(rect, emit)
            }
        } catch let error where error is JPEGIndexError || error is JPEGDecodingError {
            // A cancelled scan ends like one of truncated data.
            guard !Task.isCancelled else { throw CancellationError() }
            guard source.file.isUnchanged else { throw error }
            try source.refuseMissingRows()
            // Damaged data is left to libvips, which decides how much of it is shown. Rows that were lent cannot be
            // taken back, but libvips decodes the same rows.
            var skipped = 0
            try loader().read(rect) { bytes in
                skipped += 1
                if skipped > emitted { try row(bytes) }
            }
        }
    }

    /// Returns the level through libvips' loader.
    ///
    /// - Parameter failOn: the severity that it fails on; nil for the default.
    func loader(failOn: String? = nil) throws(RenderingError) -> any LevelReader {
        let failOn = source.lacksEnd ? "none" : failOn
        let file = LoaderFile(
            file: source.file, loader: "VipsForeignLoadJpegFile", format: .jpeg, options: source.options,
            failOn: failOn)
        return try LoaderSource(file, header: file.header(), pages: .pictures(1)).open(level)
    }

    /// A way to read a rectangle.
    private enum Strategy {
        /// Only its blocks, found by an index or a scan.
        case regions
        /// The whole file at 1/8, skipping most coefficients.
        case overview
        /// The whole file, which is held in memory as it is stored.
        case whole
        /// The file down to the last row of the rectangle, in strips.
        case sequential
    }

    /// Returns the strategy with the least work.
    private func strategy(for rect: PixelRect<StoredGrid>) -> Strategy {
        if scale == .eighth, source.overview != nil { return .overview }
        let isSmall =
            level.size.area * pixels.layout.bands <= Self.greatestWhole
            && source.file.count <= Self.greatestWhole
        // The share of the pixels that would be decoded without an index.
        let share =
            Double(rect.size.area) / Double(level.size.width * (isSmall ? level.size.height : rect.maxY))
        let isIndexed = source.indexed != nil
        if !isIndexed, scale == .eighth, header.hasOverview, share > 0.3 { return .overview }
        if share < (isIndexed ? 0.8 : 0.5) { return .regions }
        return isSmall ? .whole : .sequential
    }

    /// The most bytes of a file, and of its samples, that libjpeg decodes without libvips.
    private static var greatestWhole: Int { 48 << 20 }

    /// Decodes the whole image, row by row.
    private func readWhole(_ rect: PixelRect<StoredGrid>, _ row: (RawSpan) throws -> Void) throws {
        let bytes = try source.file.contents()
        let bands = pixels.layout.bands
        try JPEGRowDecoder.decode(
            source.lacksEnd ? JPEGEnding.ended(bytes) : bytes, denominator: scale.rawValue,
            bands: bands,
            rows: rect.y..<rect.maxY
        ) { samples in try row(samples.extracting((rect.x * bands)..<(rect.maxX * bands))) }
    }

    /// Decodes from the top with libvips, which fails on warnings here: one of them may be about missing rows.
    private func readSequentially(_ rect: PixelRect<StoredGrid>, _ row: (RawSpan) throws -> Void) throws {
        do {
            try loader(failOn: "warning").read(rect, row: row)
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
        let bytes = pixels.layout.bands
        let columns = (rect.x * bytes)..<(rect.maxX * bytes)
        var failure: (any Error)?
        let hasFailed = Atomic(false)
        let result = CancellationCheck.run { check -> Result<Void, JPEGIndexError> in
            Result { () throws(JPEGIndexError) in
                let index = try JPEGIndex(
                    source.file, header: header, threads: source.options.threads,
                    isCancelled: { check.isCancelled || hasFailed.load(ordering: .relaxed) }
                ) { y, pixels in
                    guard failure == nil, (rect.y..<rect.maxY).contains(y) else { return }
                    do {
                        try row(pixels.extracting(columns))
                    } catch {
                        failure = error
                        hasFailed.store(true, ordering: .relaxed)
                    }
                }
                source.scanned.keep(index)
            }
        }
        if let failure { throw failure }
        try result.get()
    }
}

/// An index that is made by the first read of a file that is optimized for random access.
private final class FirstReadIndex: Sendable {
    private let made = Mutex<IndexedJPEG??>(nil)

    /// Returns the index; the first caller makes it, and concurrent callers wait.
    ///
    /// Returns nil where the data is damaged.
    func value(_ make: () throws(JPEGIndexError) -> IndexedJPEG?) throws(CancellationError) -> IndexedJPEG? {
        let made = made.withLock { made -> IndexedJPEG?? in
            if let made { return made }
            let new = try? make()
            // A cancelled scan ends like one of truncated data; the next reader makes the index.
            guard !Task.isCancelled else { return nil }
            made = .some(new ?? nil)
            return made
        }
        guard let made else { throw CancellationError() }
        return made
    }
}
