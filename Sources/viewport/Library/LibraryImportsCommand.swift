#if CommandLine
#if Library
import ArgumentParser
import Basics
import Files
import Foundation
import PhotoCatalog

/// `viewport library imports`: lists the imports into a library, and the files of one.
struct LibraryImportsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "imports",
        abstract: "List the imports into a library, or the files of one.",
        discussion: """
            The library keeps when each import was made, from where, and what became of each
            file, however long ago it was. An import that was killed has the files that it had
            done. Paths in the library are those at the time of the import; `verify` finds the
            import of a damaged file also after the file was moved.
            """,
        examples: [
            "viewport library imports photos": "List all imports",
            "viewport library imports photos 3 --json": "One line of JSON per file of import 3",
        ])

    @OptionGroup var library: LibraryArguments

    @Argument(help: "The number of an import whose files are listed.")
    var number: Int?

    @Flag(help: "Print one line of JSON per import or file.")
    var json = false

    func run() async throws {
        let library = try await library.open()
        if let number {
            let record = try await library.importRecord(Int64(number))
            if !json { print(record.sentence) }
            var files = try await library.importedFiles(of: record.id)
            while let last = files.last {
                for file in files { print(json ? file.json.description : file.line) }
                files = try await library.importedFiles(of: record.id, after: last.number)
            }
            return
        }
        let imports = try await library.imports()
        if json {
            for record in imports { print(record.json) }
        } else if imports.isEmpty {
            say("there were no imports")
        } else {
            for record in imports { print(record.sentence) }
        }
    }
}

extension ImportRecord {
    private var endWord: String { end?.rawValue ?? "unfinished" }

    /// The counts in the order of their names' rows in reports.
    private var countsText: String {
        ImportOutcome.Status.allCases.compactMap { status in
            counts[status.rawValue].map { "\($0) \(status.rawValue)" }
        }.joined(separator: ", ")
    }

    /// "3  2026-05-25T10:00:00Z  120 files found: 118 imported, 2 left; from /media/card".
    fileprivate var sentence: String {
        let found = "\(discovered) file\(discovered == 1 ? "" : "s") found"
        let missing = discovered > done ? ", \(discovered - done) not reached" : ""
        let end = end == .finished ? "" : ", \(endWord)"
        return "\(id)  \(date.ISO8601Format())  \(found): \(countsText)\(missing)\(end); "
            + "\(moves ? "moved " : "")from \(sources.map(\.description).joined(separator: ", "))"
    }

    fileprivate var json: JSONValue {
        .object([
            "import": .int(Int(id)), "began": .string(date.ISO8601Format()),
            "sources": .array(sources.map { .string($0.text) }), "moves": .bool(moves),
            "discovered": .int(discovered), "end": .string(endWord),
            "counts": .object(
                ImportOutcome.Status.allCases.map { ($0.rawValue, .int(counts[$0.rawValue] ?? 0)) }),
        ])
    }
}

extension ImportedFileRecord {
    fileprivate var line: String {
        let path = path.map { " -> \($0)" } ?? ""
        let reason = reason.map { ": \($0)" } ?? ""
        return "\(isRemoved ? "moved" : outcome) \(source)\(path)\(reason)"
    }

    fileprivate var json: JSONValue {
        .object([
            "source": .string(source.text), "outcome": .string(outcome),
            "path": JSONValue(path) { .string($0.text) }, "bytes": .int(bytes),
            "by": JSONValue(evidence, JSONValue.string), "reason": JSONValue(reason, JSONValue.string),
            "removed": .bool(isRemoved),
        ])
    }
}
#endif
#endif
