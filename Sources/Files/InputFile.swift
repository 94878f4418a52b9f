#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A file that is read once.
package enum InputFile {
    /// Finds what is wrong with a path before any decoder sees it.
    package static func check(_ path: String) throws(FileError) {
        var status = stat()
        // `status` is written by the call and outlives it.
        guard unsafe stat(path, &status) == 0 else {
            throw errno == ENOENT || errno == ENOTDIR ? .missing : .unreadable(systemReason())
        }
        try checkKind(status)
        guard unsafe access(path, R_OK) == 0 else { throw .unreadable(systemReason()) }
        guard status.st_size > 0 else { throw .empty }
    }

    /// Throws for all but regular files.
    static func checkKind(_ status: stat) throws(FileError) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw .folder
        default: throw .unreadable("it is no regular file")
        }
    }

    /// All bytes of a file, of one state of it.
    package static func contents(_ path: String) throws(FileError) -> [UInt8] {
        let file = try OpenFile(path)
        let bytes = try file.contents()
        try file.check()
        return bytes
    }

    /// The first bytes of a file, as many as there are.
    package static func prefix(_ length: Int, of path: String) throws(FileError) -> [UInt8] {
        try OpenFile(path).prefix(length)
    }

    /// Opens a file for one reading.
    ///
    /// - Throws: `FileError.changed` where what was read was not of one state of the file: what `body` made of it is
    ///   worth nothing.
    package static func read<R>(_ path: String, _ body: (OpenFile) -> R) throws(FileError) -> R {
        let file = try OpenFile(path)
        let result = body(file)
        try file.check()
        return result
    }
}
