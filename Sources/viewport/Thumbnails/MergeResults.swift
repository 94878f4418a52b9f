import ArgumentParser
import Basics
import Files
import Thumbnails

/// `viewport thumbnail merge`: the results of shares or of several runs as those of one.
struct MergeResults: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Join the results of shards or runs, and name what is missing.",
        discussion: """
            Each item has one result: a good one wins over an error, a later file over one before. The exit code is \
            3 where items failed or are missing.
            """)

    @Argument(help: "Files of results; - is standard input.")
    var results: [String]

    @Option(
        help: ArgumentHelp(
            "The list that was worked on: what no result tells of is missing.", valueName: "file"))
    var manifest: String?

    @Option(
        help: ArgumentHelp("Write what is missing there, as a manifest for another run.", valueName: "file"))
    var missing: String?

    @Option(name: .shortAndLong, help: "File to write; - is standard output.")
    var output = "-"

    @OptionGroup var quietness: QuietArguments
    @OptionGroup var overwriting: OverwriteArgument

    func validate() throws {
        if results.isEmpty { throw ValidationError("name files of results") }
        if missing != nil, manifest == nil { throw ValidationError("--missing needs the --manifest") }
        if let missing, missing == output, output != "-" {
            throw ValidationError("--missing and -o are one file: give them two names")
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
        try Self.check(joinedOutput)
        if let missingOutput { try Self.check(missingOutput) }
        var merge = ResultMerge()
        for path in results { try merge.add(path) }
        let joined = merge.joined
        let missing = try manifest.map { path throws(BatchError) in try merge.missing(from: path) } ?? []
        try Self.write(joined.map(\.json), to: joinedOutput)
        if let missingOutput { try Self.write(missing, to: missingOutput) }
        if self.missing == nil {
            for line in missing { StandardError.write("viewport: missing: \(line.line)\n") }
        }
        let failed = joined.count { $0.status == .error }
        var parts = ["\(joined.count) results", "\(failed) failed"]
        if manifest != nil { parts.append("\(missing.count) missing") }
        if merge.unreadable > 0 { parts.append("\(merge.unreadable) lines are no results") }
        StandardError.note(parts.joined(separator: ", "))
        guard failed + missing.count + merge.unreadable == 0 else { throw ExitCode(Exit.someFailed.rawValue) }
    }

    private static func check(_ output: Output) throws {
        guard output.path != "-" else { return }
        try OutputError.naming(output.path) { () throws(FileError) in try output.check() }
    }

    private static func write(_ values: [JSONValue], to output: Output) throws {
        let lines = values.flatMap { Array(("\($0)\n").utf8) }
        try OutputError.naming(output.path) { () throws(FileError) in
            output.path == "-" ? try OutputFile.writeToStandardOutput(lines) : try output.write(lines)
        }
    }

    /// Whether all lines of a file are such as `--missing` writes for this manifest: it can be made again.
    private static func isList(_ path: String, from manifest: String) -> Bool {
        guard manifest != "-", let all = try? ResultMerge().missing(from: manifest),
            let there = try? InputFile.contents(path)
        else { return false }
        let known = Set(all.map { Array($0.description.utf8)[...] })
        return there.split(separator: UInt8(ascii: "\n")).allSatisfy(known.contains)
    }
}
