/// Reads compressed data without making pixels: finds where MCUs begin and follows their DC predictors.
final class EntropyScanner: Sendable {
    /// The blocks of one component in an MCU.
    struct Group: Sendable {
        let component: Int
        let blocks: Int
        let dc: LookupTable
        let skip: LookupTable
        let single: LookupTable
        /// The codes that are too long for the tables.
        let longDC: [HuffmanCode.Word]
        let longAC: [HuffmanCode.Word]
    }

    let header: JPEGHeader
    /// What an MCU is made of, in the order of the scan.
    let groups: [Group]

    init(_ header: JPEGHeader) {
        self.header = header
        // Components share tables: each is made once. Codes that the scan does not name have none.
        var dc: [Int: LookupTable] = [:]
        var skip: [Int: LookupTable] = [:]
        var single: [Int: LookupTable] = [:]
        groups = header.scanOrder.map { index in
            let component = header.components[index]
            let (across, down) = header.blocks(of: index)
            // The parser has checked that the codes which the scan names are there.
            let dcCode = header.dcCodes[component.dcTable]!
            let acCode = header.acCodes[component.acTable]!
            let tables = (
                dc[component.dcTable] ?? DCEntry.table(dcCode),
                skip[component.acTable] ?? ACEntry.skipTable(acCode),
                single[component.acTable] ?? ACEntry.valueTable(acCode)
            )
            dc[component.dcTable] = tables.0
            skip[component.acTable] = tables.1
            single[component.acTable] = tables.2
            return Group(
                component: index, blocks: across * down, dc: tables.0, skip: tables.1, single: tables.2,
                longDC: dcCode.words.filter { $0.length > 12 }, longAC: acCode.words.filter { $0.length > 12 }
            )
        }
    }
}

extension EntropyScanner.Group {
    /// A DC code longer than the table's index: its length and category; length 0 where there is none.
    @inline(never)
    func longDC(_ buffer: UInt64) -> (length: Int, value: Int) { Self.find(longDC, buffer) }

    /// An AC code longer than the table's index: its length and meaning; length 0 where there is none.
    @inline(never)
    func longAC(_ buffer: UInt64) -> (length: Int, value: Int) { Self.find(longAC, buffer) }

    private static func find(_ words: [HuffmanCode.Word], _ buffer: UInt64) -> (length: Int, value: Int) {
        for word in words where UInt32(buffer >> UInt64(64 - word.length)) == word.bits {
            return (word.length, Int(word.value))
        }
        return (0, 0)
    }

    /// The DC difference that the buffer begins with, and its bits; 0 bits where there is no code.
    @inline(__always)
    func difference(_ buffer: UInt64, _ table: LookupTable.View) -> (difference: Int, bits: Int) {
        let entry = table[buffer]
        if entry & 1 << 10 != 0 {
            return (Int(Int16(truncatingIfNeeded: entry >> 16)), Int(entry & 63))
        }
        return longDifference(buffer, entry)
    }

    @inline(never)
    private func longDifference(_ buffer: UInt64, _ entry: UInt32) -> (difference: Int, bits: Int) {
        var (length, category) = (Int(entry & 63) - Int(entry >> 6 & 15), Int(entry >> 6 & 15))
        if entry == 0 { (length, category) = longDC(buffer) }
        guard length > 0 else { return (0, 0) }
        guard category > 0 else { return (0, length) }
        let rest = Int((buffer << UInt64(length)) >> UInt64(64 - category))
        return (DCEntry.extend(rest, category), length + category)
    }
}
