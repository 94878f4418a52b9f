internal import Basics
private import Synchronization

/// Decoded tiles in memory, bounded by their bytes; the longest unused make room for new ones.
public final class TileCache: Sendable {
    /// The most bytes that all tiles together have.
    public let capacity: Int
    private let tiles: Mutex<LRUCache<TileKey, Tile>>

    /// - Parameter capacity: in bytes; a quarter of a gibibyte unless said.
    public init(capacity: Int = 1 << 28) {
        self.capacity = capacity
        tiles = Mutex(LRUCache(capacity: capacity))
    }

    /// The bytes of all tiles that are there.
    public var byteCount: Int { tiles.withLock { $0.cost } }

    /// How many tiles are there.
    public var count: Int { tiles.withLock { $0.count } }

    package func tile(_ key: TileKey) -> Tile? { tiles.withLock { $0.value(key) } }

    /// Whether a tile is there; that does not count as use.
    package func contains(_ key: TileKey) -> Bool { tiles.withLock { $0.contains(key) } }

    package func insert(_ tile: Tile, for key: TileKey) {
        // What a tile takes beside its pixels matters only for tiny ones, of which there are few.
        tiles.withLock { $0.insert(tile, for: key, cost: tile.bytes.count + 256) }
    }
}
