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
