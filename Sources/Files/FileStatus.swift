#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// What the file system knows of a regular file: equal as long as nobody wrote it or put another in its place.
package struct FileStatus: Hashable, Sendable {
    /// Bytes.
    package var size: Int
    /// When it was last written, in nanoseconds since 1970.
    package var modified: Int
    package var inode: UInt64
    package var device: UInt64

    package init(size: Int, modified: Int, inode: UInt64, device: UInt64) {
        self.size = size
        self.modified = modified
        self.inode = inode
        self.device = device
    }

    /// Nil where there is no regular file.
    package init?(_ path: String) {
        var status = stat()
        // `status` is written by the call and outlives it.
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.init(status)
    }

    /// Of a file that is open; nil where it is no regular file.
    init?(descriptor: Int32) {
        var status = stat()
        // `status` is written by the call and outlives it.
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.init(status)
    }

    /// What a name in an open folder stands for, links not followed; nil where it has gone meanwhile.
    static func kind(of name: UnsafePointer<CChar>, in folder: Int32) -> Folder.Entry.Kind? {
        var status = stat()
        // `status` is written by the call and outlives it.
        guard unsafe fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        return switch status.st_mode & S_IFMT {
        case S_IFREG: .file(Self(status))
        case S_IFDIR: .folder
        case S_IFLNK: .link
        default: .other
        }
    }

    init(_ status: stat) {
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        self.init(
            size: Int(status.st_size), modified: Self.nanoseconds(time), inode: UInt64(status.st_ino),
            device: UInt64(status.st_dev))
    }

    /// A time in nanoseconds since 1970.
    ///
    /// What is beyond the years 1677 to 2262 has the last time that there is: file systems hold later ones.
    static func nanoseconds(_ time: timespec) -> Int {
        let (product, isTooLarge) = Int(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isBeyond) = product.addingReportingOverflow(Int(time.tv_nsec))
        return isTooLarge || isBeyond ? time.tv_sec < 0 ? .min : .max : sum
    }
}
