internal import Files
public import Foundation
public import ImageMetadata

/// Options of an import.
public struct ImportOptions: Sendable {
    /// The folders and files to import, outside of the library.
    public var sources: [String]
    /// Where files go in the library.
    public var layout = ImportLayout.standard
    /// Whether sources are removed once their copies are safe.
    public var moves = false
    /// Whether bytes are compared even where the catalog says that a file was imported; moving always compares.
    public var comparesBytes = false
    /// Whether files with the extension of a photo or video that cannot be read are imported unchanged.
    public var takesUnreadable = false
    /// The time zone of dates without one.
    public var assumedZone: AssumedZone?
    /// What dates files without a date; nil leaves them undated.
    public var undatedBy: UndatedRule?

    /// Creates options with the standard layout that copy.
    public init(sources: [String]) { self.sources = sources }
}

/// The evidence that the library has the bytes of a file.
package enum ImportEvidence: String, Equatable, Sendable, CaseIterable {
    /// A file of that path, size and time was imported before, and its copy has the size and time of then.
    case record
    /// The file was read; the library's has the checksum in the catalog, and the size and time of then.
    case catalog
    /// Both files were read in this run.
    case bytes
    /// They are one file under two names.
    case sameFile
}

/// The reason why a file is not imported.
package struct ImportSkipReason: Equatable, Sendable {
    /// The kind of the file.
    package enum Kind: String, Equatable, Sendable, CaseIterable {
        /// No photo or film, and nothing that claims to be one.
        case other
        /// A name that begins with a point: not looked at.
        case hidden
        /// A symbolic link to a folder, to nothing, or to a file that is imported itself.
        case link
        /// A sidecar of no file that is imported.
        case sidecar
        /// A photo or film, or what may be one, that could not be read or imported.
        case unreadable
    }

    /// The kind of the file.
    package internal(set) var kind: Kind
    /// Why it is not imported, as the end of a sentence.
    package internal(set) var reason: String
}

/// The plan of an import, file by file; nothing is touched before it is performed.
public struct ImportPlan: Equatable, Sendable {
    /// The plan for one file.
    public struct Item: Equatable, Sendable {
        /// What happens to a file.
        package enum Action: Equatable, Sendable {
            /// Is brought to a path below the root.
            case take(to: String)
            /// Replaces the library's file at a path, which has lost its bytes since it was indexed.
            case repair(at: String)
            /// Is there already, at the path below the root that it would go to: an earlier import brought it.
            case present(at: String, by: ImportEvidence)
            /// The library has the same bytes elsewhere, or gets them from another source.
            case duplicate(of: String, by: ImportEvidence)
            /// Stays where it is, and does not get into the library.
            case leave(ImportSkipReason)
        }

        /// The absolute path of the file.
        public internal(set) var source: String
        /// The size of the file in bytes.
        public internal(set) var bytes: Int
        /// What happens to the file.
        package internal(set) var action: Action
        /// The path of the file that this one is a sidecar of.
        package internal(set) var sidecarOf: String?
        /// Why the file cannot be read, though it is imported unchanged.
        package internal(set) var fault: String?
        /// When it was last written, in nanoseconds since 1970.
        var modified = 0
        /// Equal for files that belong together.
        package internal(set) var group: Int
        /// Whether it is a symbolic link, which stays.
        var isLink = false
        /// The moments of the source and of the library's file at which their bytes were read.
        var compared: Compared?
    }

    struct Compared: Equatable, Sendable {
        var source: FileMoment
        var library: FileMoment
    }

    /// The files; those that belong together follow each other.
    public internal(set) var items: [Item]
    /// Whether sources are removed once their copies are safe.
    public internal(set) var moves: Bool
    /// Absolute paths.
    var sources: [String] = []
    /// The zone of dates that name none.
    var assumedZone: AssumedZone?
    /// What dates files that say nothing of a date.
    var undatedBy: UndatedRule?

    /// Whether both do the same.
    public static func == (a: Self, b: Self) -> Bool { a.items == b.items && a.moves == b.moves }

    /// The number of bytes that will be copied or moved.
    public var bytes: Int { items.reduce(0) { $1.isTaken ? $0 + $1.bytes : $0 } }
}

extension ImportPlan.Item {
    /// Whether its bytes go into the library.
    var isTaken: Bool {
        switch action {
        case .take, .repair: true
        case .present, .duplicate, .leave: false
        }
    }

    /// The path below the root where the file will be, or is already; nil where it is not imported.
    public var destination: String? {
        switch action {
        case .take(let path), .repair(let path), .present(let path, _): path
        case .duplicate, .leave: nil
        }
    }
}

extension ImportPlan: CustomStringConvertible {
    /// The plan as text: a line for each file, "copy       /card/a.jpg -> 2014/2014-05-25/a.jpg", and one that counts them.
    public var description: String {
        var counts = (take: 0, repair: 0, present: 0, duplicate: 0, left: 0, unreadable: 0)
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
            case .leave(let leaving):
                let isUnreadable = leaving.kind == .unreadable
                if isUnreadable { counts.unreadable += 1 } else { counts.left += 1 }
                line = "\(isUnreadable ? "unreadable" : "leave     ") \(item.source): \(leaving.reason)"
            }
            if let owner = item.sidecarOf { line += ", sidecar of \(OutputFile.name(of: owner))" }
            if let fault = item.fault { line += ", as it is: \(fault)" }
            lines.append(line)
        }
        let repairs = counts.repair > 0 ? "\(counts.repair) to repair, " : ""
        let sum =
            "\(counts.take) to \(moves ? "move" : "copy") (\(bytes) bytes), \(repairs)\(counts.present) present, "
            + "\(counts.duplicate) duplicates, \(counts.left) left, \(counts.unreadable) unreadable"
        return (lines + [sum]).joined(separator: "\n")
    }
}

extension ImportEvidence {
    /// The end of a sentence that begins with "by".
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
public struct ImportOutcome: Equatable, Sendable {
    /// What became of a file.
    public enum Status: String, Equatable, Sendable, CaseIterable {
        /// Was brought into the library.
        case imported
        /// Has replaced the library's file, which had lost its bytes since it was indexed.
        case repaired
        /// An earlier import had brought it.
        case present
        /// The library has the same bytes elsewhere.
        case duplicate
        /// Stays where it is, as what no library holds.
        case left
        /// Should be in the library and is not.
        case failed
    }

    /// The absolute path of the file.
    public internal(set) var source: String
    /// The size of the file in bytes.
    public internal(set) var bytes: Int
    /// What became of the file.
    public internal(set) var status: Status
    /// The path below the root where the library has its bytes.
    public internal(set) var path: String?
    /// How it is known that the library has them.
    package internal(set) var evidence: ImportEvidence?
    /// The path of the file that this one is a sidecar of.
    package internal(set) var sidecarOf: String?
    /// Why it was left, why it was not imported or removed, or what is wrong with it.
    public internal(set) var reason: String?
    /// The kind of a file that was left.
    package internal(set) var skipReason: ImportSkipReason.Kind?
    /// Whether something went wrong that the user should check.
    public internal(set) var isFault = false
    /// Whether the source was removed because it is safe in the library.
    public internal(set) var isRemoved = false
}

/// The result of an import: one outcome for each file of the sources.
public struct ImportReport: Equatable, Sendable {
    /// The outcomes in the order of the plan.
    public internal(set) var files: [ImportOutcome] = []
    /// The paths of files that have appeared in the sources since the plan was made; they were not imported.
    public internal(set) var arrived: [String] = []
    /// Why the import ended early; what it had imported stays.
    public internal(set) var stopped: ImportError?

    /// Returns the number of files with a status.
    public func count(_ status: ImportOutcome.Status) -> Int { files.count { $0.status == status } }

    /// The number of files that were brought into the library.
    package var taken: Int { count(.imported) + count(.repaired) }
    package var bytes: Int {
        files.reduce(0) { $1.status == .imported || $1.status == .repaired ? $0 + $1.bytes : $0 }
    }
    /// The number of files that an earlier import had brought.
    package var present: Int { count(.present) }
    package var duplicates: Int { count(.duplicate) }
    /// The sources that could not be read, copied or removed, and why.
    public var failures: [IndexReport.Failure] {
        files.filter(\.isFault).map { IndexReport.Failure(path: $0.source, reason: $0.reason ?? "failed") }
    }
    /// The files that are still in the sources.
    package var remaining: [ImportOutcome] { files.filter { !$0.isRemoved } }
}

/// An error of an import or an export.
public enum ImportError: Error, Equatable, Sendable {
    /// A layout cannot be used; the layout, and why.
    case layout(String, reason: String)
    /// A source cannot be read; its path, and the system's reason.
    case noSource(String, reason: String)
    /// A source is in the library already, or the library in it.
    case inside(String, root: String)
    /// Another process imports into this library.
    case importing(root: String)
    /// A file or folder cannot be written; its path, and the system's reason.
    case unwritable(String, reason: String)
    /// The disk is too full; the bytes that are needed and those that are free.
    case noRoom(root: String, needed: Int, free: Int)
    /// The library cannot be read or written.
    case library(LibraryError)
}

extension ImportError: LocalizedError, CustomStringConvertible {
    /// The same as `description`.
    public var errorDescription: String? { description }

    /// The file, the operation and the cause, in one sentence.
    public var description: String {
        switch self {
        case .layout(let template, let reason): "the layout \"\(template)\" cannot be used: \(reason)"
        case .noSource(let path, let reason): "\(path): \(reason)"
        case .inside(let path, let root):
            "\(path): cannot be imported into the library \(root), one lies in the other"
        case .importing(let root):
            "\(root): another program is importing into this library"
        case .unwritable(let path, let reason):
            "\(path): cannot be written (\(reason))"
        case .noRoom(let root, let needed, let free):
            "\(root): \(needed) bytes are to be copied and \(free) are free"
        case .library(let error): error.description
        }
    }
}
