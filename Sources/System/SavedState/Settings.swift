internal import Basics
internal import Files

/// The settings of a user: initial values, a file, environment variables and the command line; later ones win.
///
/// ```swift
/// var settings = Settings(file: Settings.usualPath)
/// settings.register(.columns)
/// let columns = try settings.value(.columns, option: columnsOption)
/// ```
///
/// The file is one JSON object of names and values. It is read once, when the settings are created; errors in it are
/// reported when they matter: a wrong value when it is used, and everything in ``problems``.
public struct Settings: Sendable {
    /// A setting for lists.
    public struct Entry: Hashable, Codable, Sendable, CustomStringConvertible {
        /// The name of the key.
        public let name: String
        /// One sentence about it.
        public let summary: String
        /// The environment variable that sets it.
        public let variable: String
        /// The value as it was written; the initial one if a wrong value is set.
        public let value: String
        /// What sets it.
        public let source: SettingSource

        /// The name and the value: "columns = 6".
        public var description: String { "\(name) = \(value)" }
    }

    /// A key without its type.
    private struct Registration: Sendable {
        let expected: String
        let kinds: Set<SettingKind>
        let accepts: @Sendable (String) -> Bool
        let entry: @Sendable (Settings) -> Entry
    }

    /// The path of the file; nil for none.
    public let file: String?
    private let environment: @Sendable (String) -> String?
    private var contents: Result<SettingsFile, SettingsError>
    private var registrations: [(name: String, key: Registration)] = []

    /// The file viewport/settings.json in XDG_CONFIG_HOME, or else in the home folder's `.config`.
    ///
    /// Source: XDG Base Directory Specification 0.8.
    public static var usualPath: String { UserFolder.config.path + "/settings.json" }

    /// Reads a file, which need not exist, and the environment of the process.
    public init(file: String?) {
        self.init(file: file, environment: ProcessEnvironment.variable)
    }

    /// Reads a file, which need not exist.
    ///
    /// - Parameter environment: Returns the value of an environment variable; nil if it is not set.
    public init(file: String?, environment: @escaping @Sendable (String) -> String?) {
        self.file = file
        self.environment = environment
        do throws(SettingsError) {
            contents = .success(
                try file.map { path throws(SettingsError) in try SettingsFile(path) } ?? SettingsFile())
        } catch {
            contents = .failure(error)
        }
    }

    /// Registers a key, instead of an earlier one of the same name.
    public mutating func register<Value>(_ key: SettingKey<Value>) {
        registrations.removeAll { $0.name == key.name }
        registrations.append(
            (
                key.name,
                Registration(
                    expected: Value.settingDescription, kinds: Value.settingKinds,
                    accepts: { Value(setting: $0) != nil }, entry: { $0.entry(key) })
            ))
    }

    // MARK: Reading

    /// Returns the value of a key: that of an option, else of the environment, else of the file, else the initial one.
    ///
    /// - Throws: `SettingsError` if the file is broken or the value that would be used is wrong.
    public func value<Value>(_ key: SettingKey<Value>, option: Value? = nil) throws(SettingsError) -> Value {
        try resolve(key, option: option).value
    }

    /// Returns what sets a key.
    public func source<Value>(of key: SettingKey<Value>, option: Value? = nil) throws(SettingsError)
        -> SettingSource
    {
        try resolve(key, option: option).source
    }

    private func resolve<Value>(
        _ key: SettingKey<Value>, option: Value?
    ) throws(SettingsError) -> (value: Value, source: SettingSource) {
        if let option { return (option, .commandLine) }
        if let text = environment(key.variable) {
            guard let value = Value(setting: text) else {
                throw .wrongText(name: key.variable, value: text, expected: Value.settingDescription)
            }
            return (value, .environment)
        }
        let contents = try contents.get()
        guard let json = contents[key.name] else { return (key.initialValue, .initial) }
        guard let scalar = json.setting, Value.settingKinds.contains(scalar.kind),
            let value = Value(setting: scalar.text)
        else { throw contents.wrongType(key.name, json, Value.settingDescription) }
        return (value, .file)
    }

    private func entry<Value>(_ key: SettingKey<Value>) -> Entry {
        let source = (try? resolve(key, option: nil))?.source ?? .initial
        let text =
            switch source {
            case .environment: environment(key.variable)
            case .file: (try? contents.get())?[key.name]?.setting?.text
            case .initial, .commandLine: nil as String?
            }
        return Entry(
            name: key.name, summary: key.summary, variable: key.variable,
            value: text ?? key.initialValue.settingText, source: source)
    }

    /// All registered settings in the order of registration.
    public var entries: [Entry] { registrations.map { $0.key.entry(self) } }

    /// Everything that is wrong: a broken file, unknown keys, and wrong values in the file and in the environment.
    public var problems: [SettingsError] {
        var problems: [SettingsError] = []
        for (_, key) in registrations {
            let variable = key.entry(self).variable
            if let text = environment(variable), !key.accepts(text) {
                problems.append(.wrongText(name: variable, value: text, expected: key.expected))
            }
        }
        switch contents {
        case .failure(let error): problems.append(error)
        case .success(let contents):
            for member in contents.members {
                guard let key = registrations.first(where: { $0.name == member.name })?.key else {
                    problems.append(unknown(member.name, in: contents))
                    continue
                }
                let scalar = member.value.setting
                guard let scalar, key.kinds.contains(scalar.kind), key.accepts(scalar.text) else {
                    problems.append(contents.wrongType(member.name, member.value, key.expected))
                    continue
                }
            }
        }
        return problems
    }

    private func unknown(_ name: String, in contents: SettingsFile?) -> SettingsError {
        .unknownKey(
            name, nearest: Suggestion.nearest(to: name, of: registrations.map(\.name)),
            file: contents?.path, line: contents?.line(of: name))
    }

    // MARK: Writing

    /// Sets a key in the file, which is written atomically.
    ///
    /// A file that is not JSON is kept under another name, and a new one begins.
    ///
    /// - Returns: The path to which a broken file was moved; nil if there was none.
    /// - Throws: `SettingsError` if no registered key has this name, the value is wrong, or the file cannot be written.
    @discardableResult
    public mutating func set(_ name: String, to text: String) throws(SettingsError) -> String? {
        guard let key = registrations.first(where: { $0.name == name })?.key else {
            throw unknown(name, in: nil)
        }
        guard key.accepts(text) else {
            throw .wrongText(name: name, value: text, expected: key.expected)
        }
        return try change { $0[name] = JSONValue(setting: text, of: key.kinds) }
    }

    /// Removes a key from the file, also one that is not registered.
    ///
    /// - Returns: The path to which a broken file was moved; nil if there was none.
    /// - Throws: `SettingsError` if the name is neither registered nor in the file, or the file cannot be written.
    @discardableResult
    public mutating func unset(_ name: String) throws(SettingsError) -> String? {
        let contents = try SettingsFile.mending(file ?? "").contents
        guard contents[name] != nil || registrations.contains(where: { $0.name == name }) else {
            throw unknown(name, in: nil)
        }
        return try change { $0[name] = nil }
    }

    /// Changes the file as it is now.
    private mutating func change(_ body: (inout SettingsFile) -> Void) throws(SettingsError) -> String? {
        guard let file else { throw .unwritable(file: "settings", reason: "there is no file") }
        var (changed, aside) = try SettingsFile.mending(file)
        body(&changed)
        let movedTo = try changed.write(movingAside: aside)
        contents = .success(changed)
        return movedTo
    }
}
