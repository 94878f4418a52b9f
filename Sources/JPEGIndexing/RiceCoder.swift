/// Numbers near zero in few bits: Golomb-Rice codes that follow the numbers' size.
///
/// Source: the adaptation of JPEG-LS (ITU-T T.87, A.3).
private struct RiceParameter {
    private var sum: UInt64 = 32
    private var count: UInt64 = 1

    var bits: Int {
        var bits = 0
        while count << UInt64(bits) < sum, bits < 40 { bits += 1 }
        return bits
    }

    mutating func follow(_ value: UInt64) {
        sum += min(value, 1 << 40)
        count += 1
        guard count == 32 else { return }
        sum /= 2
        count /= 2
    }
}

/// Unary parts longer than this are written as 64 plain bits instead.
private let longestUnary = 24

/// Writes signed numbers, each with the parameter of its kind.
struct RiceWriter {
    private var parameters: [RiceParameter]
    private var bits = BitWriter()

    init(kinds: Int) { parameters = Array(repeating: RiceParameter(), count: kinds) }

    mutating func append(_ value: Int, kind: Int) {
        // 0, -1, 1, -2 as 0, 1, 2, 3.
        let folded = UInt64(bitPattern: Int64(value << 1 ^ value >> 63))
        let low = parameters[kind].bits
        let high = folded >> UInt64(low)
        if high < longestUnary {
            // So many ones, and a zero.
            bits.append(1 << (high + 1) - 2, count: Int(high) + 1)
            appendLow(folded, low)
        } else {
            bits.append(1 << UInt64(longestUnary) - 1, count: longestUnary)
            appendLow(folded, 64)
        }
        parameters[kind].follow(folded)
    }

    private mutating func appendLow(_ value: UInt64, _ count: Int) {
        if count > 32 { bits.append(value >> 32 & (1 << UInt64(count - 32) - 1), count: count - 32) }
        let low = min(count, 32)
        bits.append(value & (1 << UInt64(low) - 1), count: low)
    }

    consuming func finish() -> [UInt8] { bits.finishUnstuffed() }
}

/// Reads what a `RiceWriter` wrote with as many kinds; nil behind the end.
struct RiceReader {
    private var parameters: [RiceParameter]
    private let bytes: ArraySlice<UInt8>
    private var position = 0

    init(_ bytes: ArraySlice<UInt8>, kinds: Int) {
        self.bytes = bytes
        parameters = Array(repeating: RiceParameter(), count: kinds)
    }

    mutating func next(kind: Int) -> Int? {
        let low = parameters[kind].bits
        var high = 0
        while high < longestUnary {
            guard let bit = take(1) else { return nil }
            if bit == 0 { break }
            high += 1
        }
        guard let rest = take(high == longestUnary ? 64 : low) else { return nil }
        let folded = high == longestUnary ? rest : UInt64(high) << UInt64(low) | rest
        parameters[kind].follow(folded)
        return Int(truncatingIfNeeded: folded >> 1) ^ -Int(folded & 1)
    }

    private mutating func take(_ count: Int) -> UInt64? {
        guard position + count <= bytes.count * 8 else { return nil }
        var value: UInt64 = 0
        for _ in 0..<count {
            let byte = bytes[bytes.startIndex + (position >> 3)]
            value = value << 1 | UInt64(byte >> UInt8(7 - (position & 7)) & 1)
            position += 1
        }
        return value
    }
}
