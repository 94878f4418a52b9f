internal import Foundation

/// A value that is to survive being encoded as JSON and decoded again.
package struct CodedValue: Sendable, CustomStringConvertible {
    /// The value, for the names of tests.
    package let description: String
    private let recode: @Sendable () throws -> Bool

    package init<Value: Codable & Hashable & Sendable>(_ value: Value) {
        description = "\(Value.self)"
        recode = {
            let copy = try decoded(Value.self, encoded(value))
            return copy == value && copy.hashValue == value.hashValue
        }
    }

    /// Whether the decoded value equals the encoded one, with an equal hash.
    package var isKept: Bool { get throws { try recode() } }
}

/// Returns the value that JSON decodes to.
package func decoded<Value: Decodable>(_ type: Value.Type = Value.self, _ json: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(json.utf8))
}

/// Returns the JSON of a value, its members sorted by name.
package func encoded(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}
