#if CommandLine
import ArgumentParser
import Basics
import Dispatch
import Files
import Platform
import Synchronization
import ViewportRendering

/// The command `viewport`: parses and runs a subcommand, and ends with an exit code and one sentence on an error.
@main
struct ViewportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "viewport",
        abstract: "Render parts of big images, make thumbnails, arrange photos.",
        discussion: """
            Rectangles are in image points: upright pixels at full resolution. An error is
            one sentence that names the file and what to do. At a terminal, `viewport photo.jpg`
            shows an image as `viewport show` does.
            """,
        examples: [
            "viewport render photo.jpg --size 1024": "Render an image, fitted into 1024x1024",
            "viewport serve photos --open": "Look at the images of a folder in a browser",
            "viewport help render": "Show the options of a command",
        ],
        version: PathText.arguments.contains("--version") ? Version.text : Version.number,
        groupedSubcommands: [
            CommandGroup(
                name: "Big image",
                subcommands: [
                    ShowCommand.self, RenderCommand.self, ConvertCommand.self, CropCommand.self,
                    ResizeCommand.self,
                    InfoCommand.self, PyramidCommand.self, SiteCommand.self, ManifestCommand.self,
                    FlyCommand.self,
                ]),
            CommandGroup(
                name: "Thumbnail",
                subcommands: [ThumbnailCommand.self, CropsCommand.self, StitchCommand.self]),
            CommandGroup(name: "Page", subcommands: [ComposeCommand.self]),
            CommandGroup(
                name: "Photo library", subcommands: [LibraryCommand.self, ExtractVideoCommand.self]),
            CommandGroup(name: "Server", subcommands: [ServeCommand.self, DoctorCommand.self]),
            CommandGroup(name: "Gesture", subcommands: [ReplayCommand.self]),
            CommandGroup(name: "Cache", subcommands: [IndexCommand.self, CacheCommand.self]),
            CommandGroup(name: "Settings", subcommands: [SettingsCommand.self]),
            CommandGroup(name: "Help topic", subcommands: helpTopics),
        ])

    static func main() async {
        Descriptors.occupyStandardStreams()
        Interruption.takeFileSizeLimitAsError()
        Interruption.takeClosedPipeAsError()
        ViewportRuntime.configureProcess()
        ViewportRuntime.dropDecoderMessages()
        ViewportRuntime.observeCopies { copy in
            let size = copy.bytes.readableBytes
            switch copy.reason {
            case .formatWithoutParts:
                StandardError.note("\(copy.name): is copied first, \(size), because its format has no parts")
            case .progressiveScans:
                StandardError.note(
                    "\(copy.name): is read up to the last scan that is needed, at most \(size), because it is a "
                        + "progressive JPEG without an index")
                return { _ in }
            case .serverWithoutRanges:
                StandardError.note(
                    "\(copy.name): is read as a whole, \(size), because its server sends no ranges")
            }
            let line = ProgressLine("copying \(copy.name)")
            return { line.show($0) }
        }
        do {
            var command = try parse(PathText.arguments)
            // Somebody may be typing the input; and `show` has the screen for itself.
            if !(command is ShowCommand),
                !PathText.arguments.contains(PipedInput.name) || isatty(STDIN_FILENO) != 1
            {
                ProgressScreen.begin(ArgumentLine.name(of: PathText.arguments))
            }
            if var waiting = command as? any AsyncParsableCommand {
                try await waiting.run()
            } else {
                try command.run()
            }
            try StandardOutput.finish()
        } catch {
            Exit.now(reporting: error)
        }
    }
}

extension ViewportCommand {
    /// Parses the arguments of a command line, the program's name left out.
    static func parse(_ arguments: [String]) throws -> any ParsableCommand {
        var line = ArgumentLine(arguments)
        let words = try line.prepared()
        do {
            return try line.command(of: words) ?? parseAsRoot(words)
        } catch {
            // The parser takes the value of an unknown option for a file, and reports what follows from that.
            throw line.unknownOption(in: words) ?? error
        }
    }
}

/// Records SIGINT, SIGTERM and SIGHUP instead of ending the process, so that partial output can be removed.
final class Interruption {
    /// A signal requested the process to end.
    struct Stopped: Error {
        let signal: Int32
    }

    /// Whether a signal has arrived, for any thread.
    final class Flag: Sendable {
        private let signal = Atomic<Int32>(0)

        fileprivate func raise(_ number: Int32) { signal.store(number, ordering: .relaxed) }

        var isRaised: Bool { signal.load(ordering: .relaxed) != 0 }

        /// - Throws: `Stopped` if a signal has arrived.
        func check() throws {
            let number = signal.load(ordering: .relaxed)
            if number != 0 { throw Stopped(signal: number) }
        }
    }

    let flag = Flag()
    private var sources: [any DispatchSourceSignal] = []

    /// Makes a write beyond the file size limit (`ulimit -f`) an error instead of the end of the process.
    static func takeFileSizeLimitAsError() { _ = signal(SIGXFSZ, SIG_IGN) }

    /// Makes a write to a pipe without a reader an error instead of the end of the process, so that partial output can be
    /// removed.
    static func takeClosedPipeAsError() { _ = signal(SIGPIPE, SIG_IGN) }

    /// Ends the process as if the write to a pipe without a reader had ended it.
    static func endByClosedPipe() -> Never {
        _ = signal(SIGPIPE, SIG_DFL)
        _ = raise(SIGPIPE)
        // The parent has blocked the signal.
        exit(128 + SIGPIPE)
    }

    /// The flag of the work that stops when it is raised.
    private static let current = Mutex<Flag?>(nil)

    /// Stops the work in progress like a signal; returns false if there is none that could be stopped.
    static func stopWork() -> Bool {
        current.withLock { flag in
            flag?.raise(SIGPIPE)
            return flag != nil
        }
    }

    /// - Parameter notice: is called with each signal, on a thread of its own.
    init(noticing notice: @escaping @Sendable (Int32) -> Void = { _ in }) {
        Self.current.withLock { $0 = flag }
        // A serial queue gets a thread of its own; those of the global queue may all be rendering.
        let queue = DispatchQueue(label: "viewport.signals")
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            Self.source(of: number, on: queue) { [flag] in
                flag.raise(number)
                notice(number)
            }
        }
    }

    /// Returns an active source of a signal, which sees all that come from now on.
    static func source(
        of number: Int32, on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void
    ) -> any DispatchSourceSignal {
        // A dispatch source only sees signals that the process ignores.
        _ = signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler(handler: handler)
        // A signal that comes before a busy machine has registered the source is lost.
        let isRegistered = DispatchSemaphore(value: 0)
        source.setRegistrationHandler { isRegistered.signal() }
        source.activate()
        isRegistered.wait()
        return source
    }

    deinit { Self.current.withLock { $0 = nil } }
}
#endif
