/// A value of a setting: `Bool`, `Int`, `Double`, `String` and types of a program.
public protocol SettingValue: Sendable {
    /// The accepted values, for errors: "true or false".
    static var settingDescription: String { get }
    /// The kinds of JSON in which a settings file may write it; text and numbers by default.
    static var settingKinds: Set<SettingKind> { get }
    /// Creates a value from the text of an environment variable or of a settings file; nil if it is not accepted.
    init?(setting text: String)
    /// The text from which the value can be created.
    var settingText: String { get }
}

extension SettingValue {
    /// Text and numbers.
    public static var settingKinds: Set<SettingKind> { [.string, .number] }
}

/// A kind of JSON that a settings file can contain.
public enum SettingKind: Sendable {
    /// `"text"`.
    case string
    /// `1.5`.
    case number
    /// `true` or `false`.
    case boolean
}

extension Bool: SettingValue {
    public static var settingDescription: String { "true or false" }
    public static var settingKinds: Set<SettingKind> { [.boolean] }
    public init?(setting text: String) { self.init(text) }
    public var settingText: String { "\(self)" }
}

extension Int: SettingValue {
    public static var settingDescription: String { "a whole number" }
    public static var settingKinds: Set<SettingKind> { [.number] }
    public init?(setting text: String) { self.init(text) }
    public var settingText: String { "\(self)" }
}

extension Double: SettingValue {
    public static var settingDescription: String { "a number" }
    public static var settingKinds: Set<SettingKind> { [.number] }
    /// Creates a finite number.
    public init?(setting text: String) {
        guard let value = Double(text), value.isFinite else { return nil }
        self = value
    }
    public var settingText: String { "\(self)" }
}

extension String: SettingValue {
    public static var settingDescription: String { "text" }
    public static var settingKinds: Set<SettingKind> { [.string] }
    public init?(setting text: String) { self = text }
    public var settingText: String { self }
}

/// The name and the type of a setting, with its initial value.
///
/// ```swift
/// extension SettingKey<Int> {
///     static var columns: Self { Self("columns", initial: 4, summary: "Photos in a row.") }
/// }
/// ```
public struct SettingKey<Value: SettingValue>: Sendable {
    /// The name in the settings file.
    public let name: String
    /// The value where nothing sets another one.
    public let initialValue: Value
    /// One sentence about it.
    public let summary: String
    /// The environment variable that sets it.
    public let variable: String

    /// Creates a key.
    ///
    /// - Parameter variable: The environment variable; by default VIEWPORT_ and the name, "cacheSize" as CACHE_SIZE.
    public init(_ name: String, initial: Value, summary: String, variable: String? = nil) {
        self.name = name
        initialValue = initial
        self.summary = summary
        self.variable = variable ?? Self.variable(of: name)
    }

    private static func variable(of name: String) -> String {
        name.reduce(into: "VIEWPORT_") { result, letter in
            if letter.isUppercase { result.append("_") }
            result += letter.isLetter || letter.isNumber ? letter.uppercased() : "_"
        }
    }
}

/// What sets a setting; later cases win.
public enum SettingSource: Int, CaseIterable, Comparable, Codable, Sendable {
    /// Nothing: it has its initial value.
    case initial
    /// The settings file.
    case file
    /// An environment variable.
    case environment
    /// An option of the command line.
    case commandLine

    /// Returns whether the first source is overridden by the second.
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// An error in a settings file or an environment variable.
public enum SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file cannot be read.
    case unreadable(file: String, reason: String)
    /// The file is not JSON from this line on, or not one object.
    case syntax(file: String, line: Int)
    /// No registered key has this name; `nearest` is similar.
    case unknownKey(String, nearest: String?, file: String?, line: Int?)
    /// The value is not one of the key's type.
    case wrongType(key: String, value: String, expected: String, file: String, line: Int?)
    /// The value of an environment variable, or one to be set, is not one of the key's type.
    case wrongText(name: String, value: String, expected: String)
    /// The file cannot be written.
    case unwritable(file: String, reason: String)

    /// The error in one sentence.
    public var description: String {
        func place(_ file: String, _ line: Int?) -> String { line.map { "\(file):\($0)" } ?? file }
        return switch self {
        case .unreadable(let file, let reason): "\(file): the settings cannot be read (\(reason))"
        case .syntax(let file, let line): "\(file):\(line): the settings are not one JSON object"
        case .unknownKey(let name, let nearest, let file, let line):
            (file.map { place($0, line) + ": " } ?? "") + "there is no setting '\(name)'"
                + (nearest.map { " (did you mean \($0)?)" } ?? "")
        case .wrongType(let key, let value, let expected, let file, let line):
            "\(place(file, line)): \(key) is \(value), not \(expected)"
        case .wrongText(let name, let value, let expected): "\(name): '\(value)' is not \(expected)"
        case .unwritable(let file, let reason): "\(file): the settings cannot be written (\(reason))"
        }
    }
}
