import Foundation
import TestSupport

/// `viewport library` in a temporary folder, with separate data and caches.
struct LibraryProgram {
    let folder: TemporaryFolder
    private let program = BuiltProgram("viewport")

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    var root: String { folder.path("library") }
    var card: String { folder.path("card") }

    private var environment: [String: String] {
        ["XDG_DATA_HOME": folder.path("data"), "XDG_CACHE_HOME": folder.path("cache")]
    }

    /// Runs a subcommand on the library.
    @discardableResult
    func run(_ command: String, _ arguments: String...) async throws -> BuiltProgram.Result {
        try await program.run(["library", command, root] + arguments, environment: environment)
    }

    /// Runs `viewport` with other arguments.
    @discardableResult
    func run(all arguments: [String], in other: [String: String] = [:]) async throws -> BuiltProgram.Result {
        try await program.run(arguments, environment: environment.merging(other) { $1 })
    }

    /// Returns the process of a subcommand, not yet started.
    func process(_ command: String, _ arguments: String...) -> Process {
        program.process(["library", command, root] + arguments, environment: environment)
    }

    /// Returns the process of any command, not yet started.
    func process(all arguments: [String]) -> Process {
        program.process(arguments, environment: environment)
    }

    func write(_ path: String, _ bytes: [UInt8]) throws {
        let url = folder.url.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }
}

extension BuiltProgram.Result {
    /// The lines of the output as JSON.
    var lines: [[String: Any]] {
        text.split(separator: "\n").compactMap {
            (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any]
        }
    }
}
