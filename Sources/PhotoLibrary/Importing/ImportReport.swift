/// What an import has done.
public struct ImportReport: Equatable, Sendable {
    /// Files that were brought into the library.
    public var taken = 0
    public var bytes = 0
    /// Files that an earlier import had brought.
    public var present = 0
    public var duplicates = 0
    /// Sources that could not be read, copied or removed, and why.
    public var failures: [IndexReport.Failure] = []
}
