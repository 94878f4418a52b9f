/// What indexing has found.
public struct IndexReport: Equatable, Sendable {
    /// A file that could not be read, and why; it is not tried again until it changes.
    public struct Failure: Equatable, Sendable {
        /// Below the library's root.
        public var path: String
        public var reason: String
    }

    public var inserted = 0
    public var updated = 0
    /// Files that were found at another place and kept their asset.
    public var moved = 0
    public var removed = 0
    public var unchanged = 0
    /// Files that are no photos or videos.
    public var ignored = 0
    public var failures: [Failure] = []
}

/// How far indexing is.
public struct IndexProgress: Equatable, Sendable {
    /// Files that were looked at.
    public var files: Int
    /// The folder that is being read, below the root.
    public var folder: String
}
