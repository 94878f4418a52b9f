internal import ImageReading
internal import Pictures
internal import Resampling
internal import TileLoading
internal import TilePyramid
internal import ViewportGeometry
internal import Viewports

/// The tiles of a viewport: those that are loaded, and coarser placeholders for the others.
struct TileComposition: Sendable {
    private let source: TiledSource
    /// The level that the viewport is rendered from.
    private let fine: TiledLevel
    /// The pixels of that level that are needed.
    private let rect: PixelRect<StoredGrid>
    /// The coarser levels, the finest first.
    private let coarse: [TiledLevel]
    /// The tiles of all levels that have arrived.
    private var tiles: [TileKey: Tile] = [:]
    /// The tiles that are still missing.
    private var missing: Set<TileKey>
    /// The number of tiles in total.
    private let count: Int

    /// Returns nil where tiles do not pay off, or the viewport needs more than half of the cache.
    ///
    /// Opens levels and may read a JPEG once, which blocks.
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

    /// The share of the tiles that are loaded, from 0 to 1.
    var share: Double { 1 - Double(missing.count) / Double(count) }

    /// Whether the picture is exact.
    var isComplete: Bool { missing.isEmpty }

    /// The tiles to prefetch: the visible ones, from the center outwards.
    var prefetchRequests: [TileRequest] { TileRequest.requests(rect, of: fine, for: .prefetch) }

    /// The tiles to read: a few coarse ones first, then the visible ones from the center outwards.
    var requests: [TileRequest] {
        var requests = TileRequest.requests(rect, of: fine, for: .visible)
        // Resident tiles are in the cache already, and files that are read from the top are read once.
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

    /// Returns the file with these tiles as its pixels; nil where a missing tile has no placeholder.
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

    /// Caches the placeholder tiles of a level that is in memory: copying them decodes nothing.
    private func cacheResidentTiles() throws {
        guard let index = source.capabilities.residentLevel,
            let level = coarse.first(where: { $0.level.index == index })
        else { return }
        let needed = PlaceholderTile.coarseRect(rect, of: fine.level, in: level.level)
        for key in level.keys(in: needed) { _ = try source.tile(key) }
    }
}

/// A source whose tiles come from a function.
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

/// Pixels of a level that are resampled from a coarser one, aligned to the fraction of a pixel.
///
/// Neighbors have no seam: each reads as far beyond its edge as its kernel reaches.
struct PlaceholderTile: Sendable {
    /// The pixels that it replaces.
    private let rect: PixelRect<StoredGrid>
    /// The coarser level.
    private let coarse: TiledLevel
    private let across: AxisPlan
    private let down: AxisPlan

    /// Returns nil where tiles of the coarser level are missing.
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

    /// Returns the pixels of the coarser level that replace a rectangle of a level.
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
