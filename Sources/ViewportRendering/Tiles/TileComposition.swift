internal import Resampling
internal import TilePyramid
internal import ViewportGeometry

/// Everything that is known of how a viewport will look: its tiles, and what stands in for those that miss.
struct TileComposition: Sendable {
    let source: TiledSource
    /// The level that the viewport is made from.
    let fine: TiledLevel
    /// The pixels of it that are needed.
    let rect: PixelRect<StoredGrid>
    /// The coarser levels, the finest first.
    let coarse: [TiledLevel]
    /// The tiles of all levels that have come.
    private(set) var tiles: [TileKey: Tile] = [:]
    /// The tiles that the finished picture still needs.
    private(set) var missing: Set<TileKey>
    /// How many it needs in all.
    let count: Int

    /// Nil where tiles do not pay: where a part costs as much as the whole, or where the viewport needs more than
    /// half of what the cache holds.
    ///
    /// It opens levels, which blocks.
    init?(_ viewport: Viewport, of file: ImageFile, by renderer: ViewportRenderer, in source: TiledSource)
        throws
    {
        guard source.access == .random else { return nil }
        let (reader, plan) = try renderer.prepare(viewport, of: file.taking(source))
        guard let fine = reader as? TiledLevel,
            plan.storedRect.size.area * fine.pixels.layout.pixelBytes <= source.cache.capacity / 2
        else { return nil }
        self.source = source
        self.fine = fine
        rect = plan.storedRect
        coarse = try source.pyramid.levels.filter { $0.index > fine.level.index }.map { level in
            try source.reader(of: level) { key, rect throws in try source.tile(key, rect) }
        }
        missing = Set(fine.keys(in: rect))
        count = missing.count
    }

    /// What to read: a coarse picture of it all first, then from the middle outwards what is seen.
    var wishes: [TileRequest] {
        var wishes = TileRequest.wishes(rect, of: fine, for: .visible)
        let stopgap = coarse.lazy.map { level in
            let needed = PlaceholderTile.coarseRect(rect, of: fine.level, in: level.level)
            return (level, needed, level.grid.places(in: needed).count)
        }.first { $0.2 <= 4 }
        if let (level, needed, count) = stopgap, count < self.count {
            wishes += TileRequest.wishes(needed, of: level, for: .stopgap)
        }
        return wishes
    }

    mutating func take(_ tile: Tile, for key: TileKey) {
        tiles[key] = tile
        missing.remove(key)
    }

    /// The file with what is known as its pixels; nil where nothing stands in for a tile that misses.
    func file(_ file: ImageFile) -> ImageFile? {
        var stopgaps: [TileKey: PlaceholderTile] = [:]
        for key in missing {
            let needed = fine.grid.rect(column: key.column, row: key.row).intersection(rect)!
            let stopgap = coarse.lazy.compactMap { level in
                PlaceholderTile(needed, of: fine.level, from: level) { tiles[$0] ?? source.cache.tile($0) }
            }.first
            guard let stopgap else { return nil }
            stopgaps[key] = stopgap
        }
        return file.taking(
            SuppliedSource(base: source) { [tiles, stopgaps, source] key, needed in
                if let tile = tiles[key] { return tile }
                if let stopgap = stopgaps[key] { return try stopgap.tile() }
                return try source.tile(key, needed)
            })
    }
}

/// A source whose tiles come from elsewhere.
private struct SuppliedSource: ImageSource {
    let base: TiledSource
    let supply: TiledLevel.Supply

    var description: String { base.description }
    var pyramid: Pyramid { base.pyramid }
    var ownPyramid: Pyramid { base.ownPyramid }
    var access: SourceAccess { base.access }

    func sharpeningCompensation(of level: PyramidLevel) -> Double { base.sharpeningCompensation(of: level) }

    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        try base.reader(of: level, supply)
    }
}

extension ImageFile {
    /// The same file with its pixels from elsewhere.
    package func taking(_ source: any ImageSource) -> ImageFile {
        var file = self
        file.source = source
        return file
    }
}

/// Pixels of a level made from a coarser one, in the same place to the fraction of a pixel.
///
/// Neighboring ones have no seam: each reads as far beyond its edge as its kernel reaches.
struct PlaceholderTile: Sendable {
    /// What it stands for.
    let rect: PixelRect<StoredGrid>
    /// What it is made from.
    private let coarse: TiledLevel
    private let coarseRect: PixelRect<StoredGrid>
    private let horizontal: AxisWeights
    private let vertical: AxisWeights

    /// Nil where tiles of the coarser level are missing.
    init?(
        _ rect: PixelRect<StoredGrid>, of level: PyramidLevel, from coarse: TiledLevel,
        having tile: (TileKey) -> Tile?
    ) {
        let across = Axis(
            rect.x..<rect.maxX, level.downsampleX, from: coarse.level.downsampleX, coarse.level.size.width)
        let down = Axis(
            rect.y..<rect.maxY, level.downsampleY, from: coarse.level.downsampleY, coarse.level.size.height)
        coarseRect = PixelRect(
            x: across.range.lowerBound, y: down.range.lowerBound, width: across.range.count,
            height: down.range.count)
        var tiles: [TileKey: Tile] = [:]
        for key in coarse.keys(in: coarseRect) {
            guard let tile = tile(key) else { return nil }
            tiles[key] = tile
        }
        self.rect = rect
        self.coarse = coarse.taking { [tiles] key, _ in tiles[key]! }
        horizontal = across.weights
        vertical = down.weights
    }

    /// The pixels of the coarser level that stand for some of a level.
    static func coarseRect(
        _ rect: PixelRect<StoredGrid>, of level: PyramidLevel, in coarse: PyramidLevel
    ) -> PixelRect<StoredGrid> {
        let across = Axis.range(
            rect.x..<rect.maxX, level.downsampleX, from: coarse.downsampleX, coarse.size.width)
        let down = Axis.range(
            rect.y..<rect.maxY, level.downsampleY, from: coarse.downsampleY, coarse.size.height)
        return PixelRect(x: across.lowerBound, y: down.lowerBound, width: across.count, height: down.count)
    }

    func tile() throws -> Tile {
        var resampler = RowResampler(
            horizontal: horizontal, vertical: vertical, layout: coarse.pixels.layout,
            sourceWidth: coarseRect.width)
        try coarse.read(coarseRect) { resampler.push($0) }
        return Tile(rect: rect, bytes: resampler.pixels)
    }
}

/// One axis of a stopgap.
private struct Axis {
    let range: Range<Int>
    let weights: AxisWeights

    init(_ pixels: Range<Int>, _ step: Double, from coarseStep: Double, _ count: Int) {
        range = Self.range(pixels, step, from: coarseStep, count)
        let part = SamplingGrid(
            origin: Double(range.lowerBound) * coarseStep, step: coarseStep, count: range.count)
        weights = AxisWeights(from: part, to: Self.grid(pixels, step), kernel: .linear)
    }

    /// The coarse pixels that a kernel needs.
    static func range(_ pixels: Range<Int>, _ step: Double, from coarseStep: Double, _ count: Int) -> Range<
        Int
    > {
        let whole = SamplingGrid(origin: 0, step: coarseStep, count: count)
        let reach = AxisWeights.reach(from: whole, to: grid(pixels, step), kernel: .linear)
        let lower = min(max(reach.lowerBound, 0), count - 1)
        return lower..<min(max(reach.upperBound, lower + 1), count)
    }

    private static func grid(_ pixels: Range<Int>, _ step: Double) -> SamplingGrid {
        SamplingGrid(origin: Double(pixels.lowerBound) * step, step: step, count: pixels.count)
    }
}

extension TiledLevel {
    /// The same level with its tiles from elsewhere.
    func taking(_ tile: @escaping Supply) -> TiledLevel {
        TiledLevel(identity: identity, level: level, pixels: pixels, grid: grid, tile: tile)
    }
}
