/// The decoding tables of one deflate block.
///
/// An index of `literalBits` or `distanceBits` bits finds an entry; codes that are longer continue in a subtable.
/// Source: RFC 1951, 3.2.
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

    /// The layout of entries.
    ///
    /// - Literals: bits 0-4 the bits of all codes, 6-7 the number of literals (1 to 3), 8-31 the literals.
    /// - Lengths and distances: bits 0-4 the bits of code and extra bits, 6-7 zero, 8-11 the bits of the code, 16-31
    ///   the base.
    /// - Exceptions have bit 5 set: bits 8-11 nonzero with the index bits of a subtable at 16-31, or bit 12 set for the
    ///   end of a block, or neither for invalid codes.
    ///
    /// Bit 5 is clear otherwise, so a shift by the entry, which counts modulo 64, passes its bits.
    enum Entry {
        static let literal: UInt32 = 3 << 6
        static let exception: UInt32 = 1 << 5
        static let endOfBlock: UInt32 = 1 << 12
        static let invalid: UInt32 = exception
    }

    init() {
        // Freed in deinit.
        unsafe literals = .allocate(capacity: 1 << Self.literalBits + Self.subtableSize)
        unsafe distances = .allocate(capacity: 1 << Self.distanceBits + Self.subtableSize)
        unsafe literals.initialize(
            repeating: Entry.invalid, count: 1 << Self.literalBits + Self.subtableSize)
        unsafe distances.initialize(
            repeating: Entry.invalid, count: 1 << Self.distanceBits + Self.subtableSize)
    }

    // No other owner.
    deinit {
        unsafe literals.deallocate()
        unsafe distances.deallocate()
    }

    /// Sets the codes of blocks of type 1.
    func setFixed() -> Bool {
        var lengths = [UInt8](repeating: 8, count: 288)
        for symbol in 144..<256 { lengths[symbol] = 9 }
        for symbol in 256..<280 { lengths[symbol] = 7 }
        return set(lengths[...], [UInt8](repeating: 5, count: 32)[...])
    }

    /// Sets the codes by their lengths; false where they form no code.
    func set(_ literalLengths: ArraySlice<UInt8>, _ distanceLengths: ArraySlice<UInt8>) -> Bool {
        // Both tables have room for their index bits and the subtables.
        let isValid =
            unsafe Self.fill(literals, Self.literalBits, literalLengths, Self.literalMeanings)
            && Self.fill(distances, Self.distanceBits, distanceLengths, Self.distanceMeanings)
        if isValid { combineLiterals() }
        return isValid
    }

    /// Lets an entry decode as many literals as fit into its index, up to three.
    private func combineLiterals() {
        let bits = UInt32(Self.literalBits)
        // From the end: entries at smaller indexes are read after, and must still be single.
        for index in stride(from: 1 << Self.literalBits - 1, through: 0, by: -1) {
            // Indexes below the size of the table.
            var entry = unsafe literals[index]
            guard entry & Entry.literal != 0 else { continue }
            for count in 1..<3 as Range<UInt32> {
                let used = entry & 31
                let next = unsafe literals[index >> Int(used)]
                guard next & Entry.literal == 1 << 6, used + next & 31 <= bits else { break }
                entry =
                    entry & ~0xFF | (used + next & 31) | (count + 1) << 6
                    | (next >> 8 & 0xFF) << (8 + 8 * count)
            }
            unsafe literals[index] = entry
        }
    }

    /// The entries of the symbols of literals and lengths, without the bits of their codes.
    private static let literalMeanings: [UInt32] = (0..<288).map { symbol in
        switch symbol {
        case ..<256: return 1 << 6 | UInt32(symbol) << 8
        case 256: return Entry.exception | Entry.endOfBlock
        case 257..<265: return UInt32(symbol - 254) << 16
        case 265..<285:
            let extra = (symbol - 261) / 4
            return UInt32((4 + (symbol - 261) % 4) << extra + 3) << 16 | UInt32(extra)
        case 285: return 258 << 16
        default: return Entry.invalid
        }
    }

    private static let distanceMeanings: [UInt32] = (0..<32).map { symbol in
        guard symbol < 30 else { return Entry.invalid }
        guard symbol >= 4 else { return UInt32(symbol + 1) << 16 }
        let extra = symbol / 2 - 1
        return UInt32((2 + symbol % 2) << extra + 1) << 16 | UInt32(extra)
    }

    /// Fills a table; false where the lengths are oversubscribed, or incomplete with more than one code.
    private static func fill(
        _ table: UnsafeMutablePointer<UInt32>, _ indexBits: Int, _ lengths: ArraySlice<UInt8>,
        _ meanings: [UInt32]
    ) -> Bool {
        var counts = InlineArray<16, Int>(repeating: 0)
        for length in lengths { counts[Int(length)] += 1 }
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
        if !isComplete {
            for index in 0..<(1 << indexBits) { unsafe table[index] = Entry.invalid }
        }
        var sorted = InlineArray<288, UInt16>(repeating: 0)
        for (symbol, length) in zip(0..., lengths) where length > 0 {
            sorted[offsets[Int(length)]] = UInt16(symbol)
            offsets[Int(length)] += 1
        }
        return unsafe write(table, indexBits, counts, sorted, used, meanings)
    }

    /// Writes the entries of symbols that are sorted by length, then by value.
    private static func write(
        _ table: UnsafeMutablePointer<UInt32>, _ indexBits: Int, _ counts: InlineArray<16, Int>,
        _ sorted: InlineArray<288, UInt16>, _ used: Int, _ meanings: [UInt32]
    ) -> Bool {
        // Codes are stored with the highest bit first, so the code counts up from the top.
        var code = 0
        var number = 0
        var subtable = 1 << indexBits
        var subtablePrefix = -1
        var subtableBits = 0
        for length in 1...15 {
            for rest in stride(from: counts[length], to: 0, by: -1) {
                let meaning = meanings[Int(sorted[number])]
                number += 1
                let bits = UInt32(length)
                if length <= indexBits {
                    let entry = Self.entry(meaning, bits)
                    var index = code
                    // `code` has `length` bits.
                    while index < 1 << indexBits {
                        unsafe table[index] = entry
                        index += 1 << length
                    }
                } else {
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
                            Entry.exception | UInt32(subtableBits) << 8 | UInt32(subtable) << 16
                    }
                    let entry = Self.entry(meaning, bits - UInt32(indexBits))
                    var index = code >> indexBits
                    while index < 1 << subtableBits {
                        // Inside of the subtable.
                        unsafe table[subtable + index] = entry
                        index += 1 << (length - indexBits)
                    }
                }
                guard number < used else { return true }
                // The next code in reversed order of bits: the highest zero becomes one, ones above it zero.
                var bit = 1 << (length - 1)
                while code & bit != 0 { bit >>= 1 }
                code = code & (bit - 1) | bit
            }
        }
        return true
    }

    /// Adds the bits of the code; those of extra bits are in the meaning.
    private static func entry(_ meaning: UInt32, _ bits: UInt32) -> UInt32 {
        if meaning & Entry.literal != 0 { return meaning + bits }
        if meaning & Entry.exception != 0 { return meaning == Entry.invalid ? meaning : meaning | bits }
        return meaning + bits + bits << 8
    }
}
