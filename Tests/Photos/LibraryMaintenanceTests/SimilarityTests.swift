import PhotoCatalog
import Synchronization
import TestSupport
import Testing

@testable import AssetCatalog
@testable import LibraryMaintenance

@Suite("Similarity")
struct SimilarityTests {
    @Test("Groups are those of comparing all pairs", arguments: [0, 1, 4, 6, 10, 16, 64])
    func groups(_ distance: Int) throws {
        var random = SplitMix64(seed: 11)
        var hashes: Set<DifferenceHash> = []
        for _ in 0..<100 {
            let base = random.next()
            for _ in 0..<10 {
                let flips = (0..<Int.random(in: 0..<8, using: &random)).map { _ in
                    UInt64(1) << UInt64.random(in: 0..<64, using: &random)
                }
                hashes.insert(DifferenceHash(bits: flips.reduce(base, ^)))
            }
        }
        let all = hashes.sorted { $0.bits < $1.bits }
        var sets = DisjointSets(count: all.count)
        for (a, one) in all.enumerated() {
            for (b, other) in all.enumerated() where one.distance(to: other) <= distance { sets.join(a, b) }
        }
        let last = Mutex((done: 0, total: 0))
        let found = try SimilarHashes(all, within: distance).groups { done, total in
            last.withLock { last in
                #expect(done > last.done)
                last = (done, total)
            }
        }
        #expect(found == sets.sets)
        #expect(last.withLock { $0.done == $0.total && $0.total > 0 })
    }

    @Test("A hash contains which of two neighbors is brighter")
    func hash() {
        #expect(DifferenceHash(gray: Array(repeating: 7, count: 72)).bits == 0)
        #expect(DifferenceHash(gray: (0..<72).map { UInt8(100 - $0 % 9) }).bits == .max)
        let brightFirst = [UInt8](repeating: 0, count: 72).enumerated().map { $0.offset == 0 ? UInt8(1) : 0 }
        #expect(DifferenceHash(gray: brightFirst).bits == 1 << 63)
    }

    @Test("Sets are joined transitively")
    func sets() {
        var sets = DisjointSets(count: 6)
        sets.join(0, 4)
        sets.join(5, 3)
        sets.join(4, 5)
        #expect(sets.sets == [[0, 3, 4, 5], [1], [2]])
    }
}
