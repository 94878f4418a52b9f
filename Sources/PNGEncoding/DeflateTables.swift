/// What a block's codes mean for a walk: how many bits to skip.
final class DeflateTables {
    enum Kind: UInt8 {
        /// One or more literals.
        case literals
        /// A match's length, its extra bits counted; a distance follows.
        case length
        case endOfBlock
        /// A code longer than the table's index.
        case long
    }

    struct Entry {
        var kind: Kind
        private var count: UInt8
        var bits: Int { Int(count) }

        init(kind: Kind, bits: Int) {
            self.kind = kind
            count = UInt8(bits)
        }
    }

    private static let indexBits = 11
    private var single = [Entry](repeating: Entry(kind: .long, bits: 0), count: 1 << indexBits)
    private var literals = [Entry](repeating: Entry(kind: .long, bits: 0), count: 1 << indexBits)
    private var distances = [Entry](repeating: Entry(kind: .long, bits: 0), count: 1 << indexBits)
    private var literalCode = PrefixCode([])
    private var distanceCode = PrefixCode([])

    /// The codes that blocks of type 1 share (RFC 1951, 3.2.6).
    func setFixed() {
        let literals = (0..<288).map { symbol -> UInt8 in
            switch symbol {
            case ..<144: 8
            case ..<256: 9
            case ..<280: 7
            default: 8
            }
        }
        set(literals: literals, distances: [UInt8](repeating: 5, count: 32))
    }

    func set(literals lengths: [UInt8], distances distanceLengths: [UInt8]) {
        literalCode = PrefixCode(lengths)
        distanceCode = PrefixCode(distanceLengths)
        Self.fill(&single, lengths) { Self.literalEntry($0, length: $1) }
        Self.fill(&distances, distanceLengths) { Self.distanceEntry($0, length: $1) }
        // As many literals as fit into the index become one entry.
        for index in single.indices {
            var entry = single[index]
            while entry.kind == .literals, entry.bits < Self.indexBits {
                let next = single[index >> entry.bits]
                guard next.kind == .literals, entry.bits + next.bits <= Self.indexBits else { break }
                entry = Entry(kind: .literals, bits: entry.bits + next.bits)
            }
            literals[index] = entry
        }
    }

    /// What the bits begin with.
    @inline(__always)
    func literal(_ bits: UInt64) -> Entry { literals[Int(bits & UInt64(1 << Self.indexBits - 1))] }

    /// The same for codes that are longer than the table's index.
    func longLiteral(_ bits: UInt64) -> Entry {
        let (symbol, length) = literalCode.first(bits)
        return Self.literalEntry(symbol, length: length)
    }

    /// The bits of the distance that they begin with, extra bits counted.
    @inline(__always)
    func distanceBits(_ bits: UInt64) -> Int {
        let entry = distances[Int(bits & UInt64(1 << Self.indexBits - 1))]
        if entry.kind != .long { return entry.bits }
        let (symbol, length) = distanceCode.first(bits)
        return Self.distanceEntry(symbol, length: length).bits
    }

    private static func literalEntry(_ symbol: Int, length: Int) -> Entry {
        switch symbol {
        case ..<256: Entry(kind: .literals, bits: length)
        case 256: Entry(kind: .endOfBlock, bits: length)
        case ..<265, 285...: Entry(kind: .length, bits: length)
        default: Entry(kind: .length, bits: length + (symbol - 261) / 4)
        }
    }

    private static func distanceEntry(_ symbol: Int, length: Int) -> Entry {
        Entry(kind: .literals, bits: length + (symbol < 4 ? 0 : (symbol - 2) / 2))
    }

    /// Sets every index that begins with a code to its entry.
    private static func fill(_ table: inout [Entry], _ lengths: [UInt8], entry: (Int, Int) -> Entry) {
        for index in table.indices { table[index] = Entry(kind: .long, bits: 0) }
        var next = [Int](repeating: 0, count: 17)
        for length in lengths where length > 0 { next[Int(length) + 1] += 1 }
        for length in 1...15 { next[length + 1] += next[length] }
        // First code of each length: counts of shorter ones, shifted up as codes grow.
        var firstCodes = [Int](repeating: 0, count: 17)
        var code = 0
        for length in 1...15 {
            firstCodes[length] = code
            code = (code + next[length + 1] - next[length]) << 1
        }
        for (symbol, length) in lengths.enumerated() where length > 0 {
            let length = Int(length)
            let code = firstCodes[length]
            firstCodes[length] += 1
            guard length <= indexBits else { continue }
            // Codes are stored with their highest bit first, everything else with its lowest.
            let reversed = Int(UInt64(code).bitReversed >> UInt64(64 - length))
            let value = entry(symbol, length)
            for index in stride(from: reversed, to: table.count, by: 1 << length) { table[index] = value }
        }
    }
}

extension UInt64 {
    fileprivate var bitReversed: UInt64 {
        var value = byteSwapped
        value = (value >> 4) & 0x0F0F_0F0F_0F0F_0F0F | (value & 0x0F0F_0F0F_0F0F_0F0F) << 4
        value = (value >> 2) & 0x3333_3333_3333_3333 | (value & 0x3333_3333_3333_3333) << 2
        return (value >> 1) & 0x5555_5555_5555_5555 | (value & 0x5555_5555_5555_5555) << 1
    }
}
