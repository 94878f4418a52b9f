#if CommandLine
#if Library
import ArgumentParser
import AssetRendering
import Basics
import Files
import PhotoCatalog
import Synchronization
import Thumbnails

/// `viewport library init`: creates a library.
struct LibraryInitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Make a library of a folder; `index` then adds its files.",
        examples: [
            "viewport library init photos": "The catalog goes to photos/.viewport-library",
            "viewport library init photos --catalog catalogs/photos": "The catalog goes to another folder",
        ])

    @OptionGroup var library: LibraryArguments

    @Flag(help: "Print one line of JSON.")
    var json = false

    func run() async throws {
        if !Folder.isThere(library.root), library.catalog == nil {
            do {
                try Folder.make(library.root, mode: 0o777)
            } catch {
                throw LibraryError.noRoot(library.root, error)
            }
        }
        let made = try await PhotoLibrary.create(
            library.root, catalog: library.catalog, sidecars: library.sidecars)
        if json {
            print(json: ["path": .string(made.root), "catalog": .string(made.catalogPath)])
        } else {
            say("made \(made.catalogPath)")
        }
    }
}

/// `viewport library index`: updates the catalog.
struct LibraryIndexCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index",
        abstract: "Update the catalog from the files.",
        discussion: """
            Unchanged files are not read. A file that was moved keeps its identifier. With
            --gpx, assets without a location get that of a track. With --assume-zone, dates
            without a zone get that zone. With --undated-by file-time, assets without a date
            get the time of their file; --undated-by nothing removes it again. Links to files
            are followed unless the library has them under their own names; other links are
            listed. Hidden files, and what systems and network storage keep beside photos, are
            left out and counted; --include-hidden adds them, now and in later runs, until
            --no-include-hidden. Exit code 3: photos, videos or files with their extensions could not be read,
            or sidecars, whose photos are then indexed without them.

            With --thumbnails, the thumbnails of the library's pages and of contact sheets are
            made while the bytes of a file are in memory, about 90 KB for a photo, and stored
            beside the catalog. Those that exist are kept; those of removed files are removed.
            """,
        examples: [
            "viewport library index photos": "Add, update and remove assets",
            "viewport library index photos --thumbnails": "Also make the thumbnails that are missing",
            "viewport library index photos --gpx hike.gpx --clock-offset -3600":
                "Add locations from a GPS track",
        ])

    @OptionGroup var library: LibraryArguments

    @Argument(help: "Only these folders and files; the whole library by default.", completion: .file())
    var paths: [String] = []

    @Flag(name: .customLong("show-others"), help: "Also list files that are neither photos nor videos.")
    var showsOthers = false

    @Flag(
        inversion: .prefixedNo,
        help: "Whether the library has hidden files, and what systems and network storage keep beside photos."
    )
    var includeHidden: Bool?

    @Flag(help: "Also make the thumbnails that pages and contact sheets show.")
    var thumbnails = false

    @OptionGroup var undated: UndatedArguments
    @OptionGroup(title: "Where photos were taken") var geotag: GeotagArguments

    @Flag(help: "Print one line of JSON.")
    var json = false

    func run() async throws {
        let library = try await library.open()
        let track = try geotag.track()
        let (paths, zone, rule) = (paths.isEmpty ? [""] : paths, geotag.zone.zone, undated.undatedBy)
        let thumbnailLine = ProgressLine("thumbnails")
        // What reports last is shown.
        let line = ProgressLine("indexing")
        let scope: EntryScope? = includeHidden.map { $0 ? .everything : .visible }
        let count = FileCount(
            below: paths.map { "\(library.root)/\($0)" }, try scope ?? library.scope())
        var plan: ThumbnailPlan?
        if thumbnails {
            ThumbnailMaker.prepareForBatch()
            plan = ThumbnailPlan(AssetThumbnails()) {
                line.clear()
                thumbnailLine.show(count: $0, of: $1)
            }
        }
        let report = try await InterruptibleWork.run { [plan] in
            try await library.index(
                paths, assuming: zone, undatedBy: rule, scope: scope, thumbnails: plan
            ) {
                line.show(count: $0.done, of: count.total)
            }
        }
        line.clear()
        thumbnailLine.clear()
        let located = try await geotag.apply(to: library, track: track)
        if json {
            var members: [(String, JSONValue?)] = [
                ("index", report.json), ("thumbnails", report.thumbnails?.json),
                ("geotag", JSONValue(located) { $0.json }),
            ]
            if showsOthers { members.append(("others", .array(report.others.map { .string($0.text) }))) }
            print(JSONValue.object(members))
        } else {
            say(report.sentence)
            if let thumbnails = report.thumbnails { say(thumbnails.sentence) }
            for notice in report.links + report.positionFaults {
                StandardError.write("viewport: \(notice.path): \(notice.reason)\n")
            }
            if showsOthers { for path in report.others { print("other \(path)") } }
            if let located { say(located.sentence) }
        }
        if let films = report.thumbnails?.undecodedFilms, films > 0 {
            StandardError.write(
                "viewport: \(films) films have no thumbnails, because ffmpeg is not installed\n")
        }
        try reportFailures(
            report.failures + report.sidecarFaults + (report.thumbnails?.failures ?? []))
    }
}

/// `viewport library watch`: follows the files and prints changes.
struct LibraryWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Follow the files of a library and report changes as JSON Lines.",
        discussion: """
            The first line reports that the library is ready. Changes are reported within
            half a second, until a signal ends the command.
            """,
        examples: [
            "viewport library watch photos": "Print changes until Ctrl-C",
            "viewport library watch photos >> changes.jsonl": "Append them to a file",
        ])

    @OptionGroup var library: LibraryArguments

    func run() async throws {
        let library = try await library.openWithPlaces()
        do {
            try await InterruptibleWork.run {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for try await notice in library.changes { try await Self.show(notice, library) }
                    }
                    group.addTask { try await library.watch { Self.show($0.failures + $0.sidecarFaults) } }
                    // The first to end cancels the other.
                    try await group.next()
                    group.cancelAll()
                }
            }
        } catch is CancellationError {
            return
        }
    }

    private static func show(_ notice: LibraryChange, _ library: PhotoLibrary) async throws {
        let line: JSONValue
        switch notice {
        case .initial(let groups):
            line = .object(["notice": .string("didSetUp"), "groups": list(groups)])
        case .reload(let groups): line = .object(["notice": .string("reload"), "groups": list(groups)])
        case .groupsChanged(let inserted, let updated, let deleted):
            line = .object([
                "notice": .string("groupsChanged"), "inserted": list(inserted),
                "updated": list(updated),
                "deleted": list(deleted),
            ])
        case .assetsChanged(let inserted, let updated, let removed):
            line = .object([
                "notice": .string("assetsChanged"),
                "inserted": .array(try await library.assets(inserted).map { AssetReport(asset: $0).json }),
                "updated": .array(try await library.assets(updated).map { AssetReport(asset: $0).json }),
                "removed": .array(removed.map { .int(Int($0)) }),
            ])
        }
        try StandardOutput.write(Array("\(line)\n".utf8))
    }

    private static func list(_ groups: [AssetGroup]) -> JSONValue { .array(groups.map(\.json)) }

    private static func show(_ failures: [IndexReport.Failure]) {
        for failure in failures { StandardError.write("viewport: \(failure.path): \(failure.reason)\n") }
    }
}

/// Counts the files below folders in the background, to estimate the time left.
final class FileCount: Sendable {
    private let counted = Mutex<Int?>(nil)

    /// Starts counting if a progress line is shown.
    init(below folders: [String], _ scope: EntryScope) {
        guard StandardError.showsProgress else { return }
        WorkerThread.start("viewport.count", isUtility: true) { [self] in
            let count = Self.count(folders, scope)
            counted.withLock { $0 = count }
        }
    }

    /// The number of files; nil until all are counted.
    var total: Int? { counted.withLock { $0 } }

    /// Counts regular files; links are not followed.
    private static func count(_ folders: [String], _ scope: EntryScope) -> Int {
        var (rest, count) = (folders, 0)
        while let folder = rest.popLast() {
            for entry in (try? Folder.entries(in: folder)) ?? []
            where scope.includes(FilePath(entry.name), in: FilePath(folder)) {
                switch entry.kind {
                case .folder: rest.append("\(folder)/\(entry.name)")
                case .file: count += 1
                default: break
                }
            }
        }
        return count
    }
}

/// Work that a signal cancels, so that the next run can continue it.
enum InterruptibleWork {
    /// Runs the work in a task; a signal cancels the task and waits for it.
    ///
    /// - Throws: `Interruption.Stopped` after a signal.
    static func run<R: Sendable>(_ work: @escaping @Sendable () async throws -> R) async throws -> R {
        let interruption = Interruption()
        let flag = interruption.flag
        let task = Task { try await work() }
        let guardian = Task {
            while (try? flag.check()) != nil { try await Task.sleep(for: .milliseconds(20)) }
            task.cancel()
        }
        defer { guardian.cancel() }
        let result = await task.result
        try withExtendedLifetime(interruption) { try flag.check() }
        return try result.get()
    }

    /// Runs work with a progress line, which is removed when the work ends.
    static func run<R: Sendable>(
        _ title: String, _ work: @escaping @Sendable (ProgressLine) async throws -> R
    ) async throws -> R {
        let line = ProgressLine(title)
        defer { line.clear() }
        return try await run { try await work(line) }
    }
}
#endif
#endif
