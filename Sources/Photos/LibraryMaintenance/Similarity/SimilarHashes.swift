internal import Basics
internal import Synchronization

/// Groups of different hashes that are connected by steps of at most a distance.
///
/// The 64 bits are divided into one more band than the distance has bits: two hashes within the distance are equal in
/// at least one band, so only hashes that share a band are compared. Source: Norouzi, Punjani and Fleet, Fast Search in
/// Hamming Space with Multi-Index Hashing, 2012.
struct SimilarHashes: Sendable {
    private let hashes: [UInt64]
    private let distance: Int

    /// - Parameter distance: the most bits in which two hashes of a step differ.
    init(_ hashes: [DifferenceHash], within distance: Int) {
        self.hashes = hashes.map(\.bits)
        self.distance = distance
    }

    /// Bits of the hashes: `count` of them from `shift` on.
    private struct Band {
        var shift: Int
        var count: Int

        func value(_ hash: UInt64) -> Int { Int(hash >> UInt64(shift) & (1 << UInt64(count) - 1)) }
    }

    /// The bands; a single one without bits where bands would save no comparisons.
    private var bands: [Band] {
        let number = distance + 1
        guard number <= 64, number < 1 << min(64 / number, Self.maximumBits) else {
            return [Band(shift: 0, count: 0)]
        }
        let edges = (0...number).map { $0 * 64 / number }
        return zip(edges, edges.dropFirst()).map { Band(shift: $0, count: min($1 - $0, Self.maximumBits)) }
    }

    /// More bits of a band are not used: the table of a band has an entry for each of its values.
    private static let maximumBits = 16

    private struct State {
        var sets: DisjointSets
        var done = 0
        var error: (any Error)?
    }

    /// Returns the groups, each ascending by the number of the hash; blocks the calling thread.
    ///
    /// - Parameter advance: receives the number of hashes done in all bands, and of all, one call at a time; throws to
    ///   cancel.
    func groups(_ advance: @escaping @Sendable (Int, Int) throws -> Void) throws -> [[Int]] {
        let state = Mutex(State(sets: DisjointSets(count: hashes.count)))
        let total = bands.count * hashes.count
        for band in bands {
            let sorted = SortedBand(hashes, count: band.count, band.value)
            let share = 512
            Processors.forEach(below: (hashes.count + share - 1) / share) { number in
                guard state.withLock({ $0.error == nil }) else { return }
                let range = number * share..<min(hashes.count, (number + 1) * share)
                sorted.pairs(range, within: distance) { pairs in
                    state.withLock { state in
                        for pair in pairs { state.sets.join(pair.0, pair.1) }
                    }
                }
                state.withLock { state in
                    state.done += range.count
                    guard state.error == nil else { return }
                    do { try advance(state.done, total) } catch { state.error = error }
                }
            }
        }
        return try state.withLock { state in
            if let error = state.error { throw error }
            return state.sets.sets
        }
    }
}

/// Hashes in the order of one band.
private struct SortedBand: Sendable {
    private var numbers: [Int32]
    private var hashes: [UInt64]
    /// The end of the hashes with the same value, for each hash.
    private var ends: [Int32]

    init(_ all: [UInt64], count: Int, _ value: (UInt64) -> Int) {
        var starts = [Int32](repeating: 0, count: 1 << count + 1)
        for hash in all { starts[value(hash) + 1] += 1 }
        for index in 1..<starts.count { starts[index] += starts[index - 1] }
        numbers = [Int32](repeating: 0, count: all.count)
        hashes = [UInt64](repeating: 0, count: all.count)
        ends = hashes.map { _ in 0 }
        var next = starts
        for (number, hash) in all.enumerated() {
            let value = value(hash)
            let place = Int(next[value])
            next[value] += 1
            numbers[place] = Int32(number)
            hashes[place] = hash
            ends[place] = starts[value + 1]
        }
    }

    /// Finds the pairs whose first hash is in a range of places.
    ///
    /// - Parameter found: receives some pairs of numbers at a time.
    func pairs(_ range: Range<Int>, within distance: Int, _ found: ([(Int, Int)]) -> Void) {
        var pairs: [(Int, Int)] = []
        for place in range {
            let hash = hashes[place]
            for other in place + 1..<Int(ends[place])
            where (hash ^ hashes[other]).nonzeroBitCount <= distance {
                pairs.append((Int(numbers[place]), Int(numbers[other])))
            }
            guard pairs.count > 1 << 14 else { continue }
            found(pairs)
            pairs.removeAll(keepingCapacity: true)
        }
        if !pairs.isEmpty { found(pairs) }
    }
}
