#if CommandLine
import ArgumentParser
import Basics
import SavedState

/// `viewport settings`: lists and changes what users set every time.
struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "List or change the settings.",
        discussion: """
            Settings replace the defaults of options. They are stored in
            $XDG_CONFIG_HOME/viewport/settings.json (default ~/.config/viewport). An
            environment variable wins over the file, and an option over both.
            """,
        examples: [
            "viewport settings": "List the settings, and what sets them",
            "viewport settings set cacheSize 50G": "Let the cache hold 50 GiB",
            "viewport settings unset cacheSize": "Return to the initial value",
        ],
        subcommands: [List.self, Set.self, Unset.self], defaultSubcommand: List.self)

    /// `viewport settings list`: lists each key with its value and its source.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the settings, their values and what sets them.",
            discussion: "Exit code 65: the settings file or an environment variable is wrong.",
            examples: [
                "viewport settings list": "A table",
                "viewport settings list --json": "The same as JSON",
            ])

        @Flag(help: "Print one line of JSON.")
        var json = false

        @OptionGroup var quietness: QuietArguments

        func run() throws {
            let settings = UserSettings.registered()
            let problems = settings.problems
            if json {
                print(Self.report(settings, problems))
            } else {
                print(Self.table(settings))
                for problem in problems { StandardError.write("viewport: \(sentence(for: problem))\n") }
            }
            if !problems.isEmpty { throw ExitCode(Exit.badInput.rawValue) }
        }

        private static func report(_ settings: Settings, _ problems: [SettingsError]) -> JSONValue {
            .object([
                "path": .string(settings.file ?? ""),
                "settings": .array(
                    settings.entries.map {
                        .object([
                            "name": .string($0.name), "value": .string($0.value),
                            "source": .string("\($0.source)"), "variable": .string($0.variable),
                        ])
                    }),
                "problems": .array(problems.map { .string(sentence(for: $0)) }),
            ])
        }

        private static func table(_ settings: Settings) -> String {
            func padded(_ text: String, _ width: Int) -> String {
                text + String(repeating: " ", count: max(1, width - text.count))
            }
            let rows = settings.entries.map { entry in
                let source =
                    switch entry.source {
                    case .initial: "initial"
                    case .file: "file"
                    case .environment: entry.variable
                    case .commandLine: "option"
                    }
                let value = entry.value.isEmpty ? "-" : entry.value
                return padded(entry.name, 12) + padded(value, 22) + padded(source, 22) + entry.summary
            }
            return (rows + ["stored in \(settings.file ?? "")"]).joined(separator: "\n")
        }
    }

    /// `viewport settings set`: sets one key in the file.
    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Set a value in the settings file.",
            examples: [
                "viewport settings set background white": "Render on white",
                "viewport settings set size 1920x1080": "Render at this size",
            ])

        @Argument(help: "Name of the setting.", completion: UserSettings.names)
        var key: String

        @Argument(help: "Value, as the option takes it.")
        var value: String

        @OptionGroup var quietness: QuietArguments

        func run() throws {
            var settings = UserSettings.registered()
            report(moved: try settings.set(key, to: value))
        }
    }

    /// `viewport settings unset`: removes one key from the file.
    struct Unset: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unset", abstract: "Remove a value from the settings file.",
            examples: [
                "viewport settings unset background": "Use the initial value again",
                "viewport settings unset size --quiet": "The same without notes",
            ])

        @Argument(help: "Name of the setting.", completion: UserSettings.names)
        var key: String

        @OptionGroup var quietness: QuietArguments

        func run() throws {
            var settings = UserSettings.registered()
            report(moved: try settings.unset(key))
        }
    }
}

extension ParsableCommand {
    /// Notes where a broken settings file was moved.
    fileprivate func report(moved path: String?) {
        if let path { StandardError.note("the broken settings file was moved to \(path)") }
    }
}
#endif
