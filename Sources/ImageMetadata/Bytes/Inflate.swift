/// Unpacks deflated bytes, bounded: for the short texts of a PNG that carry metadata.
///
/// Written for safety, not for speed: pixels never go through here. Source: RFC 1950 and 1951.
struct Inflate {
    private let input: FileBytes
    private let limit: Int
    private var bits: BitReader
    private var output: [UInt8] = []

    /// The text of a zlib stream; nil where it is broken or longer than `limit`.
    ///
    /// The checksum is not looked at.
    static func zlib(_ bytes: FileBytes, limit: Int) -> [UInt8]? {
        guard let header = bytes.uint16(0), header % 31 == 0, header >> 8 & 15 == 8, header & 0x20 == 0 else {
            return nil
        }
        var inflate = Inflate(bytes, at: 2, limit: limit)
        return inflate.run() ? inflate.output : nil
    }

    private init(_ input: FileBytes, at: Int, limit: Int) {
        self.input = input
        bits = BitReader(input, at: at)
        self.limit = limit
    }

    private mutating func run() -> Bool {
        var isLast = false
        while !isLast {
            guard let last = bits.take(1), let kind = bits.take(2) else { return false }
            isLast = last == 1
            switch kind {
            case 0: guard copyStored() else { return false }
            case 1: guard expand(.fixedLengths, .fixedDistances) else { return false }
            case 2:
                guard let (lengths, distances) = readCodes(), expand(lengths, distances) else { return false }
            default: return false
            }
        }
        return true
    }

    private mutating func copyStored() -> Bool {
        bits.align()
        guard let length = input.uint16(bits.at, .little), let block = input.slice(bits.at + 4, length),
            output.count + length <= limit
        else { return false }
        output += block.array
        bits.skip(4 + length)
        return true
    }

    private mutating func decode(_ code: DeflateCode) -> Int? {
        var value = 0
        var first = 0
        var index = 0
        for length in 1...15 {
            guard let bit = bits.take(1) else { return nil }
            value |= bit
            let count = code.counts[length]
            if value - first < count { return code.symbols[index + value - first] }
            index += count
            first = (first + count) << 1
            value <<= 1
        }
        return nil
    }

    private mutating func readCodes() -> (DeflateCode, DeflateCode)? {
        guard let lengthCount = bits.take(5), let distanceCount = bits.take(5), let metaCount = bits.take(4)
        else {
            return nil
        }
        var meta = [Int](repeating: 0, count: 19)
        let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
        for place in order.prefix(metaCount + 4) {
            guard let length = bits.take(3) else { return nil }
            meta[place] = length
        }
        guard let metaCode = DeflateCode(meta) else { return nil }
        let total = lengthCount + 257 + distanceCount + 1
        var lengths: [Int] = []
        while lengths.count < total {
            guard let symbol = decode(metaCode) else { return nil }
            switch symbol {
            case 16:
                guard let previous = lengths.last, let count = bits.take(2) else { return nil }
                lengths += Array(repeating: previous, count: count + 3)
            case 17:
                guard let count = bits.take(3) else { return nil }
                lengths += Array(repeating: 0, count: count + 3)
            case 18:
                guard let count = bits.take(7) else { return nil }
                lengths += Array(repeating: 0, count: count + 11)
            default: lengths.append(symbol)
            }
        }
        guard lengths.count == total, let first = DeflateCode(lengths[..<(lengthCount + 257)]),
            let second = DeflateCode(lengths[(lengthCount + 257)...])
        else { return nil }
        return (first, second)
    }

    private mutating func expand(_ lengths: DeflateCode, _ distances: DeflateCode) -> Bool {
        while let symbol = decode(lengths) {
            switch symbol {
            case 0..<256:
                guard output.count < limit else { return false }
                output.append(UInt8(symbol))
            case 256: return true
            case 257...285:
                guard let length = value(symbol - 257, of: DeflateCode.lengthTable),
                    let place = decode(distances), place < 30,
                    let distance = value(place, of: DeflateCode.distanceTable),
                    distance <= output.count, output.count + length <= limit
                else { return false }
                for _ in 0..<length { output.append(output[output.count - distance]) }
            default: return false
            }
        }
        return false
    }

    private mutating func value(_ place: Int, of table: [(base: Int, extra: Int)]) -> Int? {
        bits.take(table[place].extra).map { table[place].base + $0 }
    }
}
