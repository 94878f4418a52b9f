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
        var text = ""
        write(to: &text)
        return text
    }

    /// The JSON with one member per line; lists of numbers are on one line.
    package func text(indent: String = "") -> String {
        var text = ""
        write(to: &text, indent: indent)
        return text
    }

    private func write(to output: inout String) {
        switch self {
        case .array(let values):
            output += "["
            for (number, value) in values.enumerated() {
                if number > 0 { output += "," }
                value.write(to: &output)
            }
            output += "]"
        case .object(let members):
            output += "{"
            for (number, member) in members.enumerated() {
                if number > 0 { output += "," }
                Self.write(quoted: member.name, to: &output)
                output += ":"
                member.value.write(to: &output)
            }
            output += "}"
        default: write(to: &output, indent: "")
        }
    }

    private func write(to output: inout String, indent: String) {
        switch self {
        case .null: output += "null"
        case .bool(let value): output += value ? "true" : "false"
        case .int(let value): output += "\(value)"
        case .number(let text): output += text
        case .string(let value): Self.write(quoted: value, to: &output)
        case .array(let values):
            let isNested = values.contains(where: \.isNested)
            let inner = indent + "  "
            output += "["
            for (number, value) in values.enumerated() {
                if number > 0 { output += isNested ? "," : ", " }
                if isNested { output += "\n\(inner)" }
                value.write(to: &output, indent: inner)
            }
            output += isNested ? "\n\(indent)]" : "]"
        case .object(let members):
            let inner = indent + "  "
            output += "{\n"
            for (number, member) in members.enumerated() {
                if number > 0 { output += ",\n" }
                output += inner
                Self.write(quoted: member.name, to: &output)
                output += ": "
                member.value.write(to: &output, indent: inner)
            }
            output += "\n\(indent)}"
        }
    }

    private var isNested: Bool {
        switch self {
        case .array, .object: true
        default: false
        }
    }

    private static func write(quoted text: String, to output: inout String) {
        output += "\""
        // 0xEF begins the scalars that represent bytes of file names.
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C && $0 != 0xEF }) {
            output += text
        } else {
            for scalar in text.unicodeScalars { write(scalar, to: &output) }
        }
        output += "\""
    }

    private static func write(_ scalar: Unicode.Scalar, to output: inout String) {
        switch scalar {
        case "\"": output += "\\\""
        case "\\": output += "\\\\"
        case "\n": output += "\\n"
        case "\r": output += "\\r"
        case "\t": output += "\\t"
        // The scalars that represent bytes of file names are always escaped.
        case _ where scalar.value < 0x20 || 0xF780...0xF7FF ~= scalar.value:
            output += "\\u" + UInt16(scalar.value).hexadecimal
        default: output.unicodeScalars.append(scalar)
        }
    }
}
