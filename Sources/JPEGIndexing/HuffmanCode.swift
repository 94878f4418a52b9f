/// A JPEG's prefix code: how many codes there are of each length, and what they mean.
struct HuffmanCode: Hashable, Sendable {
    /// The number of codes of 1 to 16 bits.
    private(set) var counts: [Int]
    /// What they mean, from the shortest code on.
    private(set) var values: [UInt8]

    /// Nil where the counts give no code, or one that uses the code of only ones, which JPEG forbids.
    init?(counts: [Int], values: [UInt8]) {
        guard counts.count == 16, values.count == counts.reduce(0, +), values.count <= 256 else { return nil }
        var code = 0
        for (index, count) in counts.enumerated() {
            code += count
            // The code after the last must still fit: libjpeg, jdhuff.c, jpeg_make_d_derived_tbl.
            if count > 0, code >= 1 << (index + 1) { return nil }
            code <<= 1
        }
        self.counts = counts
        self.values = values
    }
}

extension HuffmanCode {
    struct Word {
        var bits: UInt32
        var length: Int
        var value: UInt8
    }

    /// All codes in order.
    var words: [Word] {
        var result: [Word] = []
        result.reserveCapacity(values.count)
        var code: UInt32 = 0
        var next = 0
        for (index, count) in counts.enumerated() {
            for _ in 0..<count {
                result.append(Word(bits: code, length: index + 1, value: values[next]))
                code += 1
                next += 1
            }
            code <<= 1
        }
        return result
    }

    /// The code that means `value`.
    func word(_ value: UInt8) -> Word? { words.first { $0.value == value } }

    /// Adds a code for `value` behind all others, so that those stay as they are.
    ///
    /// False where there is no room, which takes a code that is full down to 16 bits.
    mutating func append(_ value: UInt8) -> Bool {
        let last = words.last.map { $0.length } ?? 1
        // At the last length there may be room still; one bit longer there always is.
        for length in last...16 {
            var longer = counts
            longer[length - 1] += 1
            if let code = HuffmanCode(counts: longer, values: values + [value]) {
                self = code
                return true
            }
        }
        return false
    }
}
