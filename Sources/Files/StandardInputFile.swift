private import Platform

/// Standard input as a file: decoders read it in any order.
package enum StandardInputFile {
    /// A path under which standard input can be read as often as needed, by this process and those that it starts.
    ///
    /// A file that is redirected is read as it is. What comes through a pipe is copied to a file without a name
    /// below TMPDIR (/tmp unless set), whose room is free again when the process has ended, however that was.
    ///
    /// - Parameter limit: the most bytes that are copied.
    package static func path(limit: Int) throws(FileError) -> String {
        guard isatty(STDIN_FILENO) == 0 else {
            throw .unreadable("it is a terminal; pipe or redirect a file into it")
        }
        // A file that somebody has begun to read is a rest of a file.
        if FileStatus(descriptor: STDIN_FILENO) != nil, lseek(STDIN_FILENO, 0, SEEK_CUR) == 0 {
            return path(of: STDIN_FILENO)
        }
        let spool = try unnamedFile()
        var count = 0
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            // The buffer lives as long as the call.
            let got = unsafe bytes.withUnsafeMutableBytes {
                unsafe read(STDIN_FILENO, $0.baseAddress, $0.count)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw .unreadable(systemReason()) }
            if got == 0 { break }
            count += got
            guard count <= limit else {
                throw .unreadable(
                    "it is larger than \(limit) bytes; save it to a file, or raise VIEWPORT_CACHE_BYTES")
            }
            guard OutputFile.write(bytes.span.extracting(0..<got), to: spool) else {
                throw .unreadable(
                    "\(systemReason()) while it was copied to \(folder); set TMPDIR to a folder with room")
            }
        }
        guard count > 0 else { throw .empty }
        return path(of: spool)
    }

    private static var folder: String { ProcessEnvironment.temporaryFolder }

    private static func path(of descriptor: Int32) -> String {
        #if os(Linux)
        // By number, not as "self": a decoder may be a process of its own.
        "/proc/\(getpid())/fd/\(descriptor)"
        #else
        "/dev/fd/\(descriptor)"
        #endif
    }

    /// A file without a name, open for as long as the process lives.
    private static func unnamedFile() throws(FileError) -> Int32 {
        guard let file = makeTemporaryFile(".viewport-input-") else {
            throw .unreadable(
                "\(systemReason()) at a copy in \(folder); set TMPDIR to a folder that can be written")
        }
        Folder.remove(file.path)
        return file.descriptor
    }
}
