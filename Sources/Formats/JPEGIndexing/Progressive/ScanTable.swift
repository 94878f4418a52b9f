internal import Basics

/// The tables of a scan's Huffman code for one component.
final class ScanTable: Sendable {
    /// The entry of one code: for DC as in `DCEntry`, for AC its own length in bits 0-7, and its meaning above.
    let single: LookupTable
    /// Several AC codes at once, for readers that do not need values.
    ///
    /// Bits 0-5 length of all of them with their values, 8-13 the coefficients that they pass, 14 whether
    /// the last ends the block, 16-31 which of them are not zero. 0: a code that must be read alone.
    let chain: LookupTable
    private let long: [HuffmanCode.Word]

    static let endsBlock: UInt32 = 1 << 14

    init(_ code: HuffmanCode, _ scan: ProgressiveScan) {
        let isDC = scan.kind == .dc
        single = isDC ? DCEntry.table(code) : ACEntry.valueTable(code)
        chain = LookupTable(
            scan.kind == .ac ? Self.chains(code, scan.low) : Array(repeating: 0, count: 4096))
        long = code.words.filter { $0.length > LookupTable.indexBits }
    }

    /// The DC difference at the beginning of the buffer, and its bits; 0 bits where there is no code.
    @inline(__always)
    func difference(_ buffer: UInt64) -> (difference: Int32, bits: Int) {
        // The view is used while the table lives.
        let entry = unsafe single.view[buffer]
        if entry & DCEntry.isComplete != 0 {
            return (Int32(Int16(truncatingIfNeeded: entry >> 16)), Int(entry & 63))
        }
        return longDifference(buffer, entry)
    }

    @inline(never)
    private func longDifference(_ buffer: UInt64, _ entry: UInt32) -> (difference: Int32, bits: Int) {
        var (length, category) = (Int(entry & 63) - Int(entry >> 6 & 15), Int(entry >> 6 & 15))
        if entry == 0 { (length, category) = EntropyScanner.find(long, buffer) }
        guard length > 0 else { return (0, 0) }
        guard category > 0 else { return (0, length) }
        let rest = Int((buffer << UInt64(length)) >> UInt64(64 - category))
        return (Int32(truncatingIfNeeded: DCEntry.extend(rest, category)), length + category)
    }

    /// The AC code of an entry of `single`: its own bits and its meaning; 0 bits where there is none.
    @inline(__always)
    func code(_ entry: UInt32, _ buffer: UInt64) -> (bits: Int, value: Int) {
        entry != 0 ? (Int(entry & 255), Int(entry >> 8)) : longCode(buffer)
    }

    @inline(never)
    private func longCode(_ buffer: UInt64) -> (bits: Int, value: Int) { EntropyScanner.find(long, buffer) }

    private static func chains(_ code: HuffmanCode, _ low: Int) -> [UInt32] {
        let bits = LookupTable.indexBits
        // By the next bits: the length of one code, and its meaning.
        var codes = [(length: Int, value: Int)](repeating: (0, 0), count: 1 << bits)
        for word in code.words where word.length <= bits {
            let first = Int(word.bits) << (bits - word.length)
            for index in first..<(first + 1 << (bits - word.length)) {
                codes[index] = (word.length, Int(word.value))
            }
        }
        return codes.indices.map { index in
            var (used, coefficient, mask, ends) = (0, 0, 0, false)
            while !ends, used < bits {
                let (length, value) = codes[index << used & (1 << bits - 1)]
                let (zeros, size) = (value >> 4, value & 15)
                guard length > 0, used + length <= bits, size + low <= 15 else { break }
                if size == 0 {
                    // Longer runs of ended blocks have more bits.
                    guard zeros == 0 || zeros == 15, coefficient + zeros < 17 else { break }
                    ends = zeros == 0
                    coefficient += ends ? 0 : 16
                } else {
                    guard coefficient + zeros < 16 else { break }
                    mask |= 1 << (coefficient + zeros)
                    coefficient += zeros + 1
                }
                used += length + size
            }
            guard used > 0 else { return 0 }
            return UInt32(used | coefficient << 8 | mask << 16) | (ends ? endsBlock : 0)
        }
    }
}

/// The tables of a scan, made when it is first read and kept for later readers.
final class ScanTables: Sendable {
    private let made = Once<[ScanTable]>()

    /// - Parameter scan: The same in every call.
    func tables(of scan: ProgressiveScan) -> [ScanTable] {
        made.valueEvenIfCancelled { scan.codes.map { ScanTable($0, scan) } }
    }
}
