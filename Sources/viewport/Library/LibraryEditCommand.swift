#if CommandLine
#if Library
import ArgumentParser
import Basics
import Foundation
import ImageMetadata
import PhotoCatalog

/// `viewport library edit`: changes what the sidecars of assets state.
struct LibraryEditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Edit titles, words, ratings, dates, places and rotation.",
        discussion: """
            The changes are written to XMP sidecars, photo.jpg.xmp, which other programs
            read; the photos keep their bytes. What other programs wrote to a sidecar
            stays, such as titles in other languages; their lists of keywords follow.
            `viewport library undo` undoes the last edit. Exit code 3: some assets could
            not be edited.
            """,
        examples: [
            "viewport library edit photos a.jpg --rating 5 --add-keyword lake": "Rate a photo, add a word",
            "viewport library edit photos --where 'camera:x100 date:2014-05' --shift +1h":
                "Correct the clock of a camera",
        ])

    @OptionGroup var library: LibraryArguments

    @Argument(help: "Identifiers, file names, or paths below the library's folder.")
    var assets: [String] = []

    @Option(
        name: .customLong("where"), help: ArgumentHelp("The assets that a search finds.", valueName: "query"))
    var query: QueryArgument?

    @Option(help: "Title; '' removes it.")
    var title: String?

    @Option(help: "Description; '' removes it.")
    var caption: String?

    @Option(help: "Keywords that replace all, separated by commas; '' removes all.")
    var keywords: String?

    @Option(help: ArgumentHelp("Keyword to add; repeat for several.", valueName: "keyword"))
    var addKeyword: [String] = []

    @Option(help: ArgumentHelp("Keyword to remove; repeat for several.", valueName: "keyword"))
    var removeKeyword: [String] = []

    @Option(help: "Rating from 1 to 5; 0 for none, -1 for rejected.")
    var rating: Int?

    @Option(help: "Color label, such as Red; '' removes it.")
    var label: String?

    @Option(help: "Date in the camera's time.")
    var date: CaptureDateArgument?

    @Option(help: "Time by which dates are shifted, such as +1h, -90m or +1d2h.")
    var shift: ShiftArgument?

    @Option(help: ArgumentHelp("Position in degrees, and altitude in meters.", valueName: "lat,lon[,alt]"))
    var location: LocationArgument?

    @Flag(help: "Remove the position from the sidecar.")
    var removeLocation = false

    @Option(help: "Rotation; pixels stay as they are.")
    var rotate: Rotation?

    @Flag(help: "Print one line of JSON.")
    var json = false

    enum Rotation: String, CaseIterable, ExpressibleByArgument {
        case right, half, left

        /// The number of quarter turns to the right.
        var quarterTurns: Int {
            switch self {
            case .right: 1
            case .half: 2
            case .left: 3
            }
        }
    }

    func validate() throws {
        guard assets.isEmpty != (query == nil) else {
            throw ValidationError(
                query == nil
                    ? "name the assets to edit, or search them with --where"
                    : "name assets, or search them with --where, but not both")
        }
        guard !(addKeyword + removeKeyword).contains(where: { XMPPacket.keyword($0).isEmpty }) else {
            throw ValidationError("a keyword is empty; name one, such as --add-keyword lake")
        }
        if let rating { try require("--rating", Double(rating), in: -1...5, example: 4) }
        guard !edit.isEmpty else { throw ValidationError("give something to change, such as --rating 4") }
        if location != nil, removeLocation {
            throw ValidationError("--location and --remove-location contradict each other")
        }
    }

    private var edit: AssetEdit {
        var edit = AssetEdit()
        (edit.title, edit.caption, edit.label) = (title, caption, label)
        edit.keywords = keywords.map {
            $0.split(separator: ",").map { String($0.trimmed { $0 == " " }) }.filter { !$0.isEmpty }
        }
        (edit.addedKeywords, edit.removedKeywords) = (addKeyword, removeKeyword)
        edit.rating = rating
        edit.date = date?.date
        edit.shift = shift?.seconds ?? 0
        edit.location = location?.location
        edit.removesLocation = removeLocation
        edit.quarterTurns = rotate?.quarterTurns ?? 0
        return edit
    }

    func run() async throws {
        let library = try await library.open()
        var ids = try await library.assets(called: assets).map(\.id)
        if let query {
            let collection = library.collection(of: try await query.source(in: library), filter: query.query)
            ids = Array(try await collection.snapshot().ids)
        }
        let (edit, chosen) = (edit, ids)
        let report = try await InterruptibleWork.run("editing") { line in
            try await library.edit(chosen, edit) { line.show($0) }
        }
        if json { print(report.json) } else { say(report.sentence) }
        try reportFailures(report.failures)
    }
}

/// `viewport library undo`: undoes the last change.
struct LibraryUndoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Undo the last edit of a library, or move files back from its trash.",
        discussion: """
            Files that were changed since are kept and reported. Repeat it to undo earlier
            operations; the last 100 are kept, and all with files in the trash. Exit code 3: some files could not be restored.
            """,
        examples: [
            "viewport library undo photos": "Undo the last operation",
            "viewport library undo photos --list": "List what can be undone, the latest first",
        ])

    @OptionGroup var library: LibraryArguments

    @Flag(help: "List the operations instead.")
    var list = false

    @Flag(help: "Print JSON, one line per operation.")
    var json = false

    func run() async throws {
        let library = try await library.open()
        if list {
            let operations = try await library.operations(100)
            for operation in operations {
                print(json ? "\(operation.json)" : "\(operation.time)  \(operation)")
            }
            return
        }
        guard let report = try await library.undo() else {
            if json { print(EditReport.nothing) } else { say("nothing to undo") }
            return
        }
        if json { print(report.json) } else { say(report.undoing) }
        try reportFailures(report.failures)
    }
}

extension EditReport {
    var json: JSONValue {
        .object([
            "operation": JSONValue(operation, \.json), "changed": .int(changed),
            "unchanged": .int(unchanged), "failures": .array(failures.map(\.json)),
        ])
    }

    fileprivate static let nothing = JSONValue.object([
        "operation": .null, "changed": .int(0), "unchanged": .int(0), "failures": .array([]),
    ])

    /// "3 of 8 assets edited, 4 unchanged"; with the halves of live photos that change together.
    fileprivate var sentence: String {
        "\(changed) of \(changed + unchanged + failures.count) assets edited"
            + (unchanged > 0 ? ", \(unchanged) unchanged" : "")
    }

    /// "undone: edit 3 assets; 2 of 3 files restored".
    fileprivate var undoing: String {
        "undone: \(operation?.name ?? "")"
            + (failures.isEmpty ? "" : "; \(changed) of \(changed + failures.count) files restored")
    }
}

extension LibraryOperation {
    var json: JSONValue {
        .object(["id": .int(Int(id)), "name": .string(name), "done": .string(time)])
    }

    /// The time in UTC: "2014-05-25T10:00:00Z".
    fileprivate var time: String { date.ISO8601Format() }
}

/// A search: `camera:x100 rating:>=4 from:2014-05`.
struct QueryArgument: ExpressibleByArgument, Explained {
    let query: AssetQuery

    init(_ query: AssetQuery) { self.query = query }

    init?(argument: String) {
        guard let query = try? AssetQuery(argument) else { return nil }
        self.query = query
    }

    static var understood: String {
        "words and conditions, which `viewport help query` lists"
    }
    static var example: String { "'lake camera:x100 rating:>=4 from:2014-05'" }

    static func fault(in text: String) -> String? {
        do {
            _ = try AssetQuery(text)
            return nil
        } catch {
            guard case .query(text, let reason) = error.cause else { return error.description }
            return reason
        }
    }

    /// The album that the search names, or the whole library.
    func source(in library: PhotoLibrary) async throws -> AssetGroup.ID {
        guard let album = query.album else { return .all }
        return try await library.album(called: album).id
    }
}

/// "2014-05-25T10:00:00", with a time zone if it is known.
struct CaptureDateArgument: ExpressibleByArgument, Explained {
    let date: CaptureDate

    init?(argument: String) {
        guard let date = CaptureDate(edited: argument) else { return nil }
        self.date = date
    }

    static var understood: String { "a date, or date and time, in the camera's time" }
    static var example: String { "2014-05-25T10:00:00+02:00" }
}

/// "+1h", "-90m" or "+1d2h".
struct ShiftArgument: ExpressibleByArgument, Explained {
    let seconds: Int

    init?(argument: String) {
        guard let seconds = AssetEdit.seconds(ofShift: argument) else { return nil }
        self.seconds = seconds
    }

    static var understood: String {
        "numbers of days, hours, minutes and seconds with their letters: d h m s"
    }
    static var example: String { "-1h30m" }
}

/// "46.2,6.14" or "46.2,6.14,375": degrees, and meters above the sea.
struct LocationArgument: ExpressibleByArgument, Explained {
    let location: Location

    init?(argument: String) {
        guard let location = Location(edited: argument) else { return nil }
        self.location = location
    }

    static var understood: String { "LATITUDE,LONGITUDE in degrees, and an altitude in meters" }
    static var example: String { "46.2,6.14,375" }
}
#endif
#endif
