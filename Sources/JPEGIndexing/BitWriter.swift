/// Collects compressed bits, and stuffs zeros behind bytes of ones at the end.
struct BitWriter {
    /// Full words, the first bit in the highest place.
    private var words: [UInt64] = []
    private var last: UInt64 = 0
    /// The bits in `last`, fewer than 64.
    private var used = 0

    /// Appends the lowest `count` bits of `value`, at most 32.
    @inline(__always)
    mutating func append(_ value: UInt64, count: Int) {
        guard count > 0 else { return }
        appendHigh(value << UInt64(64 - count), count: count)
    }

    /// Appends the highest `count` bits of `value`, 1 to 64; those below must be zero.
    @inline(__always)
    private mutating func appendHigh(_ value: UInt64, count: Int) {
        last |= value &>> UInt64(truncatingIfNeeded: used)
        used &+= count
        guard used >= 64 else { return }
        words.append(last)
        used &-= 64
        last = used == 0 ? 0 : value &<< UInt64(truncatingIfNeeded: count &- used)
    }

    /// Appends the bits of a file between two places, which stuffed zeros are taken from.
    mutating func append(_ data: UnsafeByteView, from start: UInt64, to end: UInt64) {
        guard start < end else { return }
        var byte = Int(start >> 3)
        let endByte = Int(end >> 3)
        let skipped = Int(start & 7)
        if byte == endByte {
            append(
                UInt64(data[byte] & 0xFF >> UInt8(skipped)) >> (8 - (end & 7)),
                count: Int(end & 7) - skipped)
            return
        }
        if skipped > 0 {
            append(UInt64(data[byte] & 0xFF >> UInt8(skipped)), count: 8 - skipped)
            byte += data[byte] == 0xFF ? 2 : 1
        }
        while byte < endByte {
            if byte + 8 <= endByte {
                let word = data.bigEndian64(byte)
                if Self.hasNoByteOfOnes(word) {
                    appendHigh(word, count: 64)
                    byte += 8
                    continue
                }
            }
            append(UInt64(data[byte]), count: 8)
            byte += data[byte] == 0xFF ? 2 : 1
        }
        if end & 7 > 0 { append(UInt64(data[endByte]) >> (8 - (end & 7)), count: Int(end & 7)) }
    }

    /// Appends everything to `output`: filled up with ones to a whole byte, and stuffed.
    consuming func finish(to output: inout [UInt8]) {
        let rest = (8 - used % 8) % 8
        append(1 << UInt64(rest) - 1, count: rest)
        // Stuffing doubles at most, and there is memory for the last word even where it is empty.
        output += unsafe [UInt8](unsafeUninitializedCapacity: 16 * (words.count + 1)) { buffer, count in
            var end = UnsafeMutableRawPointer(buffer.baseAddress!)
            for word in words { unsafe end = Self.stuff(word, count: 8, to: end) }
            unsafe end = Self.stuff(last, count: used / 8, to: end)
            count = unsafe end - UnsafeMutableRawPointer(buffer.baseAddress!)
        }
    }

    /// Everything as it is, filled up with zeros to a whole byte: for data that is no JPEG's.
    consuming func finishUnstuffed() -> [UInt8] {
        let bytes = (words + [last]).flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) }
        }
        return Array(bytes.prefix(words.count * 8 + (used + 7) / 8))
    }

    /// Writes some bytes of a word, the highest first, and says where the next go.
    // There is room for twice as many bytes.
    @unsafe @inline(__always)
    private static func stuff(
        _ word: UInt64, count: Int, to place: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer {
        if count == 8, hasNoByteOfOnes(word) {
            unsafe place.storeBytes(of: word.bigEndian, as: UInt64.self)
            return unsafe place + 8
        }
        var end = unsafe place
        for index in 0..<count {
            let byte = UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * index))
            unsafe end.storeBytes(of: byte, as: UInt8.self)
            unsafe end += 1
            guard byte == 0xFF else { continue }
            unsafe end.storeBytes(of: 0, as: UInt8.self)
            unsafe end += 1
        }
        return unsafe end
    }

    /// As in `EntropyReading.refill`.
    @inline(__always)
    private static func hasNoByteOfOnes(_ word: UInt64) -> Bool {
        (~word &- 0x0101_0101_0101_0101) & word & 0x8080_8080_8080_8080 == 0
    }
}
