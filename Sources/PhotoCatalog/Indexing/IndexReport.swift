/// What indexing has found.
public struct IndexReport: Equatable, Sendable {
    /// A file that could not be read, and why; it is not tried again until it changes.
    public struct Failure: Equatable, Sendable {
        /// Below the library's root.
        public var path: String
        public var reason: String

        public init(path: String, reason: String) {
            self.path = path
            self.reason = reason
        }
    }

    public var inserted = 0
    public var updated = 0
    /// Files that were found at another place and kept their asset.
    public var moved = 0
    public var removed = 0
    public var unchanged = 0
    /// Files that are no photos or videos and do not claim to be, below the library's root.
    public var others: [String] = []
    public var failures: [Failure] = []

    /// How many of the others have each ending, in small letters; that of names without one is empty.
    public var otherKinds: [String: Int] {
        others.reduce(into: [:]) { $0[FileEnding.of($1), default: 0] += 1 }
    }

    public init(
        inserted: Int = 0, updated: Int = 0, moved: Int = 0, removed: Int = 0, unchanged: Int = 0,
        others: [String] = [], failures: [Failure] = []
    ) {
        self.inserted = inserted
        self.updated = updated
        self.moved = moved
        self.removed = removed
        self.unchanged = unchanged
        self.others = others
        self.failures = failures
    }
}

/// How far indexing is.
public struct IndexProgress: Equatable, Sendable {
    /// Files that were looked at.
    public var files: Int
    /// The folder that is being read, below the root.
    public var folder: String
}
