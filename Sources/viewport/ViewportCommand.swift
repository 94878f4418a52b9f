import ArgumentParser
import Files

/// The command `viewport`: parses, runs, and ends with one sentence and the right exit code.
@main
struct ViewportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "viewport",
        abstract: "See any part of an image of any size.",
        discussion: """
            Image points are upright pixels at full resolution. Exit codes: 0 all well, 3 some of several failed, \
            64 usage, 65 bad input data, 66 no such input, 70 internal, 73 cannot write, 75 try again, 130 and \
            143 stopped.
            """,
        version: "0.1.0",
        subcommands: [
            RenderCommand.self, InfoCommand.self, ReplayCommand.self, PyramidCommand.self, IndexCommand.self,
            ThumbnailCommand.self, LibraryCommand.self, ServeCommand.self, DoctorCommand.self,
            CacheCommand.self,
        ])

    static func main() async {
        do {
            var line = ArgumentLine(PathText.arguments)
            var command = try parseAsRoot(line.prepared())
            if var waiting = command as? any AsyncParsableCommand {
                try await waiting.run()
            } else {
                try command.run()
            }
        } catch {
            Exit.now(reporting: error)
        }
    }
}
