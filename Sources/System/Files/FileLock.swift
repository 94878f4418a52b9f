private import Platform

/// An advisory lock on a file, between processes and within one; the system releases it when the process ends.
///
/// Writers hold it exclusively, readers share it. Source: flock(2).
package final class FileLock: Sendable {
    private let descriptor: Int32

    /// The kind of a lock.
    package enum Kind: Sendable {
        /// Exclusive; the file is created if it is missing.
        case alone
        /// Exclusive, on an existing file.
        case aloneExisting
        /// Shared, on an existing file.
        case shared
    }

    /// Takes a lock without waiting; nil if another lock prevents it, or if the file has to exist and does not.
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
            // The previous holder may have removed the file: then this lock protects nothing.
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

    /// Replaces the content of the file, which has to be locked with `Kind.alone`.
    package func write(_ bytes: [UInt8]) throws(FileError) {
        let count = unsafe bytes.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        guard count == bytes.count, ftruncate(descriptor, off_t(bytes.count)) == 0 else {
            throw .unwritable(systemReason())
        }
    }

    deinit { Self.end(descriptor) }

    /// Unlocks and closes a descriptor.
    static func end(_ descriptor: Int32) {
        // A process that another thread is starting may have the descriptor for a moment, and the lock with it.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
