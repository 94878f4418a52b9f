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
        let file = Once<RemoteFile>()
        var opened: Int
    }

    private static let entries = Mutex(LRUCache<Key, Entry>(capacity: 8))
    /// How long a version counts as the current one, in nanoseconds.
    private static let lifetime = 10_000_000_000

    /// Returns an open file, which was opened at most some seconds ago.
    ///
    /// - Throws: `FileError` where it cannot be opened.
    package static func open(_ address: RemoteAddress, _ options: RemoteOptions) throws(FileError)
        -> RemoteFile
    {
        let file = try begin(address, options)
        try file.open()
        return file
    }

    /// Begins to open a file, unless it was opened some seconds ago; a file that was missing then stays so.
    ///
    /// Several threads that need the same file at the same time share its requests.
    ///
    /// - Throws: `FileError` where libcurl is missing.
    package static func begin(
        _ address: RemoteAddress, _ options: RemoteOptions, head: Int = RemoteFile.firstByteCount
    ) throws(FileError) -> RemoteFile {
        let key = Key(address: address, options: options)
        let now = ProcessEnvironment.now
        let entry = entries.withLock { entries in
            if let entry = entries.value(key), now - entry.opened < lifetime,
                entry.file.valueIfMade?.isUsable != false
            {
                return entry
            }
            let entry = Entry(opened: now)
            entries.insert(entry, for: key, cost: 1)
            return entry
        }
        return try entry.file.value(cancelled: .cancelled) { () throws(FileError) in
            try RemoteFile(address, options, head: head)
        }
    }
}
