import ArgumentParser

/// Libraries of any size, for benchmarks and tests, and what they answer how fast.
///
///     swift run -c release many-photos files photos --count 100000
///     swift run -c release many-photos index photos
///     swift run -c release many-photos rows million --count 1000000
///     swift run -c release many-photos ask million
@main
struct ManyPhotosCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "many-photos", abstract: "Make libraries of any size, index them and ask them.",
        subcommands: [FilesCommand.self, IndexCommand.self, RowsCommand.self, AskCommand.self])
}
