/// The order of the bytes of a number.
enum ByteOrder {
    case big
    case little
}

/// Reading bytes that nobody trusts: numbers are read at offsets, and what lies outside is missing.
extension FileBytes {
    func holds(_ offset: Int, _ length: Int) -> Bool {
        offset >= 0 && length >= 0 && offset <= count && length <= count - offset
    }

    /// The bytes from `offset` on; nil where not all of them are there.
    func slice(_ offset: Int, _ length: Int) -> FileBytes? {
        holds(offset, length) ? extracting(offset..<(offset + length)) : nil
    }

    /// The bytes of a range; nil where not all of them are there.
    func slice(_ range: Range<Int>) -> FileBytes? { slice(range.lowerBound, range.count) }

    func uint8(_ offset: Int) -> Int? { holds(offset, 1) ? Int(self[offset]) : nil }
    func uint16(_ offset: Int, _ order: ByteOrder = .big) -> Int? { number(offset, 2, order) }
    func uint24(_ offset: Int, _ order: ByteOrder = .big) -> Int? { number(offset, 3, order) }
    func uint32(_ offset: Int, _ order: ByteOrder = .big) -> Int? { number(offset, 4, order) }

    /// A number of 64 bits; nil also where it is above `Int.max`, which is no offset in any file.
    func uint64(_ offset: Int, _ order: ByteOrder = .big) -> Int? {
        number(offset, 8, order).flatMap { $0 < 0 ? nil : $0 }
    }

    func int32(_ offset: Int, _ order: ByteOrder = .big) -> Int? {
        uint32(offset, order).map { Int(Int32(truncatingIfNeeded: $0)) }
    }

    /// A number of at most 8 bytes.
    func number(_ offset: Int, _ length: Int, _ order: ByteOrder = .big) -> Int? {
        guard holds(offset, length) else { return nil }
        var value = 0
        for index in 0..<length {
            let place = order == .big ? index : length - 1 - index
            value = value << 8 | Int(self[offset + place])
        }
        return value
    }

    /// Whether the ASCII text stands at the offset.
    func has(_ text: String, at offset: Int = 0) -> Bool {
        guard offset >= 0 else { return false }
        var place = offset
        for byte in text.utf8 {
            guard place < count, self[place] == byte else { return false }
            place += 1
        }
        return true
    }

    /// The UTF-8 text up to the first NUL, without white space around it; nil where nothing is left.
    var text: String? {
        let end = indices.first { self[$0] == 0 } ?? count
        guard let first = (0..<end).first(where: { self[$0] > 0x20 }),
            let last = (first..<end).last(where: { self[$0] > 0x20 })
        else { return nil }
        return String(decoding: extracting(first..<(last + 1)).array, as: UTF8.self)
    }

    /// Where the bytes of an ASCII text begin first, from `start` on.
    func firstIndex(of text: String, from start: Int = 0) -> Int? {
        let last = count - text.utf8.count
        guard start >= 0, start <= last else { return nil }
        return (start...last).first { has(text, at: $0) }
    }
}
