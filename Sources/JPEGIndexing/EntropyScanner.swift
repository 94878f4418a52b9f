/// Reads compressed data without making pixels: finds where MCUs begin and follows their DC predictors.
final class EntropyScanner: Sendable {
    /// The blocks of one component in an MCU.
    ///
    /// Only plain values: a reference counted in the inner loop would be fought over by two threads.
    struct Group: Sendable {
        let component: Int
        let blocks: Int
        /// The numbers of the codes.
        let dcCode: Int
        let acCode: Int
        let dc: LookupTable.View
        let skip: LookupTable.View
        let single: LookupTable.View
    }

    let header: JPEGHeader
    /// What an MCU is made of, in the order of the scan.
    let groups: [Group]
    // The owners of what the groups view.
    private let tables: [LookupTable]
    /// The DC codes of each table by what they mean.
    let dcWords: [[HuffmanCode.Word?]]
    /// The codes that are too long for the tables.
    private let longDC: [[HuffmanCode.Word]]
    private let longAC: [[HuffmanCode.Word]]

    init(_ header: JPEGHeader) {
        self.header = header
        // Components share tables: each is made once. Codes that the scan does not name have none.
        var dc: [Int: LookupTable] = [:]
        var skip: [Int: LookupTable] = [:]
        var single: [Int: LookupTable] = [:]
        for component in header.components where dc[component.dcTable] == nil {
            dc[component.dcTable] = header.dcCodes[component.dcTable].map(DCEntry.table)
        }
        for component in header.components where skip[component.acTable] == nil {
            skip[component.acTable] = header.acCodes[component.acTable].map(ACEntry.skipTable)
            single[component.acTable] = header.acCodes[component.acTable].map(ACEntry.valueTable)
        }
        groups = header.scanOrder.map { index in
            let component = header.components[index]
            let (across, down) = header.blocks(of: index)
            // The parser has checked that the codes which the scan names are there.
            return Group(
                component: index, blocks: across * down, dcCode: component.dcTable,
                acCode: component.acTable, dc: dc[component.dcTable]!.view,
                skip: skip[component.acTable]!.view, single: single[component.acTable]!.view)
        }
        tables = Array(dc.values) + Array(skip.values) + Array(single.values)
        dcWords = header.dcCodes.map { code in (0..<16).map { code?.word(UInt8($0)) } }
        longDC = header.dcCodes.map { $0?.words.filter { $0.length > LookupTable.indexBits } ?? [] }
        longAC = header.acCodes.map { $0?.words.filter { $0.length > LookupTable.indexBits } ?? [] }
    }
}

extension EntropyScanner {
    /// The DC difference that the buffer begins with, and its bits; 0 bits where there is no code.
    @inline(__always)
    func difference(_ group: Group, _ buffer: UInt64) -> (difference: Int, bits: Int) {
        let entry = group.dc[buffer]
        if entry & DCEntry.isComplete != 0 {
            return (Int(Int16(truncatingIfNeeded: entry >> 16)), Int(entry & 63))
        }
        return longDifference(group.dcCode, buffer, entry)
    }

    @inline(never)
    private func longDifference(_ code: Int, _ buffer: UInt64, _ entry: UInt32) -> (
        difference: Int, bits: Int
    ) {
        var (length, category) = (Int(entry & 63) - Int(entry >> 6 & 15), Int(entry >> 6 & 15))
        if entry == 0 { (length, category) = Self.find(longDC[code], buffer) }
        guard length > 0 else { return (0, 0) }
        guard category > 0 else { return (0, length) }
        let rest = Int((buffer << UInt64(length)) >> UInt64(64 - category))
        return (DCEntry.extend(rest, category), length + category)
    }

    /// The AC code that the buffer begins with: its own bits, and what it means; 0 bits where there is none.
    @inline(__always)
    func coefficientCode(_ group: Group, _ buffer: UInt64) -> (bits: Int, value: Int) {
        let entry = group.single[buffer]
        return entry != 0 ? (Int(entry & 255), Int(entry >> 8)) : longCoefficient(group.acCode, buffer)
    }

    @inline(never)
    private func longCoefficient(_ code: Int, _ buffer: UInt64) -> (bits: Int, value: Int) {
        Self.find(longAC[code], buffer)
    }

    private static func find(_ words: [HuffmanCode.Word], _ buffer: UInt64) -> (bits: Int, value: Int) {
        for word in words where UInt32(buffer >> UInt64(64 - word.length)) == word.bits {
            return (word.length, Int(word.value))
        }
        return (0, 0)
    }
}
