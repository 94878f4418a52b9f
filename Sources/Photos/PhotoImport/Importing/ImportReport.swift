public import AssetCatalog
internal import Basics
package import Files

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
        /// It is a second sidecar, whose values were added to that of its photo in the library.
        case merged
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
    /// Whether it is a sidecar that is read but not copied.
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

extension ImportOutcome {
    /// Records what is missing of a file that was imported nevertheless.
    mutating func note(_ damage: String) {
        self.damage = damage
        reason = ImportedFileRecord.damageMark + damage
    }

    /// What becomes of an item if nothing goes wrong.
    init(_ item: ImportPlan.Item) {
        let (status, path): (Status, FilePath?) =
            switch item.action {
            case .take(let path): (.imported, path)
            case .repair(let path): (.repaired, path)
            case .present(let path, _): (.present, path)
            case .duplicate(let path, _): (.duplicate, path)
            case .describe(let path, let isNew): (isNew ? .described : .present, path)
            case .merge(let path, let isNew): (isNew ? .merged : .present, path)
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
            reason = item.fault.map { "imported as it is: \($0)" } ?? item.note.map { "kept: \($0)" }
            if let damage = item.damage { note(damage) }
        case .describe(_, let isNew):
            isDocument = true
            if !isNew { evidence = .record }
        case .merge: isDocument = true
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
    /// What was found of exports, in the order of the services.
    package internal(set) var summaries: [ExportSummary] = []
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
            (count(.merged), "merged"), (present, "present"), (duplicates, "duplicates"),
            (count(.left), "left"), (failures.count, "failed"),
        ].listed(after: "\(imported) imported")
        if wasCancelled { return "\(counts), cancelled" }
        return stopped.map { "\(counts), stopped: \($0)" } ?? counts
    }
}
