internal import Archives
public import AssetCatalog
internal import Basics
package import Files
public import ImageMetadata

/// Options of an import.
public struct ImportOptions: Sendable {
    /// The folders and files to import, outside of the library.
    package var sources: [String]
    /// The paths of files in the library.
    public var layout = ImportLayout.standard
    /// Whether sources are removed once their copies are safe.
    public var moves = false
    /// Whether bytes are compared even where the catalog says that a file was imported; moving always compares.
    package var comparesBytes = false
    /// Whether files with the extension of a photo or video that cannot be read are imported unchanged.
    package var takesUnreadable = false
    /// Whether files in the trash of Google Photos are imported from a Takeout.
    public var takesTrashed = false
    /// Whether hidden files are imported, and what systems and network storage keep beside photos.
    public var includesHidden = false
    /// The most bytes of an entry of a ZIP archive; nil for 1,000 times its compressed size.
    ///
    /// Larger entries are left.
    public var maximumEntryBytes: Int?
    /// The time zone of dates without one.
    public var assumedZone: AssumedZone?
    /// What dates files without a date; nil leaves them undated.
    package var undatedBy: UndatedRule?

    /// Whether files without a date are filed and dated by their modification time; nil keeps them undated.
    public var usesFileTime: Bool? {
        get { undatedBy.map { $0 == .fileTime } }
        set { undatedBy = UndatedRule(newValue) }
    }

    /// Creates options that copy, with the layout `{year}/{year}-{month}-{day}/{name}`.
    public init(sources: [String]) { self.sources = sources }
}

/// The evidence that the library has a file already.
package enum ImportEvidence: String, Equatable, Codable, Sendable, CaseIterable {
    /// A file of that path, size and time was imported before, and its copy has kept its size and time.
    case record
    /// The file's checksum is that of a file in the catalog, which has kept its size and time.
    case catalog
    /// Both files were read in this run.
    case bytes
    /// Both are links to the same file.
    case sameFile
}

/// The reason why a file is not imported.
package struct ImportSkipReason: Equatable, Sendable {
    /// The kind of the file.
    package enum Kind: String, Equatable, Codable, Sendable, CaseIterable {
        /// Neither a photo nor a video, by content and extension.
        case other
        /// A hidden file or folder, which was not read.
        case hidden
        /// A symbolic link to a folder, to a missing file, or to another source.
        case link
        /// A sidecar without a photo or video that is imported.
        case sidecar
        /// A photo or video, at least by its extension, or a sidecar or archive of one, that could not be read.
        case unreadable
        /// A file that a Takeout has in the trash, or its sidecar; a file that was recently deleted in iCloud Photos.
        case trashed
        /// The title of an album in a Takeout, the albums of a lossless export, or a list of iCloud Photos.
        case album
    }

    /// The kind of the file.
    package internal(set) var kind: Kind
    /// The reason, as the end of a sentence.
    package internal(set) var reason: String
}

/// The plan of an import; nothing is written before it is performed.
///
/// `description` lists what happens to each file.
public struct ImportPlan: Sendable {
    /// The plan for one file.
    package struct Item: Equatable, Sendable {
        /// What happens to a file.
        package enum Action: Equatable, Sendable {
            /// It is copied or moved to a path below the root.
            case take(to: FilePath)
            /// It replaces the library's file at a path, which was damaged since it was indexed.
            case repair(at: FilePath)
            /// It exists already, at the path below the root that it would get.
            case present(at: FilePath, by: ImportEvidence)
            /// The library has an equal file elsewhere, or gets it from another source.
            case duplicate(of: FilePath, by: ImportEvidence)
            /// Its values are written to the sidecar and the albums of the library's file at a path.
            case describe(FilePath, isNew: Bool)
            /// It is not imported.
            case leave(ImportSkipReason)
        }

        /// The absolute path of the file.
        package internal(set) var source: FilePath
        /// The size of the file in bytes.
        package internal(set) var bytes: Int
        /// What happens to the file.
        package internal(set) var action: Action
        /// The path of the file that this one is a sidecar of.
        package internal(set) var sidecarOf: FilePath?
        /// The reason why the file cannot be read, if it is imported unchanged.
        package internal(set) var fault: String?
        /// What is missing of the file, which is imported nevertheless.
        package internal(set) var damage: String?
        /// The modification time in nanoseconds since 1970.
        var modified = 0
        /// Equal for files that belong together.
        package internal(set) var group: Int
        /// Whether it is a symbolic link, which is never removed.
        var isLink = false
        /// The states of the source and of the library's file in which their bytes were compared.
        var compared: Compared?
        /// The entry of an archive; nil for files.
        var member: ZipMember?
        /// What is to be written about the file.
        var facts: TakeoutFacts?
    }

    struct Compared: Equatable, Sendable {
        var source: FileMoment
        var library: FileMoment
    }

    /// The files; those of a group are adjacent.
    package internal(set) var items: [Item]
    /// The options that it was made with; their sources are absolute paths.
    let options: ImportOptions
    /// The last import of the library when it was made.
    let lastImport: LastImport
    /// The lossless exports among the sources.
    var exports: LosslessSources
    /// What was found of a Google Takeout; nil without one.
    package internal(set) var takeout: TakeoutSummary?
    /// What was found of exports of iCloud Photos; nil without one.
    package internal(set) var cloud: ICloudSummary?

    /// Whether sources are removed once their copies are safe.
    package var moves: Bool { options.moves }
    /// The number of bytes that will be copied or moved.
    package var bytes: Int { items.reduce(0) { $1.isTaken ? $0 + $1.bytes : $0 } }
}

extension ImportPlan.Item {
    /// Whether its bytes are copied or moved into the library.
    var isTaken: Bool {
        switch action {
        case .take, .repair: true
        case .present, .duplicate, .describe, .leave: false
        }
    }

    /// The path below the root that the file gets or has already; nil if it is not imported.
    package var destination: FilePath? {
        switch action {
        case .take(let path), .repair(let path), .present(let path, _): path
        case .duplicate, .describe, .leave: nil
        }
    }

    /// The path below the root of the library's file that has, or gets, the same bytes; nil if there is none.
    var place: FilePath? {
        if case .duplicate(let path, _) = action { path } else { destination }
    }
}

extension ImportPlan: CustomStringConvertible {
    /// One line per file, "copy       /card/a.jpg -> 2014/2014-05-25/a.jpg", and one with the totals.
    public var description: String {
        var counts = (take: 0, repair: 0, present: 0, duplicate: 0, described: 0, left: 0, unreadable: 0)
        var lines: [String] = []
        for item in items {
            var line: String
            switch item.action {
            case .take(let path):
                counts.take += 1
                line = "\(moves ? "move" : "copy")       \(item.source) -> \(path)"
            case .repair(let path):
                counts.repair += 1
                line = "repair     \(item.source) -> \(path)"
            case .present(let path, let evidence):
                counts.present += 1
                line = "present    \(item.source) = \(path) (by \(evidence.words))"
            case .duplicate(let path, let evidence):
                counts.duplicate += 1
                line = "duplicate  \(item.source) = \(path) (by \(evidence.words))"
            case .describe(let path, let isNew):
                if isNew { counts.described += 1 } else { counts.present += 1 }
                line = "\(isNew ? "describe  " : "present   ") \(item.source) -> \(path)"
            case .leave(let leaving):
                let isUnreadable = leaving.kind == .unreadable
                if isUnreadable { counts.unreadable += 1 } else { counts.left += 1 }
                line = "\(isUnreadable ? "unreadable" : "leave     ") \(item.source): \(leaving.reason)"
            }
            if let owner = item.sidecarOf { line += ", sidecar of \(owner.name)" }
            if let fault = item.fault { line += ", as it is: \(fault)" }
            if let damage = item.damage { line += ", damaged: \(damage)" }
            lines.append(line)
        }
        let repairs = counts.repair > 0 ? "\(counts.repair) to repair, " : ""
        let damaged = items.count { $0.damage != nil }
        let described = counts.described > 0 ? "\(counts.described) Takeout sidecars to apply, " : ""
        let found = "\(items.count) file\(items.count == 1 ? "" : "s") found: "
        let sum =
            "\(found)\(counts.take) to \(moves ? "move" : "copy") (\(bytes) bytes"
            + "\(damaged > 0 ? ", \(damaged) of the files damaged" : "")), "
            + "\(repairs)\(described)\(counts.present) present, "
            + "\(counts.duplicate) duplicates, \(counts.left) left, \(counts.unreadable) unreadable"
        return (lines + [sum]).joined(separator: "\n")
    }
}

extension ImportEvidence {
    /// The evidence in words, after "by".
    package var words: String {
        switch self {
        case .record: "path, size and time"
        case .catalog: "the catalog's checksum"
        case .bytes: "bytes"
        case .sameFile: "being the same file"
        }
    }
}

/// The result of importing one file.
package struct ImportOutcome: Hashable, Codable, Sendable {
    /// The outcome for a file.
    package enum Status: String, Equatable, Codable, Sendable, CaseIterable {
        /// It was copied or moved into the library.
        case imported
        /// It has replaced the library's file, which was damaged.
        case repaired
        /// An earlier import had imported it.
        case present
        /// The library has an equal file elsewhere.
        case duplicate
        /// It is not a photo, video or sidecar of one, and stays where it is.
        case left
        /// Its values were written to the sidecar and the albums of its photo.
        case described
        /// It could not be imported.
        case failed
    }

    /// The absolute path of the file.
    package internal(set) var source: FilePath
    /// The size of the file in bytes.
    package internal(set) var bytes: Int
    /// The outcome.
    package internal(set) var status: Status
    /// The path below the root of the equal file in the library.
    package internal(set) var path: FilePath?
    /// The evidence that they are equal.
    package internal(set) var evidence: ImportEvidence?
    /// The path of the file that this one is a sidecar of.
    package internal(set) var sidecarOf: FilePath?
    /// Whether it is a sidecar of a Takeout, which is read but not copied.
    package internal(set) var isDocument = false
    /// The reason why it was left, not imported or not removed, or its fault.
    package internal(set) var reason: String?
    /// What is missing of a file that was imported nevertheless.
    package internal(set) var damage: String?
    /// The kind of a file that was left.
    package internal(set) var skipReason: ImportSkipReason.Kind?
    /// Whether something went wrong that a user should check.
    package internal(set) var isFault = false
    /// Whether the source was removed after it was imported.
    package internal(set) var isRemoved = false
}

extension ImportPlan.Item {
    /// The present state of the source, or of its archive; nil if it has changed or gone since the plan was made.
    var moment: FileMoment? {
        if let archive = member?.archive {
            return FileMoment(archive.path) == archive.moment ? archive.moment : nil
        }
        guard let now = FileMoment(source.text), now.status.modified == modified, now.status.size == bytes
        else {
            return nil
        }
        return now
    }
}

extension ImportOutcome {
    /// What becomes of an item if nothing goes wrong.
    init(_ item: ImportPlan.Item) {
        let (status, path): (Status, FilePath?) =
            switch item.action {
            case .take(let path): (.imported, path)
            case .repair(let path): (.repaired, path)
            case .present(let path, _): (.present, path)
            case .duplicate(let path, _): (.duplicate, path)
            case .describe(let path, let isNew): (isNew ? .described : .present, path)
            case .leave: (.left, nil)
            }
        self.init(
            source: item.source, bytes: item.bytes, status: status, path: path, sidecarOf: item.sidecarOf)
        switch item.action {
        case .present(_, let evidence), .duplicate(_, let evidence): self.evidence = evidence
        case .leave(let leaving):
            (self.reason, self.skipReason) = (leaving.reason, leaving.kind)
            isFault = leaving.kind == .unreadable
        case .repair: reason = "the library's copy had other bytes than when it was indexed; it was replaced"
        case .take:
            damage = item.damage
            reason =
                item.fault.map { "imported as it is: \($0)" } ?? damage.map { ImportLedger.damageMark + $0 }
        case .describe(_, let isNew):
            isDocument = true
            if !isNew { evidence = .record }
        }
    }
}

/// The result of an import.
public struct ImportReport: Hashable, Codable, Sendable {
    /// The number of the import in the ledger of the library.
    package internal(set) var number: Int64?
    /// The outcomes in the order of the plan.
    package internal(set) var files: [ImportOutcome] = []
    /// The paths of files that have appeared in the sources since the plan was made; they are not imported.
    package internal(set) var arrived: [FilePath] = []
    /// What was found of a Google Takeout; nil without one.
    package internal(set) var takeout: TakeoutSummary?
    /// What was found of exports of iCloud Photos; nil without one.
    package internal(set) var cloud: ICloudSummary?
    /// The error that ended the import early; imported files are kept.
    public internal(set) var stopped: LibraryError?
    /// Whether the import ended early because its task was cancelled; imported files are kept.
    public internal(set) var wasCancelled = false

    /// Returns the number of files with a status.
    package func count(_ status: ImportOutcome.Status) -> Int { files.count { $0.status == status } }

    /// The number of files that were copied or moved into the library.
    public var imported: Int { count(.imported) + count(.repaired) }
    package var bytes: Int {
        files.reduce(0) { $1.status == .imported || $1.status == .repaired ? $0 + $1.bytes : $0 }
    }
    /// The number of files that an earlier import had imported.
    public var present: Int { count(.present) }
    /// The number of files that the library has under another path, or that came from another source.
    public var duplicates: Int { count(.duplicate) }
    /// The sources that could not be read, copied or removed.
    public var failures: [IndexReport.Failure] {
        files.filter { $0.isFault || $0.isDamaged }.map {
            IndexReport.Failure(
                path: $0.source.text, reason: ($0.reason ?? "failed").ofSidecar(of: $0.sidecarOf))
        }
    }
    /// The files that are still in the sources.
    package var remaining: [ImportOutcome] { files.filter { !$0.isRemoved } }
}

extension ImportOutcome {
    /// Whether it was imported although something is missing of it.
    package var isDamaged: Bool { damage != nil && status == .imported }
}

extension ImportReport: CustomStringConvertible {
    /// The counts, without those that are 0: "312 imported, 4 failed".
    public var description: String {
        let counts = [
            (present, "present"), (duplicates, "duplicates"), (count(.left), "left"),
            (failures.count, "failed"),
        ].listed(after: "\(imported) imported")
        if wasCancelled { return "\(counts), cancelled" }
        return stopped.map { "\(counts), stopped: \($0)" } ?? counts
    }
}
