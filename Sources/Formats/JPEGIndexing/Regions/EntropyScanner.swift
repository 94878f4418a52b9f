/// Reads entropy-coded data without making pixels: finds where MCUs begin and follows their DC predictors.
///
/// Only the codes tell where a block ends, but their values do not matter for that. DC differences (T.81, F.2.2.1) are
/// decoded, because predictors are sums of them. AC codes (F.2.2.2) are passed several at once: an entry of a table of
/// 12 bits has the length of all codes that these bits hold, with their values, and the coefficients that they pass. A
/// chain that would leave the block is undone, and its first code is read alone. Codes of more than 12 bits are rare:
/// they are found by bisection.
///
/// The parser has checked the header: the codes of the scan exist, and MCUs have blocks of all components. Callers
/// load the bytes of an MCU before it is read, and pass restart markers (E.2.4). Behind a marker or the end, zeros are
/// read; `isExhausted` tells afterwards that they were used.
final class EntropyScanner: Sendable {
    /// The blocks of one component in an MCU.
    ///
    /// Only plain values: two threads would contend for a reference count in the inner loop.
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
    /// All MCUs: the header computes their number again for each use.
    let mcuCount: Int
    /// What an MCU is made of, in the order of the scan.
    let groups: [Group]
    /// The owners of the groups' tables.
    private let tables: [LookupTable]
    /// The most bytes of an MCU: 64 codes of a block with their bits, all of them stuffed.
    let maximumMCUSize: Int
    /// The DC codes of each table by what they mean.
    let dcWords: [[HuffmanCode.Word?]]
    /// The codes that are too long for the tables.
    private let longDC: [[HuffmanCode.Word]]
    private let longAC: [[HuffmanCode.Word]]

    init(_ header: JPEGHeader) {
        self.header = header
        mcuCount = header.mcuCount
        // Components share tables: each is made once. Codes that the scan does not use have none.
        var dc = [LookupTable?](repeating: nil, count: header.dcCodes.count)
        var skip = [LookupTable?](repeating: nil, count: header.acCodes.count)
        var single = skip
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
            // The parser has checked that the codes of the scan exist; `tables` owns what the views show.
            return unsafe Group(
                component: index, blocks: across * down, dcCode: component.dcTable,
                acCode: component.acTable, dc: dc[component.dcTable]!.view,
                skip: skip[component.acTable]!.view, single: single[component.acTable]!.view)
        }
        maximumMCUSize = groups.reduce(0) { $0 + $1.blocks } * 64 * 4 * 2
        tables = (dc + skip + single).compactMap { $0 }
        dcWords = header.dcCodes.map { code in (0..<16).map { code?.word(UInt8($0)) } }
        longDC = header.dcCodes.map { $0?.words.filter { $0.length > LookupTable.indexBits } ?? [] }
        longAC = header.acCodes.map { $0?.words.filter { $0.length > LookupTable.indexBits } ?? [] }
    }
}

extension EntropyScanner {
    /// The DC difference at the beginning of the buffer, and its bits; 0 bits where there is no code.
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

    /// The AC code at the beginning of the buffer: its own bits and its meaning; 0 bits where there is none.
    @inline(__always)
    func coefficientCode(_ group: Group, _ buffer: UInt64) -> (bits: Int, value: Int) {
        let entry = group.single[buffer]
        return entry != 0 ? (Int(entry & 255), Int(entry >> 8)) : longCoefficient(group.acCode, buffer)
    }

    @inline(never)
    private func longCoefficient(_ code: Int, _ buffer: UInt64) -> (bits: Int, value: Int) {
        Self.find(longAC[code], buffer)
    }

    /// The code at the beginning of the buffer, of words in the order of their code; 0 bits where it is none of them.
    static func find(_ words: [HuffmanCode.Word], _ buffer: UInt64) -> (bits: Int, value: Int) {
        // Filled up with zeros to 16 bits, codes ascend: the last that is not above the buffer.
        let wanted = UInt32(buffer >> 48)
        var (low, high) = (0, words.count)
        while low < high {
            let middle = (low + high) / 2
            let word = words[middle]
            if word.bits << UInt32(16 - word.length) <= wanted { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return (0, 0) }
        let word = words[low - 1]
        guard wanted >> UInt32(16 - word.length) == word.bits else { return (0, 0) }
        return (word.length, Int(word.value))
    }
}

extension EntropyScanner {
    /// Reads `count` MCUs; false where the data is broken or ends, with an undefined `state`.
    ///
    /// The caller handles restart markers.
    func skip(_ count: Int, _ data: UnsafeByteView, _ state: inout EntropyState) -> Bool {
        var local = state
        for _ in 0..<count {
            for group in groups {
                var sum: Int32 = 0
                for _ in 0..<group.blocks {
                    guard let difference = readDifference(group, data, &local),
                        skipCoefficients(group, data, &local)
                    else { return false }
                    sum &+= difference
                }
                local.predictors[group.component] &+= sum
            }
        }
        state = local
        return !state.isExhausted
    }

    /// Reads one DC difference; nil where there is none.
    ///
    /// Inlined, so that a local `state` is kept in registers: see `BitBuffer`.
    @inline(__always)
    func readDifference(_ group: Group, _ data: UnsafeByteView, _ state: inout EntropyState) -> Int32? {
        state.refill(data)
        let (difference, used) = difference(group, state.buffer)
        if used == 0 { return nil }
        state.drop(used)
        return Int32(truncatingIfNeeded: difference)
    }

    /// Skips the AC codes of one block from a coefficient on; false where the data is broken.
    @inline(__always)
    func skipCoefficients(
        _ group: Group, _ data: UnsafeByteView, _ state: inout EntropyState, from first: Int = 1
    ) -> Bool {
        var coefficient = first
        if coefficient >= 64 { return coefficient == 64 }
        while true {
            state.refill(data)
            let entry = group.skip[state.buffer]
            let before = state
            state.drop(Int(truncatingIfNeeded: entry & 255))
            let next = coefficient &+ Int(truncatingIfNeeded: entry >> 8)
            if next < 64 {
                coefficient = next
                continue
            }
            // 128 marks the end of the block. From 192 on, the block would have more than its 64 coefficients.
            if next >= 128 && next < 192 { return true }
            state = before
            // The codes of this entry may belong to two blocks: the first of them alone.
            let (bits, advance) = skipOne(group, state.buffer)
            if bits == 0 { return false }
            state.drop(bits)
            coefficient &+= advance
            if coefficient >= 64 { return coefficient == 64 || advance == 128 }
        }
    }

    /// The AC code at the beginning of the buffer: its bits with value, and the coefficients that it passes.
    ///
    /// 128 ends the block; 0 bits where there is no code.
    @inline(never)
    private func skipOne(_ group: Group, _ buffer: UInt64) -> (bits: Int, advance: Int) {
        let (length, value) = coefficientCode(group, buffer)
        guard length > 0 else { return (0, 0) }
        let (run, size) = (value >> 4, value & 15)
        // T.81, F.1.2.2.1 has two codes without a value: the end of the block, and 16 zeros. Any run but 15 ends the
        // block: libjpeg, jdhuff.c, decode_mcu_slow.
        return (length + size, size == 0 && run != 15 ? 128 : run + 1)
    }
}

extension EntropyState {
    /// Ensures that the buffer holds 32 bits.
    @inline(__always)
    mutating func refill(_ data: UnsafeByteView) {
        if bits < 32 { BitBuffer.refill(data, &buffer, &bits, &position, &padding) }
    }

    /// Passes bits of the buffer.
    @inline(__always)
    mutating func drop(_ count: Int) {
        buffer &<<= UInt64(truncatingIfNeeded: count)
        bits &-= count
    }
}

/// Bits that codes are read from.
protocol CodeBits {
    /// What a buffer is filled from.
    associatedtype Bytes
    /// The next bits, the next one highest.
    var buffer: UInt64 { get }
    /// Ensures that the buffer holds 32 bits.
    mutating func refill(_ bytes: Bytes)
    /// Passes bits of the buffer.
    mutating func drop(_ count: Int)
}

extension EntropyState: CodeBits {}

/// The position of a reader of entropy-coded data, and what it has read ahead.
struct EntropyState {
    /// The next byte that is not in `buffer` yet.
    var position: Int
    /// Bits read ahead, the next one highest; zeros behind them.
    var buffer: UInt64 = 0
    /// How many bits `buffer` holds.
    var bits = 0
    /// How many of them are zeros behind a marker or the end of the file.
    var padding = 0
    /// The last DC value of each component of the frame.
    var predictors = SIMD4<Int32>()

    /// - Parameter bitPosition: from the beginning of the file; in the middle of a scan `predictors` belong to it.
    init(_ data: UnsafeByteView, at bitPosition: UInt64, predictors: SIMD4<Int32> = .zero) {
        position = min(Int(truncatingIfNeeded: bitPosition >> 3), data.end)
        self.predictors = predictors
        BitBuffer.refill(data, &buffer, &bits, &position, &padding)
        let skipped = Int(bitPosition & 7)
        buffer <<= UInt64(skipped)
        bits -= skipped
    }

    /// Whether more was read than the data holds.
    var isExhausted: Bool { bits < padding }

    /// The position of the next bit, counted from the beginning of the file.
    func bitPosition(in data: UnsafeByteView) -> UInt64 {
        Self.bitPosition(in: data, position, unread: bits - padding)
    }

    /// The position of the next whole byte: the rest of the present one is fill.
    func nextByte(in data: UnsafeByteView) -> Int {
        Int(Self.bitPosition(in: data, position, unread: (bits - padding) & ~7) >> 3)
    }

    private static func bitPosition(
        in data: UnsafeByteView, _ position: Int, unread: Int
    ) -> UInt64 {
        var byte = position
        // Checkpoints of another file's index may lead anywhere, but never out of the file.
        for _ in 0..<max(0, (unread + 7) / 8) where byte > data.start && byte <= data.end {
            byte -= 1
            // 0xFF 0x00 is one byte of data: a zero after 0xFF is never anything else here.
            if data[byte] == 0, byte > data.start, data[byte - 1] == 0xFF { byte -= 1 }
        }
        return UInt64(byte) << 3 | UInt64((8 - unread % 8) % 8)
    }
}

/// Reads entropy-coded data into a buffer of 64 bits, in pieces that inline into loops.
///
/// Everything is passed as a value: a structure with mutating methods stays in memory, and is 1.6 times slower.
enum BitBuffer {
    /// Fills the buffer up to 56 bits or more.
    @inline(__always)
    static func refill(
        _ data: UnsafeByteView, _ buffer: inout UInt64, _ bits: inout Int, _ position: inout Int,
        _ padding: inout Int
    ) {
        if let word = data.bigEndian64(at: position) {
            if !hasOnes(word) {
                // At most 63 bits are held: a shift by 64 is undefined.
                buffer |= word &>> UInt64(truncatingIfNeeded: bits)
                // Whole bytes are added, so the count keeps its lowest three bits.
                position &+= (63 &- bits) &>> 3
                bits |= 56
                return
            }
        }
        (buffer, bits, position, padding) = refillSlowly(data, buffer, bits, position, padding)
    }

    /// Whether one of eight bytes is 0xFF.
    @inline(__always)
    static func hasOnes(_ word: UInt64) -> Bool {
        // It shows as a byte of zeros in the inverse.
        (~word &- 0x0101_0101_0101_0101) & word & 0x8080_8080_8080_8080 != 0
    }

    /// The same byte by byte: around 0xFF, at markers, and near the end of the file.
    @inline(never)
    private static func refillSlowly(
        _ data: UnsafeByteView, _ buffer: UInt64, _ bits: Int, _ position: Int, _ padding: Int
    ) -> (UInt64, Int, Int, Int) {
        var (buffer, bits, position) = (buffer, bits, position)
        // What a fast refill left below the valid bits is read again.
        buffer = bits == 0 ? 0 : buffer & ~0 << UInt64(64 - bits)
        while bits <= 55 {
            guard position >= data.start, position < data.end else {
                return pad(buffer, bits, position, padding)
            }
            let byte = data[position]
            if byte == 0xFF {
                // A stuffed zero follows (T.81, F.1.2.3), else a marker.
                guard position + 1 < data.end, data[position + 1] == 0 else {
                    return pad(buffer, bits, position, padding)
                }
                position += 1
            }
            position += 1
            buffer |= UInt64(byte) << UInt64(56 - bits)
            bits += 8
        }
        return (buffer, bits, position, padding)
    }

    /// Adds zeros behind the end, so that loops need not check for it each time.
    private static func pad(
        _ buffer: UInt64, _ bits: Int, _ position: Int, _ padding: Int
    ) -> (UInt64, Int, Int, Int) {
        (buffer, 63, position, padding + 63 - bits)
    }
}
