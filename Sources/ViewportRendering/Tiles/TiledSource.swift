internal import Resampling
internal import Synchronization
package import TilePyramid
package import ViewportGeometry

/// A source that is read in tiles, each of them once as long as the cache keeps it.
package final class TiledSource: ImageSource {
    package let base: any ImageSource
    package let identity: SourceIdentity
    package let cache: TileCache
    /// Pixels of a tile's side.
    package let side: Int
    /// Readers that nobody uses now: one reader decodes one tile at a time, however many threads ask it.
    private let idle = Mutex([Int: [any LevelReader]]())

    package init(_ base: any ImageSource, identity: SourceIdentity, cache: TileCache, side: Int = 256) {
        self.base = base
        self.identity = identity
        self.cache = cache
        self.side = side
    }

    package var description: String { base.description }
    package var pyramid: Pyramid { base.pyramid }
    package var ownPyramid: Pyramid { base.ownPyramid }
    package var access: SourceAccess { base.access }

    package func sharpeningCompensation(of level: PyramidLevel) -> Double {
        base.sharpeningCompensation(of: level)
    }

    package func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        try reader(of: level) { key, rect throws in try self.tile(key, rect) }
    }

    /// A reader that takes its tiles from elsewhere.
    ///
    /// - Parameter tile: told which tile is needed and which of its pixels.
    func reader(
        of level: PyramidLevel, _ tile: @escaping TiledLevel.Supply
    ) throws(RenderingError) -> TiledLevel {
        let reader = try borrow(level)
        defer { giveBack(reader, level) }
        return TiledLevel(
            identity: identity, level: reader.level, pixels: reader.pixels,
            grid: LevelGrid(reader.level, side: side), tile: tile)
    }

    /// A tile from the cache, or else from the source on the calling thread.
    package func tile(_ key: TileKey, _ rect: PixelRect<StoredGrid>) throws -> Tile {
        if let tile = cache.tile(key) { return tile }
        return try load(key)
    }

    /// Reads a tile on the calling thread, which it blocks, and keeps it.
    package func load(_ key: TileKey) throws -> Tile {
        guard !Task.isCancelled else { throw CancellationError() }
        let level = pyramid.levels.first { $0.index == key.level } ?? pyramid.full
        let reader = try borrow(level)
        let rect = LevelGrid(reader.level, side: side).rect(column: key.column, row: key.row)
        var rows = RowCollector(byteCount: rect.size.area * reader.pixels.layout.pixelBytes)
        try reader.read(rect) { rows.push($0) }
        giveBack(reader, level)
        let tile = Tile(rect: rect, bytes: rows.pixels)
        cache.insert(tile, for: key)
        return tile
    }

    private func borrow(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        if let reader = idle.withLock({ $0[level.index]?.popLast() }) { return reader }
        return try base.open(level)
    }

    private func giveBack(_ reader: any LevelReader, _ level: PyramidLevel) {
        idle.withLock { $0[level.index, default: []].append(reader) }
    }
}

/// One level whose rows are put together from tiles.
struct TiledLevel: LevelReader {
    /// Brings a tile, or at least those of its pixels that are needed.
    typealias Supply = @Sendable (TileKey, _ needed: PixelRect<StoredGrid>) throws -> Tile

    let identity: SourceIdentity
    let level: PyramidLevel
    let pixels: PixelKind
    let grid: LevelGrid
    let tile: Supply

    func key(column: Int, row: Int) -> TileKey {
        TileKey(source: identity, level: level.index, column: column, row: row)
    }

    /// The tiles that hold pixels of a rectangle.
    func keys(in rect: PixelRect<StoredGrid>) -> [TileKey] {
        grid.places(in: rect).map { key(column: $0.column, row: $0.row) }
    }

    func read(_ rect: PixelRect<StoredGrid>, row push: (RawSpan) throws -> Void) throws {
        guard !rect.isEmpty else { return }
        var line = RowCollector(byteCount: rect.width * pixels.layout.pixelBytes)
        for row in grid.rows(of: rect) {
            guard !Task.isCancelled else { throw CancellationError() }
            let band = try grid.columns(of: rect).map { column in
                let needed = grid.rect(column: column, row: row).intersection(rect)!
                return (needed: needed, tile: try tile(key(column: column, row: row), needed))
            }
            let rows = band[0].needed
            for y in rows.y..<rows.maxY {
                if band.count == 1 {
                    try band[0].tile.withRow(y, columns: rect.x..<rect.maxX, push)
                    continue
                }
                line.removeAll()
                for (needed, tile) in band {
                    tile.withRow(y, columns: needed.x..<needed.maxX) { line.push($0) }
                }
                try line.pixels.withRawBytes(0..<line.pixels.count, push)
            }
        }
    }
}
