/// A JSON value as descriptors of images use it: parsed strictly, printed in the order of its members.
enum JSONValue: Hashable {
    case null
    case bool(Bool)
    case int(Int)
    /// A number that is no whole one, as it is written.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    struct Member: Hashable {
        var name: String
        var value: JSONValue
    }

    init(parsing text: String) throws(DescriptorError) {
        var reader = JSONReader(bytes: Array(text.utf8))
        self = try reader.document()
    }

    /// An object of members that are there.
    static func object(_ members: [(String, JSONValue?)]) -> JSONValue {
        .object(
            members.compactMap { name, value in value.map { Member(name: name, value: $0) } } as [Member])
    }
}

extension JSONValue {
    /// A member of an object; nil where there is none.
    subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    var array: [JSONValue]? {
        if case .array(let values) = self { values } else { nil }
    }

    /// A member that is a whole number above 0; nil where there is no such member.
    func positive(_ name: String) throws(DescriptorError) -> Int? {
        guard let value = self[name] else { return nil }
        guard case .int(let number) = value, (1...DeepZoomDescriptor.longestSide).contains(number) else {
            throw .badValue(name: name, value: value.text())
        }
        return number
    }

    /// A member that has to be there.
    func require(_ name: String) throws(DescriptorError) -> JSONValue {
        guard let value = self[name] else { throw .missing(name) }
        return value
    }

    /// The JSON, each member on a line of its own; lists of numbers stay on one line.
    func text(indent: String = "") -> String {
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
            case _ where scalar.value < 0x20:
                let hex = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
