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

extension EntropyScanner {
    /// Reads `count` MCUs; false where the data is broken or ends, and `state` is then of no use.
    ///
    /// Restart markers are the caller's.
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
    /// Inlined, so that a local `state` is kept in registers: see `EntropyReading`.
    @inline(__always)
    func readDifference(_ group: Group, _ data: UnsafeByteView, _ state: inout EntropyState) -> Int32? {
        state.refill(data)
        let (difference, used) = difference(group, state.buffer)
        if used == 0 { return nil }
        state.drop(used)
        return Int32(truncatingIfNeeded: difference)
    }

    /// Skips the AC codes of one block; false where the data is broken.
    @inline(__always)
    func skipCoefficients(_ group: Group, _ data: UnsafeByteView, _ state: inout EntropyState) -> Bool {
        var coefficient = 1
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

    /// The AC code that the buffer begins with: its bits with value, and how many coefficients it goes on.
    ///
    /// 128 ends the block; 0 bits where there is no code.
    @inline(never)
    private func skipOne(_ group: Group, _ buffer: UInt64) -> (bits: Int, advance: Int) {
        let (length, value) = coefficientCode(group, buffer)
        guard length > 0 else { return (0, 0) }
        let (run, size) = (value >> 4, value & 15)
        // Any run but 15 without a value ends the block: libjpeg, jdhuff.c, decode_mcu_slow.
        return (length + size, size == 0 && run != 15 ? 128 : run + 1)
    }
}

extension EntropyState {
    /// Makes sure of 32 bits.
    @inline(__always)
    mutating func refill(_ data: UnsafeByteView) {
        if bits < 32 { EntropyReading.refill(data, &buffer, &bits, &position, &invented) }
    }

    /// Goes on by bits that are in the buffer.
    @inline(__always)
    mutating func drop(_ count: Int) {
        buffer &<<= UInt64(truncatingIfNeeded: count)
        bits &-= count
    }
}

/// Where a reader of compressed data stands, and what it has read ahead.
struct EntropyState {
    /// The next byte that is not in `buffer` yet.
    var position: Int
    /// Bits read ahead, the next in the highest place; zeros behind them.
    var buffer: UInt64 = 0
    /// How many bits `buffer` holds.
    var bits = 0
    /// How many of them are zeros made up behind a marker or the end of the file.
    var invented = 0
    /// The last DC value of each component of the frame.
    var predictors = SIMD4<Int32>()

    /// At a position in bits from the beginning of the file; between MCUs only with their predictors.
    init(_ data: UnsafeByteView, at place: UInt64, predictors: SIMD4<Int32> = .zero) {
        position = min(Int(truncatingIfNeeded: place >> 3), data.count)
        self.predictors = predictors
        EntropyReading.refill(data, &buffer, &bits, &position, &invented)
        let skipped = Int(place & 7)
        buffer <<= UInt64(skipped)
        bits -= skipped
    }

    /// Whether more was read than the data holds.
    var isExhausted: Bool { bits < invented }

    /// The position of the next bit, counted from the beginning of the file.
    func place(_ data: UnsafeByteView) -> UInt64 { Self.place(data, position, unread: bits - invented) }

    /// The position of the next whole byte: what is left of one that is begun is padding.
    func nextByte(_ data: UnsafeByteView) -> Int {
        Int(Self.place(data, position, unread: (bits - invented) & ~7) >> 3)
    }

    private static func place(_ data: UnsafeByteView, _ position: Int, unread: Int) -> UInt64 {
        var byte = position
        // Places that an index of another file names may lead anywhere, but never out of the file.
        for _ in 0..<max(0, (unread + 7) / 8) where byte > data.start {
            byte -= 1
            // 0xFF 0x00 is one byte of data: a zero after 0xFF is never anything else here.
            if data[byte] == 0, byte > data.start, data[byte - 1] == 0xFF { byte -= 1 }
        }
        return UInt64(byte) << 3 | UInt64((8 - unread % 8) % 8)
    }
}

/// Reading compressed data into a buffer of 64 bits, in pieces that inline into loops.
///
/// Everything is passed as a value: a reader that is a structure with mutating methods stays in memory, and is
/// 1.6 times slower.
enum EntropyReading {
    /// Fills the buffer up to 56 bits or more.
    @inline(__always)
    static func refill(
        _ data: UnsafeByteView, _ buffer: inout UInt64, _ bits: inout Int, _ position: inout Int,
        _ invented: inout Int
    ) {
        if position &+ 8 <= data.count {
            let word = data.bigEndian64(position)
            let inverted = ~word
            // A byte of ones shows as a byte of zeros in the inverse.
            if (inverted &- 0x0101_0101_0101_0101) & word & 0x8080_8080_8080_8080 == 0 {
                // At most 63 bits are held: a shift by 64 has no meaning.
                buffer |= word &>> UInt64(truncatingIfNeeded: bits)
                position &+= (63 &- bits) &>> 3
                bits |= 56
                return
            }
        }
        (buffer, bits, position, invented) = refillSlowly(data, buffer, bits, position, invented)
    }

    /// The same byte by byte: around 0xFF, at markers, and near the end of the file.
    @inline(never)
    private static func refillSlowly(
        _ data: UnsafeByteView, _ buffer: UInt64, _ bits: Int, _ position: Int, _ invented: Int
    ) -> (UInt64, Int, Int, Int) {
        var (buffer, bits, position, invented) = (buffer, bits, position, invented)
        // What a fast refill left below the valid bits is read again here.
        buffer = bits == 0 ? 0 : buffer & ~0 << UInt64(64 - bits)
        while bits <= 55 {
            guard position < data.count else { return invent(buffer, bits, position, invented) }
            let byte = data[position]
            if byte == 0xFF {
                guard position + 1 < data.count, data[position + 1] == 0 else {
                    return invent(buffer, bits, position, invented)
                }
                position += 1
            }
            position += 1
            buffer |= UInt64(byte) << UInt64(56 - bits)
            bits += 8
        }
        return (buffer, bits, position, invented)
    }

    /// Zeros behind the end, so that loops need to look for it only once in a while.
    private static func invent(
        _ buffer: UInt64, _ bits: Int, _ position: Int, _ invented: Int
    ) -> (UInt64, Int, Int, Int) {
        (buffer, 63, position, invented + 63 - bits)
    }
}
