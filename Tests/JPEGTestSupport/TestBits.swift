/// Bits written one code after the other, stuffed as JPEG wants it.
struct TestBits {
    private var bytes: [UInt8] = []
    private var buffer: UInt64 = 0
    private var used = 0

    mutating func append(_ value: Int, _ count: Int) {
        buffer = buffer << UInt64(count) | UInt64(value) & (1 << UInt64(count) - 1)
        used += count
        while used >= 8 {
            used -= 8
            let byte = UInt8(truncatingIfNeeded: buffer >> UInt64(used))
            bytes.append(byte)
            if byte == 0xFF { bytes.append(0) }
        }
    }

    /// Fills up with ones and gives everything.
    mutating func flush() -> [UInt8] {
        if used > 0 { append(0xFF, 8 - used) }
        defer { bytes = [] }
        return bytes
    }
}
