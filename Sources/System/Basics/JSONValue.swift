/// A JSON value, parsed strictly and printed with its members in order.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int)
    /// A number that is not an `Int`, as written.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    package struct Member: Hashable, Sendable {
        package var name: String
        package var value: JSONValue

        package init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    package init(parsing text: String) throws(JSONSyntaxError) {
        try self.init(parsing: Array(text.utf8))
    }

    package init(parsing bytes: [UInt8]) throws(JSONSyntaxError) {
        var reader = JSONReader(bytes: bytes)
        self = try reader.document()
    }

    /// The value that `make` returns, or null for nil.
    package init<Value>(_ value: Value?, _ make: (Value) -> JSONValue) {
        self = value.map(make) ?? .null
    }

    /// A number that parses to the same double; null if it is not finite, which JSON cannot express.
    package static func number(_ value: Double) -> JSONValue {
        guard value.isFinite else { return .null }
        return Int(exactly: value).map(JSONValue.int) ?? .number("\(value)")
    }

    /// A list of numbers, as points and rectangles are written.
    package static func numbers(_ values: Double...) -> JSONValue {
        .array(values.map { .number($0) })
    }

    /// An object of the members that are not nil.
    package static func object(_ members: [(String, JSONValue?)]) -> JSONValue {
        .object(
            members.compactMap { name, value in value.map { Member(name: name, value: $0) } } as [Member])
    }

    /// An object of the members that are not nil, in their order.
    package static func object(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .object(members.map { ($0.key, $0.value) })
    }
}

extension JSONValue {
    /// A member of an object; nil if there is none.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    package var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    package var array: [JSONValue]? {
        if case .array(let values) = self { values } else { nil }
    }

    /// A number as a double.
    package var double: Double? {
        switch self {
        case .int(let value): Double(value)
        case .number(let text): Double(text)
        default: nil
        }
    }

    package var int: Int? {
        if case .int(let value) = self { value } else { nil }
    }

    /// The members of an object, in their order; nil for other values.
    package var members: [Member]? {
        if case .object(let members) = self { members } else { nil }
    }
}

// MARK: Printing

extension JSONValue: CustomStringConvertible {
    /// The JSON on one line, without spaces.
    package var description: String {
        switch self {
        case .array(let values): "[" + values.map(\.description).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0.name) + ":" + $0.value.description }.joined(separator: ",")
                + "}"
        default: text()
        }
    }

    /// The JSON with one member per line; lists of numbers are on one line.
    package func text(indent: String = "") -> String {
        switch self {
        case .null: return "null"
        case .bool(let value): return "\(value)"
        case .int(let value): return "\(value)"
        case .number(let text): return text
        case .string(let value): return Self.quoted(value)
        case .array(let values):
            guard values.contains(where: \.isNested) else {
                return "[" + values.map { $0.text() }.joined(separator: ", ") + "]"
            }
            let inner = indent + "  "
            return "[\n" + values.map { inner + $0.text(indent: inner) }.joined(separator: ",\n")
                + "\n\(indent)]"
        case .object(let members):
            let inner = indent + "  "
            let lines = members.map {
                "\(inner)\(Self.quoted($0.name)): \($0.value.text(indent: inner))"
            }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
        }
    }

    private var isNested: Bool {
        switch self {
        case .array, .object: true
        default: false
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            // The scalars that represent bytes of file names are always escaped.
            case _ where scalar.value < 0x20 || 0xF780...0xF7FF ~= scalar.value:
                result += "\\u" + UInt16(scalar.value).hexadecimal
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
