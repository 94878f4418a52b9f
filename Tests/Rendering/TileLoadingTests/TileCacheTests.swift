import MemoryWatching
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering

@testable import TileLoading

@Suite("A tile cache")
struct TileCacheTests {
    static let source = SourceIdentity("/nowhere", nil, OpenOptions())

    static func key(_ column: Int) -> TileKey {
        TileKey(source: source, level: 0, column: column, row: 0)
    }

    static func tile(_ bytes: Int) -> Tile {
        Tile(rect: PixelRect(x: 0, y: 0, width: bytes, height: 1), bytes: Array(repeating: 0, count: bytes))
    }

    @Test("stays within its capacity, and evicts the least recently used tiles, like a simple list")
    func bounded() {
        let cache = TileCache(capacity: 50_000)
        // From the least to the most recently used tile.
        var expected: [(key: TileKey, cost: Int)] = []
        var random = SplitMix64(seed: 9)
        for _ in 0..<5000 {
            let key = Self.key(Int(random.next() % 40))
            if random.next() % 2 == 0 {
                let hit = cache.tile(key) != nil
                #expect(hit == expected.contains { $0.key == key })
                if let index = expected.firstIndex(where: { $0.key == key }) {
                    expected.append(expected.remove(at: index))
                }
            } else {
                let bytes = Int(random.next() % 9000)
                cache.insert(Self.tile(bytes), for: key)
                expected.removeAll { $0.key == key }
                expected.append((key, bytes + 256))
                while expected.reduce(0, { $0 + $1.cost }) > 50_000 { expected.removeFirst() }
            }
            #expect(cache.byteCount <= cache.capacity)
            #expect(cache.byteCount == expected.reduce(0) { $0 + $1.cost })
            #expect(cache.count == expected.count)
        }
    }

    @Test("releases what no viewer shows with a warning, and everything when memory is critical")
    func released() {
        let cache = TileCache()
        let (first, second) = (TileViewer(), TileViewer())
        for column in 0..<10 { cache.insert(Self.tile(100), for: Self.key(column)) }
        cache.show([Self.key(1), Self.key(2)], for: first)
        cache.show([Self.key(2), Self.key(3), Self.key(40)], for: second)
        cache.releaseMemory(under: .normal)
        #expect(cache.count == 10)
        cache.releaseMemory(under: .warning)
        #expect((0..<10).filter { cache.contains(Self.key($0)) } == [1, 2, 3])
        #expect(cache.releasableByteCount == 3 * 356)
        // The first viewer looks elsewhere, the second ends.
        cache.show([Self.key(1)], for: first)
        cache.show([], for: second)
        cache.releaseMemory(under: .warning)
        #expect((0..<10).filter { cache.contains(Self.key($0)) } == [1])
        cache.releaseMemory(under: .critical)
        #expect(cache.count == 0 && cache.byteCount == 0)
        cache.insert(Self.tile(100), for: Self.key(0))
        #expect(cache.contains(Self.key(0)))
    }

    @Test("does not evict other tiles for one that exceeds its capacity")
    func tooLarge() {
        let cache = TileCache(capacity: 1000)
        cache.insert(Self.tile(100), for: Self.key(0))
        cache.insert(Self.tile(5000), for: Self.key(1))
        #expect(cache.contains(Self.key(0)) && !cache.contains(Self.key(1)))
    }
}
