internal import Platform

/// The identity, size and modification time of a regular file, which change when it is written or replaced.
///
/// The time of the last status change is not compared on purpose: hard links, renames and permissions change it, too,
/// and must not invalidate caches and indexes. So a write that restores size and modification time is not detected;
/// `FileMoment` detects it.
package struct FileStatus: Hashable, Sendable {
    /// The size in bytes.
    package var size: Int
    /// The modification time, in nanoseconds since 1970.
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

    /// Nil where there is no folder; its status changes when entries are added, removed or renamed.
    package init?(folder path: String) {
        var status = stat()
        // `status` is written by the call and outlives it.
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        self.init(status)
    }

    /// The status of an open file; nil if it is not a regular file.
    init?(descriptor: Int32) {
        var status = stat()
        // `status` is written by the call and outlives it.
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.init(status)
    }

    /// The kind of an entry of an open folder; nil if it no longer exists.
    ///
    /// - Parameter follows: whether it is that of the target of a symbolic link; nil then if it leads nowhere.
    static func kind(
        of name: UnsafePointer<CChar>, in folder: Int32, follows: Bool = false
    ) -> Folder.Entry.Kind? {
        var status = stat()
        // `status` is written by the call and outlives it.
        guard unsafe fstatat(folder, name, &status, follows ? 0 : AT_SYMLINK_NOFOLLOW) == 0 else {
            return nil
        }
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

    /// Sets the access and modification times of an open file, in nanoseconds since 1970.
    static func setModified(_ nanoseconds: Int, of descriptor: Int32) {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let time = timespec(
            tv_sec: rest < 0 ? seconds - 1 : seconds, tv_nsec: rest < 0 ? rest + 1_000_000_000 : rest)
        // The array of two times lives until the call returns.
        _ = unsafe futimens(descriptor, [time, time])
    }

    /// A time in nanoseconds since 1970.
    ///
    /// Times outside of the years 1677 to 2262, which file systems can store, are clamped.
    static func nanoseconds(_ time: timespec) -> Int {
        let (product, isTooLarge) = Int(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isBeyond) = product.addingReportingOverflow(Int(time.tv_nsec))
        return isTooLarge || isBeyond ? time.tv_sec < 0 ? .min : .max : sum
    }
}

/// The state of a regular file at one moment.
///
/// Two moments are equal if the file was not written, replaced or renamed between them, even if its modification time
/// was set back: they include the time of the last status change, which programs cannot set.
package struct FileMoment: Hashable, Sendable {
    package let status: FileStatus
    /// The number of hard links.
    package let names: Int
    /// The time of the last status change, in nanoseconds since 1970.
    package let changed: Int

    /// Nil where there is no regular file; a symbolic link is followed.
    package init?(_ path: String) {
        var status = stat()
        // `status` is written by the call and outlives it.
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The state of an open file.
    init?(descriptor: Int32) {
        var status = stat()
        // `status` is written by the call and outlives it.
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The state of a file in an open folder; a symbolic link is followed.
    init?(of name: UnsafePointer<CChar>, in folder: Int32) {
        var status = stat()
        // `status` is written by the call and outlives it.
        guard unsafe fstatat(folder, name, &status, 0) == 0 else { return nil }
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
    /// Whether both are the same file, perhaps under two names.
    package func isSameFile(as other: FileStatus) -> Bool { inode == other.inode && device == other.device }
}

extension InputPieces {
    /// The present state of the file; nil if it is not a regular file.
    package var moment: FileMoment? { FileMoment(descriptor: descriptor) }

    /// Drops the file from the page cache, so that the next bytes are read from disk.
    package func forgetCached() {
        #if !canImport(Darwin)
        _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        #endif
    }
}

extension FileStatus {
    /// The kind of what is at a path, a link not followed; nil if there is nothing.
    package static func kind(at path: String) -> Folder.Entry.Kind? {
        unsafe PathText.withCString(path) { unsafe kind(of: $0, in: AT_FDCWD) }
    }
}

extension Folder {
    /// Whether a path is a symbolic link.
    package static func isLink(_ path: String) -> Bool {
        var status = stat()
        // `status` is written by the call and outlives it.
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Whether nobody may write a file or folder by its permissions; they do not bind the superuser.
    package static func isProtected(_ path: String) -> Bool {
        var status = stat()
        // `status` is written by the call and outlives it.
        return unsafe stat(path, &status) == 0 && status.st_mode & 0o222 == 0
    }

    /// Whether a path exists, links followed.
    package static func isThere(_ path: String) -> Bool { device(of: path) != nil }

    /// The device of a file or folder; nil if it does not exist.
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

    /// Whether a file that is created in one folder appears in the other.
    ///
    /// Device and inode do not reveal a folder that is mounted twice over a network; this does. Returns true if no
    /// file can be created.
    package static func shares(_ path: String, with other: String) -> Bool {
        if isSame(path, as: other) { return true }
        guard let probe = try? PartFile(in: path) else { return true }
        defer { probe.discard() }
        return OutputFolder.isThere("\(other)/\(probe.name)")
    }

    /// Synchronizes a folder's entries to disk, and those of the folders above it up to `root`.
    package static func synchronize(_ path: String, upTo root: String) throws(FileError) {
        var path = path
        while true {
            try synchronize(path)
            guard FilePath(path) != FilePath(root), FilePath(path).isIn(FilePath(root)) else { return }
            path = OutputFile.folder(of: path)
        }
    }
}

/// The identity of a file: the same for all its hard and symbolic links.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// The identity of the file at a path, links followed, or of standard input for "-"; nil if there is none.
    package init?(_ path: String) {
        var status = stat()
        // `status` is written by the call and outlives it.
        let result = path == "-" ? unsafe fstat(STDIN_FILENO, &status) : unsafe stat(path, &status)
        guard result == 0 else { return nil }
        (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }

    /// The identity of the file with a status.
    package init(_ status: FileStatus) { (device, inode) = (status.device, status.inode) }

    /// The folders above a file, up to the root: by its path, and by the target of its links.
    static func folders(above path: String) -> Set<FileIdentity> {
        var found: Set<FileIdentity> = []
        for start in [path, ProcessEnvironment.resolvedPath(path)].compactMap(\.self) {
            guard var folder = ProcessEnvironment.resolvedPath(OutputFile.folder(of: start)) else { continue }
            while let identity = FileIdentity(folder), found.insert(identity).inserted, folder != "/" {
                folder = OutputFile.folder(of: folder)
            }
        }
        return found
    }

    /// The file that an output's path refers to: links are followed, not replaced.
    static func target(of path: String) throws(FileError) -> String {
        guard Folder.isLink(path) else { return path }
        guard let target = ProcessEnvironment.resolvedPath(path) else {
            throw .kept("is a link that leads nowhere; remove it or choose another name")
        }
        return target
    }
}

// What is printed does not have the numbers by which the system knows a file.

extension FileStatus: CustomStringConvertible, CustomReflectable {
    package var description: String { "\(size) bytes, modified at \(modified) ns" }

    package var customMirror: Mirror { Mirror(self, children: ["size": size, "modified": modified]) }
}

extension FileIdentity: CustomStringConvertible, CustomReflectable {
    package var description: String { "a file" }

    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
