#if canImport(Darwin)
    private import Darwin
#else
    private import Glibc
#endif

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
