#if CommandLine
import ArgumentParser
import Basics
import Files
import SavedState
public import ViewportRendering

#if Library
import PhotoCatalog
#endif

/// The settings of the command line: what users would otherwise type every time.
///
/// An option always wins over the environment, and the environment over the settings file.
enum UserSettings {
    private static let loaded = Once<Settings>()

    /// The settings, read once per process; names in the file that are unknown are noted.
    static func load() -> Settings {
        loaded.valueEvenIfCancelled {
            let settings = registered()
            for case .unknownKey(let name, let nearest, let file, let line) in settings.problems {
                let error = SettingsError.unknownKey(name, nearest: nearest, file: file, line: line)
                StandardError.note(sentence(for: error))
            }
            return settings
        }
    }

    /// The settings without notes, for the command that lists and changes them.
    static func registered() -> Settings {
        var settings = Settings(file: Settings.usualPath)
        settings.register(.cacheSize)
        settings.register(.size)
        settings.register(.background)
        settings.register(.places)
        return settings
    }

    /// Returns the value of an option, else of the environment, else of the file, else the initial one.
    ///
    /// - Throws: `SettingsError`, or `ValidationError` for the environment.
    static func value<Value: ArgumentSetting>(
        _ key: SettingKey<Value>, option: Value? = nil
    ) throws -> Value {
        do {
            return try load().value(key, option: option)
        } catch SettingsError.wrongText(let name, let value, _) {
            throw ValidationError(
                refusing: value, of: name, because: Value.fault(in: value), give: Value.understood,
                example: "\(name)=\(Value.example)")
        }
    }

    /// Their names, for completions of shells.
    static let names = CompletionKind.list(registered().entries.map(\.name))

    #if Library
    /// The list of towns at the path of the setting, else the installed one.
    static func towns() throws -> TownFile {
        let path = try value(.places).path
        return path.isEmpty ? .installed : TownFile(path: path)
    }
    #endif
}

extension SettingKey<ByteCount> {
    static var cacheSize: Self {
        Self(
            "cacheSize", initial: ByteCount(argument: "10G")!, summary: "Most bytes that the cache holds.",
            variable: "VIEWPORT_CACHE_BYTES")
    }
}

extension SettingKey<SizeArgument> {
    static var size: Self {
        Self(
            "size", initial: SizeArgument(argument: "1024x1024")!,
            summary: "Size into which render fits an image without --size.")
    }
}

extension SettingKey<Color> {
    static var background: Self {
        Self(
            "background", initial: .transparent,
            summary: "Color outside and behind images of render, replay and fly.")
    }
}

extension SettingKey<PathArgument> {
    static var places: Self {
        Self(
            "places", initial: PathArgument(path: ""),
            summary: "List of towns for names of places; without it, the installed one.")
    }
}

/// A type of arguments whose values can be settings.
protocol ArgumentSetting: SettingValue, ExpressibleByArgument, Explained {}

extension ArgumentSetting {
    public static var settingDescription: String { understood }
    public init?(setting text: String) { self.init(argument: text) }
}

extension ByteCount: ArgumentSetting {
    /// With the largest unit that divides it: "10G".
    var settingText: String {
        let units = ["", "k", "M", "G", "T"]
        let power = units.indices.last { bytes.isMultiple(of: 1 << (10 * $0)) } ?? 0
        return bytes == 0 ? "0" : "\(bytes >> (10 * power))\(units[power])"
    }
}

extension SizeArgument: ArgumentSetting {
    var settingText: String { text }
}

extension Color: ArgumentSetting {
    public var settingText: String { defaultValueDescription }
}

/// A path; ~/ is the home folder, because no shell replaces it in a file.
struct PathArgument: ArgumentSetting {
    let path: String

    init(path: String) { self.path = path }

    init?(argument: String) {
        guard !argument.isEmpty, !argument.contains("\0") else { return nil }
        let below = FilePath(argument).below("~")
        let home = below == nil ? nil : ProcessEnvironment.variable("HOME")
        path = home.map { "\($0)/\(below?.text ?? "")" } ?? argument
    }

    static var settingKinds: Set<SettingKind> { [.string] }
    var settingText: String { path }
    static var understood: String { "a path" }
    static var example: String { "~/places.tsv" }
}
#endif
