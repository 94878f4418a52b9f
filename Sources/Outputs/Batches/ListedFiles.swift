internal import Basics
package import Files

/// The files that a manifest lists, read once if they are needed.
package final class ListedFiles: Sendable {
    private let list: @Sendable () -> BatchList?
    private let files = Once<Set<FileIdentity>>()

    /// - Parameter list: opens the list; nil if it is a stream or cannot be read.
    package init(_ list: @escaping @Sendable () -> BatchList?) {
        self.list = list
    }

    /// Returns whether a file is listed; false for all if the list is a stream.
    package func contain(_ file: FileIdentity) -> Bool {
        files.valueEvenIfCancelled {
            var list = list()
            return list?.files() ?? []
        }.contains(file)
    }
}
