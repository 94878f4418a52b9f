/// The decoding table of a block: how many bits to skip for the codes at each index, and what follows them.
///
/// What follows selects the table of the next code, so that the walk has no branch that depends on the codes.
struct DeflateTable {
    /// What follows a code.
    enum Next: Int {
        /// A literal or a length.
        case literal
        /// The distance of a match.
        case distance
        /// Another block.
        case block
        /// The code is longer than the index.
        case unknown
    }

    /// One or more codes.
    struct Entry {
        private var word: UInt16

        /// - Parameters:
        ///   - bits: The bits to skip, with extra bits.
        ///   - length: The bits that the index must have to contain the code.
        init(bits: Int, length: Int, _ next: Next) {
            word = UInt16(truncatingIfNeeded: length << 12 | next.rawValue << 8 | bits)
        }

        static var unknown: Self { Self(bits: 0, length: 0, .unknown) }

        @inline(__always) var bits: Int { Int(word & 31) }
        fileprivate var length: Int { Int(word >> 12) }
        @inline(__always) fileprivate var start: Int { Int(word & 0x300) << (DeflateTable.indexBits - 8) }
        /// Whether another block follows, or the code is longer than the index.
        @inline(__always) var isRare: Bool { word & 0x200 != 0 }
        var next: Next { Next(rawValue: Int(word >> 8 & 3))! }
    }

    fileprivate static let indexBits = 11
    private static let size = 1 << indexBits
    /// One literal or length for each index.
    private var single = [Entry](repeating: .unknown, count: size)
    /// Literals and lengths, as many as fit into the index, then the distances.
    private(set) var entries = [Entry](repeating: .unknown, count: 2 * size)
    /// The codes of literals and lengths, and of distances, made for the first one that is longer than the index.
    private var codes: (literals: PrefixCode?, distances: PrefixCode?)
    private var lengths: (literals: [UInt8], distances: [UInt8]) = ([], [])

    /// Sets the fixed codes of blocks of type 1 (RFC 1951, 3.2.6).
    mutating func setFixed() {
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

    mutating func set(literals: [UInt8], distances: [UInt8]) {
        lengths = (literals, distances)
        codes = (nil, nil)
        Self.fill(&single, from: 0, literals, Self.literal)
        Self.fill(&entries, from: Self.size, distances, Self.distance)
        for index in 0..<Self.size {
            var last = single[index]
            var (bits, used) = (last.bits, last.length)
            while last.next == .literal {
                let next = single[index >> used]
                guard next.next != .unknown, used + next.length <= Self.indexBits else { break }
                (last, bits, used) = (next, used + next.bits, used + next.length)
            }
            entries[index] = Entry(bits: bits, length: 0, last.next)
        }
    }

    /// Returns the index of the entry for the codes at the beginning of `bits`, behind the code of an entry.
    @inline(__always)
    static func index(behind entry: Entry, _ bits: UInt64) -> Int {
        entry.start | Int(truncatingIfNeeded: bits) & (size - 1)
    }

    /// Returns the entry for a code that is longer than the index, behind the code of an entry.
    mutating func long(behind entry: Entry, _ bits: UInt64) -> Entry {
        if entry.next == .distance {
            let code = codes.distances ?? PrefixCode(lengths.distances)
            codes.distances = code
            let (symbol, length) = code.first(bits)
            return Self.distance(symbol, length)
        }
        let code = codes.literals ?? PrefixCode(lengths.literals)
        codes.literals = code
        let (symbol, length) = code.first(bits)
        return Self.literal(symbol, length)
    }

    private static func literal(_ symbol: Int, _ length: Int) -> Entry {
        switch symbol {
        case ..<256: Entry(bits: length, length: length, .literal)
        case 256: Entry(bits: length, length: length, .block)
        case ..<265, 285...: Entry(bits: length, length: length, .distance)
        default: Entry(bits: length + (symbol - 261) / 4, length: length, .distance)
        }
    }

    private static func distance(_ symbol: Int, _ length: Int) -> Entry {
        Entry(bits: length + (symbol < 4 ? 0 : (symbol - 2) / 2), length: length, .literal)
    }

    /// Sets the entries of all indices that begin with a code.
    @inline(__always)
    private static func fill(
        _ table: inout [Entry], from start: Int, _ lengths: [UInt8], _ entry: (Int, Int) -> Entry
    ) {
        for index in start..<(start + size) { table[index] = .unknown }
        var next = InlineArray<16, Int>(repeating: 0)
        for length in lengths { next[Int(length)] += 1 }
        // The first code of each length follows from the number of shorter codes.
        next[0] = 0
        var code = 0
        for length in 1...15 {
            let count = next[length]
            next[length] = code
            code = (code + count) << 1
        }
        for symbol in lengths.indices where lengths[symbol] > 0 {
            let length = Int(lengths[symbol])
            let code = next[length]
            next[length] += 1
            guard length <= indexBits else { continue }
            // Codes are stored with the highest bit first, all other values with the lowest bit first.
            let reversed = Int(UInt64(code).bitReversed >> UInt64(64 - length))
            let value = entry(symbol, length)
            var index = start + reversed
            while index < start + size {
                table[index] = value
                index += 1 << length
            }
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
/// decodes no bytes. Streams must come from libdeflate: an invalid one
/// traps.
struct DeflateWalk {
    /// The bit position of the header of the last block.
    private(set) var finalBlock = 0
    /// The bit position after the last block.
    private(set) var end = 0

    init(_ stream: UnsafeByteView) {
        var reader = DeflateBits(stream)
        var table = DeflateTable()
        var isFinal = false
        while !isFinal {
            finalBlock = reader.position
            isFinal = reader.take(1) == 1
            switch reader.take(2) {
            case 0: Self.skipStored(&reader)
            case 1:
                table.setFixed()
                Self.skipCodes(&reader, &table)
            case 2:
                Self.readLengths(&reader, &table)
                Self.skipCodes(&reader, &table)
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
    private static func readLengths(_ reader: inout DeflateBits, _ table: inout DeflateTable) {
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
        table.set(literals: Array(all[..<literals]), distances: Array(all[literals...]))
    }

    /// Skips literals and matches up to the end of the block.
    private static func skipCodes(_ reader: inout DeflateBits, _ table: inout DeflateTable) {
        var position = reader.position
        let bytes = reader.bytes
        var last = DeflateTable.Entry(bits: 0, length: 0, .literal)
        while last.next != .block {
            let window = skipUsual(bytes, &position, &last, table.entries.span)
            // Nil at the end of the block.
            guard let window else { break }
            last = table.long(behind: last, window)
            position &+= last.bits
        }
        reader.position = position
    }

    /// Skips codes that the table has; returns the bits at a longer one.
    private static func skipUsual(
        _ bytes: UnsafeByteView, _ position: inout Int, _ last: inout DeflateTable.Entry,
        _ entries: Span<DeflateTable.Entry>
    ) -> UInt64? {
        while true {
            // At least 57 bits: a match takes at most 40, and a longer code 15.
            var window = DeflateBits.window(bytes, position)
            for _ in 0..<3 {
                let entry = entries[DeflateTable.index(behind: last, window)]
                guard !entry.isRare else {
                    guard entry.next == .block else { return window }
                    position &+= entry.bits
                    return nil
                }
                position &+= entry.bits
                window &>>= UInt64(truncatingIfNeeded: entry.bits)
                last = entry
            }
        }
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
        var places = [0, 0]
        for length in 1..<15 { places.append(places[length] + counts[length]) }
        symbols = [Int](repeating: 0, count: places[15] + counts[15])
        for symbol in lengths.indices where lengths[symbol] > 0 {
            symbols[places[Int(lengths[symbol])]] = symbol
            places[Int(lengths[symbol])] += 1
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
