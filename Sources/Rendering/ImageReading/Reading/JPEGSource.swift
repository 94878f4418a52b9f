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
    var file: OpenFile { get }
    var header: JPEGHeader { get }
    var metadata: JPEGMetadata { get }
    var options: OpenOptions { get }
    /// Scans for damage when the first pixels are read.
    var scan: DamageScan { get }

    /// Returns the source with its index, where it is optimized for random access.
    func indexedWhereAsked() throws(CancellationError) -> Self

    /// Throws where the data ends before the picture: libvips fills such rows with gray without an error.
    func refuseMissingRows() throws(RenderingError)
}

extension JPEGSource {
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
            try Self(source: try source.indexedWhereAsked(), level: level).decodeOrLoad(rect, row)
        }
    }

    private func decodeOrLoad(_ rect: PixelRect<StoredGrid>, _ row: (RawSpan) throws -> Void) throws {
        var emitted = 0
        do {
            try decode(rect) { bytes in
                emitted += 1
                try row(bytes)
            }
        } catch let error where error is JPEGIndexError || error is JPEGDecodingError {
            // A cancelled scan ends like one of truncated data.
            guard !Task.isCancelled else { throw CancellationError() }
            guard source.file.isUnchanged else { throw error }
            try source.refuseMissingRows()
            // Damaged data is left to libvips, which decides how much of it is shown. Rows that were lent cannot be
            // taken back, but libvips decodes the same rows.
            var skipped = 0
            try source.loader(of: level).read(rect) { bytes in
                skipped += 1
                if skipped > emitted { try row(bytes) }
            }
        }
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
