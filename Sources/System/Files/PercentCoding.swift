internal import Basics

/// Percent-encoding of URLs.
///
/// Malformed escapes are errors; text is decoded once.
///
/// Source: RFC 3986, section 2.
package enum PercentCoding {
    /// Decodes a path component to the form of `PathText`; nil if an escape is malformed.
    package static func decode(_ text: some StringProtocol) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        var bytes: [UInt8] = []
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(hexadecimalDigit),
                let low = rest.next().flatMap(hexadecimalDigit)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return PathText.decode(bytes)
    }

    /// Encodes a text as a path component: everything except letters, digits and -._~.
    ///
    /// - Parameter keepsSlashes: Whether the text is a whole path, whose slashes stay.
    package static func encode(_ text: some StringProtocol, keepsSlashes: Bool = false) -> String {
        var result = ""
        for byte in PathText.bytes(text) {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E,
                UInt8(ascii: "/") where keepsSlashes:
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default: result += "%" + [byte].hexadecimal.uppercased()
            }
        }
        return result
    }
}
