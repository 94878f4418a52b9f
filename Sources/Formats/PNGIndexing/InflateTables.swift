/// The decoding tables of one deflate block.
///
/// An index of `literalBits` or `distanceBits` bits finds an entry; codes that are longer continue in a subtable.
///
/// A block has two codes, each given by the lengths of its words (RFC 1951, 3.2.2): one of literals and lengths of
/// matches, one of distances. An entry has all that a reader needs of a symbol: the bits to pass, the literal or base,
/// and how many extra bits belong to it (3.2.5). Words are stored from their highest bit on, everything else from the
/// lowest (3.1.1), so that an index is a reversed word, and a word of few bits has many indexes: the table is doubled
/// for each further bit.
///
/// Lengths that give too many words are refused, and so are those that give too few, as zlib does: only a single word
/// of one bit, or none, is accepted (3.2.7). Entries of up to three literals were dropped: not even two fit
/// into 11 bits in photographs.
// The pointers are allocated once and stay in this module; indexes are masked to the size of their table.
@safe final class InflateTables {
    static let literalBits = 11
    static let distanceBits = 9
    /// A bound of all subtables: each has at most `1 << (15 - index bits)` entries for each long code.
    private static let subtableSize = 1 << 13

    /// Entries of literals and lengths; see `Entry`.
    let literals: UnsafeMutablePointer<UInt32>
    /// Entries of distances.
    let distances: UnsafeMutablePointer<UInt32>
    /// The lengths of the codes of literals and lengths, then of distances.
    private let lengths: UnsafeMutablePointer<UInt8>

    /// The most codes of both kinds.
    private static let codes = 320

    /// The layout of entries.
    ///
    /// - Literals: bits 0-4 the bits of the code, bit 6 set, 16-23 the literal.
    /// - Lengths and distances: bits 0-4 the bits of code and extra bits, 8-11 the bits of the code, 16-31 the base.
    /// - Exceptions have bit 7 set: subtables bit 12, with 0-4 the index bits of the first table, 8-11 those of the
    ///   subtable and 16-31 its start; ends of blocks bit 13; invalid codes neither.
    ///
    /// Bit 5 is always clear, so a shift by the entry, which counts modulo 64, passes its bits.
    enum Entry {
        static let literal: UInt32 = 1 << 6
        static let exception: UInt32 = 1 << 7
        static let subtable: UInt32 = 1 << 12
        static let endOfBlock: UInt32 = 1 << 13
        static let invalid: UInt32 = exception
    }

    init() {
        // Freed in deinit.
        unsafe literals = .allocate(capacity: 1 << Self.literalBits + Self.subtableSize)
        unsafe distances = .allocate(capacity: 1 << Self.distanceBits + Self.subtableSize)
        unsafe lengths = .allocate(capacity: Self.codes)
        unsafe literals.initialize(
            repeating: Entry.invalid, count: 1 << Self.literalBits + Self.subtableSize)
        unsafe distances.initialize(
            repeating: Entry.invalid, count: 1 << Self.distanceBits + Self.subtableSize)
        unsafe lengths.initialize(repeating: 0, count: Self.codes)
    }

    // No other owner.
    deinit {
        unsafe literals.deallocate()
        unsafe distances.deallocate()
        unsafe lengths.deallocate()
    }

    /// Returns the entry of a literal or length at the beginning of some bits.
    @inline(__always)
    static func literal(_ table: UnsafeMutablePointer<UInt32>, _ bits: UInt64) -> UInt32 {
        // Inside of the table.
        unsafe table[Int(truncatingIfNeeded: bits & (1 << UInt64(literalBits) - 1))]
    }

    /// Returns the entry of a distance at the beginning of some bits.
    @inline(__always)
    static func distance(_ table: UnsafeMutablePointer<UInt32>, _ bits: UInt64) -> UInt32 {
        // Inside of the table.
        unsafe table[Int(truncatingIfNeeded: bits & (1 << UInt64(distanceBits) - 1))]
    }

    /// Passes the index bits of a table and returns the entry in the subtable.
    @inline(__always)
    static func continued(
        _ table: UnsafeMutablePointer<UInt32>, _ entry: UInt32, _ indexBits: Int, _ buffer: inout UInt64,
        _ bits: inout UInt32
    ) -> UInt32 {
        buffer &>>= UInt64(indexBits)
        bits &-= UInt32(indexBits)
        let mask: UInt64 = 1 &<< UInt64(entry >> 8 & 15) &- 1
        // Inside of the subtable.
        return unsafe table[Int(truncatingIfNeeded: UInt64(entry >> 16) &+ buffer & mask)]
    }
}

extension InflateTables {
    /// Sets the lengths of some codes.
    func setLengths(_ length: UInt8, at start: Int, count: Int) {
        precondition(start >= 0 && count >= 0 && start + count <= Self.codes)
        // Inside of the lengths: checked above.
        unsafe (lengths + start).update(repeating: length, count: count)
    }

    /// Sets the codes of blocks of type 1 (RFC 1951, 3.2.6).
    func setFixed() {
        setLengths(8, at: 0, count: 144)
        setLengths(9, at: 144, count: 112)
        setLengths(7, at: 256, count: 24)
        setLengths(8, at: 280, count: 8)
        setLengths(5, at: 288, count: 32)
        _ = set(literals: 288, distances: 32)
    }

    /// Makes the tables of the codes whose lengths were set; false where they form no code, or blocks could not end.
    func set(literals: Int, distances: Int) -> Bool {
        precondition(257...288 ~= literals && 0...32 ~= distances)
        // The lengths were checked above; both tables have room for their index bits and the subtables.
        guard unsafe lengths[256] > 0 else { return false }
        return unsafe Self.literalMeanings.withUnsafeBufferPointer { meanings in
            unsafe Self.fill(
                self.literals, Self.literalBits, UnsafeBufferPointer(start: lengths, count: literals),
                meanings)
        }
            && Self.distanceMeanings.withUnsafeBufferPointer { meanings in
                unsafe Self.fill(
                    self.distances, Self.distanceBits,
                    UnsafeBufferPointer(start: lengths + literals, count: distances), meanings)
            }
    }

    /// The entries of the symbols of literals and lengths, without the bits of their codes (RFC 1951, 3.2.5).
    ///
    /// 286 and 287 are in the fixed code, but must not occur.
    private static let literalMeanings: [UInt32] = (0..<288).map { symbol in
        switch symbol {
        case ..<256: return Entry.literal | UInt32(symbol) << 16
        case 256: return Entry.exception | Entry.endOfBlock
        case 257..<265: return UInt32(symbol - 254) << 16
        case 265..<285:
            let extra = (symbol - 261) / 4
            return UInt32((4 + (symbol - 261) % 4) << extra + 3) << 16 | UInt32(extra)
        case 285: return 258 << 16
        default: return Entry.invalid
        }
    }

    /// The same of distances, of which 30 and 31 must not occur.
    private static let distanceMeanings: [UInt32] = (0..<32).map { symbol in
        guard symbol < 30 else { return Entry.invalid }
        guard symbol >= 4 else { return UInt32(symbol + 1) << 16 }
        let extra = symbol / 2 - 1
        return UInt32((2 + symbol % 2) << extra + 1) << 16 | UInt32(extra)
    }

    /// Fills a table; false where the lengths are oversubscribed, or incomplete with more than one code.
    private static func fill(
        _ table: UnsafeMutablePointer<UInt32>, _ indexBits: Int, _ lengths: UnsafeBufferPointer<UInt8>,
        _ meanings: UnsafeBufferPointer<UInt32>
    ) -> Bool {
        var counts = InlineArray<16, Int>(repeating: 0)
        for index in 0..<lengths.count { unsafe counts[Int(lengths[index] & 15)] += 1 }
        counts[0] = 0
        var offsets = InlineArray<17, Int>(repeating: 0)
        var space = 0
        for length in 1...15 {
            offsets[length + 1] = offsets[length] + counts[length]
            space = space << 1 + counts[length]
            guard space <= 1 << length else { return false }
        }
        let used = offsets[16]
        let isComplete = space == 1 << 15
        // As zlib: an incomplete code has one symbol of one bit, or none.
        guard isComplete || used == 0 || used == 1 && counts[1] == 1 else { return false }
        // Bounds were checked: lengths have four bits, and symbols are fewer than 288.
        return unsafe withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 288) { sorted in
            for symbol in 0..<lengths.count {
                let length = unsafe Int(lengths[symbol] & 15)
                guard length > 0 else { continue }
                unsafe sorted[offsets[length]] = UInt16(truncatingIfNeeded: symbol)
                offsets[length] &+= 1
            }
            guard isComplete else {
                unsafe table.update(repeating: Entry.invalid, count: 1 << indexBits)
                guard used == 1 else { return true }
                // The only code is a zero.
                let entry = unsafe entry(meanings[Int(sorted[0])], 1)
                for index in stride(from: 0, to: 1 << indexBits, by: 2) { unsafe table[index] = entry }
                return true
            }
            return unsafe write(
                table, indexBits, counts, UnsafePointer(sorted.baseAddress!), used, meanings.baseAddress!)
        }
    }

    /// Writes the entries of a complete code, whose symbols are sorted by length, then by value.
    private static func write(
        _ table: UnsafeMutablePointer<UInt32>, _ indexBits: Int, _ counts: InlineArray<16, Int>,
        _ sorted: UnsafePointer<UInt16>, _ used: Int, _ meanings: UnsafePointer<UInt32>
    ) -> Bool {
        // Codes are stored with the highest bit first, so the code counts up from the top.
        var code = 0
        var number = 0
        for length in 1...indexBits {
            // As many entries as codes of this length; the table is doubled for each bit more.
            for _ in 0..<counts[length] {
                // `code` has `length` bits, and there are `used` symbols.
                unsafe table[code] = entry(meanings[Int(sorted[number])], UInt32(length))
                number &+= 1
                code = Self.code(after: code, bits: length)
            }
            if length < indexBits {
                unsafe (table + 1 << length).update(from: table, count: 1 << length)
            }
        }
        guard number < used else { return true }
        return unsafe writeSubtables(table, indexBits, counts, sorted, number..<used, code, meanings)
    }

    /// Writes the entries of codes that are longer than the index.
    private static func writeSubtables(
        _ table: UnsafeMutablePointer<UInt32>, _ indexBits: Int, _ counts: InlineArray<16, Int>,
        _ sorted: UnsafePointer<UInt16>, _ numbers: Range<Int>, _ firstCode: Int,
        _ meanings: UnsafePointer<UInt32>
    ) -> Bool {
        var code = firstCode
        var number = numbers.lowerBound
        var subtable = 1 << indexBits
        var subtablePrefix = -1
        var subtableBits = 0
        for length in (indexBits + 1)...15 {
            for rest in stride(from: counts[length], to: 0, by: -1) {
                let prefix = code & (1 << indexBits - 1)
                if prefix != subtablePrefix {
                    if subtablePrefix >= 0 { subtable += 1 << subtableBits }
                    subtablePrefix = prefix
                    // As large as the codes of this prefix need.
                    subtableBits = length - indexBits
                    var space = rest
                    while space < 1 << subtableBits, subtableBits + indexBits < 15 {
                        subtableBits += 1
                        space = space << 1 + counts[indexBits + subtableBits]
                    }
                    guard subtable + 1 << subtableBits <= 1 << indexBits + subtableSize else {
                        return false
                    }
                    // Inside of the table: checked above.
                    unsafe table[prefix] =
                        Entry.exception | Entry.subtable | UInt32(subtableBits) << 8 | UInt32(subtable) << 16
                }
                let entry = unsafe entry(meanings[Int(sorted[number])], UInt32(length - indexBits))
                // The bits behind the code are not its own: every value of them leads to it.
                var index = code >> indexBits
                while index < 1 << subtableBits {
                    // Inside of the subtable.
                    unsafe table[subtable + index] = entry
                    index += 1 << (length - indexBits)
                }
                number += 1
                guard number < numbers.upperBound else { return true }
                code = Self.code(after: code, bits: length)
            }
        }
        return true
    }

    /// Returns the next code in reversed order of bits: the highest zero becomes one, ones above it zero.
    @inline(__always)
    private static func code(after code: Int, bits: Int) -> Int {
        let zeros = ~code & (1 &<< bits &- 1)
        // The last code has no successor.
        guard zeros != 0 else { return 0 }
        let bit = 1 &<< (Int.bitWidth &- 1 &- zeros.leadingZeroBitCount)
        return code & (bit &- 1) | bit
    }

    /// Adds the bits of the code; those of extra bits are in the meaning.
    @inline(__always)
    private static func entry(_ meaning: UInt32, _ bits: UInt32) -> UInt32 {
        if meaning & (Entry.literal | Entry.exception) == 0 { return meaning &+ bits &+ bits << 8 }
        return meaning == Entry.invalid ? meaning : meaning | bits
    }
}

/// The code of the code lengths: at most seven bits, in a table of all of them (RFC 1951, 3.2.7).
struct LengthCode {
    private var entries = InlineArray<128, UInt8>(repeating: 0)

    init(_ lengths: InlineArray<19, UInt8>) throws(PNGIndexError) {
        var code = 0
        var space = 0
        for length in 1...7 {
            for symbol in 0..<19 where Int(lengths[symbol]) == length {
                space += 128 >> length
                guard space <= 128 else { throw .brokenData }
                let reversed = (0..<length).reduce(0) { $0 | (code >> $1 & 1) << (length - 1 - $1) }
                for index in stride(from: reversed, to: 128, by: 1 << length) {
                    entries[index] = UInt8(symbol << 3 | length)
                }
                code += 1
            }
            code <<= 1
        }
        guard space == 128 else { throw .brokenData }
    }

    /// The symbol at the beginning of some bits, and its length.
    func first(_ bits: UInt64) -> (symbol: UInt8, bits: Int) {
        let entry = entries[Int(bits & 127)]
        return (entry >> 3, Int(entry & 7))
    }
}
