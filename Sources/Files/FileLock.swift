private import Platform

/// An advisory lock on a file, between processes and within one; the system releases it when its owner ends.
///
/// Writers take it alone, readers share it. Source: flock(2).
package final class FileLock: Sendable {
    private let descriptor: Int32

    /// What a lock keeps others from.
    package enum Kind: Sendable {
        /// Nobody else holds any lock on the file, which is made where it is missing.
        case alone
        /// The same, on a file that has to be there.
        case aloneExisting
        /// Others may share it; the file has to be there.
        case shared
    }

    /// Takes a lock without waiting; nil where somebody else's forbids it or a file that has to be there is not.
    ///
    /// - Throws: `FileError` where the file cannot be opened.
    package init?(_ path: String, _ kind: Kind) throws(FileError) {
        while true {
            let flags = kind == .alone ? O_RDWR | O_CREAT : O_RDONLY
            let descriptor = unsafe open(path, flags | O_CLOEXEC, 0o666)
            guard descriptor >= 0 else {
                if errno == EINTR { continue }
                guard errno == ENOENT, kind != .alone else { throw .unwritable(systemReason()) }
                return nil
            }
            let operation = kind == .shared ? LOCK_SH : LOCK_EX
            guard flock(descriptor, operation | LOCK_NB) == 0 else {
                let isTaken = errno == EWOULDBLOCK
                let reason = systemReason()
                close(descriptor)
                guard isTaken else { throw .unwritable(reason) }
                return nil
            }
            // Who held the lock before may have removed the file: then it locks nothing any more.
            if let own = FileStatus(descriptor: descriptor), let there = FileStatus(path),
                own.inode == there.inode, own.device == there.device
            {
                self.descriptor = descriptor
                return
            }
            close(descriptor)
            guard kind == .alone else { return nil }
        }
    }

    deinit { close(descriptor) }
}
