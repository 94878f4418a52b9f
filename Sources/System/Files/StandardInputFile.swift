private import Platform

/// Standard input as a file that decoders can read in any order.
package enum StandardInputFile {
    /// Returns a path under which this process and its children can read standard input repeatedly.
    ///
    /// A redirected file is read directly. Data from a pipe is copied to an unnamed file below TMPDIR (default /tmp),
    /// which the system frees when the process ends for any reason.
    ///
    /// - Parameter limit: The most bytes to copy.
    package static func path(limit: Int) throws(FileError) -> String {
        guard isatty(STDIN_FILENO) == 0 else {
            throw .unreadable("it is a terminal; pipe or redirect a file into it")
        }
        // If reading has begun, only the rest of the file is the input.
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
        // By ID, not as "self": a decoder may be another process.
        "/proc/\(getpid())/fd/\(descriptor)"
        #else
        "/dev/fd/\(descriptor)"
        #endif
    }

    /// An unnamed file that stays open until the process ends.
    private static func unnamedFile() throws(FileError) -> Int32 {
        guard let file = makeTemporaryFile(".viewport-input-") else {
            throw .unreadable(
                "\(systemReason()) at a copy in \(folder); set TMPDIR to a folder that can be written")
        }
        Folder.remove(file.path)
        return file.descriptor
    }
}
