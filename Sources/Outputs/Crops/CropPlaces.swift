/// Numbers from 0 below a bound in another order: a bijection that takes no memory.
///
/// Four rounds of a Feistel network over the least even number of bits, repeated until a number is below the bound (cycle walking;
/// Black and Rogaway, "Ciphers with Arbitrary Finite Domains", 2002). The rounds are SplitMix64's mixing: places have to look even, not
/// to be secret.
struct Shuffle: Sendable {
    private let count: UInt64
    private let half: UInt64
    private let keys: [UInt64]

    /// - Precondition: a positive count, at most 2 to the 62nd.
    init(count: Int, seed: UInt64, stream: UInt64) {
        precondition((1...(1 << 62)).contains(count))
        self.count = UInt64(count)
        let bits = UInt64.bitWidth - self.count.leadingZeroBitCount
        half = UInt64((bits + 1) / 2)
        var random = CropRandom(seed: seed, stream: stream)
        keys = (0..<4).map { _ in random.next() }
    }

    /// - Parameter index: begins anew beyond the count.
    subscript(index: Int) -> Int {
        var number = UInt64(index) % count
        repeat { number = permuted(number) } while number >= count
        return Int(number)
    }

    private func permuted(_ number: UInt64) -> UInt64 {
        let mask = (1 << half) - 1 as UInt64
        var (left, right) = (number >> half, number & mask)
        for key in keys {
            var random = CropRandom(seed: key, stream: right)
            (left, right) = (right, left ^ (random.next() & mask))
        }
        return left << half | right
    }
}
