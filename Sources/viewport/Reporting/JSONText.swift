/// JSON whose members keep the order that they are written in.
enum JSONText {
    case null
    case bool(Bool)
    case int(Int)
    case number(Double)
    case string(String)
    case array([JSONText])
    case object([(String, JSONText)])

    /// A list of numbers, as points and rectangles are written.
    static func numbers(_ values: Double...) -> JSONText { .array(values.map(JSONText.number)) }

    /// A value, or null where there is none.
    init<T>(_ value: T?, _ make: (T) -> JSONText) {
        self = value.map(make) ?? .null
    }
}

extension JSONText: CustomStringConvertible {
    /// One line; numbers read back as the same doubles, and those that JSON lacks are null.
    var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .number(let value): Self.text(value)
        case .string(let value): Self.quoted(value)
        case .array(let values): "[" + values.map(\.description).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0.0) + ":" + $0.1.description }.joined(separator: ",") + "}"
        }
    }

    private static func text(_ value: Double) -> String {
        guard value.isFinite else { return "null" }
        return Int(exactly: value).map { "\($0)" } ?? "\(value)"
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
