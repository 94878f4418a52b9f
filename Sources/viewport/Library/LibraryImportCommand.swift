#if CommandLine
#if Library
import ArgumentParser
import Basics
import Files
import PhotoCatalog

/// `viewport library import`: copies or moves files into the library.
struct LibraryImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Copy or move photos and videos into the library.",
        discussion: """
            A folder that is not a library becomes one, unless it is the card of a camera, or the
            last source is a library: then the order is wrong. Files that the library already has
            are skipped, whatever their name. Sidecars and the video of a live photo are
            imported with their photo; of a second sidecar of a photo in the library, the words
            that the first one lacks are added to it, and the file is kept and named only where
            they contradict each other or it has more. Each source file is reported as imported, as already
            present with the evidence, or as left with the reason, and their sum is checked
            against the number of files that were found. An import that was stopped
            continues with the same command. Photos and videos that are cut or damaged are
            imported and named, also by --dry-run, which reads the pictures for it. Exit code 3: there are such, or photos, videos or files
            with their extensions could not be read or imported, or originals not be removed.

            Folders and ZIP archives of Google Takeout are recognized: dates, places,
            descriptions and people of the JSON sidecars are written to XMP sidecars in the
            library, albums and favorites to its albums. Name all archives of an export
            together. What has no sidecar, or no photo, is listed. Exports of iCloud Photos and
            of Flickr are recognized, too. Entries that would grow to
            more than 1,000 times their packed size, or to more than 1 GB and 100 times, are left;
            --max-entry is another limit.

            --move removes a source only after its bytes were compared with a file of the
            library that is synced to the disk. Links, duplicates and files that were left
            stay. Fields of --layout: {year} {month} {day} {hour} {minute} {second} {make}
            {model} {ext} {original} {name}.
            """,
        examples: [
            "viewport library import photos /media/card --dry-run": "Show the plan, file by file",
            "viewport library import photos /media/card --move": "Move the files",
            "viewport library import photos takeout-*.zip": "Import an export of Google Photos",
            "viewport library import photos iCloud*.zip": "Import an export of iCloud Photos",
            "viewport library import photos flickr/*.zip": "Import an export of Flickr",
            "viewport library import photos card --layout '{year}/{month}/{original}'": "Choose the folders",
        ])

    @OptionGroup var library: LibraryArguments

    @Argument(help: "Folders, files and ZIP archives outside of the library.", completion: .file())
    var sources: [String]

    @Option(help: "Paths of files in the library; undated files go to the folder undated.")
    var layout: ImportLayout = .standard

    @Flag(help: "Remove the sources after they were compared with their copies.")
    var move = false

    @Flag(help: "Compare bytes of files that the catalog lists as imported; --move always does.")
    var compare = false

    @Option(
        help: "Leave or copy photos and videos that cannot be read.")
    var unreadable = UnreadableChoice.leave

    @Flag(help: "Import what a Google Takeout has in its trash, too.")
    var includeTrash = false

    @Flag(help: "Import hidden files, and what systems and network storage keep beside photos.")
    var includeHidden = false

    @Option(
        help: ArgumentHelp(
            "Maximum size of an entry of a ZIP archive, instead of 1,000 times its packed size.",
            valueName: "size"))
    var maxEntry: ByteCount?

    @Flag(name: [.customShort("n"), .customLong("dry-run")], help: "Print the plan and do nothing.")
    var isDryRun = false

    @OptionGroup var undated: UndatedArguments
    @OptionGroup(title: "Where photos were taken") var geotag: GeotagArguments

    @Flag(help: "Print JSON: one line per file of the plan, or one line for the result.")
    var json = false

    func validate() throws {
        try require(
            "--max-entry", maxEntry, in: ByteCount(argument: "1")!..., example: ByteCount(argument: "8G")!)
    }

    enum UnreadableChoice: String, ExpressibleByArgument, CaseIterable { case leave, copy }

    private var options: ImportOptions {
        var options = ImportOptions(sources: sources)
        options.layout = layout
        options.moves = move
        options.comparesBytes = compare
        options.readsPictures = isDryRun
        options.takesUnreadable = unreadable == .copy
        options.takesTrashed = includeTrash
        options.includesHidden = includeHidden
        options.maximumEntryBytes = maxEntry?.bytes
        options.assumedZone = geotag.zone.zone
        options.undatedBy = undated.undatedBy
        return options
    }

    func run() async throws {
        let track = try geotag.track()
        let (root, catalog, options, isTrial) = (library.root, library.catalog, options, isDryRun)
        let sidecars = isDryRun ? nil : library.sidecars
        let target = try await InterruptibleWork.run("indexing") { line in
            try await PhotoLibrary.openForImport(
                root, catalog: catalog, sidecars: sidecars, for: options, isTrial: isTrial,
                waiting: { say("waiting for another import, which makes the library") }
            ) { line.show($0) }
        }
        // A library that was made for this import stays only if the import has brought something, also if it is stopped.
        var isOpen = true
        defer { if isOpen { target.close(keeping: false) } }
        let library = target.library
        let plan = try await InterruptibleWork.run("scanning and comparing") { line in
            try await library.planImport(options) { line.show($0) }
        }
        if isDryRun { return show(plan, target) }
        let report = try await InterruptibleWork.run("importing") { line in
            try await library.performImport(plan) { line.show($0) }
        }
        let isKept = report.hasBrought
        isOpen = false
        let isUnmade = target.close(keeping: isKept)
        let made = isUnmade ? nil : target.made
        let isWhole = report.stopped == nil && !report.wasCancelled
        let located = isWhole && isKept ? try await geotag.apply(to: library, track: track) : nil
        if json {
            print(report.json(located, made: made))
        } else {
            if let made { say(Self.sentence(for: made, "made", library)) }
            for line in report.lines(moves: move) { say(line) }
            if let located { say(located.sentence) }
            if isUnmade { say("nothing was imported: no library was made") }
        }
        if let error = report.stopped {
            _ = try? reportFailures(report.failures)
            throw error
        }
        try reportFailures(report.failures)
    }

    private func show(_ plan: ImportPlan, _ target: ImportTarget) {
        if json {
            for item in plan.items { print(item.json(moves: plan.moves)) }
            return
        }
        if let made = target.made { say(Self.sentence(for: made, "would make", target.library)) }
        print(plan)
        for line in plan.summaries.flatMap(\.lines) { print(line) }
    }

    private static func sentence(
        for made: IndexReport, _ verb: String, _ library: PhotoLibrary
    ) -> String {
        "\(verb) a library of \(library.root)" + (made == IndexReport() ? "" : ": \(made.sentence)")
    }
}

extension ImportReport {
    /// Whether files of the sources are in the library; others were there before.
    fileprivate var hasBrought: Bool { files.contains { $0.path != nil } }
}

extension ImportPlan.Item {
    fileprivate func json(moves: Bool) -> JSONValue {
        var (path, reason, evidence): (FilePath?, String?, ImportEvidence?)
        var leaving: ImportSkipReason.Kind?
        let word: String
        switch action {
        case .take(let to): (word, path, reason) = (moves ? "move" : "copy", to, fault ?? note)
        case .repair(let at): (word, path) = ("repair", at)
        case .present(let at, let by): (word, path, evidence) = ("present", at, by)
        case .duplicate(let of, let by): (word, path, evidence) = ("duplicate", of, by)
        case .describe(let to, let isNew):
            (word, path, evidence) = (isNew ? "describe" : "present", to, isNew ? nil : .record)
        case .merge(let into, let isNew): (word, path) = (isNew ? "merge" : "present", into)
        case .leave(let left):
            (reason, leaving) = (left.reason, left.kind)
            word = left.kind == .unreadable ? "unreadable" : "left"
        }
        return .object([
            "action": .string(word), "source": .string(source.text),
            "path": JSONValue(path) { .string($0.text) },
            "bytes": .int(bytes), "by": JSONValue(evidence) { .string($0.rawValue) },
            "sidecarOf": JSONValue(sidecarOf) { .string($0.text) },
            "kind": JSONValue(leaving) { .string($0.rawValue) },
            "reason": JSONValue(reason, JSONValue.string),
            "damage": JSONValue(damage, JSONValue.string),
        ])
    }
}

extension ImportOutcome {
    fileprivate var json: JSONValue {
        .object([
            "source": .string(source.text), "outcome": .string(status.rawValue),
            "path": JSONValue(path) { .string($0.text) }, "bytes": .int(bytes),
            "by": JSONValue(evidence) { .string($0.rawValue) },
            "sidecarOf": JSONValue(sidecarOf) { .string($0.text) },
            "kind": JSONValue(skipReason) { .string($0.rawValue) },
            "reason": JSONValue(reason, JSONValue.string),
            "removed": .bool(isRemoved), "damage": JSONValue(damage, JSONValue.string),
        ])
    }
}

extension ExportSummary {
    fileprivate var json: JSONValue {
        func list(_ paths: [FilePath]) -> JSONValue { .array(paths.map { .string($0.text) }) }
        return .object(
            members.map { member in
                let value: JSONValue =
                    switch member.value {
                    case .count(let count): .int(count)
                    case .files(let files): list(files)
                    case .texts(let texts): .array(texts.map(JSONValue.string))
                    case .notes(let notes): .array(notes.map(\.json))
                    }
                return (member.name, value)
            })
    }
}

extension ImportReport {
    fileprivate func json(_ located: GeotagReport?, made: IndexReport?) -> JSONValue {
        let counts: KeyValuePairs<String, JSONValue?> = [
            "import": JSONValue(number) { .int(Int($0)) },
            "discovered": .int(files.count), "imported": .int(imported),
            // Its former name.
            "taken": .int(imported), "bytes": .int(bytes),
            "repaired": .int(count(.repaired)),
            "present": .int(present), "duplicates": .int(duplicates), "left": .int(left.count),
            "failed": .int(failed.count), "damaged": .int(files.count(where: \.isDamaged)),
            "notRemoved": .int(notRemoved.count),
            "remaining": .int(remaining.count + arrived.count),
            "arrived": .array(arrived.map { .string($0.text) }), "failures": .array(failures.map(\.json)),
            "files": .array(files.map(\.json)),
            "stopped": wasCancelled
                ? .string("stopped; run it again to continue")
                : JSONValue(stopped) { .string(sentence(for: $0)) },
            "described": .int(count(.described)), "merged": .int(count(.merged)),
        ]
        let exports = ExportSummary.services.map { service -> (String, JSONValue?) in
            (service, JSONValue(summaries.first { $0.service == service }) { $0.json })
        }
        let rest: KeyValuePairs<String, JSONValue?> = [
            "made": JSONValue(made) { $0.json }, "geotag": JSONValue(located) { $0.json },
        ]
        return .object(counts.map { ($0.key, $0.value) } + exports + rest.map { ($0.key, $0.value) })
    }

    /// The files that were left, without those that could not be read.
    private var left: [ImportOutcome] { files.filter { $0.status == .left && !$0.isFault } }

    /// The files that are not in the library although they should be.
    private var failed: [ImportOutcome] { files.filter { $0.path == nil && $0.isFault } }

    /// The files in the library whose originals could not be removed.
    private var notRemoved: [ImportOutcome] { files.filter { $0.path != nil && $0.isFault && !$0.isRemoved } }

    /// More files of one outcome are counted, not named.
    private static let named = 20

    /// The counts, which add up to all files, then the files by name; failures are reported separately.
    fileprivate func lines(moves: Bool) -> [String] {
        let taken = files.filter { $0.status == .imported }
        let moved = taken.count(where: \.isRemoved)
        let sidecars = taken.count { $0.sidecarOf != nil }
        let size = "(\(bytes) bytes" + (sidecars > 0 ? ", \(sidecars) of them sidecars)" : ")")
        let isCopied = !moves || moved < taken.count
        let parts = [
            moves ? "\(moved) moved\(isCopied ? "" : " \(size)")" : nil,
            isCopied ? "\(taken.count - moved) copied \(size)" : nil,
            count(.repaired) > 0 ? "\(count(.repaired)) repaired" : nil,
            summaries.contains { $0.documents != nil }
                ? "\(count(.described)) described by \(summaries.documents)" : nil,
            count(.merged) > 0 ? "\(count(.merged)) sidecars merged into those of the library" : nil,
            "\(present) there already\(how(.present))", "\(duplicates) duplicates\(how(.duplicate))",
            "\(left.count) left", "\(failed.count) failed",
            files.contains(where: \.isDamaged)
                ? "\(files.count(where: \.isDamaged)) of the copies damaged like their originals" : nil,
        ]
        let found = "\(files.count) file\(files.count == 1 ? "" : "s") found: "
        var lines = [found + parts.compactMap(\.self).joined(separator: ", ")]
        if !notRemoved.isEmpty { lines.append("\(notRemoved.count) originals could not be removed") }
        lines += names(of: taken.filter(\.isRemoved), "moved")
        lines += names(of: taken.filter { !$0.isRemoved }, "copied")
        lines += names(of: files.filter { $0.status == .present || $0.status == .duplicate }, "there ")
        let hidden = left.filter { $0.skipReason == .hidden }
        let namesHidden = hidden.count <= Self.named
        for file in files where !file.isFault && file.skipReason != .album {
            guard let reason = file.reason, file.skipReason != .hidden || namesHidden else { continue }
            lines.append(
                "\(file.path == nil ? "left" : "note") \(file.source): \(reason.ofSidecar(of: file.sidecarOf))"
            )
        }
        if !namesHidden {
            lines.append("left \(hidden.count) hidden files and folders; --dry-run names them")
        }
        return lines + summaries.flatMap(\.lines) + (moves ? [stillThere] : [])
    }

    /// One line for each file with its path in the library; none for many files.
    private func names(of files: [ImportOutcome], _ word: String) -> [String] {
        guard files.count <= Self.named else { return [] }
        return files.map { "\(word) \($0.source) -> \($0.path ?? "")" }
    }

    /// " (2 by bytes, 1 by path, size and time)".
    private func how(_ what: ImportOutcome.Status) -> String {
        let parts = ImportEvidence.allCases.compactMap { evidence in
            let count = files.count { $0.status == what && $0.evidence == evidence }
            return count > 0 ? "\(count) by \(evidence.words)" : nil
        }
        return parts.isEmpty ? "" : " (\(parts.joined(separator: "; ")))"
    }

    /// One line that counts the files left in the sources.
    private var stillThere: String {
        let remaining = remaining
        guard !remaining.isEmpty || !arrived.isEmpty else { return "nothing is left in the sources" }
        let kinds: [(String, Int)] = [
            ("not imported", remaining.count { $0.path == nil && $0.isFault }),
            (
                "in the library, but not removed",
                remaining.count { $0.path != nil && $0.status != .duplicate && !$0.isDocument }
            ),
            (summaries.documents, remaining.count(where: \.isDocument)),
            ("descriptions of albums", remaining.count { $0.skipReason == .album }),
            ("in the trash of the service", remaining.count { $0.skipReason == .trashed }),
            ("duplicates", remaining.count { $0.status == .duplicate }),
            ("no photos or films", remaining.count { $0.skipReason == .other }),
            ("sidecars alone", remaining.count { $0.skipReason == .sidecar }),
            ("links", remaining.count { $0.skipReason == .link }),
            ("hidden", remaining.count { $0.skipReason == .hidden }),
            ("new since the import began", arrived.count),
        ]
        let text = kinds.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }.joined(separator: ", ")
        return "still in the sources: \(remaining.count + arrived.count) (\(text))"
    }
}
#endif
#endif
