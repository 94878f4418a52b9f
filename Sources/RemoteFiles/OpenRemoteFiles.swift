internal import Basics
package import Files
internal import Synchronization

/// The remote files that were opened last, which stay open: opening one again soon costs no request.
package enum OpenRemoteFiles {
    private struct Key: Hashable {
        var address: RemoteAddress
        var options: RemoteOptions
    }

    private struct Entry {
        var file: RemoteFile
        var opened: Int
    }

    private static let entries = Mutex(LRUCache<Key, Entry>(capacity: 8))
    /// How long a version counts as the current one, in nanoseconds.
    private static let lifetime = 10_000_000_000

    /// Returns an open file, which was opened at most some seconds ago.
    ///
    /// Several threads that need the same file at the same time share its requests.
    ///
    /// - Throws: `FileError` where it cannot be opened.
    package static func open(_ address: RemoteAddress, _ options: RemoteOptions) throws(FileError)
        -> RemoteFile
    {
        let key = Key(address: address, options: options)
        let now = ProcessEnvironment.now
        let found = entries.withLock { entries -> Result<RemoteFile, FileError> in
            if let entry = entries.value(key), now - entry.opened < lifetime, !entry.file.hasFailed {
                return .success(entry.file)
            }
            return Result { () throws(FileError) in
                let file = try RemoteFile(address, options)
                entries.insert(Entry(file: file, opened: now), for: key, cost: 1)
                return file
            }
        }
        let file = try found.get()
        try file.open()
        return file
    }
}
