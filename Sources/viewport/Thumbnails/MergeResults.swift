import ArgumentParser
import Files
import JSON
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

    func validate() throws {
        if results.isEmpty { throw ValidationError("name files of results") }
        if missing != nil, manifest == nil { throw ValidationError("--missing needs the --manifest") }
    }

    func run() throws {
        var merge = ResultMerge()
        for path in results { try merge.add(path) }
        let joined = merge.joined
        let missing = try manifest.map { path throws(BatchError) in try merge.missing(from: path) } ?? []
        try PictureOutput(path: output).write(Self.lines(joined.map(\.json)))
        if let path = self.missing { try PictureOutput(path: path).write(Self.lines(missing)) }
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

    private static func lines(_ values: [JSONValue]) -> [UInt8] {
        values.flatMap { Array(($0.line + "\n").utf8) }
    }
}
