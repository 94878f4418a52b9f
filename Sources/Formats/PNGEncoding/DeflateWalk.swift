/// Finds the beginning of the last block of a deflate stream, and the end of the stream.
///
/// libdeflate marks the last block but does not return its position. The walk reads only the lengths of codes and
/// decodes no bytes. Streams must come from libdeflate: an invalid one traps. Source: RFC 1951, 3.2.
struct DeflateWalk {
    /// The bit position of the header of the last block.
    private(set) var finalBlock = 0
    /// The bit position after the last block.
    private(set) var end = 0

    init(_ stream: UnsafeByteView) {
        var reader = DeflateBits(stream)
        var isFinal = false
        while !isFinal {
            finalBlock = reader.position
            isFinal = reader.take(1) == 1
            switch reader.take(2) {
            case 0: Self.skipStored(&reader)
            case 1: Self.skipCodes(&reader, Self.fixedLiterals, Self.fixedDistances)
            case 2: Self.skipDynamic(&reader)
            default: preconditionFailure("libdeflate wrote a block of unknown type")
            }
        }
        end = reader.position
    }

    private static func skipStored(_ reader: inout DeflateBits) {
        let start = (reader.position + 7) / 8
        let count = Int(UInt16(littleEndian: reader.bytes.load(start, as: UInt16.self)))
        reader.position = (start + 4 + count) * 8
    }

    /// The codes of blocks of type 1 (RFC 1951, 3.2.6).
    private static let fixedLiterals = PrefixCode(
        (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    private static let fixedDistances = PrefixCode([UInt8](repeating: 5, count: 32))

    /// The storage order of the lengths of the code length codes (RFC 1951, 3.2.7).
    private static let lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    /// Skips a block that begins with its codes.
    private static func skipDynamic(_ reader: inout DeflateBits) {
        let literals = reader.take(5) + 257
        let distances = reader.take(5) + 1
        let lengths = reader.take(4) + 4
        var ofLengths = [UInt8](repeating: 0, count: 19)
        for index in 0..<lengths { ofLengths[lengthOrder[index]] = UInt8(reader.take(3)) }
        let code = PrefixCode(ofLengths)
        var all: [UInt8] = []
        all.reserveCapacity(320)
        while all.count < literals + distances {
            switch code.next(&reader) {
            case let length where length < 16: all.append(UInt8(length))
            case 16: all.append(contentsOf: repeatElement(all[all.count - 1], count: 3 + reader.take(2)))
            case 17: all.append(contentsOf: repeatElement(0, count: 3 + reader.take(3)))
            default: all.append(contentsOf: repeatElement(0, count: 11 + reader.take(7)))
            }
        }
        skipCodes(&reader, PrefixCode(Array(all[..<literals])), PrefixCode(Array(all[literals...])))
    }

    /// Skips literals and matches up to the end of the block.
    private static func skipCodes(
        _ reader: inout DeflateBits, _ literals: borrowing PrefixCode, _ distances: borrowing PrefixCode
    ) {
        while true {
            let symbol = literals.next(&reader)
            if symbol < 256 { continue }
            if symbol == 256 { return }
            // Lengths and distances have extra bits.
            if symbol >= 265, symbol < 285 { reader.position += (symbol - 261) / 4 }
            let distance = distances.next(&reader)
            if distance >= 4 { reader.position += (distance - 2) / 2 }
        }
    }
}

/// Reads bits of a deflate stream, starting with the lowest bit of each byte.
struct DeflateBits {
    let bytes: UnsafeByteView
    /// In bits from the beginning.
    var position = 0

    init(_ bytes: UnsafeByteView) {
        self.bytes = bytes
    }

    /// At least 57 bits from the position on, with zeros after the end.
    @inline(__always)
    var window: UInt64 {
        let offset = position >> 3
        guard offset &+ 8 <= bytes.count else { return tail }
        return UInt64(littleEndian: bytes.load(offset, as: UInt64.self)) >> UInt64(position & 7)
    }

    /// The same byte by byte, near the end.
    @inline(never)
    private var tail: UInt64 {
        let offset = position >> 3
        precondition(offset <= bytes.count, "libdeflate's stream has no end")
        var value: UInt64 = 0
        for index in stride(from: bytes.count - 1, through: offset, by: -1) {
            value = value << 8 | UInt64(bytes[index])
        }
        return value >> UInt64(position & 7)
    }

    /// Reads up to 16 bits as an integer.
    mutating func take(_ count: Int) -> Int {
        let value = Int(window & (1 << UInt64(count) - 1))
        position += count
        return value
    }
}

/// A prefix code of at most 15 bits.
struct PrefixCode {
    /// The number of codes of each length.
    private var counts = [Int](repeating: 0, count: 16)
    /// The symbols by length, then by value.
    private var symbols: [Int] = []
    /// A symbol and the length of its code above bit 12 for each value of the next bits; 0 for longer codes.
    private var table: [UInt16]

    private static let tableBits = 10

    init(_ lengths: [UInt8]) {
        for length in lengths where length > 0 { counts[Int(length)] += 1 }
        var places = [0, 0]
        for length in 1..<15 { places.append(places[length] + counts[length]) }
        symbols = [Int](repeating: 0, count: places[15] + counts[15])
        for symbol in lengths.indices where lengths[symbol] > 0 {
            symbols[places[Int(lengths[symbol])]] = symbol
            places[Int(lengths[symbol])] += 1
        }
        table = [UInt16](repeating: 0, count: 1 << Self.tableBits)
        setTable()
    }

    /// Sets the entries of all values that begin with a short code.
    private mutating func setTable() {
        var (code, index) = (0, 0)
        for length in 1...Self.tableBits {
            for _ in 0..<counts[length] {
                // Codes are stored with the highest bit first, all other values with the lowest bit first.
                let first = (0..<length).reduce(0) { $0 << 1 | code >> $1 & 1 }
                for value in stride(from: first, to: table.count, by: 1 << length) {
                    table[value] = UInt16(length << 12 | symbols[index])
                }
                code += 1
                index += 1
            }
            code <<= 1
        }
    }

    /// Reads the next symbol.
    @inline(__always)
    func next(_ reader: inout DeflateBits) -> Int {
        let window = reader.window
        let entry = Int(table[Int(truncatingIfNeeded: window & UInt64(table.count - 1))])
        let (symbol, length) = entry > 0 ? (entry & 0xFFF, entry >> 12) : long(window)
        reader.position += length
        return symbol
    }

    /// Returns the symbol at the beginning of `bits` and its length, bit by bit.
    @inline(never)
    private func long(_ bits: UInt64) -> (symbol: Int, length: Int) {
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
