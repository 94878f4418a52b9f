/// Reads bits, the lowest of each byte first.
struct BitReader {
    private let bytes: FileBytes
    /// The next byte that is loaded.
    private(set) var at: Int
    private var bits = 0
    private var count = 0

    init(_ bytes: FileBytes, at: Int) {
        self.bytes = bytes
        self.at = at
    }

    /// The next bits as a number, at most 32; nil where they are not there.
    mutating func take(_ wanted: Int) -> Int? {
        while count < wanted {
            guard let byte = bytes.uint8(at) else { return nil }
            bits |= byte << count
            count += 8
            at += 1
        }
        defer {
            bits >>= wanted
            count -= wanted
        }
        return bits & ((1 << wanted) - 1)
    }

    /// Goes to the next whole byte; fewer than eight bits are ever loaded ahead.
    mutating func align() {
        bits = 0
        count = 0
    }

    /// Goes over whole bytes.
    mutating func skip(_ length: Int) { at += length }
}
