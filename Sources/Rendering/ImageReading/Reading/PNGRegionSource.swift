internal import Basics
internal import Containers
package import Files
internal import ImageMetadata
internal import PNGIndexing
package import Pictures
internal import Resampling
package import TilePyramid
internal import ViewportGeometry

/// Reads regions of PNGs: inflates from the nearest checkpoint of an index, or from the beginning.
///
/// Whole rows are inflated; filters are reversed up to the last column of the region only.
package struct PNGRegionSource: IndexableSource {
    let file: OpenFile
    let header: PNGHeader
    let options: OpenOptions
    private let colors: PNGColors
    /// The frames of an animation.
    let frames: APNGFrames?
    package let nativePyramid: Pyramid
    package let pyramid: Pyramid
    /// The index for reading many parts, made by the first read.
    private let ownIndex: FirstReadIndex<PNGIndex>?
    private var index: PNGIndex?

    /// The longest side that libpng accepts.
    private static let longestSide = 1_000_000

    /// Returns nil where libvips decides: interlaced images, and headers that libpng repairs or rejects.
    init?(_ file: OpenFile, _ options: OpenOptions) {
        guard let header = try? PNGHeader(file),
            max(header.size.width, header.size.height) <= Self.longestSide
        else { return nil }
        self.file = file
        self.header = header
        self.options = options
        let colors = PNGColors(FileBytes(file))
        self.colors = colors
        frames = APNGFrames(file, options, colors, embedded: header.profile)
        nativePyramid = Pyramid(size: header.size)
        pyramid = nativePyramid.continuedByHalving
        ownIndex = options.optimizesForRandomAccess ? FirstReadIndex() : nil
    }

    package var description: String { index == nil ? "regions of a scan" : "regions by index" }

    package var capabilities: SourceCapabilities {
        var capabilities = SourceCapabilities(access: index == nil ? .scanned : .random)
        capabilities.indexable = self
        capabilities.frames = frames
        capabilities.wholeRowLevels = 0..<32
        return capabilities
    }

    /// The format of libvips' loader, with the colors that the file states.
    var pixels: SourcePixelFormat {
        let isDeep = header.bitDepth == 16
        let isGray = header.bands < 3
        return SourcePixelFormat(
            layout: SampleLayout(
                type: isDeep ? .uint16 : .uint8, bands: header.bands, hasAlpha: header.hasAlpha),
            interpretation: isGray ? (isDeep ? "grey16" : "b-w") : (isDeep ? "rgb16" : "srgb"),
            profile: colors.profile(embedded: header.profile, isGray: isGray))
    }

    package func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        let stored = PNGRegionLevel(source: self, level: nativePyramid.full, pixels: pixels)
        let full: any LevelReader = colors.isLimited ? FullRangeLevel(base: stored) : stored
        return level.index == 0 ? full : HalvedLevel(full, times: level.index)
    }

    /// Returns a reader with the index, which the first read makes where many are expected.
    func reader() throws -> PNGRegionReader {
        PNGRegionReader(header, index: try indexedWhereAsked { _ in }.index)
    }

    private func scan(_ bytes: any RandomAccessBytes) throws(PNGIndexError) -> PNGIndex {
        try CancellationCheck.run { check throws(PNGIndexError) in
            try PNGIndex(
                bytes, header: header, threads: options.threads, isCancelled: { check.isCancelled })
        }
    }
}

extension PNGRegionSource {
    package var indexKind: IndexKind { .png }

    package func makingIndex(
        _ progress: @escaping @Sendable (Double) -> Void
    ) throws -> any IndexableSource {
        var source = self
        try file.checkedRows {
            do throws(PNGIndexError) {
                source.index = try scan(file.reporting(progress))
            } catch {
                guard !Task.isCancelled else { throw CancellationError() }
                if let damage = FileDamage.find(FileBytes(file)) { throw RenderingError(damage, of: file) }
                throw RenderingError.notIndexable(file: file.path, reason: "\(error)")
            }
        }
        return source
    }

    package func indexedWhereAsked(
        _ progress: @escaping @Sendable (Double) -> Void
    ) throws(CancellationError) -> Self {
        guard index == nil, let ownIndex else { return self }
        var source = self
        source.index = try ownIndex.value { () throws(PNGIndexError) in
            try scan(file.reporting(progress))
        }
        return source
    }

    package func encodedIndex(for identity: FileFingerprint?) throws -> [UInt8]? {
        guard let index else { return nil }
        return try RenderingError.naming(file.path) { () throws(FileError) in
            index.saved(for: try FileFingerprint(identity, or: file), header: header)
        }
    }

    package func reading(
        encodedIndex bytes: [UInt8], for identity: FileFingerprint?
    ) -> (any IndexableSource)? {
        guard let fingerprint = try? FileFingerprint(identity, or: file),
            let index = try? PNGIndex(saved: bytes, for: fingerprint, header: header)
        else { return nil }
        var source = self
        source.index = index
        return source
    }
}

/// The full resolution of a PNG.
private struct PNGRegionLevel: LevelReader {
    let source: PNGRegionSource
    let level: PyramidLevel
    let pixels: SourcePixelFormat

    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
        try source.file.checkedRows { try readRows(rect, row) }
    }

    private func readRows(_ rect: PixelRect<StoredGrid>, _ row: (RawSpan) throws -> Void) throws {
        try source.file.rows(row) { row in
            let reader = try source.reader()
            try CancellationCheck.run { check in
                try reader.read(
                    rect, of: source.file, threads: source.options.threads,
                    isCancelled: { check.isCancelled }, row: row)
            }
        } orLoading: { row in
            try loader().read(rect, row: row)
        }
    }

    private func loader() throws(RenderingError) -> any LevelReader {
        let file = LoaderFile(
            file: source.file, loader: "VipsForeignLoadPngFile", format: .png, options: source.options)
        return try LoaderSource(file, header: file.header(), pages: .pictures(1)).open(level)
    }
}
