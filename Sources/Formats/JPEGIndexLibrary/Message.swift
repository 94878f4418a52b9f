/// The caller's buffer for a message.
// Used during the call only.
@safe package struct Message {
    private let buffer: UnsafeMutableBufferPointer<CChar>

    package init(_ address: UnsafeMutablePointer<CChar>?, _ capacity: Int) {
        // Sizes above Int.max are negative here.
        let count = unsafe address == nil ? 0 : capacity < 0 ? .max : capacity
        unsafe buffer = UnsafeMutableBufferPointer(start: address, count: count)
    }

    /// Writes as many whole characters as there is room for, and a zero.
    package func write(_ text: String) {
        guard unsafe !buffer.isEmpty else { return }
        var count = 0
        for character in text {
            let bytes = String(character).utf8
            guard unsafe count + bytes.count < buffer.count else { break }
            for byte in bytes {
                unsafe buffer[count] = CChar(bitPattern: byte)
                count += 1
            }
        }
        unsafe buffer[count] = 0
    }
}
