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
