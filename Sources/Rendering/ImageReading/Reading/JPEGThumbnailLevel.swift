internal import JPEGIndexing
internal import TilePyramid
internal import ViewportGeometry

/// A baseline JPEG at 1/4 for thumbnails, from the lowest coefficients of its blocks.
struct JPEGThumbnailLevel: JPEGLevel {
    let source: JPEGRegionSource
    let level: PyramidLevel

    init(source: JPEGRegionSource, level: PyramidLevel) {
        (self.source, self.level) = (source, level)
    }

    /// Returns nil where another level is better or costs less.
    ///
    /// Its pixels contain no frequencies that would become false patterns from a factor of 2.7 on; the means of 1/8
    /// do, but from that factor on they are weak.
    init?(_ source: JPEGRegionSource, scale: Double) {
        let factor = 2.7
        guard source.indexed == nil, source.overview == nil,
            source.header.hasQuarter, scale * 4 * factor <= 1, scale * 8 * factor > 1,
            let level = PyramidLevel(of: source.header.size, at: .quarter)
        else { return nil }
        self.init(source: source, level: level)
    }

    func decode(_ rect: PixelRect<StoredGrid>, _ row: (RawSpan) throws -> Void) throws {
        try source.readInOnePass(rect, at: .quarter, row)
    }
}
