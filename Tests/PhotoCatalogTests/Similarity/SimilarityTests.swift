import TestSupport
import Testing

@testable import PhotoCatalog

@Suite("Similarity")
struct SimilarityTests {
    @Test("The tree finds the same hashes as a linear search", arguments: [0, 1, 4, 10, 64])
    func tree(_ radius: Int) {
        var random = SplitMix64(seed: 11)
        var hashes: [DifferenceHash] = []
        for _ in 0..<100 {
            let base = random.next()
            for _ in 0..<10 {
                let flips = (0..<Int.random(in: 0..<8, using: &random)).map { _ in
                    UInt64(1) << UInt64.random(in: 0..<64, using: &random)
                }
                hashes.append(DifferenceHash(bits: flips.reduce(base, ^)))
            }
        }
        var tree = BKTree()
        let numbers = hashes.map { tree.insert($0) }
        for hash in hashes.prefix(200) + [DifferenceHash(bits: 0)] {
            let near = Set(zip(hashes, numbers).filter { $0.0.distance(to: hash) <= radius }.map(\.1))
            let found = tree.numbers(within: radius, of: hash)
            #expect(Set(found) == near && found.count == near.count)
        }
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
