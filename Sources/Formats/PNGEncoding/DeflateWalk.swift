/// The decoding tables of a block, which contain the number of bits to skip for each code.
final class DeflateTables {
    enum Kind: UInt8 {
        /// One or more literals.
        case literals
        /// The length of a match, including its extra bits; a distance follows.
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

    /// Sets the fixed codes of blocks of type 1 (RFC 1951, 3.2.6).
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
        // An entry combines as many literals as fit into the index.
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

    /// Returns the entry for the code at the beginning of `bits`.
    @inline(__always)
    func literal(_ bits: UInt64) -> Entry { literals[Int(bits & UInt64(1 << Self.indexBits - 1))] }

    /// Returns the entry for a code that is longer than the table's index.
    func longLiteral(_ bits: UInt64) -> Entry {
        let (symbol, length) = literalCode.first(bits)
        return Self.literalEntry(symbol, length: length)
    }

    /// Returns the length in bits of the distance at the beginning of `bits`, including its extra bits.
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

    /// Sets the entries of all indices that begin with a code.
    private static func fill(_ table: inout [Entry], _ lengths: [UInt8], entry: (Int, Int) -> Entry) {
        for index in table.indices { table[index] = Entry(kind: .long, bits: 0) }
        var next = [Int](repeating: 0, count: 17)
        for length in lengths where length > 0 { next[Int(length) + 1] += 1 }
        for length in 1...15 { next[length + 1] += next[length] }
        // The first code of each length follows from the number of shorter codes.
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
            // Codes are stored with the highest bit first, all other values with the lowest bit first.
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

/// Finds the beginning of the last block of a deflate stream, and the end of the stream.
///
/// libdeflate marks the last block but does not return its position. The walk reads only the lengths of codes and
/// decodes no bytes, in about 1/7 of the time of compression. Streams must come from libdeflate: an invalid one
/// traps.
struct DeflateWalk {
    /// The bit position of the header of the last block.
    private(set) var finalBlock = 0
    /// The bit position after the last block.
    private(set) var end = 0

    init(_ stream: UnsafeByteView) {
        var reader = DeflateBits(stream)
        let tables = DeflateTables()
        var isFinal = false
        while !isFinal {
            finalBlock = reader.position
            isFinal = reader.take(1) == 1
            switch reader.take(2) {
            case 0: Self.skipStored(&reader)
            case 1:
                tables.setFixed()
                Self.skipCodes(&reader, tables)
            case 2:
                Self.readLengths(&reader, tables)
                Self.skipCodes(&reader, tables)
            default: preconditionFailure("libdeflate wrote a block of unknown type")
            }
        }
        end = reader.position
    }

    private static func skipStored(_ reader: inout DeflateBits) {
        let start = (reader.position + 7) / 8
        let count = Int(UInt16(littleEndian: reader.bytes.load(start, as: UInt16.self)))
        reader.position = (start + 4 + count) * 8
    }

    /// The storage order of the lengths of the code length codes (RFC 1951, 3.2.7).
    private static let lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    /// Reads the header of a block with dynamic codes.
    private static func readLengths(_ reader: inout DeflateBits, _ tables: DeflateTables) {
        let literals = reader.take(5) + 257
        let distances = reader.take(5) + 1
        let lengths = reader.take(4) + 4
        var ofLengths = [UInt8](repeating: 0, count: 19)
        for index in 0..<lengths { ofLengths[lengthOrder[index]] = UInt8(reader.take(3)) }
        let code = PrefixCode(ofLengths)
        var all: [UInt8] = []
        all.reserveCapacity(320)
        while all.count < literals + distances {
            switch code.next(&reader) {
            case let length where length < 16: all.append(UInt8(length))
            case 16: all.append(contentsOf: repeatElement(all[all.count - 1], count: 3 + reader.take(2)))
            case 17: all.append(contentsOf: repeatElement(0, count: 3 + reader.take(3)))
            default: all.append(contentsOf: repeatElement(0, count: 11 + reader.take(7)))
            }
        }
        tables.set(literals: Array(all[..<literals]), distances: Array(all[literals...]))
    }

    /// Skips literals and matches up to the end of the block.
    private static func skipCodes(_ reader: inout DeflateBits, _ tables: DeflateTables) {
        var position = reader.position
        let bytes = reader.bytes
        while true {
            // At least 57 bits: enough for a length and a distance with their extra bits (48).
            var window = DeflateBits.window(bytes, position)
            var entry = tables.literal(window)
            if entry.kind == .literals {
                position &+= entry.bits
                window >>= UInt64(truncatingIfNeeded: entry.bits)
                entry = tables.literal(window)
                if entry.kind == .literals {
                    position &+= entry.bits
                    continue
                }
                window = DeflateBits.window(bytes, position)
            }
            if entry.kind == .long {
                entry = tables.longLiteral(window)
            }
            position &+= entry.bits
            if entry.kind == .endOfBlock { break }
            if entry.kind == .literals { continue }
            window >>= UInt64(truncatingIfNeeded: entry.bits)
            position &+= tables.distanceBits(window)
        }
        reader.position = position
    }
}

/// Reads bits of a deflate stream, starting with the lowest bit of each byte.
struct DeflateBits {
    let bytes: UnsafeByteView
    /// In bits from the beginning.
    var position = 0

    init(_ bytes: UnsafeByteView) {
        self.bytes = bytes
    }

    /// Returns at least 57 bits from a position, with zeros after the end.
    @inline(__always)
    static func window(_ bytes: UnsafeByteView, _ position: Int) -> UInt64 {
        let offset = position >> 3
        if offset &+ 8 <= bytes.count {
            return UInt64(littleEndian: bytes.load(offset, as: UInt64.self)) >> UInt64(position & 7)
        }
        return tail(bytes, position)
    }

    @inline(never)
    private static func tail(_ bytes: UnsafeByteView, _ position: Int) -> UInt64 {
        let offset = position >> 3
        precondition(offset <= bytes.count, "libdeflate's stream has no end")
        var value: UInt64 = 0
        for index in stride(from: bytes.count - 1, through: offset, by: -1) {
            value = value << 8 | UInt64(bytes[index])
        }
        return value >> UInt64(position & 7)
    }

    var window: UInt64 { Self.window(bytes, position) }

    /// Reads up to 16 bits as an integer.
    mutating func take(_ count: Int) -> Int {
        let value = Int(window & (1 << UInt64(count) - 1))
        position += count
        return value
    }
}

/// A prefix code of at most 15 bits, decoded bit by bit; used for headers and rare long codes.
struct PrefixCode {
    /// The number of codes of each length.
    private var counts = [Int](repeating: 0, count: 16)
    /// The symbols by length, then by value.
    private var symbols: [Int] = []

    init(_ lengths: [UInt8]) {
        for length in lengths where length > 0 { counts[Int(length)] += 1 }
        for length in 1...15 {
            for (symbol, own) in lengths.enumerated() where Int(own) == length { symbols.append(symbol) }
        }
    }

    /// Reads the next symbol.
    func next(_ reader: inout DeflateBits) -> Int {
        let (symbol, length) = first(reader.window)
        reader.position += length
        return symbol
    }

    /// Returns the symbol at the beginning of `bits` and its length.
    func first(_ bits: UInt64) -> (symbol: Int, length: Int) {
        var code = 0
        var firstCode = 0
        var index = 0
        for length in 1...15 {
            code |= Int(bits >> UInt64(length - 1) & 1)
            let count = counts[length]
            if code - firstCode < count { return (symbols[index + code - firstCode], length) }
            index += count
            firstCode = (firstCode + count) << 1
            code <<= 1
        }
        preconditionFailure("libdeflate wrote a code that its tables do not have")
    }
}
