/// Reads one XML text; what descriptors do not need is an error.
///
/// Source: XML 1.0.
struct XMLReader {
    let bytes: [UInt8]
    private var at = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var error: DescriptorError { .syntax(offset: at) }

    mutating func document() throws(DescriptorError) -> XMLElement {
        _ = take("\u{FEFF}")
        if take("<?xml") { try skip(to: "?>") }
        try skipSpaceAndComments()
        let root = try element(depth: 0)
        try skipSpaceAndComments()
        guard at == bytes.count else { throw error }
        return root
    }

    private mutating func element(depth: Int) throws(DescriptorError) -> XMLElement {
        guard depth < 16, take("<") else { throw error }
        var element = XMLElement(name: try name())
        while true {
            skipSpace()
            if take("/>") { return element }
            if take(">") { break }
            let key = try name()
            skipSpace()
            guard take("=") else { throw error }
            skipSpace()
            guard element.attributes.updateValue(try quoted(), forKey: key) == nil else { throw error }
        }
        while true {
            try skipSpaceAndComments()
            if take("</") { break }
            element.children.append(try self.element(depth: depth + 1))
        }
        guard try name() == element.name else { throw error }
        skipSpace()
        guard take(">") else { throw error }
        return element
    }

    private mutating func name() throws(DescriptorError) -> String {
        let start = at
        while at < bytes.count, bytes[at].isNamePart { at += 1 }
        guard at > start else { throw error }
        return String(decoding: bytes[start..<at], as: UTF8.self)
    }

    private mutating func quoted() throws(DescriptorError) -> String {
        guard at < bytes.count, bytes[at] == 0x22 || bytes[at] == 0x27 else { throw error }
        let quote = bytes[at]
        at += 1
        var value: [UInt8] = []
        while at < bytes.count, bytes[at] != quote {
            guard bytes[at] != 0x3C else { throw error }
            value.append(bytes[at] == 0x26 ? try entity() : bytes[at])
            at += 1
        }
        guard at < bytes.count else { throw error }
        at += 1
        return String(decoding: value, as: UTF8.self)
    }

    /// One of the five entities that XML has of itself; `at` is left on its last byte.
    private mutating func entity() throws(DescriptorError) -> UInt8 {
        let entities: [(String, UInt8)] = [
            ("&amp;", 0x26), ("&lt;", 0x3C), ("&gt;", 0x3E), ("&quot;", 0x22), ("&apos;", 0x27),
        ]
        for (name, byte) in entities where take(name) {
            at -= 1
            return byte
        }
        throw error
    }

    private mutating func skipSpaceAndComments() throws(DescriptorError) {
        skipSpace()
        while take("<!--") {
            try skip(to: "-->")
            skipSpace()
        }
    }

    private mutating func skipSpace() {
        while at < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[at]) { at += 1 }
    }

    private mutating func skip(to end: String) throws(DescriptorError) {
        while at < bytes.count {
            if take(end) { return }
            at += 1
        }
        throw error
    }

    private mutating func take(_ text: String) -> Bool {
        guard bytes[at...].starts(with: text.utf8) else { return false }
        at += text.utf8.count
        return true
    }
}

extension UInt8 {
    fileprivate var isNamePart: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x3A, 0x2D, 0x2E, 0x80...0xFF: true
        default: false
        }
    }
}
