/// Deflate without matches except for runs of zeros: about as small as a search for matches on filtered photographs,
/// and several times faster.
///
/// Filtered rows of a photograph repeat hardly anything but zeros. What makes them smaller are the short codes of the
/// frequent differences, and those take two passes over a block: one counts bytes, one writes their codes. Runs of
/// zeros are matches of distance 1, found eight bytes at a time. Graphics whose patterns repeat become larger than by
/// a search for matches.
///
/// Blocks have codes of their own (RFC 1951, 3.2.7). Their header is written as simply as possible, all lengths in
/// four bits each, because it is below 512 bytes for 128 KB. A block is filtered just before it is compressed, while
/// it is in the processor's cache; before, all rows of a strip were filtered first.
enum RunDeflate {
    /// The usual bytes of a block's input.
    static let blockSize = 1 << 17
    /// Four codes of a length fit into 64 bits together with seven bits of the byte before.
    private static let longestCode = 14
    private static let endOfBlock = 256
    private static let longestMatch = 258
    /// The symbol of matches of 258 bytes.
    private static let longestSymbol = 285

    /// Returns the maximum compressed size of `count` bytes in blocks of at least `blockSize` bytes and a smaller one.
    static func bound(_ count: Int) -> Int {
        // No code is longer than two bytes, and each block has a header below 512 bytes.
        2 * count + (count / blockSize + 1) * 512 + 16
    }

    /// Writes blocks as raw deflate and returns the number of bytes written.
    ///
    /// - Parameters:
    ///   - isLast: Whether the stream ends; otherwise an empty stored block pads it to a whole byte.
    ///   - block: Returns the input of a block, which is used until the next call.
    static func compress(
        blocks count: Int, to output: UnsafeMutableByteView, isLast: Bool, _ block: (Int) -> UnsafeByteView
    ) -> Int {
        var writer = BitOutput(output)
        for number in 0..<count {
            write(block(number), isFinal: isLast && number == count - 1, to: &writer)
        }
        if !isLast {
            // The length 0 and its complement (RFC 1951, 3.2.4).
            writer.append(0, count: 3)
            writer.align()
            writer.append(0xFFFF_0000, count: 32)
        }
        writer.align()
        return writer.count
    }

    private static func write(_ input: UnsafeByteView, isFinal: Bool, to writer: inout BitOutput) {
        var counts = [Int](repeating: 0, count: 286)
        count(input, &counts)
        counts[endOfBlock] = 1
        let lengths = CodeLengths.optimal(counts, longest: longestCode)
        writer.append(isFinal ? 1 : 0, count: 1)
        // Type 2: codes of its own.
        writer.append(2, count: 2)
        // 286 lengths of literals and matches, one distance; every length as a code of four bits.
        writer.append(286 - 257, count: 5)
        writer.append(0, count: 5)
        writer.append(19 - 4, count: 4)
        for symbol in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15] {
            writer.append(symbol < 16 ? 4 : 0, count: 3)
        }
        // The distance 1 has the code 0.
        for length in lengths + [1] { writer.append(reversed(UInt64(length), 4), count: 4) }
        emit(input, codes(lengths), to: &writer)
    }

    /// Counts symbols, eight bytes at a time.
    private static func count(_ input: UnsafeByteView, _ counts: inout [Int]) {
        // Two tables: equal neighbors would wait for each other.
        var first = InlineArray<256, Int32>(repeating: 0)
        var second = InlineArray<256, Int32>(repeating: 0)
        var offset = 0
        while offset + 8 <= input.count {
            let word = input.load(offset, as: UInt64.self)
            if word == 0 {
                let run = zeros(input, offset)
                first[0] &+= Int32(1 + tail(run))
                let rest = (run - 1) % longestMatch
                counts[longestSymbol] += (run - 1) / longestMatch
                if rest >= 3 { counts[lengthCode(rest).symbol] += 1 }
                offset += run
                continue
            }
            first[Int(truncatingIfNeeded: word & 255)] &+= 1
            second[Int(truncatingIfNeeded: word &>> 8 & 255)] &+= 1
            first[Int(truncatingIfNeeded: word &>> 16 & 255)] &+= 1
            second[Int(truncatingIfNeeded: word &>> 24 & 255)] &+= 1
            first[Int(truncatingIfNeeded: word &>> 32 & 255)] &+= 1
            second[Int(truncatingIfNeeded: word &>> 40 & 255)] &+= 1
            first[Int(truncatingIfNeeded: word &>> 48 & 255)] &+= 1
            second[Int(truncatingIfNeeded: word &>> 56)] &+= 1
            offset += 8
        }
        while offset < input.count {
            first[Int(input[offset])] += 1
            offset += 1
        }
        for symbol in 0..<256 { counts[symbol] += Int(first[symbol]) + Int(second[symbol]) }
    }

    /// The number of zeros at an offset, a multiple of eight and at most those of many matches.
    private static func zeros(_ input: UnsafeByteView, _ offset: Int) -> Int {
        var end = offset + 8
        while end + 8 <= input.count, input.load(end, as: UInt64.self) == 0 { end += 8 }
        return end - offset
    }

    /// The zeros of a run that are literals behind its matches: matches have at least three bytes.
    private static func tail(_ run: Int) -> Int {
        let rest = (run - 1) % longestMatch
        return rest < 3 ? rest : 0
    }

    /// The symbol of a match of 3 to 257 bytes, and its extra bits.
    private static func lengthCode(_ length: Int) -> (symbol: Int, extra: UInt64, bits: Int) {
        let value = length - 3
        guard value >= 8 else { return (257 + value, 0, 0) }
        let bits = Int.bitWidth - 1 - value.leadingZeroBitCount - 2
        return (257 + 4 * bits + value >> bits, UInt64(value & (1 << bits - 1)), bits)
    }

    /// Codes with their lengths above bit 16: they count up within a length (RFC 1951, 3.2.2).
    private static func codes(_ lengths: [UInt8]) -> [UInt32] {
        var codes = [UInt32](repeating: 0, count: 286)
        var next: UInt64 = 0
        for length in 1...longestCode {
            for symbol in lengths.indices where Int(lengths[symbol]) == length {
                codes[symbol] = UInt32(reversed(next, length)) | UInt32(length) << 16
                next += 1
            }
            next <<= 1
        }
        return codes
    }

    /// The bits of a code in the order of the stream, from the highest on (RFC 1951, 3.1.1).
    private static func reversed(_ code: UInt64, _ count: Int) -> UInt64 {
        (0..<count).reduce(0) { $0 | (code >> UInt64($1) & 1) << UInt64(count - 1 - $1) }
    }

    private static func emit(
        _ input: UnsafeByteView, _ codes: [UInt32], to writer: inout BitOutput
    ) {
        var local = writer
        // Indexed by bytes: there are more codes.
        let table = codes.span
        var offset = 0
        while offset + 8 <= input.count {
            let word = UInt64(littleEndian: input.load(offset, as: UInt64.self))
            if word == 0 {
                let run = zeros(input, offset)
                emit(run: run, codes, to: &local)
                offset += run
                continue
            }
            unsafe local.add(table[unchecked: Int(truncatingIfNeeded: word & 255)])
            unsafe local.add(table[unchecked: Int(truncatingIfNeeded: word &>> 8 & 255)])
            unsafe local.add(table[unchecked: Int(truncatingIfNeeded: word &>> 16 & 255)])
            unsafe local.add(table[unchecked: Int(truncatingIfNeeded: word &>> 24 & 255)])
            local.flush()
            unsafe local.add(table[unchecked: Int(truncatingIfNeeded: word &>> 32 & 255)])
            unsafe local.add(table[unchecked: Int(truncatingIfNeeded: word &>> 40 & 255)])
            unsafe local.add(table[unchecked: Int(truncatingIfNeeded: word &>> 48 & 255)])
            unsafe local.add(table[unchecked: Int(truncatingIfNeeded: word &>> 56)])
            local.flush()
            offset += 8
        }
        while offset < input.count {
            local.add(codes[Int(input[offset])])
            local.flush()
            offset += 1
        }
        local.add(codes[endOfBlock])
        local.flush()
        writer = local
    }

    private static func emit(
        run: Int, _ codes: [UInt32], to writer: inout BitOutput
    ) {
        let rest = (run - 1) % longestMatch
        for _ in 0..<(rest < 3 ? 1 + rest : 1) {
            writer.add(codes[0])
            writer.flush()
        }
        for _ in 0..<((run - 1) / longestMatch) {
            writer.add(codes[longestSymbol])
            // The distance.
            writer.append(0, count: 1)
        }
        guard rest >= 3 else { return }
        let code = lengthCode(rest)
        writer.add(codes[code.symbol])
        writer.append(code.extra, count: code.bits)
        writer.append(0, count: 1)
    }
}

/// Writes bits, starting with the lowest bit of each byte.
private struct BitOutput {
    private let output: UnsafeMutableByteView
    private(set) var count = 0
    private var buffer: UInt64 = 0
    private var bits: UInt64 = 0

    init(_ output: UnsafeMutableByteView) { self.output = output }

    /// Adds a code with its length above bit 16, without writing it.
    @inline(__always)
    mutating func add(_ entry: UInt32) {
        buffer |= UInt64(entry & 0xFFFF) &<< bits
        bits &+= UInt64(entry &>> 16)
    }

    /// Writes all whole bytes.
    @inline(__always)
    mutating func flush() {
        output.store(buffer.littleEndian, at: count)
        count &+= Int(truncatingIfNeeded: bits &>> 3)
        buffer &>>= bits & 56
        bits &= 7
    }

    /// Appends up to 32 bits.
    mutating func append(_ value: UInt64, count: Int) {
        flush()
        buffer |= value << bits
        bits += UInt64(count)
        flush()
    }

    /// Pads to a whole byte with zeros.
    mutating func align() {
        bits = (bits + 7) & ~7
        flush()
    }
}

/// Lengths of prefix codes.
private enum CodeLengths {
    /// Returns the lengths of an optimal code, or nearly optimal where it would be too long.
    static func optimal(_ counts: [Int], longest: Int) -> [UInt8] {
        var counts = counts
        while true {
            let lengths = huffman(counts)
            if (lengths.max() ?? 0) <= longest { return lengths.map { UInt8($0) } }
            // Flatter counts make shorter codes.
            counts = counts.map { $0 == 0 ? 0 : $0 / 4 + 1 }
        }
    }

    /// Source: Huffman's algorithm with two queues.
    private static func huffman(_ counts: [Int]) -> [Int] {
        var lengths = [Int](repeating: 0, count: counts.count)
        let leaves = counts.indices.filter { counts[$0] > 0 }.sorted { counts[$0] < counts[$1] }
        guard leaves.count > 1 else {
            // A complete code has two symbols at least.
            for symbol in leaves { lengths[symbol] = 1 }
            lengths[leaves.first == 0 ? 1 : 0] = 1
            return lengths
        }
        var weights = leaves.map { counts[$0] }
        var parents = [Int](repeating: 0, count: 2 * leaves.count - 1)
        var (leaf, node) = (0, leaves.count)
        for parent in leaves.count..<(2 * leaves.count - 1) {
            var weight = 0
            for _ in 0..<2 {
                let takesLeaf =
                    leaf < leaves.count && (node >= parent || weights[leaf] <= weights[node])
                let child = takesLeaf ? leaf : node
                if takesLeaf { leaf += 1 } else { node += 1 }
                weight += weights[child]
                parents[child] = parent
            }
            weights.append(weight)
        }
        var depths = [Int](repeating: 0, count: parents.count)
        for child in stride(from: parents.count - 2, through: 0, by: -1) {
            depths[child] = depths[parents[child]] + 1
        }
        for (number, symbol) in leaves.enumerated() { lengths[symbol] = depths[number] }
        return lengths
    }
}
