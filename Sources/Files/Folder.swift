private import Platform

/// What is done with the files of a folder.
package enum Folder {
    /// Makes a folder and those above it; only its owner may look into those that are new, unless said.
    package static func make(_ path: String, mode: UInt16 = 0o700) throws(FileError) {
        guard unsafe mkdir(path, mode_t(mode)) != 0, errno != EEXIST else { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw .unwritable(systemReason())
        }
        try make(String(path[..<slash]), mode: mode)
        guard unsafe mkdir(path, mode_t(mode)) == 0 || errno == EEXIST else {
            throw .unwritable(systemReason())
        }
    }

    /// The names in a folder, in no order; none where it cannot be read.
    package static func names(in path: String) -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                // The name is a C string inside of the entry, which lives until the next call.
                unsafe tuple.withMemoryRebound(
                    to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)
                ) { unsafe PathText.decode(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes a file; whether it was there.
    @discardableResult
    package static func remove(_ path: String) -> Bool { unsafe unlink(path) == 0 }

    /// Removes a folder with nothing in it.
    package static func removeEmpty(_ path: String) { _ = unsafe rmdir(path) }

    /// Gives a file another name in the same folder, in place of what has it.
    package static func move(_ path: String, to other: String) throws(FileError) {
        guard unsafe rename(path, other) == 0 else { throw .unwritable(systemReason()) }
    }

    /// Says that a file was used now: its modification time becomes the present.
    package static func touch(_ path: String) {
        // Without times the system takes its own clock's.
        unsafe utimensat(AT_FDCWD, path, nil, 0)
    }

    /// Brings what was written to a file, or the names in a folder, onto the disk.
    package static func synchronize(_ path: String) throws(FileError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unwritable(systemReason()) }
        defer { close(descriptor) }
        // Some file systems have nothing to do for a folder and call it an invalid argument.
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == EOPNOTSUPP else {
            throw .unwritable(systemReason())
        }
    }

    /// The bytes that may still be written to the disk that a folder is on; nil where it cannot be told.
    package static func freeBytes(at path: String) -> Int? {
        var status = statvfs()
        // `status` is written by the call and outlives it.
        guard unsafe statvfs(path, &status) == 0 else { return nil }
        return Int(
            clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).0)
    }
}

extension Folder {
    /// Something in a folder.
    package struct Entry: Sendable {
        package enum Kind: Equatable, Sendable {
            case file(FileStatus)
            case folder
            /// A symbolic link, which is not followed here.
            case link
            /// A socket, a device: nothing that is read.
            case other
        }

        /// As `PathText` has it.
        package var name: String
        package var kind: Kind
    }

    /// Everything in a folder with what the file system knows of it, in no order; symbolic links are not followed.
    ///
    /// - Throws: `FileError` where the folder cannot be read to its end, so that nobody takes it for empty.
    package static func entries(in path: String) throws(FileError) -> [Entry] {
        guard let folder = unsafe opendir(path) else {
            throw errno == ENOENT || errno == ENOTDIR ? .missing : .unreadable(systemReason())
        }
        defer { unsafe closedir(folder) }
        let descriptor = unsafe dirfd(folder)
        var entries: [Entry] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(folder) else { break }
            let found: Entry? = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                // The name is a C string inside of the entry, which lives until the next call.
                unsafe tuple.withMemoryRebound(
                    to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)
                ) { name in
                    guard let kind = unsafe FileStatus.kind(of: name, in: descriptor) else { return nil }
                    return unsafe Entry(name: PathText.decode(cString: name), kind: kind)
                }
            }
            if let found, found.name != ".", found.name != ".." { entries.append(found) }
        }
        guard errno == 0 else { throw .unreadable(systemReason()) }
        return entries
    }
}

extension Folder {
    /// What stands at a path, without following a link there.
    package static func isFolder(_ path: String, followingLinks: Bool = false) -> Bool {
        var status = stat()
        // `status` is written by the call and outlives it.
        let result = followingLinks ? unsafe stat(path, &status) : unsafe lstat(path, &status)
        return result == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The names in a folder in the order of the paths' bytes, folders with a "/" at their end.
    ///
    /// Hidden ones are left out. Links to folders are no folders: they might lead around in circles.
    package static func listing(of path: String) throws(FileError) -> [String] {
        guard unsafe access(path, R_OK | X_OK) == 0 else { throw .unreadable(systemReason()) }
        return names(in: path).filter { !$0.hasPrefix(".") }
            .map { isFolder("\(path)/\($0)") ? $0 + "/" : $0 }
            .filter { $0.hasSuffix("/") || !isFolder("\(path)/\($0)", followingLinks: true) }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
