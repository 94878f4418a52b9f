#if CommandLine
#if Library
import ArgumentParser
import Basics
import PhotoCatalog

/// `viewport library sidecars`: writes XMP sidecars.
struct LibrarySidecarsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sidecars",
        abstract: "Write what the catalog knows of photos into XMP sidecars beside them.",
        examples: [
            "viewport library sidecars write photos": "Write what the files do not state themselves",
            "viewport library sidecars write photos --where album:Summer --all": "Write all, for one album",
        ],
        subcommands: [Write.self])

    struct Write: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "write",
            abstract: "Write titles, words, ratings, dates and places of the catalog into sidecars.",
            discussion: """
                Titles, descriptions, keywords, ratings, labels, dates and positions are written
                where the file and its sidecar do not state them, such as positions of a GPX
                track. Photos keep their bytes, and sidecars all that other programs wrote.
                `viewport library undo` undoes it. Exit code 3: some sidecars could not be
                written.
                """,
            examples: [
                "viewport library sidecars write photos --dry-run": "List the sidecars that would be written",
                "viewport library sidecars write photos --where 'rating:>=4'": "Of some assets",
            ])

        @OptionGroup var library: LibraryArguments

        @Flag(help: "Also write what the file itself states, for programs that read sidecars only.")
        var all = false

        @Flag(help: "List the sidecars that would be written; write nothing.")
        var dryRun = false

        @OptionGroup(title: "Which assets") var selection: SelectionArguments

        @Flag(help: "Print one line of JSON; with --dry-run, one line per sidecar.")
        var json = false

        func run() async throws {
            let library = try await library.openWithPlaces()
            let ids = Array(
                try await selection.collection(of: library, stacks: selection.stacks(usual: .none)).snapshot()
                    .ids)
            let (all, isTrial) = (all, dryRun)
            let (paths, report) = try await InterruptibleWork.run("writing sidecars") { line in
                try await library.writeSidecars(ids, includesStated: all, isTrial: isTrial) {
                    line.show($0)
                }
            }
            if dryRun {
                for path in paths { print(json ? "\(JSONValue.object(["path": .string(path)]))" : path) }
            } else if json {
                print(report.json)
            } else {
                say("\(report.changed) sidecars of \(ids.count) assets written")
            }
            try reportFailures(report.failures)
        }
    }
}
#endif
#endif
