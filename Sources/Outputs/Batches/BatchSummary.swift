internal import Basics
public import WorkReporting

/// The counts of a batch.
public struct BatchSummary: Sendable, Hashable, Codable {
    /// The number of files whose outputs were made.
    public package(set) var made = 0
    /// The number of files whose outputs exist already.
    public package(set) var skipped = 0
    /// The number of results that were kept from the log of an earlier run; their files are in no other count.
    public package(set) var kept = 0
    /// The number of files that are in the list twice.
    public package(set) var duplicates = 0
    /// The number of files that failed.
    public package(set) var failed = 0
    /// The number of failed files whose outputs could not be written.
    public package(set) var unwritten = 0
    /// The number of files that were not started; nil if the list is a stream.
    public package(set) var left: Int? = 0
    /// The share of the list, from 0 to 1; nil if its length is unknown.
    package var fraction: Double?

    /// The number of files that are done, with any outcome.
    public var done: Int { made + skipped + duplicates + failed }

    /// The files that are done, and the share of the list, which is 1 at the end; the number of all files is not known
    /// before.
    public var progress: WorkProgress {
        WorkProgress(.files, done: done, of: fraction == 1 ? done : nil, fraction: fraction)
    }

    mutating func count(_ result: BatchResult) {
        switch result.outcome {
        case .made: made += 1
        case .skipped: skipped += 1
        case .duplicate: duplicates += 1
        case .failed(let failure):
            failed += 1
            if failure.code == BatchFailure.cannotWrite { unwritten += 1 }
        }
    }
}

extension BatchSummary: CustomStringConvertible {
    /// The counts, without those that are 0: "312 made, 4 failed".
    public var description: String {
        [
            (skipped, "skipped"), (kept, "kept"), (duplicates, "in the list twice"), (failed, "failed"),
            (left ?? 0, "left"),
        ].listed(after: "\(made) made")
    }
}
