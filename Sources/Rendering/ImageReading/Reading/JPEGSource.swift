internal import Basics
internal import Files
internal import JPEGCoding
internal import JPEGIndexing
internal import Pictures
internal import Resampling
internal import TilePyramid
internal import ViewportGeometry

/// Reads regions of JPEGs: what baseline and progressive ones have in common.
protocol JPEGSource: PreparableSource {
    /// One of its scales.
    associatedtype Level: JPEGLevel where Level.Source == Self

    var file: OpenFile { get }
    var header: JPEGHeader { get }
    var metadata: JPEGMetadata { get }
    var options: OpenOptions { get }
    /// Scans for damage when the first pixels are read.
    var scan: DamageScan { get }
    /// Whether it has a complete index.
    var isIndexed: Bool { get }
    /// Whether the image at 1/8 is in memory.
    var isOverviewResident: Bool { get }

    /// Throws where the data ends before the picture: libvips fills such rows with gray without an error.
    func refuseMissingRows() throws(RenderingError)
}

extension JPEGSource {
    func indexedWhereAsked() throws(CancellationError) -> Self { try indexedWhereAsked { _ in } }

    var description: String { isIndexed ? "regions by index" : "regions of a scan" }

    /// What every JPEG can do that is read in regions.
    var commonCapabilities: SourceCapabilities {
        var capabilities = SourceCapabilities(access: isIndexed ? .random : .scanned)
        capabilities.indexable = self
        capabilities.preparable = self
        capabilities.residentLevel = isOverviewResident ? JPEGScale.eighth.rawValue.trailingZeroBitCount : nil
        return capabilities
    }

    func sharpeningCompensation(of level: PyramidLevel) -> Double {
        SharpeningCompensation.ofJPEG(level)
    }

    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        // JPEG has four scales.
        let last = nativePyramid.levels.last!
        guard level.index > last.index else { return Level(source: self, level: level) }
        return HalvedLevel(Level(source: self, level: last), times: level.index - last.index)
    }

    var embeddedPreview: (any ImageSource)? { EmbeddedPreview(of: self) }

    /// Whether only the end marker is missing.
    var lacksEnd: Bool { get throws(RenderingError) { try scan.damage(.jpeg)?.isWhole == true } }

    /// Throws where a part of the picture is missing, which takes a scan if the end marker is missing.
    func refuseDamage() throws(RenderingError) {
        guard let damage = try scan.damage(.jpeg), !damage.isWhole else { return }
        throw RenderingError(damage, of: file)
    }

    /// The format of libjpeg's output.
    var pixels: SourcePixelFormat {
        let bands = header.components.count
        return SourcePixelFormat(
            layout: SampleLayout(type: .uint8, bands: bands, hasAlpha: false),
            interpretation: bands == 1 ? "b-w" : bands == 3 ? "srgb" : "cmyk", profile: metadata.profile)
    }

    /// Returns a level through libvips' loader.
    ///
    /// - Parameter failOn: the severity that it fails on; nil for the default.
    func loader(of level: PyramidLevel, failOn: String? = nil) throws(RenderingError) -> any LevelReader {
        let failOn = try lacksEnd ? "none" : failOn
        let file = LoaderFile(
            file: file, loader: "VipsForeignLoadJpegFile", format: .jpeg, options: options, failOn: failOn)
        return try LoaderSource(file, header: file.header(), pages: .pictures(1)).open(level)
    }

    /// Whether libjpeg decodes the whole file at a level without libvips.
    func isSmall(at level: PyramidLevel) -> Bool {
        let greatest = 48 << 20
        return level.size.area * pixels.layout.bands <= greatest && file.count <= greatest
    }

    /// Decodes the whole image, row by row.
    func readWhole(
        _ rect: PixelRect<StoredGrid>, of level: PyramidLevel, _ row: (RawSpan) throws -> Void
    ) throws {
        let bytes = try file.contents()
        let bands = pixels.layout.bands
        try JPEGRowDecoder.decode(
            try lacksEnd ? JPEGEnding.ended(bytes) : bytes, denominator: 1 << level.index, bands: bands,
            rows: rect.y..<rect.maxY
        ) { samples in try row(samples.extracting((rect.x * bands)..<(rect.maxX * bands))) }
    }
}

/// One scale of a JPEG: 1, 1/2, 1/4 or 1/8.
protocol JPEGLevel: LevelReader {
    associatedtype Source: JPEGSource
    var source: Source { get }

    init(source: Source, level: PyramidLevel)

    /// Decodes a rectangle and lends its rows.
    ///
    /// - Throws: `JPEGIndexError` or `JPEGDecodingError` at damage.
    func decode(_ rect: PixelRect<StoredGrid>, _ row: (RawSpan) throws -> Void) throws
}

extension JPEGLevel {
    var pixels: SourcePixelFormat { source.pixels }

    var scale: JPEGScale { JPEGScale(rawValue: 1 << level.index)! }

    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
        try source.file.checkedRows {
            try source.refuseDamage()
            let reader = Self(source: try source.indexedWhereAsked(), level: level)
            try source.file.rows(row) { row in
                try reader.decode(rect, row)
            } orLoading: { row in
                try reader.source.refuseMissingRows()
                try reader.source.loader(of: reader.level).read(rect, row: row)
            }
        }
    }
}

extension Pyramid {
    /// Creates the scales at which the blocks of a JPEG can be decoded.
    init(ofJPEG size: PixelSize<StoredGrid>) {
        self.init(levels: JPEGScale.allCases.compactMap { PyramidLevel(of: size, at: $0) })
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
        // The DC coefficients suffice.
        isOverview = scale == .eighth
    }
}

/// An index that is made by the first read of a file that is optimized for random access.
final class FirstReadIndex<Index: Sendable>: Sendable {
    private let made = Once<Index?>()

    /// Returns the index; the first caller makes it, and concurrent callers wait.
    ///
    /// Returns nil where the data is damaged.
    func value<E: Error>(_ make: () throws(E) -> Index?) throws(CancellationError) -> Index? {
        try made.value(cancelled: CancellationError()) { () throws(CancellationError) in
            let index = try? make()
            // A cancelled scan ends like one of truncated data; the next reader makes the index.
            guard !Task.isCancelled else { throw CancellationError() }
            return index ?? nil
        }
    }
}
