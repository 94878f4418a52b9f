extension KeyedDecodingContainer {
    /// Decodes a property, which keeps its value where the key is missing.
    package func read<Value: Decodable>(_ property: inout Value, _ key: Key) throws {
        if let value = try decodeIfPresent(Value.self, forKey: key) { property = value }
    }

    /// Decodes an optional property, which keeps its value where the key is missing.
    package func read<Value: Decodable>(_ property: inout Value?, _ key: Key) throws {
        if let value = try decodeIfPresent(Value.self, forKey: key) { property = value }
    }

    /// Decodes a finite number, which keeps its value where the key is missing.
    package func read(_ property: inout Double, _ key: Key) throws {
        guard let value = try decodeIfPresent(Double.self, forKey: key) else { return }
        try check(value.isFinite, key, "a number that is not finite")
        property = value
    }

    /// Decodes a finite number, or nil.
    package func number(_ key: Key) throws -> Double? {
        let value = try decodeIfPresent(Double.self, forKey: key)
        try check(value?.isFinite ?? true, key, "a number that is not finite")
        return value
    }

    /// Throws where the value of a key is invalid.
    package func check(_ isValid: Bool, _ key: Key, _ reason: String) throws {
        guard isValid else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: reason)
        }
    }
}

extension Decoder {
    /// Returns the error of a value that is decoded, and invalid as a whole.
    package func invalid(_ reason: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: codingPath, debugDescription: reason))
    }

    /// Decodes a value from its text; throws where the text is not one.
    package func value<Value>(_ name: String, _ parse: (String) -> Value?) throws -> Value {
        let text = try singleValueContainer().decode(String.self)
        guard let value = parse(text) else { throw invalid("\"\(text)\" is not \(name)") }
        return value
    }
}

extension Encoder {
    /// Encodes a value as its text.
    package func encode(text: String) throws {
        var container = singleValueContainer()
        try container.encode(text)
    }
}
