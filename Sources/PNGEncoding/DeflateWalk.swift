/// Where the last block of a deflate stream begins, and where the stream ends.
///
/// libdeflate marks the last block of everything it compresses, and does not say where that block is. The walk
/// reads lengths of codes only and makes no bytes, in about a seventh of the time that compression takes. The
/// stream must be libdeflate's own: a broken one stops the program.
struct DeflateWalk {
    /// The bit position of the header of the last block.
    private(set) var finalBlock = 0
    /// The bit position after the last block.
    private(set) var end = 0

    init(_ stream: Bytes) {
        var reader = DeflateBits(stream)
        let tables = DeflateTables()
        var isFinal = false
        while !isFinal {
            finalBlock = reader.position
            isFinal = reader.take(1) == 1
            switch reader.take(2) {
            case 0: Self.skipStored(&reader)
            case 1:
                tables.setFixed()
                Self.skipCodes(&reader, tables)
            case 2:
                Self.readLengths(&reader, tables)
                Self.skipCodes(&reader, tables)
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

    /// The order in which the lengths of the code for code lengths are stored (RFC 1951, 3.2.7).
    private static let lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    /// Reads the header of a block with codes of its own.
    private static func readLengths(_ reader: inout DeflateBits, _ tables: DeflateTables) {
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
        tables.set(literals: Array(all[..<literals]), distances: Array(all[literals...]))
    }

    /// Skips literals and matches up to the end of the block.
    private static func skipCodes(_ reader: inout DeflateBits, _ tables: DeflateTables) {
        var position = reader.position
        let bytes = reader.bytes
        while true {
            // 57 bits or more are there: enough for a length and a distance with their extra bits (48).
            var window = DeflateBits.window(bytes, position)
            var entry = tables.literal(window)
            if entry.kind == .literals {
                position &+= entry.bits
                window >>= UInt64(truncatingIfNeeded: entry.bits)
                entry = tables.literal(window)
                if entry.kind == .literals {
                    position &+= entry.bits
                    continue
                }
                window = DeflateBits.window(bytes, position)
            }
            if entry.kind == .long {
                entry = tables.longLiteral(window)
            }
            position &+= entry.bits
            if entry.kind == .endOfBlock { break }
            if entry.kind == .literals { continue }
            window >>= UInt64(truncatingIfNeeded: entry.bits)
            position &+= tables.distanceBits(window)
        }
        reader.position = position
    }
}
