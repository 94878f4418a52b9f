private import Platform

/// Operations on folders and their files.
package enum Folder {
    /// Creates a folder and missing ones above it; by default only the owner can access new ones.
    package static func make(_ path: String, mode: UInt16 = 0o700) throws(FileError) {
        guard unsafe mkdir(path, mode_t(mode)) != 0, errno != EEXIST else { return }
        guard errno == ENOENT, let parent = FilePath(path).parent, parent != "/" else {
            throw .unwritable(systemReason())
        }
        try make(parent.text, mode: mode)
        guard unsafe mkdir(path, mode_t(mode)) == 0 || errno == EEXIST else {
            throw .unwritable(systemReason())
        }
    }

    /// Throws if a folder cannot be listed.
    package static func check(_ path: String) throws(FileError) {
        guard FileStatus(path) == nil else { throw .unreadable("it is a file, not a folder") }
        let folder = try unsafe stream(of: path)
        defer { unsafe closedir(folder) }
        errno = 0
        guard unsafe readdir(folder) != nil || errno == 0 else { throw .unreadable(systemReason()) }
    }

    /// The names in a folder, unordered; empty if it cannot be read.
    package static func names(in path: String) -> [String] {
        var names: [String] = []
        try? unsafe forEachName(in: path) { name, _, _ in
            names.append(unsafe PathText.decode(cString: name))
        }
        return names.filter { $0 != "." && $0 != ".." }
    }

    /// Removes a file; returns whether it existed.
    @discardableResult
    package static func remove(_ path: String) -> Bool { unsafe unlink(path) == 0 }

    /// Removes a file that has to be there.
    package static func delete(_ path: String) throws(FileError) {
        guard unsafe unlink(path) == 0 else { throw .unwritable(systemReason()) }
    }

    /// Removes an empty folder.
    package static func removeEmpty(_ path: String) { _ = unsafe rmdir(path) }

    /// Renames a file within a folder, replacing what has the new name.
    package static func move(_ path: String, to other: String) throws(FileError) {
        guard unsafe rename(path, other) == 0 else { throw .unwritable(systemReason()) }
    }

    /// Sets a file's modification time to now, to mark it as used.
    package static func touch(_ path: String) {
        // Without times, the system uses its clock.
        unsafe utimensat(AT_FDCWD, path, nil, 0)
    }

    /// Synchronizes a file's contents or a folder's entries to disk.
    package static func synchronize(_ path: String) throws(FileError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unwritable(systemReason()) }
        defer { close(descriptor) }
        // Some file systems need no synchronizing of folders and return EINVAL.
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == EOPNOTSUPP else {
            throw .unwritable(systemReason())
        }
    }

    /// Why a file cannot be written, or nothing created in a folder; nil if it can.
    package static func writingFault(_ path: String) -> FileError? {
        unsafe access(path, W_OK) == 0 ? nil : .unwritable(systemReason())
    }

    /// The free bytes of a folder's file system; nil if unknown.
    package static func freeBytes(at path: String) -> Int? {
        var status = statvfs()
        // `status` is written by the call and outlives it.
        guard unsafe statvfs(path, &status) == 0 else { return nil }
        return Int(
            clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).0)
    }
}

extension Folder {
    #if canImport(Darwin)
    typealias Stream = UnsafeMutablePointer<DIR>
    #else
    typealias Stream = OpaquePointer
    #endif

    /// Opens a folder to list it; the caller closes it.
    static func stream(of path: String) throws(FileError) -> Stream {
        guard let folder = unsafe opendir(path) else {
            throw errno == ENOENT || errno == ENOTDIR ? .missing : .unreadable(systemReason())
        }
        return unsafe folder
    }

    /// Lends the name of each entry, the descriptor of the folder, and the type of the entry as the system states it.
    static func forEachName(
        in path: String, _ body: (UnsafePointer<CChar>, Int32, Int) -> Void
    ) throws(FileError) {
        let folder = try unsafe stream(of: path)
        defer { unsafe closedir(folder) }
        let descriptor = unsafe dirfd(folder)
        while true {
            errno = 0
            guard let entry = unsafe readdir(folder) else { break }
            unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                // The name is a C string inside of the entry, which lives until the next call.
                unsafe tuple.withMemoryRebound(
                    to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)
                ) { unsafe body($0, descriptor, Int(entry.pointee.d_type)) }
            }
        }
        guard errno == 0 else { throw .unreadable(systemReason()) }
    }

    /// An entry of a folder.
    package struct Entry: Sendable {
        package enum Kind: Equatable, Sendable {
            case file(FileStatus)
            case folder
            /// A symbolic link, not followed.
            case link
            /// A socket, device or the like, which is not read.
            case other
        }

        /// The name, encoded as in `PathText`.
        package var name: String
        package var kind: Kind
    }

    /// All entries of a folder with their status, unordered; symbolic links are not followed.
    ///
    /// - Throws: `FileError` if the folder cannot be read completely, so that it is not taken for empty.
    package static func entries(in path: String) throws(FileError) -> [Entry] {
        var entries: [Entry] = []
        try unsafe forEachName(in: path) { name, descriptor, _ in
            guard let kind = unsafe FileStatus.kind(of: name, in: descriptor) else { return }
            let name = unsafe PathText.decode(cString: name)
            if name != ".", name != ".." { entries.append(Entry(name: name, kind: kind)) }
        }
        return entries
    }

    /// What an entry is.
    package enum Kind: Sendable { case file, folder, link, other }

    /// The names in a folder with their kinds, unordered; no status is read where the file system tells them.
    ///
    /// - Throws: `FileError` if the folder cannot be read completely, so that it is not taken for empty.
    package static func kinds(in path: String) throws(FileError) -> [(name: String, kind: Kind)] {
        var kinds: [(name: String, kind: Kind)] = []
        try unsafe forEachName(in: path) { name, descriptor, type in
            guard let kind = unsafe kind(type, of: name, in: descriptor) else { return }
            let name = unsafe PathText.decode(cString: name)
            if name != ".", name != ".." { kinds.append((name, kind)) }
        }
        return kinds
    }

    private static func kind(_ type: Int, of name: UnsafePointer<CChar>, in descriptor: Int32) -> Kind? {
        switch type {
        case Int(DT_REG): return .file
        case Int(DT_DIR): return .folder
        case Int(DT_LNK): return .link
        case Int(DT_UNKNOWN):
            guard let kind = unsafe FileStatus.kind(of: name, in: descriptor) else { return nil }
            return switch kind {
            case .file: .file
            case .folder: .folder
            case .link: .link
            case .other: .other
            }
        default: return .other
        }
    }

    /// The moments of files in a folder by their names, links followed; nil where there is none now.
    package static func moments(of names: some Collection<FilePath>, in path: String) -> [FileMoment?] {
        guard let folder = unsafe try? stream(of: path) else { return names.map { _ in nil } }
        defer { unsafe closedir(folder) }
        let descriptor = unsafe dirfd(folder)
        return names.map { name in
            unsafe PathText.withCString(name.text) { unsafe FileMoment(of: $0, in: descriptor) }
        }
    }
}

extension Folder {
    /// The kind of what is at a path; a link is not followed.
    package static func isFolder(_ path: String, followingLinks: Bool = false) -> Bool {
        var status = stat()
        // `status` is written by the call and outlives it.
        let result = followingLinks ? unsafe stat(path, &status) : unsafe lstat(path, &status)
        return result == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The names in a folder, ordered by the bytes of the paths; folders end with "/".
    ///
    /// Hidden ones and those of `SystemEntry` are omitted. Links to folders do not count as folders: they could form cycles.
    package static func listing(of path: String) throws(FileError) -> [String] {
        guard unsafe access(path, R_OK | X_OK) == 0 else { throw .unreadable(systemReason()) }
        return names(in: path).filter { EntryScope.visible.includes(FilePath($0), in: FilePath(path)) }
            .map { isFolder("\(path)/\($0)") ? $0 + "/" : $0 }
            .filter { FilePath($0).hasSuffix("/") || !isFolder("\(path)/\($0)", followingLinks: true) }
            .sorted { FilePath($0) < FilePath($1) }
    }
}
