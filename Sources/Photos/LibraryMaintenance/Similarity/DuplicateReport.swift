public import AssetCatalog
internal import Basics

/// The result of carrying out a plan of duplicates.
public struct DuplicateReport: Hashable, Codable, Sendable {
    /// The operation, which `undo` undoes; nil if nothing was moved.
    public internal(set) var operation: LibraryOperation?
    /// The number of groups of which files were moved to the trash.
    public internal(set) var groups = 0
    /// The number of photos and videos that were moved to the trash, without films and sidecars that went along.
    public internal(set) var trashed = 0
    /// The size of all files that were moved, with films and sidecars.
    public internal(set) var bytes = 0
    /// The number of files that were in the trash already.
    public internal(set) var present = 0
    /// The number of groups of which all members are kept from now on.
    public internal(set) var kept = 0
    /// The files that stay although the plan moves them, with the reason.
    public internal(set) var failures: [IndexReport.Failure] = []
}

extension DuplicateReport: CustomStringConvertible {
    /// The counts: "14 files of 12 groups trashed, 34.5 MB, 1 failed".
    public var description: String {
        [(kept, "groups kept"), (failures.count, "failed")].listed(
            after: "\(trashed.counted("file")) of \(groups.counted("group")) trashed, \(bytes.readableBytes)")
    }
}
