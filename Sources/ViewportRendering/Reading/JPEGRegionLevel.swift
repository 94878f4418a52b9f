internal import Files
internal import JPEGCoding
internal import JPEGIndexing
internal import Resampling
internal import TilePyramid
internal import ViewportGeometry

/// One scale of a baseline JPEG: 1, 1/2, 1/4 or 1/8.
struct JPEGRegionLevel: LevelReader {
    let source: JPEGRegionSource
    let level: PyramidLevel

    var pixels: PixelKind { source.pixels }

    private var scale: JPEGScale { JPEGScale(rawValue: 1 << level.index)! }
    private var header: JPEGHeader { source.header }

    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
        try source.file.checkedRows {
            try source.refuseDamage()
            try Self(source: source.indexedWhereAsked(), level: level).readRows(rect, row)
        }
    }

    private func readRows(_ rect: PixelRect<StoredGrid>, _ row: (RawSpan) throws -> Void) throws {
        var emitted = 0
        func emit(_ bytes: RawSpan) throws {
            emitted += 1
            try row(bytes)
        }
        do {
            switch way(to: rect) {
            case .regions: try readRegions(rect, emit)
            case .overview: try readOverview(rect, emit)
            case .whole: try readWhole(rect, emit)
            case .fromTheTop: try readFromTheTop(rect, emit)
            }
        } catch let error where error is JPEGIndexError || error is JPEGDecodingError {
            guard source.file.isUnchanged else { throw error }
            try source.refuseMissingRows()
            // Broken data is libvips': it knows how much of it may be shown. Rows that went out cannot be taken
            // back, but they are the same that it gives.
            var skipped = 0
            try loader().read(rect) { bytes in
                skipped += 1
                if skipped > emitted { try row(bytes) }
            }
        }
    }

    /// The same level through libvips' loader.
    ///
    /// - Parameter failOn: what it stops at, if not at what it usually does.
    func loader(failOn: String? = nil) throws(RenderingError) -> any LevelReader {
        let failOn = source.lacksEnd ? "none" : failOn
        let file = LoaderFile(
            file: source.file, loader: "VipsForeignLoadJpegFile", format: .jpeg, options: source.options,
            failOn: failOn)
        return try LoaderSource(file, header: file.header(), pages: .pictures(1)).open(level)
    }

    /// How a rectangle is read for the least work.
    private enum Way {
        /// Its blocks alone, found by an index or a scan.
        case regions
        /// All of the file at 1/8, most coefficients skipped.
        case overview
        /// All of the file, in memory.
        case whole
        /// All of the file down to the last row, in strips.
        case fromTheTop
    }

    private func way(to rect: PixelRect<StoredGrid>) -> Way {
        if scale == .eighth, source.overview != nil { return .overview }
        let isSmall =
            level.size.area * pixels.layout.bands <= Self.greatestWhole
            && source.file.count <= Self.greatestWhole
        // What has to be decoded of what would be decoded without an index.
        let share =
            Double(rect.size.area) / Double(level.size.width * (isSmall ? level.size.height : rect.maxY))
        let isPrepared = source.prepared != nil
        if !isPrepared, scale == .eighth, header.hasOverview, share > 0.3 { return .overview }
        if share < (isPrepared ? 0.8 : 0.5) { return .regions }
        return isSmall ? .whole : .fromTheTop
    }

    /// The most bytes of samples that are decoded at once.
    private static var greatestWhole: Int { 48 << 20 }

    /// Decodes all of the image.
    private func readWhole(_ rect: PixelRect<StoredGrid>, _ row: (RawSpan) throws -> Void) throws {
        let bytes = try source.file.contents()
        let decoded = try JPEGDecoder().decode(
            source.lacksEnd ? JPEGEnding.ended(bytes) : bytes, denominator: scale.rawValue,
            isGray: pixels.layout.bands == 1)
        for y in rect.y..<rect.maxY {
            guard !Task.isCancelled else { throw CancellationError() }
            try decoded.withRow(y, columns: rect.x..<rect.maxX, row)
        }
    }

    /// Decodes from the top with libvips, which stops at warnings here: one of them may be of missing rows.
    private func readFromTheTop(_ rect: PixelRect<StoredGrid>, _ row: (RawSpan) throws -> Void) throws {
        do {
            try loader(failOn: "warning").read(rect, row: row)
        } catch RenderingError.damaged(_, let detail) {
            throw JPEGDecodingError(reason: detail)
        }
    }

    /// Decodes the blocks of the rectangle alone, where an index or a scan finds them.
    private func readRegions(_ rect: PixelRect<StoredGrid>, _ row: (RawSpan) throws -> Void) throws {
        if let prepared = source.prepared { return try prepared.read(rect, at: scale, row: row) }
        let index = try JPEGIndex(source.file, header: header, downTo: rect, at: scale)
        let reader = try JPEGRegionReader(header: header, index: index)
        try reader.read(rect, at: scale, of: source.file, row: row)
    }

    /// Decodes the whole image at 1/8 in one pass that skips most coefficients.
    private func readOverview(_ rect: PixelRect<StoredGrid>, _ row: (RawSpan) throws -> Void) throws {
        if let overview = source.overview { return try overview.read(rect, row: row) }
        let bytes = pixels.layout.bands
        let columns = (rect.x * bytes)..<(rect.maxX * bytes)
        var failure: (any Error)?
        try JPEGIndex.overview(source.file, header: header, threads: source.options.threads) { y, pixels in
            guard failure == nil, (rect.y..<rect.maxY).contains(y) else { return }
            do {
                try row(pixels.extracting(columns))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }
}
