/// A JSON value: parsed strictly, printed in the order of its members.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int)
    /// A number that is no whole one, as it is written.
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

    /// An object of members that are there.
    package static func object(_ members: [(String, JSONValue?)]) -> JSONValue {
        .object(
            members.compactMap { name, value in value.map { Member(name: name, value: $0) } } as [Member])
    }
}

extension JSONValue {
    /// A member of an object; nil where there is none.
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

    package var int: Int? {
        if case .int(let value) = self { value } else { nil }
    }

    /// The members of an object, in their order; nil for other values.
    package var members: [Member]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The JSON on one line, without spaces.
    package var line: String {
        switch self {
        case .array(let values): "[" + values.map(\.line).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0.name) + ":" + $0.value.line }.joined(separator: ",") + "}"
        default: text()
        }
    }

    /// The JSON, each member on a line of its own; lists of numbers stay on one line.
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
            // The scalars that stand for bytes of file names are never in the text as they are.
            case _ where scalar.value < 0x20 || 0xF780...0xF7FF ~= scalar.value:
                let hex = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
