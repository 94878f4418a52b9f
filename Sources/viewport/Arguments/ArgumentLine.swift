#if CommandLine
import ArgumentParser
import Basics
import Files

/// The arguments of the process, prepared for the parser.
///
/// The parser treats every argument with a leading dash as an option, and an unknown subcommand as an unexpected
/// argument. Here negative numbers become values, and mistyped commands and file names with a dash get a hint.
struct ArgumentLine {
    private var path: [String] = []
    private var command: any ParsableCommand.Type = ViewportCommand.self
    private var rest: [String]

    /// Former names of options, by command; "" means every command.
    private static let formerNames: [String: [String: String]] = [
        "sheet": ["--side": "--size"],
        "pyramid": ["--suffix": "--format"],
    ]

    init(_ arguments: [String]) {
        rest = arguments
    }

    /// Returns the options of the command that arguments name.
    static func options(of arguments: [String]) -> OptionNames { command(of: arguments).options }

    /// Returns the options of the command that arguments name, and the arguments after its name.
    static func command(of arguments: [String]) -> (options: OptionNames, rest: [String]) {
        var line = Self(arguments)
        // An unknown command has no options, and its parent reports it.
        _ = try? line.descend()
        return (OptionNames(of: line.command), line.rest)
    }

    /// Returns the name of the command that arguments name: "library list".
    static func name(of arguments: [String]) -> String {
        var line = Self(arguments)
        _ = try? line.descend()
        return line.path.joined(separator: " ")
    }

    /// Returns the arguments for the parser.
    ///
    /// - Throws: `ValidationError` for unknown commands and for file names with a leading dash.
    mutating func prepared() throws -> [String] {
        // A shell asks for completions of a line that nobody has finished.
        if rest.first == "---completion" { return rest }
        if let help = try descend() { return help }
        let former = Self.formerNames[path.last ?? "", default: [:]].merging(
            Self.formerNames["", default: [:]]
        ) {
            $1
        }
        let arguments = OtherWords.replaced(in: rest.map { former[$0] ?? $0 }, of: command)
        try refuseRepeated(arguments)
        guard arguments.contains(where: Self.needsSecondLook) else { return path + arguments }
        return try path + joined(arguments)
    }

    /// Returns the command of prepared arguments, parsed without the tree of all commands, which takes twice as long.
    ///
    /// - Returns: nil for arguments that it refuses or that request help: the parser of the tree answers those.
    func command(of prepared: [String]) -> (any ParsableCommand)? {
        guard !path.isEmpty, prepared.starts(with: path), command.configuration.subcommands.isEmpty,
            let parsed = try? command.parseAsRoot(Array(prepared.dropFirst(path.count)))
        else { return nil }
        return type(of: parsed) == command ? parsed : nil
    }

    /// Returns the error for the first option of prepared arguments that the command does not have; nil if it has all.
    func unknownOption(in prepared: [String]) -> ValidationError? {
        guard !path.isEmpty, prepared.starts(with: path), command.configuration.subcommands.isEmpty else {
            return nil
        }
        let options = OptionNames(of: command)
        var isValue = false
        for argument in prepared.dropFirst(path.count).prefix(while: { $0 != "--" }) {
            let name = String(argument.prefix { $0 != "=" })
            if isValue || !argument.hasPrefix("-") || argument == PipedInput.name {
                isValue = false
            } else if options.isKnown(name) {
                isValue = options.takesValue(name) && name == argument
            } else if argument.hasPrefix("--"), !Self.parserOptions.contains(name) {
                return ValidationError(OtherWords.sentence(forUnknown: name, of: command))
            } else if argument.utf8.count == 2, !Self.parserOptions.contains(name), !Self.isNumber(argument) {
                return ValidationError(OtherWords.sentence(forUnknown: name, of: command))
            }
        }
        return nil
    }

    /// The options that the parser adds to all commands.
    private static let parserOptions: Set<String> = [
        "-h", "--help", "--version", "--help-hidden", "--generate-completion-script",
        "--experimental-dump-help",
    ]

    /// Throws if an option that takes one value is there twice: the parser would take the last one.
    private func refuseRepeated(_ arguments: [String]) throws {
        let given = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("-") && $0 != PipedInput.name }
            .map { $0.hasPrefix("--") ? String($0.prefix { $0 != "=" }) : String($0.prefix(2)) }
        // The short name of an option is the first letter of its long name.
        let letters = Set(given.filter { $0.utf8.count == 2 }.map { $0.suffix(1).lowercased() })
        guard
            Set(given).count < given.count
                || given.contains(where: { letters.contains($0.dropFirst(2).prefix(1).lowercased()) })
        else { return }
        let options = OptionNames(of: command).all.filter { $0.takesValue && !$0.isRepeating }
        for option in options {
            let names = given.filter(option.names.contains)
            guard names.count > 1 else { continue }
            let both =
                Set(names).count == 1
                ? "\(names[0]) is given twice" : "\(names[0]) and \(names[1]) are one option"
            throw ValidationError("\(both): give it once")
        }
    }

    /// Removes the names of subcommands from the front; returns the arguments of `help` if it is one of them.
    private mutating func descend() throws -> [String]? {
        while let name = rest.first, !name.hasPrefix("-") {
            let children = command.configuration.subcommands
            guard !children.isEmpty else { return nil }
            if name == "help" {
                rest.removeFirst()
                return try help()
            }
            if let child = children.first(where: { $0._commandName == name }) {
                command = child
                path.append(name)
                rest.removeFirst()
                continue
            }
            if path.isEmpty, let words = OtherWords.commands[name], !InputArguments.isThere(name) {
                rest.replaceSubrange(..<1, with: words)
                continue
            }
            if path.isEmpty, try ShowCommand.takes(name) {
                (command, path) = (ShowCommand.self, [ShowCommand._commandName])
                return nil
            }
            let near = Suggestion.nearest(to: name, of: children.map { $0._commandName })
            guard command.configuration.defaultSubcommand != nil else { throw unknown(name, near) }
            // The default subcommand may be omitted: the word may be a file.
            if let near, !name.contains("/"), !name.contains("."), !InputArguments.isThere(name) {
                throw unknown(name, near)
            }
            break
        }
        while let child = command.configuration.defaultSubcommand { command = child }
        return nil
    }

    /// `viewport help library list`, and `viewport library help list` for the same.
    private mutating func help() throws -> [String] {
        while let name = rest.first, !name.hasPrefix("-") {
            guard let child = command.configuration.subcommands.first(where: { $0._commandName == name })
            else {
                throw unknown(
                    name,
                    Suggestion.nearest(
                        to: name, of: command.configuration.subcommands.map { $0._commandName }))
            }
            command = child
            path.append(name)
            rest.removeFirst()
        }
        // The parser's help takes no options.
        return command is any OptionalHelp.Type && !rest.isEmpty ? path + rest : ["help"] + path + rest
    }

    private func unknown(_ name: String, _ near: String?) -> ValidationError {
        let prefix = (["viewport"] + path).joined(separator: " ")
        let names = command.configuration.subcommands.map { $0._commandName }.joined(separator: ", ")
        guard !names.isEmpty else {
            return ValidationError(
                "'\(ValidationError.printable(name))' is not a command: `\(prefix)` has no subcommands")
        }
        let given = ValidationError.printable(name)
        if path.isEmpty, let advice = OtherWords.advice(for: name) {
            return ValidationError("'\(given)' is not a command; type: \(advice)")
        }
        guard let near else {
            return ValidationError("'\(given)' is not a command of `\(prefix)`: give one of \(names)")
        }
        return ValidationError(
            "'\(given)' is not a command of `\(prefix)`; did you mean `\(prefix) \(near)`? Commands: \(names)"
        )
    }

    /// Whether the parser would misread an argument: it has one leading dash and more than one letter, or is a
    /// number that ends in a comma.
    private static func needsSecondLook(_ argument: String) -> Bool {
        if endsInComma(argument) || isNumber(argument) { return true }
        return argument.hasPrefix("-") && !argument.hasPrefix("--") && argument.utf8.count > 2
    }

    private static func endsInComma(_ argument: String) -> Bool {
        argument.hasSuffix(",") && argument.utf8.allSatisfy { "+-.,:%pct0123456789 ".utf8.contains($0) }
    }

    private static func isNumber(_ argument: String) -> Bool {
        let second = argument.dropFirst().first
        return argument.hasPrefix("-") && (second?.isASCII ?? false) && (second!.isNumber || second == ".")
    }

    /// Joins negative values with their options, and values that were split at spaces.
    private func joined(_ arguments: [String]) throws -> [String] {
        let options = OptionNames(of: command)
        var result: [String] = []
        var index = 0
        // What follows -- are paths.
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        while index < end {
            let argument = arguments[index]
            index += 1
            if options.takesValue(argument), index < end {
                var value = arguments[index]
                // A query may begin with what it excludes: --where -is:video.
                let isNegative = Self.isNumber(value) || Self.isQuery(value, of: options.long(argument))
                guard isNegative || Self.endsInComma(value) else {
                    result.append(argument)
                    // An option's value is not an option.
                    if !value.hasPrefix("-") || value == "-" {
                        result.append(value)
                        index += 1
                    } else if Self.needsSecondLook(value) {
                        throw dashed(value, options)
                    }
                    continue
                }
                index += 1
                while Self.endsInComma(value), index < end, !arguments[index].hasPrefix("--") {
                    value += arguments[index]
                    index += 1
                }
                result.append("\(options.long(argument))=\(value)")
            } else if Self.needsSecondLook(argument), argument.hasPrefix("-") {
                result += try taken(argument, options)
            } else {
                result.append(argument)
            }
        }
        return result + arguments[end...]
    }

    private static func isQuery(_ value: String, of option: String) -> Bool {
        option == "--where" && value.hasPrefix("-") && !value.hasPrefix("--")
    }

    /// Splits an argument into short flags, or into an option and its number.
    private func taken(_ argument: String, _ options: OptionNames) throws -> [String] {
        let letters = argument.dropFirst()
        if letters.allSatisfy({ options.isKnown("-\($0)") && !options.takesValue("-\($0)") }) {
            return [argument]
        }
        let first = String(argument.prefix(2))
        if options.takesValue(first), let digit = argument.dropFirst(2).first, digit.isASCII, digit.isNumber {
            return [first, String(argument.dropFirst(2))]
        }
        if options.takesValue(first), argument.dropFirst(2).first == "=" { return [argument] }
        throw dashed(argument, options)
    }

    private func dashed(_ argument: String, _ options: OptionNames) -> ValidationError {
        let given = ValidationError.printable(argument)
        let name = argument.prefix { $0 != "=" }
        if options.isKnown("-\(name)") {
            return ValidationError("\(given) is not an option; did you mean -\(given)?")
        }
        return ValidationError(
            "\(given) is not an option; write a file of that name as ./\(given), or put -- before it")
    }
}

/// The options of a command, read from its help.
///
/// Making the list takes milliseconds: it is only made for arguments that the parser would misread.
struct OptionNames: Sendable {
    struct Known: Sendable {
        /// "--rect", "-Q".
        var names: [String]
        var takesValue: Bool
        var isRepeating: Bool
        var valueName: String?
        var defaultValue: String?
        var abstract: String?

        /// Whether it has that name, or, without names, belongs to that property.
        func matches(_ property: String, _ name: String?) -> Bool {
            if let name { return names.contains(name) }
            return names.isEmpty && valueName == property
        }
    }

    let all: [Known]

    init(of command: any ParsableCommand.Type) {
        let root = (try? JSONValue(parsing: command._dumpHelp()))?["command"]
        all = (root?["arguments"]?.array ?? []).map { argument in
            Known(
                names: (argument["names"]?.array ?? []).compactMap { name in
                    guard let text = name["name"]?.string else { return nil }
                    return (name["kind"]?.string == "long" ? "--" : "-") + text
                },
                takesValue: argument["kind"]?.string == "option",
                isRepeating: argument["isRepeating"] == .bool(true),
                valueName: argument["valueName"]?.string, defaultValue: argument["defaultValue"]?.string,
                abstract: argument["abstract"]?.string)
        }
    }

    func takesValue(_ name: String) -> Bool { all.contains { $0.takesValue && $0.names.contains(name) } }

    func isKnown(_ name: String) -> Bool { all.contains { $0.names.contains(name) } }

    /// Returns the long name of an option.
    func long(_ name: String) -> String {
        let option = all.first { $0.names.contains(name) }
        return option?.names.first { $0.hasPrefix("--") } ?? name
    }
}
#endif
