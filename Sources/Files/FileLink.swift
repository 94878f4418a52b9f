#if canImport(Darwin)
    private import Darwin
#else
    private import Glibc
#endif

/// Names of files, which are given without replacing what has them.
package enum FileLink {
    /// Gives a file another name in place of its own, unless something has that already; whether it did.
    ///
    /// On a disk without links the file is renamed after a look whether the name is free.
    package static func move(_ path: String, to other: String) throws(FileError) -> Bool {
        if makeOnSameDisk(path, as: other) {
            Folder.remove(path)
            return true
        }
        switch errno {
        case EEXIST: return false
        case EPERM, EOPNOTSUPP, ENOSYS, EMLINK:
            guard !OutputFolder.isThere(other) else { return false }
            try Folder.move(path, to: other)
            return true
        default: throw .unwritable(systemReason())
        }
    }

    /// Gives a file a second name where its disk allows that; whether it did.
    ///
    /// Its bytes are there once, and either name can go. A symbolic link is not followed.
    package static func makeOnSameDisk(_ path: String, as other: String) -> Bool {
        unsafe link(path, other) == 0
    }
}
