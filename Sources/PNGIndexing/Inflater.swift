/// Inflates a zlib stream chunk by chunk, and can begin again at any symbol.
///
/// libdeflate has no streaming interface, and zlib can begin only at blocks that it still knows: this decoder notes
/// the bit of a symbol and the bit of its block's header. Source: RFC 1950 and RFC 1951.
@safe final class Inflater {
    /// A position between two symbols.
    struct Position: Hashable, Sendable {
        /// The bit of the next symbol, from the beginning of the stream.
        var bit: Int
        /// The bit of the header of the block of this symbol; equal to `bit` between blocks.
        var block: Int
        /// The chunk with the header of the block.
        var blockChunk: ImageDataInput.Chunk
    }

    /// What follows.
    private enum State {
        case block
        case symbols
        case stored(Int)
        case end
    }

    private let input: ImageDataInput
    private let tables = InflateTables()
    private var state = State.block
    private var isLastBlock = false
    private(set) var position: Position

    /// Begins at the start of the stream.
    init(_ input: ImageDataInput) throws(PNGIndexError) {
        self.input = input
        position = Position(bit: 0, block: 0, blockChunk: input.first)
        try input.load(from: 0)
        // CM 8 and no dictionary.
        let header = try take(16)
        guard header & 15 == 8, header & 0x2000 == 0, (header << 8 & 0xFF00 | header >> 8) % 31 == 0 else {
            throw .brokenData
        }
        position.block = 16
    }

    /// Begins at a position whose window is in the first chunk.
    ///
    /// - Parameter chunk: The chunk with the next symbol.
    init(_ input: ImageDataInput, at position: Position, in chunk: ImageDataInput.Chunk)
        throws(PNGIndexError)
    {
        self.input = input
        self.position = position
        try input.seek(to: position.blockChunk)
        guard position.block != position.bit else { return }
        self.position.bit = position.block
        try readBlockHeader()
        if chunk != position.blockChunk, position.bit >> 3 >= input.start + input.count {
            try input.seek(to: chunk)
        }
        if case .stored(let count) = state {
            let passed = position.bit / 8 - self.position.bit / 8
            guard position.bit & 7 == 0, (0...count).contains(passed) else { throw .brokenData }
            state = .stored(count - passed)
        }
        guard position.bit >= self.position.bit else { throw .brokenData }
        self.position.bit = position.bit
    }

    /// The chunk with the next symbol.
    var chunk: ImageDataInput.Chunk { input.chunk(of: position.bit >> 3) }

    /// Fills a chunk up to its size; false where the stream ends.
    func fill(_ chunk: InflatedChunk) throws(PNGIndexError) -> Bool {
        while chunk.end < chunk.limit {
            switch state {
            case .block: try readBlockHeader()
            case .symbols: try readSymbols(chunk)
            case .stored(let count): try copyStored(count, chunk)
            case .end: return false
            }
        }
        return true
    }

    // MARK: Blocks

    private func endBlock() {
        position.block = position.bit
        position.blockChunk = chunk
        state = isLastBlock ? .end : .block
    }

    /// The storage order of the lengths of the code length codes.
    private static let lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    private func readBlockHeader() throws(PNGIndexError) {
        position.block = position.bit
        isLastBlock = try take(1) == 1
        position.blockChunk = input.chunk(of: position.block >> 3)
        switch try take(2) {
        case 0:
            position.bit = (position.bit + 7) & ~7
            let count = try take(16)
            guard try take(16) == ~count & 0xFFFF else { throw .brokenData }
            state = .stored(count)
        case 1:
            tables.setFixed()
            state = .symbols
        case 2:
            try readCodes()
            state = .symbols
        default: throw .brokenData
        }
    }

    private func readCodes() throws(PNGIndexError) {
        let literals = try take(5) + 257
        let distances = try take(5) + 1
        let count = try take(4) + 4
        guard literals <= 286, distances <= 30 else { throw .brokenData }
        var ofLengths = InlineArray<19, UInt8>(repeating: 0)
        for index in 0..<count { ofLengths[Self.lengthOrder[index]] = UInt8(try take(3)) }
        let code = try LengthCode(ofLengths)
        var (filled, last) = (0, UInt8(0))
        while filled < literals + distances {
            // A symbol and its extra bits have 14 bits at most.
            var bits = try peek()
            let (symbol, size) = code.first(bits)
            guard size > 0 else { throw .brokenData }
            bits >>= UInt64(size)
            let run: (value: UInt8, count: Int, bits: Int)
            switch symbol {
            case ..<16: run = (symbol, 1, 0)
            case 16:
                guard filled > 0 else { throw .brokenData }
                run = (last, 3 + Int(bits & 3), 2)
            case 17: run = (0, 3 + Int(bits & 7), 3)
            default: run = (0, 11 + Int(bits & 127), 7)
            }
            guard filled + run.count <= literals + distances else { throw .brokenData }
            position.bit += size + run.bits
            tables.setLengths(run.value, at: filled, count: run.count)
            filled += run.count
            last = run.value
        }
        try checkEnd()
        guard tables.set(literals: literals, distances: distances) else { throw .brokenData }
    }

    /// Returns the next 57 bits at least, with zeros behind the end of the stream.
    private func peek() throws(PNGIndexError) -> UInt64 {
        let byte = position.bit >> 3
        if byte < input.start || byte + 8 > input.start + input.count && !input.isFinal {
            try input.load(from: byte)
        }
        let index = byte - input.start
        guard index <= input.count else { throw .truncated }
        // The padding of the buffer has more than eight bytes.
        return unsafe UInt64(
            littleEndian: (input.bytes + index).loadUnaligned(as: UInt64.self)) >> UInt64(position.bit & 7)
    }

    private func take(_ count: Int) throws(PNGIndexError) -> Int {
        let value = Int(try peek() & (1 << UInt64(count) - 1))
        position.bit += count
        guard position.bit <= (input.start + input.count) << 3 else { throw .truncated }
        return value
    }

    private func copyStored(_ count: Int, _ chunk: InflatedChunk) throws(PNGIndexError) {
        let start = position.bit >> 3
        if start >= input.start + input.count || start < input.start { try input.load(from: start) }
        let available = input.start + input.count - start
        guard available > 0 || count == 0 else { throw .truncated }
        let copied = min(count, available, chunk.limit - chunk.end)
        // Inside of the input, and below the limit of the chunk.
        unsafe (chunk.bytes + chunk.end).copyMemory(
            from: input.bytes + (start - input.start), byteCount: copied)
        chunk.end += copied
        position.bit += copied << 3
        state = .stored(count - copied)
        if copied == count { endBlock() }
    }
}

extension Inflater {
    /// Decodes symbols until the chunk is full or the block ends.
    private func readSymbols(_ chunk: InflatedChunk) throws(PNGIndexError) {
        while chunk.end < chunk.limit {
            let byte = position.bit >> 3
            if byte < input.start || byte + ImageDataInput.margin > input.start + input.count, !input.isFinal
            {
                try input.load(from: byte)
            }
            try checkEnd()
            switch decode(chunk) {
            case .more: break
            case .endOfBlock:
                try checkEnd()
                endBlock()
                return
            case .broken:
                try checkEnd()
                throw .brokenData
            }
        }
        try checkEnd()
    }

    private func checkEnd() throws(PNGIndexError) {
        guard position.bit <= (input.start + input.count) << 3 else { throw .truncated }
    }

    private enum Outcome {
        /// The chunk is full, or the input is nearly used up.
        case more
        case endOfBlock
        case broken
    }

    /// Decodes symbols while the chunk has room and the input has a margin.
    ///
    /// The bytes written may pass the limit of the chunk by `InflatedChunk.slack`. All state is in local variables: as
    /// members they would be stored after each symbol. Only the lowest six bits of `bits` count, so that whole entries
    /// can be subtracted.
    private func decode(_ chunk: InflatedChunk) -> Outcome {
        // Tables, input and chunk outlive the call; their bounds are checked by the conditions of the loop.
        let (literals, distances) = unsafe (tables.literals, tables.distances)
        let (source, output) = unsafe (
            UnsafePointer(input.bytes.assumingMemoryBound(to: UInt8.self)),
            chunk.bytes.assumingMemoryBound(to: UInt8.self)
        )
        let limit = chunk.limit
        // A turn of the loop loads eight bytes up to three times. Behind a final part there are as many zeros.
        let inputLimit = input.isFinal ? input.count + 16 : input.count - 32
        let free = max(chunk.oldest, chunk.trackedEnd)
        var out = chunk.end
        var next = position.bit >> 3 - input.start
        var buffer: UInt64 = 0
        var bits: UInt32 = 0
        guard out < limit, next < inputLimit else { return .more }
        // Begins inside of a byte.
        unsafe Self.refill(source, &next, &buffer, &bits)
        buffer >>= UInt64(position.bit & 7)
        bits &-= UInt32(position.bit & 7)
        unsafe Self.refill(source, &next, &buffer, &bits)
        var entry = unsafe InflateTables.literal(literals, buffer)
        var outcome = Outcome.more
        // Each turn begins with 56 bits, of which the entry's are not consumed yet.
        decoding: repeat {
            if entry & InflateTables.Entry.literal != 0 {
                // Four literals, and the index of what follows, have 55 bits at most.
                unsafe Self.take(entry, output, &out, &buffer, &bits)
                entry = unsafe InflateTables.literal(literals, buffer)
                if entry & InflateTables.Entry.literal != 0 {
                    unsafe Self.take(entry, output, &out, &buffer, &bits)
                    entry = unsafe InflateTables.literal(literals, buffer)
                    if entry & InflateTables.Entry.literal != 0 {
                        unsafe Self.take(entry, output, &out, &buffer, &bits)
                        entry = unsafe InflateTables.literal(literals, buffer)
                        if entry & InflateTables.Entry.literal != 0 {
                            unsafe Self.take(entry, output, &out, &buffer, &bits)
                            entry = unsafe InflateTables.literal(literals, buffer)
                            unsafe Self.refill(source, &next, &buffer, &bits)
                            continue
                        }
                    }
                }
                unsafe Self.refill(source, &next, &buffer, &bits)
            }
            if entry & InflateTables.Entry.exception != 0 {
                if entry & InflateTables.Entry.subtable != 0 {
                    entry = unsafe InflateTables.continued(
                        literals, entry, InflateTables.literalBits, &buffer, &bits)
                    if entry & InflateTables.Entry.literal != 0 {
                        unsafe Self.take(entry, output, &out, &buffer, &bits)
                        unsafe Self.refill(source, &next, &buffer, &bits)
                        entry = unsafe InflateTables.literal(literals, buffer)
                        continue
                    }
                }
                if entry & InflateTables.Entry.exception != 0 {
                    outcome = entry & InflateTables.Entry.endOfBlock != 0 ? .endOfBlock : .broken
                    Self.pass(entry & 31, &buffer, &bits)
                    break decoding
                }
            }
            // A length takes at most 20 bits, and a distance 28, of at least 56.
            let length = Self.value(entry, buffer)
            Self.pass(entry, &buffer, &bits)
            entry = unsafe InflateTables.distance(distances, buffer)
            if entry & InflateTables.Entry.exception != 0 {
                if entry & InflateTables.Entry.subtable != 0 {
                    entry = unsafe InflateTables.continued(
                        distances, entry, InflateTables.distanceBits, &buffer, &bits)
                }
                guard entry & InflateTables.Entry.exception == 0 else {
                    outcome = .broken
                    break decoding
                }
            }
            let from = out &- Self.value(entry, buffer)
            Self.pass(entry, &buffer, &bits)
            if from < free {
                guard from >= chunk.oldest else {
                    outcome = .broken
                    break decoding
                }
                chunk.track(from..<min(from + length, chunk.trackedEnd))
            }
            // The next entry is loaded while the match is copied.
            unsafe Self.refill(source, &next, &buffer, &bits)
            entry = unsafe InflateTables.literal(literals, buffer)
            unsafe Self.copy(output, from, out, length)
            out &+= length
        } while out < limit && next < inputLimit
        chunk.end = out
        position.bit = (input.start + next) << 3 - Int(bits & 63)
        return outcome
    }

    /// Writes a literal and passes its bits.
    @inline(__always)
    private static func take(
        _ entry: UInt32, _ output: UnsafeMutablePointer<UInt8>, _ out: inout Int, _ buffer: inout UInt64,
        _ bits: inout UInt32
    ) {
        // The loop ends before the limit of the output.
        unsafe output[out] = UInt8(truncatingIfNeeded: entry >> 16)
        out &+= 1
        pass(entry, &buffer, &bits)
    }

    /// Passes the bits of an entry.
    @inline(__always)
    private static func pass(_ entry: UInt32, _ buffer: inout UInt64, _ bits: inout UInt32) {
        // The shift counts modulo 64, and the sixth bit of entries is zero.
        buffer &>>= UInt64(truncatingIfNeeded: entry)
        bits &-= entry
    }

    /// The base of a length or distance plus its extra bits.
    @inline(__always)
    private static func value(_ entry: UInt32, _ buffer: UInt64) -> Int {
        let all = buffer & (1 &<< UInt64(entry & 31) &- 1)
        return Int(truncatingIfNeeded: entry >> 16)
            &+ Int(truncatingIfNeeded: all &>> UInt64(entry >> 8 & 15))
    }

    /// Loads at least 56 bits; those above the count are the following bits of the input, and stay valid.
    @inline(__always)
    private static func refill(
        _ source: UnsafePointer<UInt8>, _ next: inout Int, _ buffer: inout UInt64, _ bits: inout UInt32
    ) {
        // The caller ensures that eight bytes can be read.
        let word = unsafe UInt64(
            littleEndian: UnsafeRawPointer(source + next).loadUnaligned(as: UInt64.self))
        buffer |= word &<< UInt64(truncatingIfNeeded: bits)
        next &+= 7 &- Int(truncatingIfNeeded: bits &>> 3 & 7)
        bits |= 56
    }

    /// Copies a match, and up to 15 bytes too many.
    @inline(__always)
    private static func copy(
        _ output: UnsafeMutablePointer<UInt8>, _ from: Int, _ to: Int, _ length: Int
    ) {
        var (source, target) = (
            unsafe UnsafeRawPointer(output + from), unsafe UnsafeMutableRawPointer(output + to)
        )
        let distance = to &- from
        // The chunk has room behind its limit. Most matches are short, whatever their distance: one branch for both.
        if (16 &- length) | (distance &- length) >= 0 {
            unsafe target.storeBytes(
                of: source.loadUnaligned(as: SIMD16<UInt8>.self), as: SIMD16<UInt8>.self)
            return
        }
        let end = unsafe target + length
        if distance >= 16 {
            repeat {
                // As above.
                unsafe target.storeBytes(
                    of: source.loadUnaligned(as: SIMD16<UInt8>.self), as: SIMD16<UInt8>.self)
                unsafe (source, target) = (source + 16, target + 16)
            } while unsafe target < end
        } else {
            // Each step writes eight bytes, of which as many as the distance are right; the next step mends the rest.
            let step = min(distance, 8)
            repeat {
                // As above.
                unsafe target.storeBytes(of: source.loadUnaligned(as: UInt64.self), as: UInt64.self)
                unsafe (source, target) = (source + step, target + step)
            } while unsafe target < end
        }
    }
}
