/// The members of a JSON object, or the elements of an array, as ranges of their text, found without building values.
///
/// A text that is read is valid for `JSONValue`, too, and has the same members. One that is not read may be valid:
/// objects with more than 32 members or with names that have escapes or are not ASCII are left to `JSONValue`.
package struct JSONOutline {
    package enum Kind: Sendable {
        /// A string without escapes; the range excludes the quotes.
        case string
        /// A string with escapes; the range excludes the quotes.
        case escapedString
        case integer, number, bool, null, object, array
    }

    package struct Member: Sendable {
        /// Empty for elements of arrays.
        package var name: Range<Int>
        package var value: Range<Int>
        package var kind: Kind
    }

    /// The members or elements of the last text.
    package private(set) var members: [Member] = []
    private var at = 0
    /// The names of the objects around the current byte.
    private var names: [Range<Int>] = []

    package init() {}

    /// Reads an object; returns false if it is left to `JSONValue`.
    package mutating func readObject(_ text: Span<UInt8>) -> Bool {
        read(text) { $0.object(text, depth: 0, keepsMembers: true) }
    }

    /// Reads an array; returns false if it is left to `JSONValue`.
    package mutating func readArray(_ text: Span<UInt8>) -> Bool {
        read(text) { $0.array(text, depth: 0, keepsElements: true) }
    }

    private mutating func read(_ text: Span<UInt8>, _ value: (inout Self) -> Bool) -> Bool {
        at = 0
        members.removeAll(keepingCapacity: true)
        names.removeAll(keepingCapacity: true)
        skipSpace(text)
        guard value(&self) else { return false }
        skipSpace(text)
        return at == text.count
    }

    // MARK: Values

    private mutating func value(_ text: Span<UInt8>, depth: Int) -> Kind? {
        guard depth < 32, at < text.count else { return nil }
        switch text[at] {
        case UInt8(ascii: "{"): return object(text, depth: depth, keepsMembers: false) ? .object : nil
        case UInt8(ascii: "["): return array(text, depth: depth, keepsElements: false) ? .array : nil
        case UInt8(ascii: "\""): return string(text)
        case UInt8(ascii: "t"): return word("true", text) ? .bool : nil
        case UInt8(ascii: "f"): return word("false", text) ? .bool : nil
        case UInt8(ascii: "n"): return word("null", text) ? .null : nil
        default: return number(text)
        }
    }

    private mutating func object(_ text: Span<UInt8>, depth: Int, keepsMembers: Bool) -> Bool {
        guard take(UInt8(ascii: "{"), text) else { return false }
        let first = names.count
        defer { names.removeSubrange(first...) }
        skipSpace(text)
        if take(UInt8(ascii: "}"), text) { return true }
        repeat {
            skipSpace(text)
            guard let name = name(text, unlike: names[first...]), names.count - first < 32 else {
                return false
            }
            names.append(name)
            skipSpace(text)
            guard take(UInt8(ascii: ":"), text) else { return false }
            guard let (kind, value) = placedValue(text, depth: depth + 1) else { return false }
            if keepsMembers { members.append(Member(name: name, value: value, kind: kind)) }
            skipSpace(text)
        } while take(UInt8(ascii: ","), text)
        return take(UInt8(ascii: "}"), text)
    }

    private mutating func array(_ text: Span<UInt8>, depth: Int, keepsElements: Bool) -> Bool {
        guard take(UInt8(ascii: "["), text) else { return false }
        skipSpace(text)
        if take(UInt8(ascii: "]"), text) { return true }
        repeat {
            guard let (kind, value) = placedValue(text, depth: depth + 1) else { return false }
            if keepsElements { members.append(Member(name: 0..<0, value: value, kind: kind)) }
            skipSpace(text)
        } while take(UInt8(ascii: ","), text)
        return take(UInt8(ascii: "]"), text)
    }

    private mutating func placedValue(_ text: Span<UInt8>, depth: Int) -> (Kind, Range<Int>)? {
        skipSpace(text)
        let start = at
        guard let kind = value(text, depth: depth) else { return nil }
        let isText = kind == .string || kind == .escapedString
        return (kind, isText ? start + 1..<at - 1 : start..<at)
    }

    // MARK: Strings

    /// Returns an ASCII name without escapes that differs from others; their Unicode forms need no comparison.
    private mutating func name(_ text: Span<UInt8>, unlike others: ArraySlice<Range<Int>>) -> Range<Int>? {
        guard take(UInt8(ascii: "\""), text) else { return nil }
        let start = at
        var end = at
        while end < text.count, text[end] != UInt8(ascii: "\"") {
            guard (0x20..<0x80).contains(text[end]), text[end] != UInt8(ascii: "\\") else { return nil }
            end += 1
        }
        at = end
        let name = start..<end
        guard take(UInt8(ascii: "\""), text) else { return nil }
        for other in others where other.count == name.count {
            if text.isEqual(other, name) { return nil }
        }
        return name
    }

    private mutating func string(_ text: Span<UInt8>) -> Kind? {
        var kind = Kind.string
        var end = at + 1
        while end < text.count {
            let byte = text[end]
            if byte == UInt8(ascii: "\"") {
                at = end + 1
                return kind
            } else if byte == UInt8(ascii: "\\") {
                guard let escape = text.escape(at: end) else { return nil }
                end += escape.length
                kind = .escapedString
            } else if byte < 0x80 {
                guard byte >= 0x20 else { return nil }
                end += 1
            } else {
                guard let length = text.scalarLength(at: end) else { return nil }
                end += length
            }
        }
        return nil
    }

    /// Appends the UTF-8 of a string's range.
    package static func append(_ range: Range<Int>, of text: Span<UInt8>, to bytes: inout [UInt8]) {
        var at = range.lowerBound
        while at < range.upperBound {
            if text[at] == UInt8(ascii: "\\"), let escape = text.escape(at: at) {
                bytes += UTF8.encode(escape.scalar)!
                at += escape.length
            } else {
                let start = at
                repeat { at += 1 } while at < range.upperBound && text[at] != UInt8(ascii: "\\")
                bytes.append(start..<at, of: text)
            }
        }
    }

    // MARK: Numbers and words

    private mutating func number(_ text: Span<UInt8>) -> Kind? {
        _ = take(UInt8(ascii: "-"), text)
        let start = at
        guard digits(text), at == start + 1 || text[start] != UInt8(ascii: "0") else { return nil }
        var kind = Kind.integer
        if take(UInt8(ascii: "."), text) {
            kind = .number
            guard digits(text) else { return nil }
        }
        if take(UInt8(ascii: "e"), text) || take(UInt8(ascii: "E"), text) {
            kind = .number
            if !take(UInt8(ascii: "+"), text) { _ = take(UInt8(ascii: "-"), text) }
            guard digits(text) else { return nil }
        }
        return kind
    }

    private mutating func digits(_ text: Span<UInt8>) -> Bool {
        let start = at
        while at < text.count, (0x30...0x39).contains(text[at]) { at += 1 }
        return at > start
    }

    private mutating func word(_ word: StaticString, _ text: Span<UInt8>) -> Bool {
        let end = at + word.utf8CodeUnitCount
        guard end <= text.count, text.has(word, at: at..<end) else { return false }
        at = end
        return true
    }

    private mutating func skipSpace(_ text: Span<UInt8>) {
        while at < text.count, text[at] <= 0x20 {
            switch text[at] {
            case 0x20, 0x09, 0x0A, 0x0D: at += 1
            default: return
            }
        }
    }

    private mutating func take(_ byte: UInt8, _ text: Span<UInt8>) -> Bool {
        guard at < text.count, text[at] == byte else { return false }
        at += 1
        return true
    }
}

extension [UInt8] {
    /// Appends a range of a text.
    package mutating func append(_ range: Range<Int>, of text: Span<UInt8>) {
        // The bytes are copied at once.
        unsafe text.extracting(range).withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}

extension Span<UInt8> {
    /// Whether two ranges of the same length have equal bytes.
    fileprivate func isEqual(_ one: Range<Int>, _ other: Range<Int>) -> Bool {
        for offset in 0..<one.count where self[one.lowerBound + offset] != self[other.lowerBound + offset] {
            return false
        }
        return true
    }

    /// Whether a range has the bytes of an ASCII text.
    package func has(_ word: StaticString, at range: Range<Int>) -> Bool {
        guard word.utf8CodeUnitCount == range.count else { return false }
        for offset in 0..<range.count {
            // The count of bytes is that of the word, which is a pointer, not a scalar, as ASCII texts are.
            guard unsafe word.utf8Start[offset] == self[range.lowerBound + offset] else { return false }
        }
        return true
    }

    /// Returns the length of the valid UTF-8 sequence of two to four bytes at an index; nil if there is none.
    fileprivate func scalarLength(at index: Int) -> Int? {
        let (length, second): (Int, ClosedRange<UInt8>)
        switch self[index] {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
        guard index + length <= count, second.contains(self[index + 1]) else { return nil }
        for offset in 2..<Swift.max(2, length) where self[index + offset] & 0xC0 != 0x80 { return nil }
        return length
    }

    /// Returns the scalar and the length of the escape sequence at an index; nil if it is invalid.
    fileprivate func escape(at index: Int) -> (scalar: Unicode.Scalar, length: Int)? {
        guard index + 1 < count else { return nil }
        switch self[index + 1] {
        case UInt8(ascii: "\""): return ("\"", 2)
        case UInt8(ascii: "\\"): return ("\\", 2)
        case UInt8(ascii: "/"): return ("/", 2)
        case UInt8(ascii: "b"): return ("\u{8}", 2)
        case UInt8(ascii: "f"): return ("\u{C}", 2)
        case UInt8(ascii: "n"): return ("\n", 2)
        case UInt8(ascii: "r"): return ("\r", 2)
        case UInt8(ascii: "t"): return ("\t", 2)
        case UInt8(ascii: "u"):
            guard let first = hexadecimal(at: index + 2) else { return nil }
            if let scalar = Unicode.Scalar(first) { return (scalar, 6) }
            guard (0xD800..<0xDC00).contains(first), index + 8 < count,
                self[index + 6] == UInt8(ascii: "\\"), self[index + 7] == UInt8(ascii: "u"),
                let second = hexadecimal(at: index + 8), (0xDC00..<0xE000).contains(second),
                let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
            else { return nil }
            return (scalar, 12)
        default: return nil
        }
    }

    private func hexadecimal(at index: Int) -> UInt32? {
        guard index + 4 <= count else { return nil }
        var value: UInt32 = 0
        for offset in 0..<4 {
            guard let digit = hexadecimalDigit(self[index + offset]) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
