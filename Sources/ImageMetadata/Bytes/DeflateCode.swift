/// A canonical prefix code of deflate: how many symbols have each length, and the symbols in order.
struct DeflateCode {
    private(set) var counts = [Int](repeating: 0, count: 16)
    private(set) var symbols: [Int]

    /// Nil where more symbols are asked for than the lengths have room for.
    init?(_ lengths: some Collection<Int>) {
        var room = 1
        for length in lengths { counts[length] += 1 }
        counts[0] = 0
        for length in 1...15 {
            room = room * 2 - counts[length]
            guard room >= 0 else { return nil }
        }
        symbols = (1...15).flatMap { length in
            lengths.enumerated().filter { $0.element == length }.map(\.offset)
        }
    }

    private init(fixed lengths: [Int]) {
        symbols = []
        for length in lengths { counts[length] += 1 }
        for length in 1...15 { symbols += lengths.indices.filter { lengths[$0] == length } }
    }

    static let fixedLengths = DeflateCode(
        fixed: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    static let fixedDistances = DeflateCode(fixed: Array(repeating: 5, count: 30))

    /// Lengths of copies by symbol from 257 on: the least, and the bits that are added.
    static let lengthTable: [(base: Int, extra: Int)] =
        table(start: 3, extras: (0..<28).map { max(0, $0 / 4 - 1) }) + [(258, 0)]
    /// Distances of copies by symbol.
    static let distanceTable = table(start: 1, extras: (0..<30).map { max(0, $0 / 2 - 1) })

    private static func table(start: Int, extras: [Int]) -> [(base: Int, extra: Int)] {
        var base = start
        return extras.map { extra in
            defer { base += 1 << extra }
            return (base, extra)
        }
    }
}
