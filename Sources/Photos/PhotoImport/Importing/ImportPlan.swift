internal import Archives
public import AssetCatalog
internal import Basics
internal import ExportDocuments
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
    /// Whether the plan says of each picture whether its data can be read to its end; an import finds that while it copies.
    package var readsPictures = false
    /// Whether files with the extension of a photo or video that cannot be read are imported unchanged.
    package var takesUnreadable = false
    /// Whether files in the trash of Google Photos are imported from a Takeout.
    public var takesTrashed = false
    /// Whether hidden files are imported, and what systems and network storage keep beside photos.
    public var includesHidden = false
    /// Which entries of the sources are looked at.
    var scope: EntryScope { includesHidden ? .everything : .visible }
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
        /// A file that a service has in its trash, or its document.
        case trashed
        /// A list or description of albums in an export.
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
            /// It is a second sidecar of the library's file at a path; what it states is added to the first, or is there.
            case merge(FilePath, isNew: Bool)
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
        var facts: ExportFacts?
        /// What is to be added to the sidecar of a photo.
        var merging: Merging?
        /// Why it is kept although the library has another sidecar of its photo.
        package internal(set) var note: String?
    }

    /// What a second sidecar adds to the first.
    struct Merging: Equatable, Sendable {
        /// The path of the photo below the root.
        var photo: FilePath
        var additions: SidecarEdit
        /// A text by which the catalog knows that it was merged.
        var key: String
    }

    struct Compared: Equatable, Sendable {
        var source: FileMoment
        var library: FileMoment
        /// That of a copy that was verified.
        var digest: KnownDigest?
    }

    /// The files; those of a group are adjacent.
    package internal(set) var items: [Item]
    /// The options that it was made with; their sources are absolute paths.
    let options: ImportOptions
    /// The last import of the library when it was made.
    let lastImport: LastImport
    /// The exports among the sources.
    let exports: PhotoExports
    /// What was found of exports, in the order of the services.
    package let summaries: [ExportSummary]

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
        case .present, .duplicate, .describe, .merge, .leave: false
        }
    }

    /// The path below the root that the file gets or has already; nil if it is not imported.
    package var destination: FilePath? {
        switch action {
        case .take(let path), .repair(let path), .present(let path, _): path
        case .duplicate, .describe, .merge, .leave: nil
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
        var counts = (
            take: 0, repair: 0, present: 0, duplicate: 0, described: 0, merged: 0, left: 0, unreadable: 0
        )
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
            case .merge(let path, let isNew):
                if isNew { counts.merged += 1 } else { counts.present += 1 }
                line = "\(isNew ? "merge     " : "present   ") \(item.source) -> the sidecar of \(path)"
            case .leave(let leaving):
                let isUnreadable = leaving.kind == .unreadable
                if isUnreadable { counts.unreadable += 1 } else { counts.left += 1 }
                line = "\(isUnreadable ? "unreadable" : "leave     ") \(item.source): \(leaving.reason)"
            }
            if let owner = item.sidecarOf { line += ", sidecar of \(owner.name)" }
            if let fault = item.fault { line += ", as it is: \(fault)" }
            if let damage = item.damage { line += ", damaged: \(damage)" }
            if let note = item.note { line += ", kept: \(note)" }
            lines.append(line)
        }
        let repairs = counts.repair > 0 ? "\(counts.repair) to repair, " : ""
        let damaged = items.count { $0.damage != nil }
        let described =
            (counts.described > 0 ? "\(counts.described) \(summaries.documents) to apply, " : "")
            + (counts.merged > 0 ? "\(counts.merged) sidecars to merge, " : "")
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
