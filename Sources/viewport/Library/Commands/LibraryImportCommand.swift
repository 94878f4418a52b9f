import ArgumentParser
import PhotoLibrary

/// `viewport library import`: copies or moves files into a layout.
struct LibraryImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Copy or move photos and videos into the library.",
        discussion: """
            What is in the library already is skipped, whatever it is called; sidecars and the film of a live photo \
            go with their photo. Copies are compared with their sources before anything else happens to those. \
            However an import ended, the same command goes on with it. Fields of the layout: {year} {month} {day} \
            {hour} {minute} {second} {make} {model} {ext} {original} {name}.
            """)

    @OptionGroup var library: LibraryArguments

    @Argument(help: "Folders and files outside of the library.")
    var sources: [String]

    @Option(help: "Where files go in the library; undated ones go to the folder undated.")
    var layout: ImportLayout = .standard

    @Flag(help: "Remove the sources once they are safe in the library.")
    var move = false

    @Flag(name: [.customShort("n"), .customLong("dry-run")], help: "Only print the plan.")
    var isDryRun = false

    @OptionGroup(title: "Where photos were taken") var geotag: GeotagArguments

    @Flag(help: "JSON: a line for each file of the plan, or one for what was done.")
    var json = false

    func run() async throws {
        let library = try await library.open()
        let track = try geotag.track()
        var options = ImportOptions(sources: sources)
        options.layout = layout
        options.moves = move
        options.assumedZone = geotag.zone.zone
        let plan = try await library.planImport(options)
        if isDryRun {
            if json { for item in plan.items { print(item.json(moves: plan.moves)) } } else { print(plan) }
            return
        }
        let line = SharedProgressLine("importing")
        let report = try await InterruptibleWork.run {
            try await library.carryOut(plan) { line.show(Double($0) / Double(max(1, $1))) }
        }
        line.clear()
        let located = try await geotag.apply(to: library, track: track)
        if json { print(report.json(located)) } else { say(report.sentence(moves: move)) }
        if let located, !json { say(located.sentence) }
        try tell(report.failures)
    }
}

extension ImportPlan.Item {
    fileprivate func json(moves: Bool) -> JSONText {
        let (word, path, reason): (String, String?, String?) =
            switch action {
            case .take(let path): (moves ? "move" : "copy", path, nil)
            case .present(let path): ("present", path, nil)
            case .duplicate(let path): ("duplicate", path, nil)
            case .fail(let reason): ("unreadable", nil, reason)
            }
        return .object([
            ("action", .string(word)), ("source", .string(source)), ("path", JSONText(path, JSONText.string)),
            ("bytes", .int(bytes)), ("reason", JSONText(reason, JSONText.string)),
        ])
    }
}

extension ImportReport {
    fileprivate func json(_ located: GeotagReport?) -> JSONText {
        .object([
            ("taken", .int(taken)), ("bytes", .int(bytes)), ("present", .int(present)),
            ("duplicates", .int(duplicates)), ("failures", .array(failures.map(\.json))),
            ("geotag", JSONText(located) { $0.json }),
        ])
    }

    fileprivate func sentence(moves: Bool) -> String {
        "\(taken) \(moves ? "moved" : "copied") (\(bytes) bytes), \(present) present, \(duplicates) duplicates, "
            + "\(failures.count) failed"
    }
}
