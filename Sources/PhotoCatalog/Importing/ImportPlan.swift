internal import Files
public import ImageMetadata

/// What is imported and how.
public struct ImportOptions: Sendable {
    /// Folders and files outside of the library.
    public var sources: [String]
    public var layout = ImportLayout.standard
    /// Whether sources are removed once their copies are safe.
    public var moves = false
    /// Whether bytes are compared where the catalog would tell that a file is there; moving always does.
    public var comparesBytes = false
    /// Whether files that have the ending of a photo or film and cannot be understood are imported as they are.
    public var takesUnreadable = false
    /// The zone of dates that name none.
    public var assumedZone: AssumedZone?
    /// What dates files that say nothing of a date; nil leaves them undated.
    public var undatedBy: UndatedRule?

    public init(sources: [String]) { self.sources = sources }
}

/// How it is known that the library has a file's bytes.
public enum ImportEvidence: String, Equatable, Sendable, CaseIterable {
    /// A file of that path, size and time was imported before, and its copy has the size and time of then.
    case record
    /// The file was read; the library's has the checksum in the catalog, and the size and time of then.
    case catalog
    /// Both files were read in this run.
    case bytes
    /// They are one file under two names.
    case sameFile
}

/// Why a file stays where it is.
public struct ImportLeaving: Equatable, Sendable {
    public enum Kind: String, Equatable, Sendable, CaseIterable {
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

    public var kind: Kind
    public var reason: String
}

/// What an import will do, file by file, before anything is touched.
public struct ImportPlan: Equatable, Sendable {
    public struct Item: Equatable, Sendable {
        public enum Action: Equatable, Sendable {
            /// Goes to a path below the root.
            case take(to: String)
            /// Replaces the library's file at a path, which has lost its bytes since it was indexed.
            case repair(at: String)
            /// Is there already, at the path below the root that it would go to: an earlier import brought it.
            case present(at: String, by: ImportEvidence)
            /// The library has the same bytes elsewhere, or gets them from another source.
            case duplicate(of: String, by: ImportEvidence)
            /// Stays where it is, and does not get into the library.
            case leave(ImportLeaving)
        }

        /// From the root of the file system.
        public var source: String
        public var bytes: Int
        public var action: Action
        /// The source that this one only tells about.
        public var sidecarOf: String?
        /// Why the file cannot be understood, though it is imported as it is.
        public var fault: String?
        /// When it was last written, in nanoseconds since 1970.
        var modified = 0
        /// Equal for files that belong together.
        var group: Int
        /// Whether it is a symbolic link, which stays.
        var isLink = false
        /// The moments of the source and of the library's file at which their bytes were read.
        var compared: Compared?
    }

    struct Compared: Equatable, Sendable {
        var source: FileMoment
        var library: FileMoment
    }

    /// Files that belong together follow each other.
    public var items: [Item]
    /// Whether sources are removed once they are safe.
    public var moves: Bool
    /// Absolute paths.
    var sources: [String] = []
    /// The zone of dates that name none.
    var assumedZone: AssumedZone?
    /// What dates files that say nothing of a date.
    var undatedBy: UndatedRule?

    public static func == (a: Self, b: Self) -> Bool { a.items == b.items && a.moves == b.moves }

    /// The bytes that will be taken.
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

    /// Where the file will be, or is already, because of this import; below the root.
    var destination: String? {
        switch action {
        case .take(let path), .repair(let path), .present(let path, _): path
        case .duplicate, .leave: nil
        }
    }
}

extension ImportPlan: CustomStringConvertible {
    /// A line for each file, "copy       /card/a.jpg -> 2014/2014-05-25/a.jpg", and one that counts them.
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
    /// To be read behind "by".
    public var words: String {
        switch self {
        case .record: "path, size and time"
        case .catalog: "the catalog's checksum"
        case .bytes: "bytes"
        case .sameFile: "being the same file"
        }
    }
}

/// What became of one file of the sources.
public struct ImportOutcome: Equatable, Sendable {
    public enum What: String, Equatable, Sendable, CaseIterable {
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

    /// From the root of the file system.
    public var source: String
    public var bytes: Int
    public var what: What
    /// Where the library has its bytes, below the root.
    public var path: String?
    /// How it is known that the library has them.
    public var evidence: ImportEvidence?
    /// The source that this one only tells about.
    public var sidecarOf: String?
    /// Why it was left, why it was not imported or removed, or what is wrong with it.
    public var reason: String?
    /// What kind of file was left.
    public var leaving: ImportLeaving.Kind?
    /// Whether something went wrong that the user should look at.
    public var isFault = false
    /// Whether the source is gone because it is safe in the library.
    public var isRemoved = false
}

/// What an import has done: one outcome for each file of the sources.
public struct ImportReport: Equatable, Sendable {
    /// In the order of the plan.
    public var files: [ImportOutcome] = []
    /// Sources that have appeared since the plan was made; they were not imported.
    public var arrived: [String] = []
    /// Why the import ended before all files were looked at; what it had brought in stays.
    public var stopped: ImportError?

    public func count(_ what: ImportOutcome.What) -> Int { files.count { $0.what == what } }

    /// Files that were brought into the library.
    public var taken: Int { count(.imported) + count(.repaired) }
    public var bytes: Int {
        files.reduce(0) { $1.what == .imported || $1.what == .repaired ? $0 + $1.bytes : $0 }
    }
    /// Files that an earlier import had brought.
    public var present: Int { count(.present) }
    public var duplicates: Int { count(.duplicate) }
    /// Sources that could not be read, copied or removed, and why.
    public var failures: [IndexReport.Failure] {
        files.filter(\.isFault).map { IndexReport.Failure(path: $0.source, reason: $0.reason ?? "failed") }
    }
    /// Files that are still where they were.
    public var remaining: [ImportOutcome] { files.filter { !$0.isRemoved } }
}

/// Why nothing can be imported.
public enum ImportError: Error, Equatable, Sendable {
    case layout(String, reason: String)
    /// A source cannot be read; the system's words.
    case noSource(String, reason: String)
    /// A source is in the library already, or the library in it.
    case inside(String, root: String)
    /// Another process imports into this library.
    case importing(root: String)
    /// The disk is full, or the library's folders may not be written to; the system's words.
    case unwritable(String, reason: String)
    /// Bytes that are needed and those that are free.
    case noRoom(root: String, needed: Int, free: Int)
    case library(LibraryError)
}

extension ImportError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .layout(let template, let reason): "the layout \"\(template)\" cannot be used: \(reason)"
        case .noSource(let path, let reason): "\(path): \(reason)"
        case .inside(let path, let root):
            "\(path): cannot be imported into the library \(root), one lies in the other; index it instead"
        case .importing(let root):
            "\(root): another program is importing into this library; try again when it is done"
        case .unwritable(let path, let reason):
            "\(path): cannot be written (\(reason)); make room or check who may write there"
        case .noRoom(let root, let needed, let free):
            "\(root): \(needed) bytes are to be copied and \(free) are free; make room or import less"
        case .library(let error): error.description
        }
    }
}
