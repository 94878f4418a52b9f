import ArgumentParser
import Basics
import PhotoCatalog

/// `viewport library index`: brings the catalog up to date.
struct LibraryIndexCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index",
        abstract: "Bring the catalog up to date with the files.",
        discussion: """
            Files that have not changed are not read; one that was moved keeps its identifier. The exit code is 3 \
            where photos or films, or files that end as those do, could not be read. With --gpx, assets without a \
            location get that of a track; with --assume-zone, dates that name no zone get that one; with \
            --undated-by file-time, assets that say nothing of a date get the time of their file, until \
            --undated-by nothing takes it away.
            """)

    @OptionGroup var library: LibraryArguments

    @Argument(help: "Only these folders and files; everything unless given.")
    var paths: [String] = []

    @Flag(name: .customLong("show-others"), help: "Name the files that are no photos or films, too.")
    var showsOthers = false

    @OptionGroup var undated: UndatedArguments
    @OptionGroup(title: "Where photos were taken") var geotag: GeotagArguments

    @Flag(help: "One line of JSON.")
    var json = false

    func run() async throws {
        let library = try await library.open()
        let track = try geotag.track()
        let (paths, zone, rule) = (paths.isEmpty ? [""] : paths, geotag.zone.zone, undated.undatedBy)
        let line = SharedProgressLine("indexing")
        let count = FileCount(below: paths.map { "\(library.root)/\($0)" })
        let report = try await InterruptibleWork.run {
            try await library.index(paths, assuming: zone, undatedBy: rule) {
                line.show(count: $0.files, of: count.total)
            }
        }
        line.clear()
        let located = try await geotag.apply(to: library, track: track)
        if json {
            var members = [("index", report.json), ("geotag", JSONValue(located) { $0.json })]
            if showsOthers { members.append(("others", .array(report.others.map(JSONValue.string)))) }
            print(JSONValue.object(members))
        } else {
            say(report.sentence)
            if showsOthers { for path in report.others { print("other \(path)") } }
            if let located { say(located.sentence) }
        }
        try tell(report.failures)
    }
}
