/// The counts of a batch.
public struct BatchSummary: Sendable, Hashable {
    /// The number of files whose outputs were made.
    public package(set) var made = 0
    /// The number of files whose outputs exist already.
    public package(set) var skipped = 0
    /// The number of files that are in the list twice.
    public package(set) var duplicates = 0
    /// The number of files that failed.
    public package(set) var failed = 0
    /// The number of failed files whose outputs could not be written.
    public package(set) var unwritten = 0
    /// The number of files that were not started; nil if the list is a stream.
    public package(set) var left: Int? = 0
    /// The fraction of the list that was started, from 0 to 1; nil if its length is unknown.
    public package(set) var fraction: Double?

    /// The number of files that are done, with any outcome.
    public var done: Int { made + skipped + duplicates + failed }

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
