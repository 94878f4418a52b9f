#if canImport(Darwin)
    private import Darwin
#else
    private import Glibc
#endif

/// A regular file as it was at one moment.
///
/// Two moments of a file are equal as long as nobody wrote, replaced or renamed it, also where the time of the last
/// write was set back: the system keeps the time of the last change of any kind, which no program sets.
package struct FileMoment: Hashable, Sendable {
    package let status: FileStatus
    /// The names that the file has.
    package let names: Int
    /// When anything about it was changed, in nanoseconds since 1970.
    private let changed: Int

    /// Nil where there is no regular file; a symbolic link is followed.
    package init?(_ path: String) {
        var status = stat()
        // `status` is written by the call and outlives it.
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Of a file that is open.
    init?(descriptor: Int32) {
        var status = stat()
        // `status` is written by the call and outlives it.
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init?(_ status: stat) {
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        #if canImport(Darwin)
            let changed = status.st_ctimespec
        #else
            let changed = status.st_ctim
        #endif
        self.status = FileStatus(status)
        self.changed = FileStatus.nanoseconds(changed)
        names = Int(status.st_nlink)
    }
}

extension FileStatus {
    /// Whether both are one file, under one name or several.
    package func isSameFile(as other: FileStatus) -> Bool { inode == other.inode && device == other.device }
}

extension InputPieces {
    /// The file as it is now; nil where it is no regular file.
    package var moment: FileMoment? { FileMoment(descriptor: descriptor) }

    /// Lets the system forget what it holds of the file, so that the next bytes come from the disk.
    package func forgetCached() {
        #if !canImport(Darwin)
            _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        #endif
    }
}

extension Folder {
    /// Whether a path is a symbolic link.
    package static func isLink(_ path: String) -> Bool {
        var status = stat()
        // `status` is written by the call and outlives it.
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Whether anything is at a path, links followed.
    package static func isThere(_ path: String) -> Bool { device(of: path) != nil }

    /// The disk that something is on; nil where nothing is.
    package static func device(of path: String) -> UInt64? {
        var status = stat()
        // `status` is written by the call and outlives it.
        return unsafe stat(path, &status) == 0 ? UInt64(status.st_dev) : nil
    }

    /// Whether both paths are the same folder by device and inode.
    package static func isSame(_ path: String, as other: String) -> Bool {
        guard let identity = FileIdentity(path) else { return false }
        return identity == FileIdentity(other)
    }

    /// Whether a file that is made in one folder is seen in the other.
    ///
    /// That finds what device and inode do not tell: the same folder mounted a second time over a network.
    /// Where no file can be made, the answer is yes.
    package static func shares(_ path: String, with other: String) -> Bool {
        if isSame(path, as: other) { return true }
        guard let probe = try? PartFile(in: path) else { return true }
        defer { probe.discard() }
        return OutputFolder.isThere("\(other)/\(probe.name)")
    }

    /// Brings the names in a folder onto the disk, and those of the folders above it up to `root`.
    package static func synchronize(_ path: String, upTo root: String) throws(FileError) {
        var path = path
        while true {
            try synchronize(path)
            guard path != root, path.hasPrefix(root) else { return }
            path = OutputFile.folder(of: path)
        }
    }
}
