internal import Basics
package import ImageReading
package import Pictures
internal import Resampling
internal import Synchronization
package import TilePyramid
package import ViewportGeometry

/// A source that is read in tiles; each tile is read once while the cache keeps it.
package final class TiledSource: ImageSource {
    private struct State {
        var base: any ImageSource
        /// Idle readers: a reader decodes one tile at a time.
        var idle: [Int: [any LevelReader]] = [:]
        /// Whether the data is damaged, so that it cannot be indexed.
        var isBroken = false
    }

    package let identity: SourceIdentity
    package let cache: TileCache
    /// The side of a tile in pixels.
    package let side: Int
    package let pyramid: Pyramid
    package let nativePyramid: Pyramid
    private let minimumPixels: Int
    private let state: Mutex<State>
    private let preparing = Exclusive(())
    /// The turns to read tiles, which share them by their hash.
    private let reading = (0..<64).map { _ in Exclusive(()) }

    /// - Parameter minimumPixels: the size from which `prepare` and single passes pay off.
    package init(
        _ base: any ImageSource, identity: SourceIdentity, cache: TileCache, side: Int = 256,
        minimumPixels: Int = 1 << 24
    ) {
        self.identity = identity
        self.cache = cache
        self.side = side
        self.minimumPixels = minimumPixels
        pyramid = base.pyramid
        nativePyramid = base.nativePyramid
        state = Mutex(State(base: base))
    }

    private var base: any ImageSource { state.withLock { $0.base } }

    package var description: String { base.description }
    package var capabilities: SourceCapabilities {
        var capabilities = SourceCapabilities(access: base.capabilities.access)
        capabilities.residentLevel = base.capabilities.residentLevel
        capabilities.wholeRowLevels = base.capabilities.wholeRowLevels
        return capabilities
    }

    package func sharpeningCompensation(of level: PyramidLevel) -> Double {
        base.sharpeningCompensation(of: level)
    }

    package func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        try reader(of: level) { key, _ in try self.tile(key) }
    }

    // MARK: What tiles cost

    /// Whether tiles cost less than they save.
    package var paysForTiles: Bool {
        switch base.capabilities.access {
        case .random: true
        case .sequential: pyramid.full.size.area >= minimumPixels
        // Small or damaged: large ones have been prepared.
        case .scanned: false
        case .drawn: false
        }
    }

    /// Whether the cost of a tile is proportional to its pixels; otherwise all tiles of a request are read in one pass.
    package var readsTilesAlone: Bool {
        let capabilities = base.capabilities
        return capabilities.access == .random && capabilities.wholeRowLevels.isEmpty
    }

    /// Reads a large file once on the calling thread: indexes it and keeps the overview of a JPEG in memory.
    ///
    /// Only the first call does that; concurrent calls wait. Damage is reported when a reader reaches it.
    ///
    /// - Throws: `CancellationError`; the next call starts again.
    package func prepare() throws {
        guard let source = preparable else { return }
        try preparing.withValue { _ in
            guard preparable != nil else { return }
            do {
                let prepared: any ImageSource =
                    try source.capabilities.preparable?.indexedWithOverview() ?? source.makingIndex()
                state.withLock { $0 = State(base: prepared) }
            } catch let error where !(error is CancellationError) {
                state.withLock { $0.isBroken = true }
            }
        }
    }

    /// The embedded thumbnail of a JPEG that `prepare` has not read yet; nil where there is none.
    package var previewBeforePreparing: (any ImageSource)? {
        preparable?.capabilities.preparable?.embeddedPreview
    }

    /// The source that can be prepared by a pass over its data; nil where there is none.
    private var preparable: (any IndexableSource)? {
        state.withLock { state in
            guard !state.isBroken, state.base.capabilities.access == .scanned,
                pyramid.full.size.area >= minimumPixels
            else { return nil }
            return state.base.capabilities.indexable
        }
    }

    // MARK: Reading

    /// Returns a reader that gets its tiles from a function.
    ///
    /// - Parameter tile: receives the key of a tile and the pixels of it that are needed.
    package func reader(
        of level: PyramidLevel, _ tile: @escaping TiledLevel.Supply
    ) throws(RenderingError) -> TiledLevel {
        let reader = try borrow(level)
        defer { giveBack(reader, level) }
        return TiledLevel(
            identity: identity, level: reader.level, pixels: reader.pixels,
            grid: LevelGrid(reader.level, side: side), tile: tile)
    }

    /// Returns a tile from the cache, or reads it on the calling thread; concurrent callers wait for one read.
    package func tile(_ key: TileKey) throws -> Tile {
        if let tile = cache.tile(key) { return tile }
        return try turn(of: neighbors(of: key)[0]).withValue { _ in try cache.tile(key) ?? load(key) }
    }

    /// Returns the tiles that are read together with a tile, and that one: of the same row, in a rectangle of at most
    /// 32 MB.
    private func neighbors(of key: TileKey) throws(RenderingError) -> [TileKey] {
        guard base.capabilities.wholeRowLevels.contains(key.level) else { return [key] }
        let level = level(key.level)
        let reader = try borrow(level)
        defer { giveBack(reader, level) }
        let columns = (reader.level.size.width + side - 1) / side
        let count = max(1, min(columns, Self.neighborBytes / (side * side * reader.pixels.layout.pixelBytes)))
        let first = key.column / count * count
        return (first..<min(first + count, columns)).map {
            TileKey(source: identity, level: key.level, column: $0, row: key.row)
        }
    }

    /// The most bytes of tiles that are read together.
    private static let neighborBytes = 32 << 20

    /// Reads the missing tiles that no other thread reads.
    func loadIdle(_ keys: [TileKey]) throws {
        for key in keys where !cache.contains(key) {
            _ = try turn(of: neighbors(of: key)[0]).withValueIfFree { _ in
                if !cache.contains(key) { _ = try load(key) }
            }
        }
    }

    // Two tiles with one turn wait for each other now and then; a turn for each tile would have to be removed again.
    private func turn(of key: TileKey) -> Exclusive<Void> {
        reading[Int(UInt(bitPattern: key.hashValue) % UInt(reading.count))]
    }

    /// Reads a tile on the calling thread, which it blocks, and caches it.
    package func load(_ key: TileKey) throws -> Tile {
        guard !Task.isCancelled else { throw CancellationError() }
        let neighbors = try neighbors(of: key)
        // The key is one of them.
        if neighbors.count > 1 { return try load(neighbors)[key]! }
        let level = level(key.level)
        let reader = try borrow(level)
        let rect = LevelGrid(reader.level, side: side).rect(column: key.column, row: key.row)
        var rows = RowCollector(byteCount: rect.size.area * reader.pixels.layout.pixelBytes)
        try reader.read(rect) { rows.push($0) }
        giveBack(reader, level)
        let tile = Tile(rect: rect, bytes: rows.pixels)
        cache.insert(tile, for: key)
        return tile
    }

    /// Reads tiles on the calling thread and caches them: those of one level in one pass over their rows.
    func load(_ keys: [TileKey]) throws -> [TileKey: Tile] {
        guard keys.count > 1 else { return try [keys[0]: load(keys[0])] }
        var tiles: [TileKey: Tile] = [:]
        for (index, keys) in Dictionary(grouping: keys, by: \.level) {
            let level = level(index)
            let reader = try borrow(level)
            try read(keys, reader) { key, tile in
                cache.insert(tile, for: key)
                tiles[key] = tile
            }
            giveBack(reader, level)
        }
        return tiles
    }

    /// Reads the smallest rectangle of whole tiles that contains some tiles, and returns all of its tiles.
    private func read(
        _ keys: [TileKey], _ reader: any LevelReader, _ give: (TileKey, Tile) -> Void
    ) throws {
        let grid = LevelGrid(reader.level, side: side)
        let columns = keys.map(\.column).min()!...keys.map(\.column).max()!
        let first = grid.rect(column: columns.lowerBound, row: keys.map(\.row).min()!)
        let last = grid.rect(column: columns.upperBound, row: keys.map(\.row).max()!)
        let rect = PixelRect<StoredGrid>(
            x: first.x, y: first.y, width: last.maxX - first.x, height: last.maxY - first.y)
        let pixelBytes = reader.pixels.layout.pixelBytes
        let rowBytes = rect.width * pixelBytes
        var strip = RowCollector(byteCount: rowBytes * min(side, rect.height))
        var y = rect.y
        try reader.read(rect) { row in
            guard !Task.isCancelled else { throw CancellationError() }
            strip.push(row)
            y += 1
            guard y == rect.maxY || y % side == 0 else { return }
            for column in columns {
                let tile = grid.rect(column: column, row: (y - 1) / side)
                var rows = RowCollector(byteCount: tile.size.area * pixelBytes)
                for row in 0..<tile.height {
                    let start = row * rowBytes + (tile.x - rect.x) * pixelBytes
                    strip.pixels.withRow(start..<(start + tile.width * pixelBytes)) { rows.push($0) }
                }
                give(
                    TileKey(source: identity, level: keys[0].level, column: column, row: (y - 1) / side),
                    Tile(rect: tile, bytes: rows.pixels))
            }
            strip.removeAll()
        }
    }

    private func level(_ index: Int) -> PyramidLevel {
        pyramid.levels.first { $0.index == index } ?? pyramid.full
    }

    private func borrow(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        if let reader = state.withLock({ $0.idle[level.index]?.popLast() }) { return reader }
        return try base.open(level)
    }

    private func giveBack(_ reader: any LevelReader, _ level: PyramidLevel) {
        state.withLock { $0.idle[level.index, default: []].append(reader) }
    }
}

/// One level whose rows are composed of tiles.
package struct TiledLevel: LevelReader {
    /// Returns a tile, or at least the pixels of it that are needed.
    package typealias Supply = @Sendable (TileKey, _ needed: PixelRect<StoredGrid>) throws -> Tile

    let identity: SourceIdentity
    package let level: PyramidLevel
    package let pixels: SourcePixelFormat
    package let grid: LevelGrid
    let tile: Supply

    func key(column: Int, row: Int) -> TileKey {
        TileKey(source: identity, level: level.index, column: column, row: row)
    }

    /// Returns the tiles that contain pixels of a rectangle.
    package func keys(in rect: PixelRect<StoredGrid>) -> [TileKey] {
        grid.positions(in: rect).map { key(column: $0.column, row: $0.row) }
    }

    /// Returns the level with its tiles from another function.
    package func replacingTiles(_ tile: @escaping Supply) -> TiledLevel {
        TiledLevel(identity: identity, level: level, pixels: pixels, grid: grid, tile: tile)
    }

    package func read(_ rect: PixelRect<StoredGrid>, row push: (RawSpan) throws -> Void) throws {
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
