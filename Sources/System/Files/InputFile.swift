internal import Platform

/// A file that is read once.
package enum InputFile {
    /// Throws if a path is not a readable, nonempty regular file.
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

    /// Throws unless it is a regular file.
    static func checkKind(_ status: stat) throws(FileError) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw .folder
        case S_IFIFO: throw .unreadable("it is a pipe; save its contents to a file")
        default: throw .unreadable("it is a socket or a device")
        }
    }

    /// Whether a path is that of a pipe, which can be read once, from its start.
    package static func isPipe(_ path: String) -> Bool {
        var status = stat()
        // `status` is written by the call and outlives it.
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    /// Returns all bytes of a file, all from the same state of it.
    package static func contents(_ path: String) throws(FileError) -> [UInt8] {
        let file = try OpenFile(path)
        let bytes = try file.contents()
        try file.check()
        return bytes
    }

    /// Returns the first bytes of a file, up to `length`.
    package static func prefix(_ length: Int, of path: String) throws(FileError) -> [UInt8] {
        try OpenFile(path).prefix(length)
    }

    /// Opens a file for one read.
    ///
    /// - Throws: `FileError.changed` if the file was changed while `body` read it; the result is discarded.
    package static func read<R>(_ path: String, _ body: (OpenFile) -> R) throws(FileError) -> R {
        let file = try OpenFile(path)
        let result = body(file)
        try file.check()
        return result
    }
}
