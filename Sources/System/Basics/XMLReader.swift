/// The text is not XML that the reader accepts, from this byte on.
package struct XMLSyntaxError: Error, Hashable, Sendable {
    package var offset: Int

    package init(offset: Int) { self.offset = offset }
}

/// Reads untrusted XML one token at a time, in bounded memory.
///
/// UTF-8 only. Closing tags must match; there is one root element. The only entities are XML's five and character
/// references: a document type is an error, so nothing is expanded or fetched. As XML requires, line breaks of texts are
/// returned as line feeds, and white space of attributes as spaces, unless they are references. Source: XML 1.0.
package struct XMLReader {
    package enum Token {
        case open(String, [Attribute], isEmpty: Bool)
        case close(String)
        /// Empty for white space and for text longer than `longestValue`.
        case text(String)
    }

    package struct Attribute {
        package var name: String
        /// Empty also if it is longer than `longestValue`.
        package var value: String
        /// Its bytes in the text, with the white space before it.
        package var range: Range<Int>
    }

    /// The greatest depth of nested elements.
    package static let maximumDepth = 64
    /// The greatest length in bytes of values and texts that are returned.
    package static let longestValue = 1 << 20
    private static let mostAttributes = 4096
    private static let windowSize = 1 << 14

    private let count: Int
    private let isStrict: Bool
    /// Returns some of the text's bytes.
    private let load: (Range<Int>) -> [UInt8]
    private var window: [UInt8]
    private var windowStart = 0
    /// The names of the open elements.
    private var path: [String] = []
    private var hasRoot = false

    /// The bytes read so far.
    package private(set) var offset = 0
    /// The first byte of the last token.
    package private(set) var start = 0

    /// Reads a text in memory.
    ///
    /// - Parameter isStrict: Whether text outside of tags, repeated attributes and processing instructions after the
    ///   XML declaration are errors: descriptors of pyramids have none of them.
    package init(_ bytes: [UInt8], isStrict: Bool = false) {
        self.init(count: bytes.count, window: bytes, isStrict: isStrict) { Array(bytes[$0]) }
    }

    /// Reads a text of `count` bytes that is loaded in pieces.
    package init(count: Int, load: @escaping (Range<Int>) -> [UInt8]) {
        self.init(count: count, window: [], isStrict: false, load: load)
    }

    private init(
        count: Int, window: [UInt8], isStrict: Bool, load: @escaping (Range<Int>) -> [UInt8]
    ) {
        (self.count, self.window, self.isStrict, self.load) = (count, window, isStrict, load)
        // The byte-order mark.
        _ = take("\u{FEFF}")
    }

    /// Returns the next tag or text; nil at the end.
    package mutating func next() throws(XMLSyntaxError) -> Token? {
        while let byte = peek() {
            start = offset
            if byte != UInt8(ascii: "<") { return try text() }
            if take("<!--") {
                try skip(past: "-->")
            } else if isStrict ? offset <= 3 && take("<?xml") : take("<?") {
                try skip(past: "?>")
            } else if !isStrict, take("<![CDATA[") {
                return .text(try characterData())
            } else if take("</") {
                return .close(try closingTag())
            } else {
                return try openingTag()
            }
        }
        guard path.isEmpty || !isStrict else { throw error }
        return nil
    }

    private var error: XMLSyntaxError { XMLSyntaxError(offset: offset) }

    // MARK: Tokens

    private mutating func openingTag() throws(XMLSyntaxError) -> Token {
        guard !path.isEmpty || !hasRoot, path.count < Self.maximumDepth else { throw error }
        offset += 1
        let name = try name()
        hasRoot = true
        var attributes: [Attribute] = []
        while true {
            let start = offset
            skipSpace()
            if take("/>") { return .open(name, attributes, isEmpty: true) }
            if take(">") {
                path.append(name)
                return .open(name, attributes, isEmpty: false)
            }
            let key = try self.name()
            skipSpace()
            guard take("=") else { throw error }
            skipSpace()
            let value = try quoted()
            guard attributes.count < Self.mostAttributes,
                !isStrict || !attributes.contains(where: { $0.name == key })
            else { throw error }
            attributes.append(Attribute(name: key, value: value, range: start..<offset))
        }
    }

    private mutating func closingTag() throws(XMLSyntaxError) -> String {
        let name = try name()
        guard path.last == name else { throw error }
        skipSpace()
        guard take(">") else { throw error }
        path.removeLast()
        return name
    }

    private mutating func name() throws(XMLSyntaxError) -> String {
        var units: [UInt8] = []
        while let byte = peek(), byte.isXMLName {
            guard units.count < Self.longestValue else { throw error }
            units.append(byte)
            offset += 1
        }
        guard !units.isEmpty else { throw error }
        return String(decoding: units, as: UTF8.self)
    }

    private mutating func quoted() throws(XMLSyntaxError) -> String {
        guard let quote = peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw error
        }
        offset += 1
        var value = Value()
        while let byte = peek(), byte != quote {
            guard byte != UInt8(ascii: "<") else { throw error }
            if byte.isXMLSpace {
                takeLineBreak(byte)
                value.append(UInt8(ascii: " "))
            } else {
                try append(byte, to: &value)
            }
        }
        guard peek() == quote else { throw error }
        offset += 1
        return value.string
    }

    /// The characters up to the next tag.
    private mutating func text() throws(XMLSyntaxError) -> Token {
        var value = Value()
        var isBlank = true
        while let byte = peek(), byte != UInt8(ascii: "<") {
            isBlank = isBlank && byte.isXMLSpace
            guard isBlank || !isStrict else { throw error }
            try append(byte, to: &value)
        }
        return .text(isBlank ? "" : value.string)
    }

    private mutating func characterData() throws(XMLSyntaxError) -> String {
        var value = Value()
        while !take("]]>") {
            guard let byte = peek() else { throw error }
            value.append(takeLineBreak(byte))
        }
        return value.string
    }

    /// Takes the next byte, or both bytes of a line break; returns what it stands for.
    @discardableResult
    private mutating func takeLineBreak(_ byte: UInt8) -> UInt8 {
        guard byte == 0x0D else {
            offset += 1
            return byte
        }
        offset += self.byte(at: offset + 1) == 0x0A ? 2 : 1
        return 0x0A
    }

    /// Appends the next byte, or the character of an entity.
    private mutating func append(_ byte: UInt8, to value: inout Value) throws(XMLSyntaxError) {
        guard byte == UInt8(ascii: "&") else { return value.append(takeLineBreak(byte)) }
        var name: [UInt8] = []
        while let next = self.byte(at: offset + 1 + name.count), next != UInt8(ascii: ";") {
            guard name.count < 11 else { throw error }
            name.append(next)
        }
        guard self.byte(at: offset + 1 + name.count) != nil,
            let scalar = Self.entity(String(decoding: name, as: UTF8.self))
        else { throw error }
        for unit in String(Character(scalar)).utf8 { value.append(unit) }
        offset += name.count + 2
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

    // MARK: Bytes

    private mutating func byte(at offset: Int) -> UInt8? {
        guard offset < count else { return nil }
        if !(windowStart..<(windowStart + window.count)).contains(offset) {
            window = load(offset..<min(offset + Self.windowSize, count))
            windowStart = offset
        }
        return window[offset - windowStart]
    }

    private mutating func peek() -> UInt8? { byte(at: offset) }

    private mutating func has(_ text: String) -> Bool {
        var next = offset
        for unit in text.utf8 {
            guard byte(at: next) == unit else { return false }
            next += 1
        }
        return true
    }

    private mutating func take(_ text: String) -> Bool {
        guard has(text) else { return false }
        offset += text.utf8.count
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek(), byte.isXMLSpace { offset += 1 }
    }

    private mutating func skip(past end: String) throws(XMLSyntaxError) {
        while !take(end) {
            guard offset < count else { throw error }
            offset += 1
        }
    }
}

/// A value that is being read, up to the greatest length.
private struct Value {
    private var units: [UInt8] = []
    private var isTooLong = false

    mutating func append(_ unit: UInt8) {
        if units.count < XMLReader.longestValue { units.append(unit) } else { isTooLong = true }
    }

    var string: String { isTooLong ? "" : String(decoding: units, as: UTF8.self) }
}

extension UInt8 {
    package var isXMLSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }

    fileprivate var isXMLName: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x3A, 0x2D, 0x2E, 0x80...0xFF: true
        default: false
        }
    }
}
