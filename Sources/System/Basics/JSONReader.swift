/// The text is not valid JSON from this byte on.
package struct JSONSyntaxError: Error, Hashable, Sendable {
    package var offset: Int
    /// The name of a member that the object has already; nil for other faults.
    package var duplicate: String?
}

/// A step from a JSON value to a value inside it.
package enum JSONStep: Hashable, Sendable {
    case member(String)
    case element(Int)
}

extension JSONValue {
    /// Returns the offset of a value in a JSON text; where a step leads nowhere, that of the last value before it.
    package static func offset(of path: [JSONStep], in text: [UInt8]) -> Int {
        var reader = JSONReader(bytes: text)
        return reader.offset(of: path[...])
    }
}

/// Reads one JSON text.
///
/// Source: RFC 8259.
struct JSONReader {
    private let bytes: [UInt8]
    private var at = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var error: JSONSyntaxError { JSONSyntaxError(offset: at) }

    mutating func document() throws(JSONSyntaxError) -> JSONValue {
        let value = try value(depth: 0)
        skipSpace()
        guard at == bytes.count else { throw error }
        return value
    }

    private mutating func value(depth: Int) throws(JSONSyntaxError) -> JSONValue {
        skipSpace()
        guard depth < 32, at < bytes.count else { throw error }
        switch bytes[at] {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    /// Returns the offset of the value that a path leads to from the next value.
    mutating func offset(of path: ArraySlice<JSONStep>) -> Int {
        skipSpace()
        let start = at
        guard let step = path.first, take(UInt8(ascii: "{")) || take(UInt8(ascii: "[")) else { return start }
        var element = 0
        repeat {
            skipSpace()
            var found = step == .element(element)
            if bytes[start] == UInt8(ascii: "{") {
                guard let name = try? string() else { return start }
                found = step == .member(name)
                skipSpace()
                _ = take(UInt8(ascii: ":"))
            }
            if found { return offset(of: path.dropFirst()) }
            guard (try? value(depth: 0)) != nil else { return start }
            element += 1
            skipSpace()
        } while take(UInt8(ascii: ","))
        return start
    }

    private mutating func object(depth: Int) throws(JSONSyntaxError) -> JSONValue {
        var members: [JSONValue.Member] = []
        var names: Set<String> = []
        at += 1
        skipSpace()
        if take(UInt8(ascii: "}")) { return .object(members) }
        repeat {
            skipSpace()
            let start = at
            let name = try string()
            guard names.insert(name).inserted else { throw JSONSyntaxError(offset: start, duplicate: name) }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw error }
            members.append(JSONValue.Member(name: name, value: try value(depth: depth + 1)))
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw error }
        return .object(members)
    }

    private mutating func array(depth: Int) throws(JSONSyntaxError) -> JSONValue {
        var values: [JSONValue] = []
        at += 1
        skipSpace()
        if take(UInt8(ascii: "]")) { return .array(values) }
        repeat {
            values.append(try value(depth: depth + 1))
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw error }
        return .array(values)
    }

    private mutating func number() throws(JSONSyntaxError) -> JSONValue {
        let start = at
        _ = take(UInt8(ascii: "-"))
        let whole = try digits()
        guard whole == 1 || bytes[at - whole] != UInt8(ascii: "0") else { throw error }
        var isWhole = true
        if take(UInt8(ascii: ".")) {
            isWhole = false
            _ = try digits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isWhole = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            _ = try digits()
        }
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        if isWhole, let value = Int(text) { return .int(value) }
        return .number(text)
    }

    private mutating func digits() throws(JSONSyntaxError) -> Int {
        let start = at
        while at < bytes.count, (0x30...0x39).contains(bytes[at]) { at += 1 }
        guard at > start else { throw error }
        return at - start
    }

    private mutating func string() throws(JSONSyntaxError) -> String {
        guard take(UInt8(ascii: "\"")) else { throw error }
        var units: [UInt8] = []
        while at < bytes.count, bytes[at] >= 0x20 {
            let byte = bytes[at]
            at += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: units, as: UTF8.self) else { throw error }
                return text
            case UInt8(ascii: "\\"): units += Array(try escape().utf8)
            default: units.append(byte)
            }
        }
        throw error
    }

    private mutating func escape() throws(JSONSyntaxError) -> String {
        guard at < bytes.count else { throw error }
        let plain: [UInt8: String] = [
            0x22: "\"", 0x5C: "\\", 0x2F: "/", 0x62: "\u{8}", 0x66: "\u{C}", 0x6E: "\n", 0x72: "\r",
            0x74: "\t",
        ]
        let byte = bytes[at]
        at += 1
        if let text = plain[byte] { return text }
        guard byte == UInt8(ascii: "u") else { throw error }
        let first = try hexadecimal()
        if let scalar = Unicode.Scalar(first) { return String(scalar) }
        // Scalars above 16 bits are written as surrogate pairs.
        guard (0xD800..<0xDC00).contains(first), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
            throw error
        }
        let second = try hexadecimal()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw error }
        return String(scalar)
    }

    private mutating func hexadecimal() throws(JSONSyntaxError) -> UInt32 {
        var value: UInt32 = 0
        guard bytes.contains(4, at: at) else { throw error }
        for byte in bytes[at..<(at + 4)] {
            guard let digit = hexadecimalDigit(byte) else { throw error }
            value = value << 4 | UInt32(digit)
        }
        at += 4
        return value
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
        guard bytes[at...].starts(with: word.utf8) else { throw error }
        at += word.utf8.count
        return value
    }

    private mutating func skipSpace() {
        while at < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[at]) { at += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard at < bytes.count, bytes[at] == byte else { return false }
        at += 1
        return true
    }
}
