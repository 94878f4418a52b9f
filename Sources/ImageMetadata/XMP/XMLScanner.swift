/// Reads XML one tag at a time, without trusting it and without keeping it.
///
/// UTF-8 only. There are no entities but XML's own five and the numbers: a document type ends the reading, so
/// nothing is ever expanded or fetched. Source: XML 1.0.
package struct XMLScanner {
    private let bytes: FileBytes
    private var at = 0

    package init(_ bytes: FileBytes) {
        self.bytes = bytes
    }

    /// The bytes that were read.
    package var offset: Int { at }

    /// The next tag or text; nil at the end and where the text is no XML.
    package mutating func next() -> XMLToken? {
        while let byte = peek {
            guard byte == UInt8(ascii: "<") else { return text() }
            if bytes.has("<!--", at: at) {
                guard skip(past: "-->") else { return nil }
            } else if bytes.has("<?", at: at) {
                guard skip(past: "?>") else { return nil }
            } else if bytes.has("<![CDATA[", at: at) {
                let start = at + 9
                guard skip(past: "]]>") else { return nil }
                return .text(string(start, at - 3))
            } else if bytes.has("</", at: at) {
                at += 2
                guard let name = name() else { return nil }
                skipSpace()
                return take(">") ? .close(name) : nil
            } else {
                at += 1
                return tag()
            }
        }
        return nil
    }

    private var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func tag() -> XMLToken? {
        guard let name = name() else { return nil }
        var attributes: [XMLAttribute] = []
        while true {
            skipSpace()
            if take("/") { return take(">") ? .open(name, attributes, isEmpty: true) : nil }
            if take(">") { return .open(name, attributes, isEmpty: false) }
            guard let key = self.name() else { return nil }
            skipSpace()
            guard take("=") else { return nil }
            skipSpace()
            guard let value = quoted() else { return nil }
            attributes.append(XMLAttribute(name: key, value: value))
        }
    }

    private mutating func name() -> String? {
        let start = at
        while let byte = peek, byte.isXMLName { at += 1 }
        return at > start ? string(start, at) : nil
    }

    private mutating func quoted() -> String? {
        guard let quote = peek, quote == 0x22 || quote == 0x27 else { return nil }
        at += 1
        let start = at
        var hasEntities = false
        while let byte = peek, byte != quote {
            guard byte != UInt8(ascii: "<") else { return nil }
            hasEntities = hasEntities || byte == UInt8(ascii: "&")
            at += 1
        }
        guard peek == quote else { return nil }
        at += 1
        return hasEntities ? resolved(start, at - 1) : string(start, at - 1)
    }

    /// What stands up to the next tag.
    private mutating func text() -> XMLToken? {
        let start = at
        var hasEntities = false
        var isBlank = true
        while let byte = peek, byte != UInt8(ascii: "<") {
            hasEntities = hasEntities || byte == UInt8(ascii: "&")
            isBlank = isBlank && byte.isXMLSpace
            at += 1
        }
        if isBlank { return .text("") }
        return (hasEntities ? resolved(start, at) : string(start, at)).map(XMLToken.text)
    }

    /// The text with its entities replaced; nil where one is unknown.
    private func resolved(_ start: Int, _ end: Int) -> String? {
        var text: [UInt8] = []
        var index = start
        while index < end {
            guard bytes[index] == UInt8(ascii: "&") else {
                text.append(bytes[index])
                index += 1
                continue
            }
            guard let stop = (index..<min(end, index + 12)).first(where: { bytes[$0] == UInt8(ascii: ";") }),
                let scalar = Self.entity(string(index + 1, stop))
            else { return nil }
            text += Array(String(Character(scalar)).utf8)
            index = stop + 1
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func entity(_ name: String) -> Unicode.Scalar? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            let number =
                name.hasPrefix("#x")
                ? UInt32(name.dropFirst(2), radix: 16)
                : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
            return number.flatMap(Unicode.Scalar.init)
        }
    }

    private func string(_ start: Int, _ end: Int) -> String {
        String(decoding: bytes.extracting(start..<end).array, as: UTF8.self)
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        at += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, byte.isXMLSpace { at += 1 }
    }

    private mutating func skip(past end: String) -> Bool {
        guard let found = bytes.firstIndex(of: end, from: at) else { return false }
        at = found + end.utf8.count
        return true
    }
}

package enum XMLToken {
    case open(String, [XMLAttribute], isEmpty: Bool)
    case close(String)
    case text(String)
}

package struct XMLAttribute {
    package var name: String
    package var value: String
}

extension UInt8 {
    fileprivate var isXMLSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }

    fileprivate var isXMLName: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x3A, 0x2D, 0x2E, 0x80...0xFF: true
        default: false
        }
    }
}
