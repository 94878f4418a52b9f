#if CommandLine
import ArgumentParser
import Containers
import Files
import Thumbnails

/// `viewport thumbnail merge`: joins the results of shards or runs.
struct MergeResults: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Join the results of shards or runs, and list missing items.",
        discussion: """
            Each item gets one result: success wins over an error, a later file over an
            earlier one. Exit code 3: items failed or are missing.
            """,
        examples: [
            "viewport thumbnail merge -o all.jsonl done-*.jsonl": "Join the results of several runs",
            "viewport thumbnail merge --manifest list.jsonl --missing rest.jsonl *.jsonl":
                "Write a manifest of the items that have no result",
        ])

    @Argument(help: "Result files; - is standard input.", completion: .file())
    var results: [String]

    @Option(
        help: ArgumentHelp(
            "Manifest of the batch: its items without a result are missing.", valueName: "file"),
        completion: .file())
    var manifest: String?

    @Option(
        help: ArgumentHelp(
            "Write the missing items to this file, as a manifest for another run.", valueName: "file"),
        completion: .file())
    var missing: String?

    @Option(name: .shortAndLong, help: "File to write; - is standard output.", completion: .file())
    var output = "-"

    @OptionGroup var quietness: QuietArguments
    @OptionGroup var overwriting: OverwriteArgument

    func validate() throws {
        if results.isEmpty { throw ValidationError("give result files") }
        if missing != nil, manifest == nil { throw ValidationError("--missing needs --manifest") }
        if let missing, FilePath(missing) == FilePath(output), output != "-" {
            throw ValidationError("--missing and -o are the same file: give two names")
        }
    }

    func run() throws {
        let inputs = results + (manifest.map { [$0] } ?? [])
        let joinedOutput = ResultLog.output(output, inputs: inputs, overwrites: overwriting.overwrite)
        let missingOutput = missing.map { path in
            let (manifest, output) = (manifest ?? "-", output)
            return Output(
                path, .lines, inputs: inputs + (output == "-" ? [] : [output]),
                overwrites: overwriting.overwrite
            ) { Self.isList($0, from: manifest) }
        }
        let joined = try LineOutput(joinedOutput)
        let rest = try missingOutput.map { output throws(OutputError) in try LineOutput(output) }
        var merge = ResultMerge()
        for path in results { try merge.add(path) }
        if let manifest { try merge.list(manifest) }
        let report: MergedResults
        do {
            report = try merge.join { lines throws(BatchError) in
                try joined.append(lines)
            } missing: { lines throws(BatchError) in
                guard let rest else { return Self.name(missing: lines) }
                try rest.append(lines)
            }
            try joined.publish()
            try rest?.publish()
        } catch {
            joined.discard()
            rest?.discard()
            throw error
        }
        var parts = ["\(report.results) results", "\(report.failed) failed"]
        if manifest != nil { parts.append("\(report.missing) missing") }
        if report.unreadable > 0 { parts.append("\(report.unreadable) lines are not results") }
        StandardError.note(parts.joined(separator: ", "))
        guard report.failed + report.missing + report.unreadable == 0 else {
            throw ExitCode(Exit.someFailed.rawValue)
        }
    }

    private static func name(missing lines: [UInt8]) {
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            StandardError.write("viewport: missing: \(String(decoding: line, as: UTF8.self))\n")
        }
    }

    /// Whether `--missing` could have written a file for this manifest, so that it may be replaced.
    private static func isList(_ path: String, from manifest: String) -> Bool {
        guard manifest != "-", let there = try? InputFile.contents(path) else { return false }
        var unknown = Set(there.split(separator: UInt8(ascii: "\n")))
        var all = ResultMerge()
        do {
            try all.list(manifest)
            _ = try all.join { _ throws(BatchError) in
            } missing: { lines throws(BatchError) in
                unknown.subtract(lines.split(separator: UInt8(ascii: "\n")))
            }
        } catch {
            return false
        }
        return unknown.isEmpty
    }
}

/// A file of lines that is written atomically, or standard output.
private struct LineOutput {
    private let path: String
    private let file: LineFile

    init(_ output: Output) throws(OutputError) {
        path = output.path
        let file = try OutputError.naming(path) { () throws(FileError) in
            output.path == "-" ? LineFile(stream: StandardOutput.write) : try LineFile(replacing: output)
        }
        guard let file else {
            throw OutputError(file: path, reason: .unwritable("another run writes there"))
        }
        self.file = file
    }

    func append(_ lines: [UInt8]) throws(BatchError) {
        do throws(FileError) {
            try file.append(lines: lines)
        } catch {
            throw .resultsUnwritable(file: path, reason: "\(error)")
        }
    }

    func publish() throws(OutputError) {
        try OutputError.naming(path) { () throws(FileError) in try file.publish() }
    }

    func discard() { file.discard() }
}

/// `viewport thumbnail verify`: compares thumbnails with the checksums in their results.
struct VerifyResults: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Compare every thumbnail with the checksum in its result.",
        discussion: "Exit code 3: thumbnails are missing or have other bytes.",
        examples: [
            "viewport thumbnail verify all.jsonl": "List the problems on standard error",
            "viewport thumbnail verify all.jsonl --json": "One line of JSON per problem",
        ])

    @Argument(help: "Result file; - is standard input.", completion: .file())
    var results: String

    @Flag(help: "Print one line of JSON per problem.")
    var json = false

    @OptionGroup var quietness: QuietArguments

    func run() throws {
        let verification = try ResultVerification(results)
        for problem in verification.problems {
            if json { print(problem.json) } else { StandardError.write("viewport: \(problem)\n") }
        }
        StandardError.note("\(verification.checked) outputs read, \(verification.problems.count) problems")
        guard verification.problems.isEmpty else { throw ExitCode(Exit.someFailed.rawValue) }
    }
}
#endif
