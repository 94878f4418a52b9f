import ArgumentParser
import Dispatch
import Files
import Platform
import Synchronization

/// The command `viewport`: parses, runs, and ends with one sentence and the right exit code.
@main
struct ViewportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "viewport",
        abstract: "See any part of an image of any size.",
        discussion: """
            Image points are upright pixels at full resolution. Exit codes: 0 all well, 3 some of several failed, \
            64 usage, 65 bad input data, 66 no such input, 69 not built in, 70 internal, 73 cannot write, 75 try again, 130 and \
            143 stopped.
            """,
        version: "0.1.0",
        subcommands: [
            RenderCommand.self, InfoCommand.self, ReplayCommand.self, PyramidCommand.self, IndexCommand.self,
            ThumbnailCommand.self, LibraryCommand.self, ServeCommand.self, DoctorCommand.self,
            CacheCommand.self,
        ])

    static func main() async {
        Interruption.takeFileSizeLimitAsError()
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

/// Ctrl-C and a request to end, noted instead of obeyed at once, so that what is half made can be taken away.
final class Interruption {
    /// The process was asked to end.
    struct Stopped: Error {
        let signal: Int32
    }

    /// Whether a signal has come; may be asked from any thread.
    final class Flag: Sendable {
        private let signal = Atomic<Int32>(0)

        fileprivate func raise(_ number: Int32) { signal.store(number, ordering: .relaxed) }

        var isRaised: Bool { signal.load(ordering: .relaxed) != 0 }

        /// - Throws: `Stopped` where a signal has come.
        func check() throws {
            let number = signal.load(ordering: .relaxed)
            if number != 0 { throw Stopped(signal: number) }
        }
    }

    let flag = Flag()
    private var sources: [any DispatchSourceSignal] = []

    /// Has a write beyond the limit of file sizes (`ulimit -f`) fail instead of ending the process.
    static func takeFileSizeLimitAsError() { _ = signal(SIGXFSZ, SIG_IGN) }

    /// Has a write to a pipe without a reader fail instead of ending the process.
    static func takeClosedPipeAsError() { _ = signal(SIGPIPE, SIG_IGN) }

    init() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            // The source sees the signal only where the process does not obey it.
            _ = signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [flag] in flag.raise(number) }
            source.activate()
            sources.append(source)
        }
    }
}
