internal import Files
internal import JPEGDecoding
internal import JPEGIndex
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
        var emitted = 0
        func emit(_ bytes: RawSpan) throws {
            emitted += 1
            try row(bytes)
        }
        do {
            switch way(to: rect) {
            case .regions: try readRegions(rect, emit)
            case .overview: try readOverview(rect, emit)
            case .fromTheTop: try source.loader.open(level).read(rect, row: row)
            }
        } catch let error where error is JPEGIndexError || error is JPEGDecodingError {
            // Broken data is the loader's: it knows how much of it may be shown. Rows that went out cannot be
            // taken back, but they are the same that the loader gives.
            var skipped = 0
            try source.loader.open(level).read(rect) { bytes in
                skipped += 1
                if skipped > emitted { try row(bytes) }
            }
        }
    }

    /// How a rectangle is read for the least work.
    private enum Way {
        case regions, overview, fromTheTop
    }

    private func way(to rect: PixelRect<StoredGrid>) -> Way {
        // What has to be decoded of what would be decoded from the top.
        let share = Double(rect.size.area) / Double(level.size.width * rect.maxY)
        if scale == .eighth, source.overview != nil { return .overview }
        if source.prepared != nil { return share < 0.8 ? .regions : .fromTheTop }
        if scale == .eighth, header.hasOverview, share > 0.3 { return .overview }
        return share < 0.5 ? .regions : .fromTheTop
    }

    /// Decodes the blocks of the rectangle alone, where an index or a scan finds them.
    private func readRegions(_ rect: PixelRect<StoredGrid>, _ row: (RawSpan) throws -> Void) throws {
        if let prepared = source.prepared { return try prepared.read(rect, at: scale, row: row) }
        try InputFile.withPassingBytes(source.path) { file, forget in
            let index = try JPEGIndex(file, header: header, downTo: rect, at: scale, passed: forget)
            let reader = try JPEGRegionReader(header: header, index: index)
            try reader.read(rect, at: scale, of: file, row: row)
        }
    }

    /// Decodes the whole image at 1/8 in one pass that skips most coefficients.
    private func readOverview(_ rect: PixelRect<StoredGrid>, _ row: (RawSpan) throws -> Void) throws {
        if let overview = source.overview { return try overview.read(rect, row: row) }
        let bytes = pixels.layout.bands
        let columns = (rect.x * bytes)..<(rect.maxX * bytes)
        try InputFile.withPassingBytes(source.path) { file, forget in
            var failure: (any Error)?
            _ = try JPEGIndex(file, header: header, passed: forget) { y, pixels in
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
}
