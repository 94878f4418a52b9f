internal import Basics
internal import Files
internal import JPEGCoding
internal import JPEGIndexing
internal import Pictures
internal import Resampling
internal import TilePyramid
internal import ViewportGeometry

/// Reads regions of progressive JPEGs: collects their coefficients from all scans and decodes only those.
///
/// Without an index all scans are read down to the last row of the region. At 1/8 most scans are not needed.
struct ProgressiveJPEGSource: JPEGSource {
    typealias Level = ProgressiveJPEGLevel

    let file: OpenFile
    let header: JPEGHeader
    let metadata: JPEGMetadata
    let options: OpenOptions
    let scan: DamageScan
    /// The scales at which blocks can be decoded.
    let nativePyramid: Pyramid
    let pyramid: Pyramid
    /// The headers of all scans.
    private var scans: ProgressiveScans
    /// The reader with a complete index; nil without one.
    private var indexed: ProgressiveRegionReader?
    /// The index for reading many parts, made by the first read.
    private let ownIndex: FirstReadIndex<ProgressiveIndex>?
    /// The image at 1/8 in memory, for reading many parts.
    fileprivate private(set) var overview: ProgressiveOverview?

    /// Returns nil where regions cannot be decoded separately; CMYK is left to libvips, which inverts it.
    ///
    /// Where the scans of a remote file begin, only all of its bytes tell: reading its pixels finds out.
    init?(_ file: OpenFile, _ options: OpenOptions, _ scan: DamageScan) {
        let scans = ProgressiveScans(file)
        guard
            let header = try? file.isRemote
                ? ProgressiveHeader.frame(of: file) : scans.reader().header.header,
            header.components.count == 1 || header.components.count == 3,
            let metadata = try? JPEGMetadata(header, of: file, assuming: options.assumedProfile)
        else { return nil }
        self.file = file
        self.header = header
        self.scans = scans
        self.metadata = metadata
        self.options = options
        self.scan = scan
        ownIndex = options.optimizesForRandomAccess ? FirstReadIndex() : nil
        nativePyramid = Pyramid(ofJPEG: header.size)
        pyramid = nativePyramid.continuedByHalving
        if options.optimizesForRandomAccess { overview = ProgressiveOverview(file, header, scans) }
    }

    /// Returns the reader, with a complete index if there is one.
    ///
    /// - Parameter scale: The scale to decode at.
    fileprivate func reader(at scale: JPEGScale = .full) throws(JPEGIndexError) -> ProgressiveRegionReader {
        if let indexed { indexed } else { try scans.reader(at: scale) }
    }

    /// Returns the source whose scans are known without the data in which they lie.
    func knowing(_ header: ProgressiveHeader) -> Self {
        var source = self
        source.scans = ProgressiveScans(file, header)
        return source
    }

    /// The most pixels of a file whose coefficients libjpeg holds at once, in at most 6 bytes per pixel.
    static let greatestWholeArea = 16 << 20

    var isIndexed: Bool { indexed != nil }

    var hasOverview: Bool { ProgressiveOverview(file, header, scans) != nil }

    func makeOverview() throws { _ = try overview?.pixels() }

    func optimizedForRandomAccess() -> Self {
        var source = self
        source.overview = overview ?? ProgressiveOverview(file, header, scans)
        return source
    }

    func indexedWithOverview() throws -> Self {
        let source = optimizedForRandomAccess()
        try source.makeOverview()
        do {
            return try source.reading(through: makeIndex())
        } catch {
            guard !Task.isCancelled else { throw CancellationError() }
            throw error
        }
    }

    func indexedWhereAsked(
        _ progress: @escaping @Sendable (Double) -> Void
    ) throws(CancellationError) -> Self {
        guard !isIndexed, let ownIndex else { return self }
        let made = try ownIndex.value { () throws(JPEGIndexError) in
            try makeIndex(from: file.reporting(progress))
        }
        guard let index = made else { return self }
        return (try? reading(through: index)) ?? self
    }

    // Damage is found by decoding, and libvips decides how much of a damaged picture is shown.
    func refuseMissingRows() {}

    /// - Parameter bytes: those of the file; nil for the file itself.
    private func makeIndex(
        from bytes: (any RandomAccessBytes)? = nil
    ) throws(JPEGIndexError) -> ProgressiveIndex {
        let header = try reader().header
        return try CancellationCheck.run { check throws(JPEGIndexError) -> ProgressiveIndex in
            try ProgressiveIndex(
                bytes ?? file, header: header, threads: 2, isCancelled: { check.isCancelled })
        }
    }

    private func reading(through index: ProgressiveIndex) throws(JPEGIndexError) -> Self {
        var source = self
        source.indexed = try ProgressiveRegionReader(header: reader().header, index: index)
        return source
    }

    var isOverviewResident: Bool { overview?.isResident == true }

    var capabilities: SourceCapabilities {
        var capabilities = commonCapabilities
        capabilities.greatestWholeArea = Self.greatestWholeArea
        return capabilities
    }
}

extension ProgressiveJPEGSource {
    var indexKind: IndexKind { .progressiveJPEG }

    func makingIndex(
        _ progress: @escaping @Sendable (Double) -> Void
    ) throws -> any IndexableSource {
        do {
            return try reading(through: makeIndex(from: file.reporting(progress)))
        } catch {
            guard !Task.isCancelled else { throw CancellationError() }
            try file.checkedRows { try refuseDamage() }
            throw RenderingError.notIndexable(file: file.path, reason: "\(error)")
        }
    }

    func encodedIndex(for identity: FileFingerprint?) throws -> [UInt8]? {
        guard let indexed, let index = indexed.index else { return nil }
        return try RenderingError.naming(file.path) { () throws(FileError) in
            index.saved(for: try FileFingerprint(identity, or: file), header: indexed.header)
        }
    }

    func reading(encodedIndex bytes: [UInt8], for identity: FileFingerprint?) -> (any IndexableSource)? {
        guard let identity = try? FileFingerprint(identity, or: file),
            let header = try? reader().header,
            let index = try? ProgressiveIndex(saved: bytes, for: identity, header: header)
        else { return nil }
        return try? reading(through: index)
    }
}

/// One scale of a progressive JPEG.
struct ProgressiveJPEGLevel: JPEGLevel {
    let source: ProgressiveJPEGSource
    let level: PyramidLevel

    func decode(_ rect: PixelRect<StoredGrid>, _ row: (RawSpan) throws -> Void) throws {
        if scale == .eighth, let overview = source.overview { return try overview.read(rect, row: row) }
        // libjpeg alone is faster where most of a file is decoded that it needs all scans of. It holds all coefficients.
        let share = Double(rect.size.area) / Double(level.size.area)
        if scale != .eighth, share > (source.isIndexed ? 0.8 : 0.5), source.isSmall(at: level),
            source.header.size.area <= ProgressiveJPEGSource.greatestWholeArea
        {
            if source.file.isRemote { source.file.announceScans() }
            return try source.readWhole(rect, of: level, row)
        }
        try source.reader(at: scale).read(
            rect, at: scale, of: source.file, threads: source.options.threads, row: row)
    }
}

extension ProgressiveRegionReader {
    /// Decodes a rectangle of the image at a scale and lends its rows, from the top.
    fileprivate func read(
        _ rect: PixelRect<StoredGrid>, at scale: JPEGScale, of file: OpenFile, threads: Int,
        row: (RawSpan) throws -> Void
    ) throws {
        let frame = header.header
        if index != nil {
            if file.isRemote {
                let reduced = PixelRect<ReducedGrid>(
                    x: rect.x, y: rect.y, width: rect.width, height: rect.height)
                let ranges = try byteRanges(of: reduced, at: scale, fileSize: file.count)
                // A window begins some bytes before what it is loaded for, and ends behind it.
                file.willRead(
                    ranges.map {
                        max(0, $0.lowerBound - 96)..<min(file.count, $0.upperBound + Self.margin + 96)
                    })
            }
            return try frame.readBands(of: rect, at: scale, threads: threads, row: row) { band, isCancelled in
                try self.region(band, at: scale, of: file, isCancelled: isCancelled)
            }
        }
        let decoder = try JPEGDecoder()
        let region = PixelRect<ReducedGrid>(x: rect.x, y: rect.y, width: rect.width, height: rect.height)
        try CancellationCheck.run { check in
            try read(
                region, at: scale, of: file, bandHeight: frame.bandHeight(width: rect.width, at: scale),
                threads: threads, isCancelled: { check.isCancelled }
            ) { band in
                guard !Task.isCancelled else { throw CancellationError() }
                let decoded = try decoder.decode(
                    band.jpeg, denominator: scale.rawValue, bands: frame.components.count)
                for y in band.crop.y..<band.crop.maxY {
                    try decoded.withRow(y, columns: band.crop.x..<band.crop.maxX, row)
                }
            }
        }
    }
}

/// The headers of the scans of a file, which are read once.
private final class ProgressiveScans: Sendable {
    private let file: OpenFile
    private let known: ProgressiveHeader?
    private let made = Once<ProgressiveRegionReader>()
    /// Of a remote file: without the scans that are not needed at 1/8.
    private let small = Once<ProgressiveRegionReader>()

    init(_ file: OpenFile, _ known: ProgressiveHeader? = nil) { (self.file, self.known) = (file, known) }

    /// Returns a reader without an index.
    func reader(at scale: JPEGScale = .full) throws(JPEGIndexError) -> ProgressiveRegionReader {
        if let made = made.valueIfMade { return made }
        if let known { return try ProgressiveRegionReader(header: known, index: nil) }
        let isSmall = file.isRemote && scale == .eighth
        return try (isSmall ? small : made).valueEvenIfCancelled { () throws(JPEGIndexError) in
            if file.isRemote, file.sendsRanges { file.announceScans() }
            return try ProgressiveRegionReader(
                header: ProgressiveHeader(file, at: isSmall ? scale : .full), index: nil)
        }
    }
}

/// A progressive JPEG at 1/8 in memory, decoded once when a reduced view first needs it.
fileprivate final class ProgressiveOverview: Sendable {
    private let file: OpenFile
    private let header: JPEGHeader
    private let scans: ProgressiveScans
    private let samples = Once<[UInt8]>()

    /// The most pixels of an overview: 64 MB of RGB.
    private static let greatestArea = 22_000_000

    /// Returns nil where the image is too large, or too small to have this scale.
    init?(_ file: OpenFile, _ header: JPEGHeader, _ scans: ProgressiveScans) {
        let size = header.size
        guard min(size.width, size.height) >= 8, size.area / 64 <= Self.greatestArea else { return nil }
        self.file = file
        self.header = header
        self.scans = scans
    }

    /// Whether it is in memory.
    var isResident: Bool { samples.valueIfMade != nil }

    /// Lends rows; the first reader decodes the image, and concurrent readers wait.
    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
        let samples = try pixels()
        let bands = header.components.count
        let width = header.size(at: .eighth).width
        for y in rect.y..<rect.maxY {
            let start = (y * width + rect.x) * bands
            try samples.withRow(start..<(start + rect.width * bands), row)
        }
    }

    func pixels() throws -> [UInt8] {
        try samples.value {
            let size = header.size(at: .eighth)
            var collector = RowCollector(byteCount: size.area * header.components.count)
            try file.checkedRows {
                try scans.reader(at: .eighth).read(
                    PixelRect(x: 0, y: 0, width: size.width, height: size.height), at: .eighth, of: file,
                    threads: 2
                ) { collector.push($0) }
            }
            return collector.pixels
        }
    }
}
