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
