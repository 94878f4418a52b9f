package import Foundation

/// A program of this package, run as a process of its own, as users run it.
package struct BuiltProgram: Sendable {
    package let url: URL

    /// The program of that name that was built beside the tests, or for `viewport` the one that the environment
    /// names: `VIEWPORT=.build/release/viewport swift test` is quicker, and tests what users get.
    package init(_ name: String) {
        if name == "viewport", let path = ProcessInfo.processInfo.environment["VIEWPORT"] {
            url = URL(fileURLWithPath: path)
            return
        }
        let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        url = tests.deletingLastPathComponent().appendingPathComponent(name)
    }

    /// A program of the machine; nil where it is not installed.
    package init?(installed name: String) {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let paths = folders.map { "\($0)/\(name)" }
        guard let path = paths.first(where: FileManager.default.isExecutableFile) else { return nil }
        url = URL(fileURLWithPath: path)
    }

    /// A program or script at a path.
    package init(path: String) {
        url = URL(fileURLWithPath: path)
    }

    package struct Result: Sendable {
        package var code: Int32
        package var output: Data
        package var errors: String

        package var text: String { String(decoding: output, as: UTF8.self) }
        /// The first line as JSON.
        package var json: [String: Any] {
            let line = text.split(separator: "\n").first.map { Data($0.utf8) } ?? Data()
            return (try? JSONSerialization.jsonObject(with: line)) as? [String: Any] ?? [:]
        }
    }

    /// The program, about to be started.
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

    /// Runs the program to its end without holding a thread, when one of a few places is free.
    ///
    /// - Parameter environment: variables that it has beside or instead of the tests' own.
    package func run(
        _ arguments: [String], in folder: URL? = nil, input: Data? = nil, environment: [String: String] = [:]
    ) async throws -> Result {
        try await Self.places.with {
            let run = try Run(process(arguments, environment: environment), in: folder, input: input)
            try run.process.run()
            await run.process.end()
            return try run.result()
        }
    }

    /// More programs at once than there are processors would only slow each other down.
    private static let places = Places(Places.processors)

    /// A process whose streams are files, not pipes: a full pipe would stop it.
    private struct Run {
        let process: Process
        private let files: TemporaryFolder

        init(_ process: Process, in folder: URL?, input: Data?) throws {
            (self.process, files) = (process, try TemporaryFolder())
            process.currentDirectoryURL = folder
            for name in ["out", "err"] { try Data().write(to: files.url.appendingPathComponent(name)) }
            process.standardOutput = try FileHandle(forWritingTo: files.url.appendingPathComponent("out"))
            process.standardError = try FileHandle(forWritingTo: files.url.appendingPathComponent("err"))
            guard let input else {
                process.standardInput = FileHandle.nullDevice
                return
            }
            let inputURL = files.url.appendingPathComponent("in")
            try input.write(to: inputURL)
            process.standardInput = try FileHandle(forReadingFrom: inputURL)
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
    /// Waits for the end of a process that was started, without holding a thread.
    package func end() async {
        // Cancelled tests wait as well: what they started still uses their files.
        while isRunning { await Task { try? await Task.sleep(for: .milliseconds(2)) }.value }
    }
}
