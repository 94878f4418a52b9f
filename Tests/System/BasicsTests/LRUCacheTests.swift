import Basics
import Testing

@Suite("A cache of recent values")
struct LRUCacheTests {
    private func filled() -> LRUCache<Int, String> {
        var cache = LRUCache<Int, String>(capacity: 100)
        for key in 0..<10 { cache.insert("\(key)", for: key, cost: 10) }
        _ = cache.value(0)
        return cache
    }

    @Test(
        "is trimmed by removing what was used least recently",
        arguments: [(100, 10), (99, 9), (95, 9), (10, 1), (9, 0), (0, 0), (-5, 0), (.max, 10)])
    func trimmed(to cost: Int, count: Int) {
        var cache = filled()
        cache.trim(toCost: cost)
        #expect(cache.count == count && cache.cost == 10 * count)
        // The first was used last.
        #expect(cache.contains(0) == (count > 0) && !(count < 10 && cache.contains(1)))
        cache.insert("new", for: 20, cost: 10)
        #expect(cache.value(20) == "new")
        cache.trim(toCost: 0)
        #expect(cache.count == 0 && cache.cost == 0 && cache.values.allSatisfy { _ in false })
    }

    @Test("removes the keys of a condition, and keeps the order of the rest")
    func removed() {
        var cache = filled()
        cache.removeAll { $0.isMultiple(of: 2) }
        #expect(cache.values.sorted() == ["1", "3", "5", "7", "9"])
        cache.trim(toCost: 20)
        #expect(cache.values.sorted() == ["7", "9"])
        cache.removeAll { _ in true }
        #expect(cache.count == 0 && cache.cost == 0)
        cache.insert("again", for: 1, cost: 100)
        #expect(cache.value(1) == "again")
    }
}
