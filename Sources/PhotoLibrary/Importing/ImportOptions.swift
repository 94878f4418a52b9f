public import ImageMetadata

/// What is imported and how.
public struct ImportOptions: Sendable {
    /// Folders and files outside of the library.
    public var sources: [String]
    public var layout = ImportLayout.standard
    /// Whether sources are removed once their copies are safe.
    public var moves = false
    /// The zone of dates that name none.
    public var assumedZone: AssumedZone?
    /// What dates files that say nothing of a date; nil leaves them undated.
    public var undatedBy: UndatedRule?

    public init(sources: [String]) { self.sources = sources }
}
