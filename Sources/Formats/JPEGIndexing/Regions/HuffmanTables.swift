/// A lookup table for the next bits.
///
/// The standard decodes bit by bit (T.81, F.2.2.3); here the next 12 bits find an entry. Codes have up to 16 bits
/// (annex C): the few longer ones have no entry, and `EntropyScanner.find` finds them. The bits of a value follow its
/// code, so that many indexes hold both, or even several codes with their values. What an entry has depends on its
/// reader: the DC difference itself (`DCEntry.table`), the length of a chain of AC codes (`skipTable`), one AC code
/// (`valueTable`), or that with its value (`completeTable`).
///
/// Tables are reached through views without reference counts: threads that share them would contend for the counts.
// Written once, in init; the memory stays in place.
@safe final class LookupTable: @unchecked Sendable {
    private let base: UnsafeMutablePointer<UInt32>

    /// The bits that tables are indexed with; more of them were not faster.
    static let indexBits = 12

    init(_ entries: [UInt32]) {
        precondition(entries.count == 1 << Self.indexBits)
        // Freed in deinit.
        unsafe base = .allocate(capacity: entries.count)
        // The array lends its entries for this call.
        unsafe entries.withUnsafeBufferPointer {
            // As many as allocated, by the precondition.
            unsafe base.initialize(from: $0.baseAddress!, count: $0.count)
        }
    }

    // Scanners keep the tables of their views.
    deinit { unsafe base.deallocate() }

    /// Its entries, for loops that must not count references; the caller keeps the table while it uses them.
    @unsafe var view: View { unsafe View(base: UnsafePointer(base)) }

    /// The entries of a table, which its owner keeps.
    // The entries are never written again.
    @safe struct View: @unchecked Sendable {
        fileprivate let base: UnsafePointer<UInt32>

        /// The entry of the highest 12 bits.
        @inline(__always)
        subscript(_ buffer: UInt64) -> UInt32 {
            // 12 bits are always inside.
            unsafe base[Int(truncatingIfNeeded: buffer &>> 52)]
        }
    }
}

/// An entry of a table for DC codes: code and difference in one where 12 bits hold both.
///
/// Bits 0-5 length of code and difference together, 6-9 category, 10 whether the difference is here, 16-31 the
/// difference. 0: a longer code, or none.
enum DCEntry {
    static let isComplete: UInt32 = 1 << 10

    static func table(_ code: HuffmanCode) -> LookupTable {
        var entries = [UInt32](repeating: 0, count: 4096)
        for word in code.words where word.length <= 12 {
            let category = Int(word.value)
            let first = Int(word.bits) << (12 - word.length)
            for index in first..<(first + 1 << (12 - word.length)) {
                entries[index] = UInt32(word.length + category) | UInt32(category) << 6
                guard word.length + category <= 12 else { continue }
                let rest = index >> (12 - word.length - category) & (1 << category - 1)
                let difference = extend(rest, category)
                entries[index] |= isComplete | UInt32(UInt16(bitPattern: Int16(difference))) << 16
            }
        }
        return LookupTable(entries)
    }

    /// The signed number of `category` bits (T.81, figure F.12).
    @inline(__always)
    static func extend(_ bits: Int, _ category: Int) -> Int {
        category == 0 ? 0 : bits < 1 << (category &- 1) ? bits &- (1 << category) &+ 1 : bits
    }
}

/// An entry of a table for skipping AC codes, several at once.
///
/// Bits 0-7 length of all of them with their values, 8-15 the coefficients that they pass, plus 128 where the
/// last ends the block.
enum ACEntry {
    /// As many codes as the index holds.
    static func skipTable(_ code: HuffmanCode) -> LookupTable {
        let bits = LookupTable.indexBits
        let single = singles(code)
        let entries = single.indices.map { index -> UInt32 in
            var entry = single[index]
            guard entry != 0 else { return unknown }
            while entry & 0x8000 == 0, entry & 255 < bits {
                let used = Int(entry & 255)
                let next = single[index << used & (1 << bits - 1)]
                // The next code's own bits must be known; its value's may lie beyond.
                guard next != 0, used + Int(next >> 16) <= bits else { break }
                // No chain is longer than a block: the sum with a position stays below the mark.
                guard (entry & 0x7F00) + (next & 0x7F00) <= 64 << 8 else { break }
                entry = (entry & 0xFFFF) + (next & 0xFFFF)
            }
            return entry & 0xFFFF
        }
        return LookupTable(entries)
    }

    /// A longer code, or none: passes a whole block, which sends the reader to the slow path.
    private static let unknown: UInt32 = 64 << 8

    /// One code each, for readers of values: bits 0-7 length of the code, 8-15 its meaning.
    static func valueTable(_ code: HuffmanCode) -> LookupTable {
        var entries = [UInt32](repeating: 0, count: 4096)
        for word in code.words where word.length <= 12 {
            let first = Int(word.bits) << (12 - word.length)
            for index in first..<(first + 1 << (12 - word.length)) {
                entries[index] = UInt32(word.length) | UInt32(word.value) << 8
            }
        }
        return LookupTable(entries)
    }

    /// One code each with its value, where 12 bits hold both.
    ///
    /// Bits 0-7 length of both, 8-15 the coefficients that it passes, or 128 where it ends the block, 16-31 the value.
    /// 0: longer, or none.
    static func completeTable(_ code: HuffmanCode) -> LookupTable {
        var entries = [UInt32](repeating: 0, count: 4096)
        for word in code.words where word.length + Int(word.value & 15) <= 12 {
            let (run, size) = (UInt32(word.value >> 4), Int(word.value & 15))
            let length = word.length + size
            let advance = size == 0 && run != 15 ? 128 : run + 1
            for rest in 0..<(1 << size) {
                let value = UInt16(bitPattern: Int16(DCEntry.extend(rest, size)))
                let entry = UInt32(length) | advance << 8 | UInt32(value) << 16
                let first = (Int(word.bits) << size | rest) << (12 - length)
                for index in first..<(first + 1 << (12 - length)) { entries[index] = entry }
            }
        }
        return LookupTable(entries)
    }

    /// One code each, its length without value in bits 16-23.
    private static func singles(_ code: HuffmanCode) -> [UInt32] {
        var entries = [UInt32](repeating: 0, count: 4096)
        for word in code.words where word.length <= 12 {
            let size = UInt32(word.value & 15)
            let run = UInt32(word.value >> 4)
            let advance = size == 0 && run != 15 ? 128 : run + 1
            let first = Int(word.bits) << (12 - word.length)
            for index in first..<(first + 1 << (12 - word.length)) {
                entries[index] = UInt32(word.length) + size | advance << 8 | UInt32(word.length) << 16
            }
        }
        return entries
    }
}

/// A JPEG's Huffman code: the number of codes of each length, and their meanings.
///
/// That is all a file has (T.81, B.2.4.2): codes count up within a length, and get a zero appended for the next one.
struct HuffmanCode: Hashable, Sendable {
    /// The number of codes of 1 to 16 bits.
    private(set) var counts: [Int]
    /// Their meanings, from the shortest code on.
    private(set) var values: [UInt8]

    /// Nil where the counts give no code, or one that uses the code of only ones, which JPEG forbids (T.81, annex C).
    init?(counts: [Int], values: [UInt8]) {
        guard counts.count == 16, values.count == counts.reduce(0, +), values.count <= 256 else { return nil }
        var code = 0
        for (index, count) in counts.enumerated() {
            code += count
            // The code after the last must still fit: libjpeg, jdhuff.c, jpeg_make_d_derived_tbl.
            if count > 0, code >= 1 << (index + 1) { return nil }
            code <<= 1
        }
        self.counts = counts
        self.values = values
    }
}

extension HuffmanCode {
    struct Word {
        var bits: UInt32
        var length: Int
        var value: UInt8
    }

    /// All codes in order.
    var words: [Word] {
        var result: [Word] = []
        result.reserveCapacity(values.count)
        var code: UInt32 = 0
        var next = 0
        for (index, count) in counts.enumerated() {
            for _ in 0..<count {
                result.append(Word(bits: code, length: index + 1, value: values[next]))
                code += 1
                next += 1
            }
            code <<= 1
        }
        return result
    }

    /// The code that means `value`.
    func word(_ value: UInt8) -> Word? { words.first { $0.value == value } }

    /// Adds a code for `value` behind all others, so that those stay as they are.
    ///
    /// Returns false where there is no room: the code is full down to 16 bits.
    mutating func append(_ value: UInt8) -> Bool {
        let last = words.last.map { $0.length } ?? 1
        // The last length may have room; the next one always has.
        for length in last...16 {
            var longer = counts
            longer[length - 1] += 1
            if let code = HuffmanCode(counts: longer, values: values + [value]) {
                self = code
                return true
            }
        }
        return false
    }
}
