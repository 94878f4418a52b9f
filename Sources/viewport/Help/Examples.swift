#if CommandLine
import ArgumentParser

extension CommandConfiguration {
    /// Describes a command and appends examples to its discussion.
    ///
    /// Examples are lines with their purposes. Tests parse every line, so it has to be what a user can type. Help wraps
    /// at 80 columns: keep lines below 78.
    init(
        commandName: String? = nil, abstract: String, usage: String? = nil, discussion: String = "",
        examples: KeyValuePairs<String, String>, version: String = "",
        subcommands: [any ParsableCommand.Type] = [], groupedSubcommands: [CommandGroup] = [],
        defaultSubcommand: (any ParsableCommand.Type)? = nil
    ) {
        let list = examples.map { "  # \($0.value)\n  \($0.key)" }.joined(separator: "\n")
        let separator = discussion.isEmpty ? "" : "\n\n"
        self.init(
            commandName: commandName, abstract: abstract, usage: usage,
            discussion: "\(discussion)\(separator)EXAMPLES:\n\(list)", version: version,
            subcommands: subcommands, groupedSubcommands: groupedSubcommands,
            defaultSubcommand: defaultSubcommand)
    }
}
#endif
