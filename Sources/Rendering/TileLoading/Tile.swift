internal import Basics
package import ImageReading
public import MemoryWatching
internal import Resampling
private import Synchronization
package import TilePyramid
package import ViewportGeometry

/// Identifies a tile of a source: stored pixels of a level, in a grid that begins at the top left.
package struct TileKey: Hashable, Sendable {
    package var source: SourceIdentity
    package var level: Int
    package var column: Int
    package var row: Int
}

/// Decoded pixels of a rectangle of a level: rows from the top, as stored.
package struct Tile: Sendable {
    package let rect: PixelRect<StoredGrid>
    package let bytes: [UInt8]

    package init(rect: PixelRect<StoredGrid>, bytes: [UInt8]) {
        self.rect = rect
        self.bytes = bytes
    }

    /// Lends the bytes of some pixels of one row.
    func withRow<E: Error>(
        _ y: Int, columns: Range<Int>, _ body: (RawSpan) throws(E) -> Void
    ) throws(E) {
        let pixel = bytes.count / rect.size.area
        let start = ((y - rect.y) * rect.width + columns.lowerBound - rect.x) * pixel
        try bytes.withRawBytes(start..<start + columns.count * pixel, body)
    }
}

/// The grid of tiles of a level: squares, and smaller rectangles at the right and bottom edge.
package struct LevelGrid: Sendable {
    package let size: PixelSize<StoredGrid>
    /// The side of a square in pixels.
    package let side: Int

    package init(_ level: PyramidLevel, side: Int) {
        size = level.size
        self.side = side
    }

    /// Returns the pixels of a tile.
    package func rect(column: Int, row: Int) -> PixelRect<StoredGrid> {
        let (x, y) = (column * side, row * side)
        return PixelRect(x: x, y: y, width: min(side, size.width - x), height: min(side, size.height - y))
    }

    /// Returns the columns that contain pixels of a rectangle.
    package func columns(of rect: PixelRect<StoredGrid>) -> ClosedRange<Int> {
        rect.x / side...(rect.maxX - 1) / side
    }

    /// Returns the rows that contain pixels of a rectangle.
    package func rows(of rect: PixelRect<StoredGrid>) -> ClosedRange<Int> {
        rect.y / side...(rect.maxY - 1) / side
    }

    /// Returns the tiles that contain pixels of a rectangle, row by row.
    package func positions(in rect: PixelRect<StoredGrid>) -> [(column: Int, row: Int)] {
        rows(of: rect).flatMap { row in columns(of: rect).map { (column: $0, row: row) } }
    }
}

/// A cache of decoded tiles in memory, limited in bytes; the least recently used tiles are evicted first.
///
/// Add it to a `MemoryWatch`, or the ``TileLoader`` that fills it, and it releases tiles when memory becomes scarce:
/// those that no viewer shows with the first warning, all of them when memory is critical.
public final class TileCache: Sendable {
    private struct State {
        var tiles: LRUCache<TileKey, Tile>
        /// The last request of each viewer: the tiles that it shows.
        var shown = LRUCache<TileViewer, Set<TileKey>>(capacity: 64)
    }

    /// The limit on the size of all tiles in bytes.
    public let capacity: Int
    private let state: Mutex<State>

    /// Creates an empty cache.
    ///
    /// - Parameter capacity: the limit in bytes; 256 MiB by default.
    public init(capacity: Int = 1 << 28) {
        self.capacity = capacity
        state = Mutex(State(tiles: LRUCache(capacity: capacity)))
    }

    /// The size of all tiles in the cache in bytes.
    public var byteCount: Int { state.withLock { $0.tiles.cost } }

    /// The number of tiles in the cache.
    public var count: Int { state.withLock { $0.tiles.count } }

    package func tile(_ key: TileKey) -> Tile? { state.withLock { $0.tiles.value(key) } }

    /// Returns whether a tile is in the cache, without marking it as used.
    package func contains(_ key: TileKey) -> Bool { state.withLock { $0.tiles.contains(key) } }

    package func insert(_ tile: Tile, for key: TileKey) {
        // The overhead of a tile matters only for tiny tiles, of which there are few.
        state.withLock { $0.tiles.insert(tile, for: key, cost: tile.bytes.count + 256) }
    }

    /// Records the tiles that a viewer shows, instead of those it showed before; of at most 64 viewers.
    func show(_ keys: Set<TileKey>, for viewer: TileViewer) {
        state.withLock { state in
            if keys.isEmpty {
                state.shown.remove(viewer)
            } else {
                state.shown.insert(keys, for: viewer, cost: 1)
            }
        }
    }

    /// Removes the least recently used tiles until the rest has at most this size.
    package func trim(toByteCount byteCount: Int) {
        state.withLock { $0.tiles.trim(toCost: byteCount) }
    }

    /// The tiles that viewers show.
    var shownTiles: Set<TileKey> {
        state.withLock { state in state.shown.values.reduce(into: []) { $0.formUnion($1) } }
    }
}

extension TileCache: MemoryReleasing {
    /// The same as ``byteCount``.
    public var releasableByteCount: Int { byteCount }

    /// Removes the tiles that no viewer shows; when memory is critical, all tiles.
    public func releaseMemory(under pressure: MemoryPressure) {
        guard pressure > .normal else { return }
        let shown = pressure < .critical ? shownTiles : []
        state.withLock { $0.tiles.removeAll { !shown.contains($0) } }
    }
}
