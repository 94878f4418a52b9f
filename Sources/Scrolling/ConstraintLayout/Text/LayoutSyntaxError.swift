/// Error in the text of a constraint or of a visual format, with the character where it is.
public struct LayoutSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The whole text that was read, of a constraint or a format.
    public let text: String
    /// Characters before the error; the count of the text for an error at its end.
    public let offset: Int
    /// What is wrong, in a sentence without a full stop.
    public let message: String

    /// Makes an error at a character of a text.
    public init(text: String, offset: Int, message: String) {
        self.text = text
        self.offset = offset
        self.message = message
    }

    /// The message, the text, and a line with a caret below the character.
    public var description: String {
        let line = String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 })
        return "\(message)\n\(line)\n\(String(repeating: " ", count: offset))^"
    }
}

/// Reads texts of constraints character by character.
struct TextScanner {
    private let text: String
    private let characters: [Character]
    private(set) var offset = 0

    init(_ text: String) {
        self.text = text
        characters = Array(text)
    }

    var isAtEnd: Bool { offset == characters.count }
    private var next: Character? { isAtEnd ? nil : characters[offset] }

    func error(_ message: String, at place: Int? = nil) -> LayoutSyntaxError {
        LayoutSyntaxError(text: text, offset: place ?? offset, message: message)
    }

    /// Names the next character in an error.
    func expected(_ what: String) -> LayoutSyntaxError {
        error("expected \(what), found \(next.map { "“\($0)”" } ?? "the end")")
    }

    mutating func skipSpaces() {
        while let next, next.isWhitespace { offset += 1 }
    }

    /// Skips spaces, then takes a token if it is next.
    mutating func take(_ token: String) -> Bool {
        skipSpaces()
        guard characters[offset...].starts(with: token) else { return false }
        offset += token.count
        return true
    }

    /// Skips spaces, and returns whether a token is next.
    mutating func peek(_ token: String) -> Bool {
        let start = offset
        let isNext = take(token)
        if isNext { offset = start }
        return isNext
    }

    mutating func relation() -> LayoutRelation? {
        LayoutRelation.allCases.first { take($0.rawValue) }
    }

    /// Takes a letter or underscore, and letters, digits and underscores.
    mutating func name() -> String? {
        skipSpaces()
        guard let next, next.isLetter || next == "_" else { return nil }
        let start = offset
        while let next = self.next, next.isLetter || next.isNumber || next == "_" { offset += 1 }
        return String(characters[start..<offset])
    }

    /// Takes a decimal number without a sign.
    mutating func number() throws(LayoutSyntaxError) -> Double? {
        skipSpaces()
        let start = offset
        while let next, next.isASCII && next.isWholeNumber || next == "." { offset += 1 }
        guard offset > start else { return nil }
        let digits = String(characters[start..<offset])
        guard digits != ".", let number = Double(digits.hasPrefix(".") ? "0" + digits : digits) else {
            throw error("“\(digits)” is not a number", at: start)
        }
        guard number <= 1e9 else { throw error("the number is above 1000000000", at: start) }
        return number
    }

    /// Takes a number or the name of a metric; nil at anything else.
    mutating func value(_ metrics: [String: Double]) throws(LayoutSyntaxError) -> Double? {
        if let number = try number() { return number }
        let start = offset
        guard let name = name() else { return nil }
        guard let value = metrics[name] else {
            throw error("there is no metric “\(name)”", at: start)
        }
        guard value.magnitude <= 1e9 else {
            throw error("the metric “\(name)” is not finite or too large", at: start)
        }
        return value
    }

    /// Takes `@` and a priority, if it is next: a number, a metric, `required`, `high` or `low`.
    mutating func priority(_ metrics: [String: Double]) throws(LayoutSyntaxError) -> LayoutPriority? {
        guard take("@") else { return nil }
        skipSpaces()
        let start = offset
        if let name = name(), metrics[name] == nil {
            guard let priority = ["required": LayoutPriority.required, "high": .high, "low": .low][name]
            else {
                throw error("there is no priority or metric “\(name)”", at: start)
            }
            return priority
        }
        offset = start
        guard let value = try value(metrics) else { throw expected("a priority") }
        guard value > 0, value <= 1000 else {
            throw error("priorities are above 0 and at most 1000", at: start)
        }
        return LayoutPriority(rawValue: value)
    }
}
