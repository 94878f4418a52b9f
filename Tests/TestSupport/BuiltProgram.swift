package import Foundation

/// A program of this package, run as a process of its own, as users run it.
package struct BuiltProgram: Sendable {
    package let url: URL

    /// The program of that name that was built beside the tests.
    package init(_ name: String) {
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
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        return process
    }

    /// Runs the program to its end; both of its streams are read while it runs.
    ///
    /// - Parameter environment: variables that it has beside or instead of the tests' own.
    package func run(
        _ arguments: [String], in folder: URL? = nil, input: Data? = nil, environment: [String: String] = [:]
    ) throws -> Result {
        let process = process(arguments, environment: environment)
        process.currentDirectoryURL = folder
        let folder = try TemporaryFolder()
        // Files, not pipes: a full pipe would stop the program.
        let outputURL = folder.url.appendingPathComponent("out")
        let errorsURL = folder.url.appendingPathComponent("err")
        _ = FileManager.default.createFile(atPath: outputURL.path, contents: nil)
        _ = FileManager.default.createFile(atPath: errorsURL.path, contents: nil)
        process.standardOutput = try FileHandle(forWritingTo: outputURL)
        process.standardError = try FileHandle(forWritingTo: errorsURL)
        if let input {
            let inputURL = folder.url.appendingPathComponent("in")
            try input.write(to: inputURL)
            process.standardInput = try FileHandle(forReadingFrom: inputURL)
        } else {
            process.standardInput = FileHandle.nullDevice
        }
        try process.run()
        process.waitUntilExit()
        return Result(
            code: process.terminationReason == .exit
                ? process.terminationStatus : 128 + process.terminationStatus,
            output: try Data(contentsOf: outputURL),
            errors: String(decoding: try Data(contentsOf: errorsURL), as: UTF8.self))
    }
}
