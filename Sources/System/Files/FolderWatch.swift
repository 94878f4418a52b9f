private import Platform

/// A change in a watched folder, with its path.
package enum FolderEvent: Sendable {
    /// A file was written and closed, or moved to this path.
    case changed(String)
    /// A file was removed or moved away.
    case removed(String)
    /// A folder appeared; it may have had entries before it was watched.
    case folderAppeared(String)
    case folderRemoved(String)
    /// The system has dropped events: the whole tree has to be compared.
    case overflow
}

#if !canImport(Darwin)
/// Watches the files of folders with Linux's inotify.
///
/// Only the folder's own files are watched: to watch a tree, add its folders as they appear. The two events of a
/// rename are adjacent. Use from one thread at a time.
///
/// Source: inotify(7).
package final class FolderWatch {
    private let descriptor: Int32
    private var folders: [Int32: String] = [:]
    private var watches: [FilePath: Int32] = [:]

    /// - Throws: `FileError` if the system lacks inotify, or the user's limit of instances is reached.
    package init() throws(FileError) {
        descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard descriptor >= 0 else { throw .unreadable(systemReason()) }
    }

    deinit { close(descriptor) }

    private static let mask =
        IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_ONLYDIR | IN_EXCL_UNLINK
        | IN_DONT_FOLLOW

    /// Watches a folder; does nothing if it is watched already or no longer exists.
    ///
    /// - Throws: `FileError` if the user's limit of watches is reached.
    package func add(_ folder: String) throws(FileError) {
        let watch = unsafe PathText.withCString(folder) {
            unsafe inotify_add_watch(descriptor, $0, UInt32(Self.mask))
        }
        if watch < 0 {
            if errno == ENOENT || errno == ENOTDIR || errno == EACCES { return }
            let cure = "; raise fs.inotify.max_user_watches with sysctl"
            throw .unreadable(errno == ENOSPC ? "too many folders to watch\(cure)" : systemReason())
        }
        folders[watch] = folder
        watches[FilePath(folder)] = watch
    }

    /// Stops watching a folder and those below it.
    package func remove(below folder: String) {
        for (path, watch) in watches where path.isIn(FilePath(folder)) {
            inotify_rm_watch(descriptor, watch)
            watches[path] = nil
            folders[watch] = nil
        }
    }

    /// Waits for changes; empty if none occurred in that time.
    package func events(within milliseconds: Int) -> [FolderEvent] {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // `poll` is written by the call and outlives it.
        guard unsafe Platform.poll(&poll, 1, Int32(clamping: milliseconds)) > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let room = bytes.count
        // The array is written by the call and outlives it.
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress!, room) }
        var events: [FolderEvent] = []
        var at = 0
        while at + 16 <= count {
            let notice = Notice(bytes[at..<count])
            if let event = event(of: notice) { events.append(event) }
            at += notice.length
        }
        return events
    }

    private func event(of notice: Notice) -> FolderEvent? {
        if notice.has(IN_Q_OVERFLOW) { return .overflow }
        guard let folder = folders[notice.watch] else { return nil }
        if notice.has(IN_IGNORED) {
            folders[notice.watch] = nil
            if watches[FilePath(folder)] == notice.watch { watches[FilePath(folder)] = nil }
            return nil
        }
        let path = "\(folder)/\(notice.name)"
        let isGone = notice.has(IN_MOVED_FROM) || notice.has(IN_DELETE)
        if notice.has(IN_ISDIR) {
            guard isGone else { return .folderAppeared(path) }
            remove(below: path)
            return .folderRemoved(path)
        }
        if isGone { return .removed(path) }
        // A file that was just created will be written and closed, unless it is a link.
        if notice.has(IN_CREATE), !Self.hasSeveralNames(path) { return nil }
        return .changed(path)
    }

    private static func hasSeveralNames(_ path: String) -> Bool {
        var status = stat()
        // `status` is written by the call and outlives it.
        return unsafe lstat(path, &status) == 0 && status.st_nlink > 1
    }
}

/// An event as the system writes it: watch, mask, cookie and length of 4 bytes each, then the name.
private struct Notice {
    let watch: Int32
    let mask: UInt32
    let name: String
    let length: Int

    init(_ bytes: ArraySlice<UInt8>) {
        func word(_ index: Int) -> UInt32 {
            (0..<4).reduce(0) {
                $0 | UInt32(bytes[bytes.startIndex + 4 * index + $1]) << (8 * UInt32($1))
            }
        }
        watch = Int32(bitPattern: word(0))
        mask = word(1)
        length = 16 + Int(word(3))
        name = PathText.decode(bytes.dropFirst(16).prefix(length - 16).prefix { $0 != 0 })
    }

    func has(_ flag: some BinaryInteger) -> Bool { mask & UInt32(truncatingIfNeeded: flag) != 0 }
}
#endif
