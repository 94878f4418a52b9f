/// The bits of a stream from the highest of each byte; zeros follow its end.
struct StreamBits {
    private let bytes: [UInt8]
    private var at = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether more bits were read than there are.
    var isExhausted: Bool { at > 8 * bytes.count }

    mutating func skip(_ count: Int) { at += count }

    mutating func read(_ count: Int) -> Int {
        var value = 0
        for _ in 0..<count {
            value <<= 1
            if at >> 3 < bytes.count { value |= Int(bytes[at >> 3] >> UInt8(7 - at & 7) & 1) }
            at += 1
        }
        return value
    }

    /// Reads a number in Exp-Golomb code of at most 32 bits.
    mutating func readExponential() -> Int {
        var zeros = 0
        while zeros < 32, !isExhausted, read(1) == 0 { zeros += 1 }
        return (1 << zeros) - 1 + read(zeros)
    }
}
