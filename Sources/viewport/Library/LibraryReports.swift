#if CommandLine
#if Library
import ArgumentParser
import Basics
import Files
import ImageMetadata
import PhotoCatalog
import ViewportGeometry

/// An asset in the form in which commands print it.
struct AssetReport {
    let asset: Asset
    var zone: AssumedZone?
    /// The film inside of it, if the file was read.
    var film: JSONValue?
    /// The dates that the file and its sidecar state, if these were read.
    var dates: DateReport?
    /// The key and the title of its entry, and its index path, if it is part of a collection.
    var entry: (key: EntryKey?, title: String, indexPath: AssetIndexPath)?

    private var offset: UTCOffset? {
        asset.date.flatMap { date in
            date.offset ?? zone.flatMap { date.hasTime ? $0.offset(date.local) : nil }
        }
    }

    /// "2014-05-25T10:00:00.25", or less: "2014-05-25", "2014-05", "2014".
    private var localDate: String? { asset.date?.localText }

    private var kind: String { asset.isVideo ? "video" : asset.isScreenshot ? "screenshot" : "photo" }

    /// All metadata as JSON.
    var json: JSONValue { .object(members.map { ($0.key, $0.value) } + (dates?.members ?? [])) }

    private var members: KeyValuePairs<String, JSONValue?> {
        [
            "id": .int(Int(asset.id)), "path": .string(asset.path), "kind": .string(kind),
            "width": JSONValue(asset.size) { .int($0.width) },
            "height": JSONValue(asset.size) { .int($0.height) },
            "date": JSONValue(localDate, JSONValue.string),
            "offset": JSONValue(offset) { .string($0.description) },
            "dateSource": JSONValue(asset.date) { .string($0.source.rawValue) },
            "location": JSONValue(asset.location, Self.json),
            "place": JSONValue(asset.place, JSONValue.string),
            "make": JSONValue(asset.make, JSONValue.string),
            "model": JSONValue(asset.model, JSONValue.string),
            "lens": JSONValue(asset.lens, JSONValue.string),
            "title": JSONValue(asset.title, JSONValue.string),
            "caption": JSONValue(asset.caption, JSONValue.string),
            "keywords": .array(asset.keywords.map(JSONValue.string)),
            "rating": JSONValue(asset.rating, JSONValue.int),
            "label": JSONValue(asset.label, JSONValue.string),
            "burst": JSONValue(asset.burst, JSONValue.string),
            "stack": JSONValue(asset.stack) {
                .object(["cover": .int(Int($0)), "files": .int(asset.stackCount ?? 1)])
            },
            "film": film,
            "sha256": .string(asset.sha256), "bytes": .int(asset.bytes),
            "group": JSONValue(entry?.key, Self.json),
            "indexPath": JSONValue(entry) { .array([.int($0.indexPath.entry), .int($0.indexPath.asset)]) },
        ]
    }

    private static func json(_ location: Location) -> JSONValue {
        .object([
            "latitude": .number(location.latitude), "longitude": .number(location.longitude),
            "altitude": JSONValue(location.altitude, JSONValue.number),
            "accuracy": JSONValue(location.accuracy, JSONValue.number),
            "source": .string(location.source.rawValue),
        ])
    }

    static func json(_ key: EntryKey) -> JSONValue {
        key.number.map(JSONValue.int) ?? .string(key.description)
    }

    /// The columns of tables of assets.
    static let columns = [
        Table.Column("ID", .right, least: 6), Table.Column("GROUP", least: 10),
        Table.Column("DATE", least: 29),
        Table.Column("KIND", least: 10), Table.Column("SIZE", .right, least: 11),
        Table.Column("BYTES", .right, least: 10), Table.Column("PATH"),
    ]

    var row: [String] {
        let date = localDate.map { $0 + (offset.map(\.description) ?? "") }
        return [
            "\(asset.id)", entry?.title ?? "-", date ?? "Undated", kind,
            asset.size.map { "\($0.width)x\($0.height)" } ?? "-", "\(asset.bytes)", asset.path + badge,
        ]
    }

    /// " [+2]" for the cover of a stack of three files, " [of 17]" for those behind the cover 17.
    private var badge: String {
        guard let cover = asset.stack else { return "" }
        return cover == asset.id ? " [+\((asset.stackCount ?? 1) - 1)]" : " [of \(cover)]"
    }
}

extension IndexReport {
    var json: JSONValue {
        .object([
            "inserted": .int(inserted), "updated": .int(updated), "moved": .int(moved),
            "removed": .int(removed), "unchanged": .int(unchanged), "sidecars": .int(sidecars),
            "ignored": .int(others.count),
            "ignoredKinds": .object(kinds.map { ($0.ending, .int($0.count)) }),
            "links": .array(links.map(\.json)), "failures": .array(failures.map(\.json)),
            "brokenSidecars": .array(sidecarFaults.map(\.json)), "systemEntries": .int(systemEntries),
            "positionFaults": .array(positionFaults.map(\.json)),
        ])
    }

    var sentence: String {
        "\(inserted) new, \(updated) changed, \(moved) moved, \(removed) gone, \(unchanged) unchanged, "
            + (sidecars > 0 ? "\(sidecars) sidecars, " : "")
            + (links.isEmpty ? "" : "\(links.count) \(links.count == 1 ? "link" : "links") not followed, ")
            + (systemEntries > 0 ? "\(systemEntries) files and folders of systems left out, " : "")
            + "\(others.count) others\(kindsText), \(failures.count) unreadable"
            + (sidecarFaults.isEmpty
                ? "" : ", \(sidecarFaults.count) with a broken sidecar")
    }

    /// The extensions of other files, the most common first.
    private var kinds: [(ending: String, count: Int)] {
        otherKinds.map { ($0.key, $0.value) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    }

    /// " (7 txt, 2 without ending)".
    private var kindsText: String {
        let parts = kinds.map { "\($0.count) \($0.ending.isEmpty ? "without ending" : $0.ending)" }
        return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
    }
}

extension ThumbnailReport {
    var json: JSONValue {
        .object([
            "made": .int(made), "kept": .int(kept), "removed": .int(removed),
            "undecodedFilms": .int(undecodedFilms), "failures": .array(failures.map(\.json)),
        ])
    }

    var sentence: String {
        "thumbnails: \(made) made, \(kept) kept, \(removed) removed, \(failures.count) failed"
    }
}

extension IndexReport.Failure {
    var json: JSONValue {
        .object([
            "path": .string(path), "error": errorJSON(code: needsIndexing ? "unindexed" : "failed", sentence),
            // Its former form.
            "reason": .string(sentence),
        ])
    }
}

/// Prints failures to standard error.
///
/// - Throws: `ExitCode` 3 if there are any.
func reportFailures(_ failures: [IndexReport.Failure]) throws {
    for failure in failures {
        // Errors of rendering begin with the file already.
        let isNamed = failure.reason.contains("\(failure.path):")
        StandardError.write("viewport: \(isNamed ? "" : "\(failure.path): ")\(failure.sentence)\n")
    }
    if !failures.isEmpty { throw ExitCode(3) }
}

/// The exit codes of the library's errors.
extension LibraryError: ExitCoded {
    var exit: Exit {
        switch cause {
        case .missing, .noRoot, .sidecarsGone, .noAlbum, .noAsset, .noAnnotation, .noImport, .noSource,
            .unreadable:
            .noInput
        case .damaged, .newer, .archive, .gpxSyntax, .noTrackPoints, .noTowns, .plan: .badInput
        case .exists, .outside, .sidecars, .albumExists, .layout, .inside, .swapped, .moveOfArchive, .date,
            .query:
            .usage
        case .inaccessible, .readOnly, .unwritable, .noRoom: .cannotWrite
        case .busy, .indexing, .editing, .importing, .annotationChanged: .tryAgain
        case .refused, .unbalanced: .software
        }
    }
}

/// A table whose rows are printed immediately.
struct Table {
    struct Column {
        enum Alignment { case left, right }

        let title: String
        let alignment: Alignment
        let least: Int

        /// - Parameter least: the minimum width in characters.
        init(_ title: String, _ alignment: Alignment = .left, least: Int = 0) {
            self.title = title
            self.alignment = alignment
            self.least = max(least, title.count)
        }
    }

    private let columns: [Column]

    /// Prints the header.
    init(_ columns: [Column]) {
        self.columns = columns
        add(columns.map(\.title))
    }

    /// Prints a row; control characters are replaced.
    func add(_ cells: [String]) {
        let texts = zip(columns, cells).map { column, cell in
            let text = String(
                PathText.shown(cell).unicodeScalars.map {
                    $0.value < 0x20 || $0.value == 0x7F ? "?" : Character($0)
                })
            let space = String(repeating: " ", count: max(0, column.least - text.count))
            return column.alignment == .left ? text + space : space + text
        }
        var line = texts.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        print(line)
    }
}
#endif
#endif
