/// Reads bits of a deflate stream, the lowest of each byte first.
struct DeflateBits {
    let bytes: Bytes
    /// In bits from the beginning.
    var position = 0

    init(_ bytes: Bytes) {
        self.bytes = bytes
    }

    /// At least 57 bits from a position on; zeros behind the end.
    @inline(__always)
    static func window(_ bytes: Bytes, _ position: Int) -> UInt64 {
        let offset = position >> 3
        if offset &+ 8 <= bytes.count {
            return UInt64(littleEndian: bytes.load(offset, as: UInt64.self)) >> UInt64(position & 7)
        }
        return tail(bytes, position)
    }

    @inline(never)
    private static func tail(_ bytes: Bytes, _ position: Int) -> UInt64 {
        let offset = position >> 3
        precondition(offset <= bytes.count, "libdeflate's stream has no end")
        var value: UInt64 = 0
        for index in stride(from: bytes.count - 1, through: offset, by: -1) {
            value = value << 8 | UInt64(bytes[index])
        }
        return value >> UInt64(position & 7)
    }

    var window: UInt64 { Self.window(bytes, position) }

    /// The next `count` bits, at most 16, as a number.
    mutating func take(_ count: Int) -> Int {
        let value = Int(window & (1 << UInt64(count) - 1))
        position += count
        return value
    }
}

/// A prefix code of at most 15 bits, read bit by bit: for headers and for rare long codes.
struct PrefixCode {
    /// How many codes there are of each length.
    private var counts = [Int](repeating: 0, count: 16)
    /// The symbols by length, then by value.
    private var symbols: [Int] = []

    init(_ lengths: [UInt8]) {
        for length in lengths where length > 0 { counts[Int(length)] += 1 }
        for length in 1...15 {
            for (symbol, own) in lengths.enumerated() where Int(own) == length { symbols.append(symbol) }
        }
    }

    /// The next symbol.
    func next(_ reader: inout DeflateBits) -> Int {
        let (symbol, length) = first(reader.window)
        reader.position += length
        return symbol
    }

    /// The symbol that the bits begin with, and its length.
    func first(_ bits: UInt64) -> (symbol: Int, length: Int) {
        var code = 0
        var firstCode = 0
        var index = 0
        for length in 1...15 {
            code |= Int(bits >> UInt64(length - 1) & 1)
            let count = counts[length]
            if code - firstCode < count { return (symbols[index + code - firstCode], length) }
            index += count
            firstCode = (firstCode + count) << 1
            code <<= 1
        }
        preconditionFailure("libdeflate wrote a code that its tables do not have")
    }
}
