/// The tables for the blocks of an MCU.
final class StepTables: Sendable {
    let scanner: EntropyScanner
    /// The tables of each block's DC value and of its AC values, in the order of the scan.
    let order: [StepTable]

    init(_ scanner: EntropyScanner) {
        self.scanner = scanner
        let (header, groups) = (scanner.header, scanner.groups)
        // The parser has checked that the codes of the scan exist.
        var dc: [Int: StepTable] = [:]
        var ac = dc
        for group in groups {
            dc[group.dcCode] = dc[group.dcCode] ?? StepTable(differences: header.dcCodes[group.dcCode]!)
            ac[group.acCode] = ac[group.acCode] ?? StepTable(coefficients: header.acCodes[group.acCode]!)
        }
        order = groups.flatMap { group in
            (0..<group.blocks).flatMap { _ in [dc[group.dcCode]!, ac[group.acCode]!] }
        }
    }
}

/// A table of what the next bits do to a reader's position and to its count of a block's coefficients.
///
/// The count is -64 before the first coefficient and -1 behind the last. A code that ends the block adds 1025, and so
/// does a DC difference, which stands above. Then the bits 6 to 9 of the count are ones, unless a block would have too
/// many coefficients, or the code is not in the table.
///
/// Bits 0-5 of an entry are the bits to pass, those from 6 on what to add.
// Written once, in init; the memory stays in place.
@safe final class StepTable: @unchecked Sendable {
    /// The count before the first coefficient.
    static let first = -64
    /// The count behind the last coefficient.
    static let full = -1
    private static let end = 1025
    private static let indexBits = LookupTable.indexBits
    /// The bits behind the index that the longest code may have.
    private static let longerBits = 16 - indexBits
    private static let size = 1 << indexBits
    /// Passes nothing, and makes any count one that is unknown.
    private static let unknown: UInt32 = 64 << 6
    /// Marks an entry that is the place of a group, for the bits behind the index.
    private static let isLonger: UInt32 = 1 << 31

    /// First the entries of as many codes as the index holds, then those of one code, then groups.
    private let base: UnsafeMutablePointer<UInt32>

    private init(_ several: [UInt32], _ single: [UInt32]) {
        // Freed in deinit.
        unsafe base = .allocate(capacity: several.count + single.count)
        for (index, entry) in (several + single).enumerated() {
            // As many as allocated.
            unsafe (base + index).initialize(to: entry)
        }
    }

    // Owners of tables keep them while their entries are used.
    deinit { unsafe base.deallocate() }

    /// The entries, for loops that must not count references; the caller keeps the table while it uses them.
    @unsafe var entries: UnsafePointer<UInt32> { unsafe UnsafePointer(base) }

    /// The table of a code for DC differences.
    convenience init(differences code: HuffmanCode) {
        let single = Self.single(code) { word, known in
            let category = Int(word.value)
            let bits = word.length + category
            // 0 where the difference has too many bits to be found here.
            var difference = 0
            if bits <= Self.indexBits {
                let rest = known >> (16 - bits) & (1 << category - 1)
                difference = DCEntry.extend(rest, category) + 1024
            }
            return UInt32(bits) | UInt32(Self.end + difference << 11) << 6
        }
        self.init(single[..<Self.size].map { $0 & Self.isLonger == 0 ? $0 : Self.unknown }, single)
    }

    /// The table of a code for AC coefficients.
    convenience init(coefficients code: HuffmanCode) {
        var lengths = [Int](repeating: 0, count: Self.size)
        let single = Self.single(code) { word, known in
            let (run, size) = (Int(word.value >> 4), Int(word.value & 15))
            if word.length <= Self.indexBits { lengths[known >> Self.longerBits] = word.length }
            return UInt32(word.length + size) | UInt32(size == 0 && run != 15 ? Self.end : run + 1) << 6
        }
        let several = (0..<Self.size).map { index -> UInt32 in
            guard single[index] & Self.isLonger == 0 else { return Self.unknown }
            var (bits, count) = (Int(single[index] & 63), Int(single[index] >> 6))
            while count < Self.end, bits < Self.indexBits {
                let rest = index << bits & (Self.size - 1)
                let next = (bits: Int(single[rest] & 63), count: Int(single[rest] >> 6))
                // The next code's own bits must be known; its value's may lie beyond.
                guard single[rest] & Self.isLonger == 0, lengths[rest] > 0,
                    bits + lengths[rest] <= Self.indexBits,
                    // Not more than a block has, so that no sum is taken for another.
                    count + next.count % Self.end < 64
                else { break }
                (bits, count) = (bits + next.bits, count + next.count)
            }
            return UInt32(bits) | UInt32(count) << 6
        }
        self.init(several, single)
    }

    /// The entries of one code each: those of the index, then groups for longer codes.
    private static func single(
        _ code: HuffmanCode, _ entry: (_ word: HuffmanCode.Word, _ known: Int) -> UInt32
    ) -> [UInt32] {
        var entries = [UInt32](repeating: unknown, count: size)
        for word in code.words {
            let first = Int(word.bits) << (16 - word.length)
            if word.length <= indexBits {
                for known in stride(from: first, to: first + 1 << (16 - word.length), by: 1 << longerBits) {
                    entries[known >> longerBits] = entry(word, known)
                }
                continue
            }
            let index = first >> longerBits
            if entries[index] == unknown {
                entries[index] = isLonger | UInt32(entries.count)
                entries += [UInt32](repeating: unknown, count: 1 << longerBits)
            }
            let group = Int(entries[index] & ~isLonger)
            for known in first..<(first + 1 << (16 - word.length)) {
                entries[group + known & (1 << longerBits - 1)] = entry(word, known)
            }
        }
        return entries
    }

    /// The index of the bits at a position in its first byte, of four bytes from there on.
    @inline(__always)
    static func index(_ word: UInt32, _ position: UInt) -> Int {
        let bits = word &<< UInt32(truncatingIfNeeded: position & 7)
        return Int(bits &>> UInt32(32 - indexBits))
    }

    /// The position and the count behind a step.
    @inline(__always)
    static func step(_ entry: UInt32, _ position: UInt, _ count: Int) -> (position: UInt, count: Int) {
        (position &+ UInt(entry & 63), count &+ Int(entry &>> 6))
    }

    /// Whether the count is none that a valid block has.
    @inline(__always)
    static func isUnknown(_ count: Int) -> Bool { ~count & 960 != 0 }

    /// The same step with the first code alone, however long it is, after a step that led to an unknown count.
    @inline(never)
    @unsafe static func stepOne(
        _ entries: UnsafePointer<UInt32>, _ word: UInt32, _ position: UInt, _ unknown: Int
    ) -> (position: UInt, count: Int) {
        let index = index(word, position)
        let count = unsafe unknown &- Int(entries[index] &>> 6)
        // Behind the entries of several codes.
        let single = unsafe entries + size
        var entry = unsafe single[index]
        if entry & isLonger != 0 {
            let next = (word &<< UInt32(truncatingIfNeeded: position & 7)) &<< UInt32(indexBits)
            // Each group has entries for that many bits.
            entry = unsafe single[Int(entry & ~isLonger + next &>> UInt32(32 - longerBits))]
        }
        return step(entry, position, count)
    }

    /// The difference that a step over a DC code found; nil where it had too many bits.
    @inline(__always)
    static func difference(_ count: Int32) -> Int32? {
        let difference = count &>> 11
        return difference == 0 ? nil : difference &- 1024
    }

    /// Whether a block ended before its first coefficient.
    @inline(__always)
    static func isFlat(_ count: Int32) -> Bool { Int(count) == first + end }
}
