/// Inflates a zlib stream chunk by chunk, and can begin again at any symbol.
///
/// libdeflate has no streaming interface, and zlib can begin only at blocks that it still knows: this decoder notes
/// the bit of a symbol and the bit of its block's header. Source: RFC 1950 and RFC 1951.
///
/// What follows a symbol depends on three things: the codes of its block, which are read from the header again; the 32
/// KB before it, which matches refer to; and the bit where it ends, which may be any of a byte. A checkpoint has all
/// three, so that decoding may begin in the middle of a block.
///
/// The stream is the contents of IDAT chunks, which end at any byte of it (PNG, third edition, 10.2): `ImageDataInput`
/// joins them. It checks the CRCs of chunks that are read as a whole, so the Adler-32 of the stream is not read.
/// Decoding may run over the end into zeros: the position is compared with the end before anything is made of what was
/// found there.
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

    let input: ImageDataInput
    let tables = InflateTables()
    private var state = State.block
    private var isLastBlock = false
    var position: Position

    /// Begins at the start of the stream.
    init(_ input: ImageDataInput) throws(PNGIndexError) {
        self.input = input
        position = Position(bit: 0, block: 0, blockChunk: input.first)
        try input.load(from: 0)
        // CM 8 and no dictionary; both bytes, as a number, are a multiple of 31 (RFC 1950, 2.2).
        let header = try take(16)
        guard header & 15 == 8, header & 0x2000 == 0, (header << 8 & 0xFF00 | header >> 8) % 31 == 0 else {
            throw .brokenData
        }
        position.block = 16
    }

    /// Begins at a block that is still to be found.
    init(scouting input: ImageDataInput) {
        self.input = input
        position = Position(bit: 0, block: 0, blockChunk: input.first)
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

    /// Whether the next symbol is the header of a block.
    var isBetweenBlocks: Bool { if case .block = state { true } else { false } }

    /// Fills a chunk up to its size; false where the stream ends.
    ///
    /// - Parameter target: Filling ends at the first header of a block from this bit on.
    func fill(_ chunk: InflatedChunk, until target: Int = .max) throws(PNGIndexError) -> Bool {
        while chunk.end < chunk.limit {
            switch state {
            case .block:
                if position.bit >= target { return true }
                try readBlockHeader()
            case .symbols: try readSymbols({ chunk.end < chunk.limit }) { decode(chunk) }
            case .stored(let count): try copyStored(count, chunk)
            case .end: return false
            }
        }
        return true
    }

    /// Fills a chunk whose window is unknown; false where the stream ends.
    func fill(_ chunk: MarkedChunk) throws(PNGIndexError) -> Bool {
        while !chunk.isFull {
            switch state {
            case .block: try readBlockHeader()
            case .symbols: try readSymbols({ !chunk.isFull }) { decode(chunk) }
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

    func readBlockHeader() throws(PNGIndexError) {
        position.block = position.bit
        isLastBlock = try take(1) == 1
        position.blockChunk = input.chunk(of: position.block >> 3)
        // RFC 1951, 3.2.3.
        switch try take(2) {
        case 0:
            // The length begins at a whole byte, and its complement follows (3.2.4).
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
            // Runs may go on from the lengths of literals to those of distances (RFC 1951, 3.2.7).
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
    func peek() throws(PNGIndexError) -> UInt64 {
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
        try unsafe copyStored(count, room: chunk.limit - chunk.end) { source in
            // Below the limit of the chunk.
            unsafe (chunk.bytes + chunk.end).copyMemory(
                from: source.baseAddress!, byteCount: source.count)
            chunk.end += source.count
        }
    }

    private func copyStored(_ count: Int, _ chunk: MarkedChunk) throws(PNGIndexError) {
        try unsafe copyStored(count, room: chunk.limit - chunk.end) { unsafe chunk.append($0) }
    }

    /// Lends some of the `count` bytes left in a stored block, at most `room`.
    private func copyStored(
        _ count: Int, room: Int, _ copy: (UnsafeRawBufferPointer) -> Void
    ) throws(PNGIndexError) {
        let start = position.bit >> 3
        if start >= input.start + input.count || start < input.start { try input.load(from: start) }
        let available = input.start + input.count - start
        guard available > 0 || count == 0 else { throw .truncated }
        let copied = min(count, available, room)
        // Inside of the input.
        unsafe copy(
            UnsafeRawBufferPointer(start: input.bytes + (start - input.start), count: copied))
        position.bit += copied << 3
        state = .stored(count - copied)
        if copied == count { endBlock() }
    }
}

extension Inflater {
    /// Decodes symbols until a chunk is full or the block ends.
    @inline(__always)
    private func readSymbols(
        _ hasRoom: () -> Bool, _ decode: () -> Outcome
    ) throws(PNGIndexError) {
        while hasRoom() {
            let byte = position.bit >> 3
            if byte < input.start || byte + ImageDataInput.margin > input.start + input.count, !input.isFinal
            {
                try input.load(from: byte)
            }
            try checkEnd()
            switch decode() {
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
}
