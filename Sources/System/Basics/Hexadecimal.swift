extension Sequence<UInt8> {
    /// Two lowercase hexadecimal digits for each byte.
    package var hexadecimal: String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * underestimatedCount)
        for byte in self {
            text.append(digit(byte >> 4))
            text.append(digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    /// The integer in lowercase hexadecimal digits, with leading zeros to the width of its type.
    package var hexadecimal: String { bytes(.big).hexadecimal }
}

extension [UInt8] {
    /// Parses pairs of hexadecimal digits of either case; nil for everything else.
    package init?(hexadecimal text: some StringProtocol) {
        guard text.utf8.count.isMultiple(of: 2) else { return nil }
        self.init()
        reserveCapacity(text.utf8.count / 2)
        var high: UInt8?
        for character in text.utf8 {
            guard let digit = hexadecimalDigit(character) else { return nil }
            if let first = high { append(first << 4 | digit) }
            high = high == nil ? digit : nil
        }
    }
}

/// The value of an ASCII hexadecimal digit of either case; nil for other characters.
package func hexadecimalDigit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
}

private func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}
