#if canImport(Darwin)
    private import Darwin
#else
    private import Glibc
#endif

/// A second name for a file: its bytes are there once, and either name can go.
package enum FileLink {
    /// Gives a file another name, unless something has that already; whether it did.
    ///
    /// On a disk without links the file is renamed instead, after a look whether the name is free.
    package static func make(_ path: String, as other: String) throws(FileError) -> Bool {
        if link(path, other) { return true }
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
    package static func makeOnSameDisk(_ path: String, as other: String) -> Bool { link(path, other) }

    private static func link(_ path: String, _ other: String) -> Bool {
        // This module has its own for paths.
        unsafe Files.link(path, other) == 0
    }
}
