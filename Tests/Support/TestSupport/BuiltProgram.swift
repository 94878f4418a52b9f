package import Foundation
import Synchronization

/// A program that tests run as a separate process, like users.
package struct BuiltProgram: Sendable {
    package let url: URL

    /// Finds a program that was built with the tests.
    ///
    /// The environment can select another `viewport`: `VIEWPORT=.build/release/viewport swift test` is faster, and
    /// tests the program in the configuration that users have.
    package init(_ name: String) {
        if name == "viewport", let path = ProcessInfo.processInfo.environment["VIEWPORT"] {
            url = URL(fileURLWithPath: path)
            return
        }
        let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        url = tests.deletingLastPathComponent().appendingPathComponent(name)
    }

    /// Finds an installed program; nil if there is none.
    package init?(installed name: String) {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let paths = folders.map { "\($0)/\(name)" }
        guard let path = paths.first(where: FileManager.default.isExecutableFile) else { return nil }
        url = URL(fileURLWithPath: path)
    }

    /// Creates a program from the path of an executable or script.
    package init(path: String) {
        url = URL(fileURLWithPath: path)
    }

    package struct Result: Sendable {
        package var code: Int32
        package var output: Data
        package var errors: String

        package var text: String { String(decoding: output, as: UTF8.self) }
        /// The first line of the output as JSON.
        package var json: [String: Any] {
            let line = text.split(separator: "\n").first.map { Data($0.utf8) } ?? Data()
            return (try? JSONSerialization.jsonObject(with: line)) as? [String: Any] ?? [:]
        }
    }

    /// Returns a process of the program, not yet started.
    package func process(_ arguments: [String], environment: [String: String] = [:]) -> Process {
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        // Settings and state of the user who runs the tests must not change their results.
        let none = ["XDG_CONFIG_HOME": "/nonexistent", "XDG_STATE_HOME": "/nonexistent"]
        process.environment = ProcessInfo.processInfo.environment.merging(none) { $1 }.merging(environment) {
            $1
        }
        return process
    }

    /// Runs the program and waits for its end without blocking a thread.
    ///
    /// A limited number of programs run at a time.
    ///
    /// - Parameter environment: Variables that are added to or replace those of the tests.
    package func run(
        _ arguments: [String], in folder: URL? = nil, input: Data? = nil, environment: [String: String] = [:]
    ) async throws -> Result {
        try await Self.places.with {
            let run = try Run(process(arguments, environment: environment), in: folder, input: input)
            try run.start()
            await run.process.end()
            return try run.result()
        }
    }

    /// One program more at a time than there are processors, for each waits for its start and its files, too.
    private static let places = Places(Places.processors + 1)

    /// A process whose streams are files, because it would block on a full pipe.
    private struct Run {
        let process: Process
        private let files: TemporaryFolder
        private var streams: [FileHandle] = []

        init(_ process: Process, in folder: URL?, input: Data?) throws {
            (self.process, files) = (process, try TemporaryFolder())
            process.currentDirectoryURL = folder
            streams = try ["out", "err"].map { name in
                let url = files.url.appendingPathComponent(name)
                try Data().write(to: url)
                return try FileHandle(forWritingTo: url)
            }
            (process.standardOutput, process.standardError) = (streams[0], streams[1])
            guard let input else {
                process.standardInput = FileHandle.nullDevice
                return
            }
            let inputURL = files.url.appendingPathComponent("in")
            try input.write(to: inputURL)
            let stream = try FileHandle(forReadingFrom: inputURL)
            process.standardInput = stream
            streams.append(stream)
        }

        /// Starts the process, and closes its files here: Foundation keeps them open, and crashes when it starts a process
        /// while some 1,360 files are open.
        func start() throws {
            defer { for stream in streams { try? stream.close() } }
            try process.start()
        }

        func result() throws -> Result {
            Result(
                code: process.terminationReason == .exit
                    ? process.terminationStatus : 128 + process.terminationStatus,
                output: try files.data("out"), errors: String(decoding: try files.data("err"), as: UTF8.self))
        }
    }
}

extension Process {
    private static let starting = Mutex(())

    /// Starts the process while no other starts.
    ///
    /// A process that starts at the same time inherits the socket that reports the end of this one, and hides its end until
    /// it ends itself: a browser, at the end of all tests.
    package func start() throws {
        try Self.starting.withLock { _ in
            // Threads of Dispatch block all signals, and a process inherits that: SIGTERM would not end it.
            var (none, former) = (sigset_t(), sigset_t())
            // Both are written by the calls and outlive them.
            unsafe sigemptyset(&none)
            unsafe pthread_sigmask(SIG_SETMASK, &none, &former)
            defer { unsafe pthread_sigmask(SIG_SETMASK, &former, nil) }
            try run()
        }
    }

    /// Waits for the end of a process without blocking a thread.
    package func end() async {
        // Cancelled tests wait as well, because the process still uses their files.
        while isRunning { await Task { try? await Task.sleep(for: .milliseconds(2)) }.value }
    }
}
