private import Platform

/// Standard input, or another pipe, as a file that decoders can read in any order.
package enum StandardInputFile {
    /// The number of bytes by which endless input that is of no use is recognized.
    private static let headCount = 1 << 16

    /// Returns a path under which this process and its children can read standard input or a pipe repeatedly.
    ///
    /// A redirected file is read directly. Data from a pipe is copied to an unnamed file below TMPDIR (default /tmp),
    /// which the system frees when the process ends for any reason.
    ///
    /// - Parameters:
    ///   - pipe: The path of a pipe; nil for standard input.
    ///   - limit: The most bytes to copy.
    ///   - isKnown: Called with the path of a copy of the first 64 KiB of longer data. If it returns false, no more is
    ///     read, and this is the path that is returned.
    package static func path(
        of pipe: String? = nil, limit: Int, isKnown: (_ head: String) -> Bool
    ) throws(FileError) -> String {
        guard let pipe else {
            guard isatty(STDIN_FILENO) == 0 else {
                throw .unreadable("it is a terminal; pipe or redirect a file into it")
            }
            // If reading has begun, only the rest of the file is the input.
            if FileStatus(descriptor: STDIN_FILENO) != nil, lseek(STDIN_FILENO, 0, SEEK_CUR) == 0 {
                return path(of: STDIN_FILENO)
            }
            return try copy(of: STDIN_FILENO, limit, isKnown)
        }
        // Waits until another process opens it for writing.
        let descriptor = unsafe open(pipe, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(systemReason()) }
        defer { close(descriptor) }
        return try copy(of: descriptor, limit, isKnown)
    }

    private static func copy(
        of input: Int32, _ limit: Int, _ isKnown: (String) -> Bool
    ) throws(FileError) -> String {
        let spool = try unnamedFile()
        var count = 0
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let room = count < headCount ? headCount - count : bytes.count
            // The buffer lives as long as the call, and has room for more bytes.
            let got = unsafe bytes.withUnsafeMutableBytes { unsafe read(input, $0.baseAddress, room) }
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
            if count == headCount, !isKnown(path(of: spool)) { return path(of: spool) }
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
