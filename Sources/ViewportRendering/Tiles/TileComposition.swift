internal import Resampling
internal import TilePyramid
internal import ViewportGeometry

/// A viewport in tiles: those that are there, and coarser ones that stand in for the others.
struct TileComposition: Sendable {
    private let source: TiledSource
    /// The level that the viewport is made from.
    private let fine: TiledLevel
    /// The pixels of it that are needed.
    private let rect: PixelRect<StoredGrid>
    /// The coarser levels, the finest first.
    private let coarse: [TiledLevel]
    /// The tiles of all levels that have arrived.
    private var tiles: [TileKey: Tile] = [:]
    /// The tiles that the finished picture still needs.
    private var missing: Set<TileKey>
    /// The tiles that it needs in all.
    private let count: Int

    /// Nil where tiles do not pay, or where the viewport needs more than half of what the cache holds.
    ///
    /// It opens levels and may read a JPEG once, which blocks.
    init?(_ viewport: Viewport, of file: ImageFile, by renderer: ViewportRenderer, in source: TiledSource)
        throws
    {
        let coverage = try renderer.coverage(viewport, of: file)
        try source.prepare()
        guard source.paysForTiles else { return nil }
        let fine = try source.reader(of: renderer.level(for: coverage, of: source)) { key, _ in
            try source.tile(key)
        }
        rect = renderer.plan(coverage, of: file, fine.level, source).storedRect
        guard rect.size.area * fine.pixels.layout.pixelBytes <= source.cache.capacity / 2 else { return nil }
        self.source = source
        self.fine = fine
        coarse = try source.pyramid.levels.filter { $0.index > fine.level.index }.map { level in
            try source.reader(of: level) { key, _ in try source.tile(key) }
        }
        missing = Set(fine.keys(in: rect))
        count = missing.count
        try cacheResidentTiles()
        for key in missing {
            if let tile = source.cache.tile(key) { add(tile, for: key) }
        }
    }

    /// The share of the tiles that are there, from 0 to 1.
    var share: Double { 1 - Double(missing.count) / Double(count) }

    /// Whether the picture is exact.
    var isComplete: Bool { missing.isEmpty }

    /// The tiles to prefetch: those that are seen, from the middle outwards.
    var prefetchRequests: [TileRequest] { TileRequest.requests(rect, of: fine, for: .prefetch) }

    /// The tiles to read: a few coarse ones first, then from the middle outwards those that are seen.
    var requests: [TileRequest] {
        var requests = TileRequest.requests(rect, of: fine, for: .visible)
        // What is resident is in the cache already, and what is read from the top is read once.
        guard source.capabilities.residentLevel == nil, source.readsTilesAlone else { return requests }
        let placeholder = coarse.lazy.map { level in
            let needed = PlaceholderTile.coarseRect(rect, of: fine.level, in: level.level)
            return (level, needed, level.grid.positions(in: needed).count)
        }.first { $0.2 <= 4 }
        if let (level, needed, count) = placeholder, count < self.count {
            requests += TileRequest.requests(needed, of: level, for: .placeholder)
        }
        return requests
    }

    mutating func add(_ tile: Tile, for key: TileKey) {
        tiles[key] = tile
        missing.remove(key)
    }

    /// The file with these tiles as its pixels; nil where nothing stands in for a missing one.
    func file(_ file: ImageFile) -> ImageFile? {
        var placeholders: [TileKey: PlaceholderTile] = [:]
        for key in missing {
            let needed = fine.grid.rect(column: key.column, row: key.row).intersection(rect)!
            let placeholder = coarse.lazy.compactMap { level in
                PlaceholderTile(needed, of: fine.level, from: level) { tiles[$0] ?? source.cache.tile($0) }
            }.first
            guard let placeholder else { return nil }
            placeholders[key] = placeholder
        }
        return file.reading(
            from:
                SuppliedSource(base: source) { [tiles, placeholders, source] key, _ in
                    if let tile = tiles[key] { return tile }
                    if let placeholder = placeholders[key] { return try placeholder.tile() }
                    return try source.tile(key)
                })
    }

    /// Takes the tiles of a level in memory that stand in for the viewport: copying them decodes nothing.
    private func cacheResidentTiles() throws {
        guard let index = source.capabilities.residentLevel,
            let level = coarse.first(where: { $0.level.index == index })
        else { return }
        let needed = PlaceholderTile.coarseRect(rect, of: fine.level, in: level.level)
        for key in level.keys(in: needed) { _ = try source.tile(key) }
    }
}

/// A source whose tiles come from elsewhere.
private struct SuppliedSource: ImageSource {
    let base: TiledSource
    let supply: TiledLevel.Supply

    var description: String { base.description }
    var pyramid: Pyramid { base.pyramid }
    var nativePyramid: Pyramid { base.nativePyramid }
    var capabilities: SourceCapabilities { base.capabilities }

    func sharpeningCompensation(of level: PyramidLevel) -> Double { base.sharpeningCompensation(of: level) }

    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        try base.reader(of: level, supply)
    }
}

/// Pixels of a level that are made from a coarser one, aligned to the fraction of a pixel.
///
/// Neighboring ones have no seam: each reads as far beyond its edge as its kernel reaches.
struct PlaceholderTile: Sendable {
    /// The pixels that it stands in for.
    private let rect: PixelRect<StoredGrid>
    /// What it is made from.
    private let coarse: TiledLevel
    private let across: AxisPlan
    private let down: AxisPlan

    /// Nil where tiles of the coarser level are missing.
    init?(
        _ rect: PixelRect<StoredGrid>, of level: PyramidLevel, from coarse: TiledLevel,
        cached tile: (TileKey) -> Tile?
    ) {
        (across, down) = Self.plans(rect, of: level, in: coarse.level)
        var tiles: [TileKey: Tile] = [:]
        for key in coarse.keys(in: PixelRect(across.range, down.range)) {
            guard let tile = tile(key) else { return nil }
            tiles[key] = tile
        }
        self.rect = rect
        self.coarse = coarse.replacingTiles { [tiles] key, _ in tiles[key]! }
    }

    /// The pixels of the coarser level that stand in for some of a level.
    static func coarseRect(
        _ rect: PixelRect<StoredGrid>, of level: PyramidLevel, in coarse: PyramidLevel
    ) -> PixelRect<StoredGrid> {
        let (across, down) = plans(rect, of: level, in: coarse)
        return PixelRect(across.range, down.range)
    }

    func tile() throws -> Tile {
        var resampler = RowResampler(
            horizontal: across.weights, vertical: down.weights, layout: coarse.pixels.layout,
            sourceWidth: across.range.count)
        try coarse.read(PixelRect(across.range, down.range)) { resampler.push($0) }
        return Tile(rect: rect, bytes: resampler.pixels)
    }

    private static func plans(
        _ rect: PixelRect<StoredGrid>, of level: PyramidLevel, in coarse: PyramidLevel
    ) -> (across: AxisPlan, down: AxisPlan) {
        let (fine, coarse) = (SamplingAxes(level), SamplingAxes(coarse))
        return (
            AxisPlan(from: coarse.columns, to: fine.columns.part(rect.x..<rect.maxX), kernel: .linear),
            AxisPlan(from: coarse.rows, to: fine.rows.part(rect.y..<rect.maxY), kernel: .linear)
        )
    }
}
