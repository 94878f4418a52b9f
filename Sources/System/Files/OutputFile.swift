private import Platform

/// Files that are written atomically, and other ways to write.
package enum OutputFile {
    /// Throws if a file cannot be written, before any work is done, and removes temporary files of killed processes
    /// next to it.
    package static func check(_ path: String) throws(FileError) {
        let folder = folder(of: path)
        var status = stat()
        // `status` is written by the call and outlives it.
        guard unsafe stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw .noFolder(folder)
        }
        if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { throw .folder }
        guard unsafe access(folder, W_OK | X_OK) == 0 else { throw .unwritable(systemReason()) }
        TemporaryName.sweep(folder)
    }

    /// Creates a folder unless it exists.
    package static func makeFolder(_ path: String) throws(FileError) {
        var status = stat()
        // `status` is written by the call and outlives it; the path is copied by the system.
        if unsafe stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else { throw .unwritable("it is no folder") }
            return
        }
        guard unsafe mkdir(path, 0o777) == 0 else {
            throw errno == ENOENT ? .noFolder(folder(of: path)) : .unwritable(systemReason())
        }
    }

    /// Writes a file atomically: under a hidden name in the same folder, then renamed.
    ///
    /// An existing file stays until the new one is complete; on failure, nothing is left behind.
    package static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
        if isSpecial(path) {
            let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw .unwritable(systemReason()) }
            defer { close(descriptor) }
            return try write(bytes, to: descriptor)
        }
        try PartFile.write(bytes, to: path)
    }

    /// Drops the bytes of a file from an offset on.
    package static func cut(_ path: String, to count: Int) throws(FileError) {
        guard unsafe truncate(path, off_t(count)) == 0 else { throw .unwritable(systemReason()) }
    }

    /// Appends to a file.
    package static func append(_ bytes: [UInt8], to path: String) throws(FileError) {
        let descriptor = unsafe open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unwritable(systemReason()) }
        defer { close(descriptor) }
        try write(bytes, to: descriptor)
    }

    /// Replaces bytes of a file.
    package static func replace(_ bytes: [UInt8], at offset: Int, in path: String) throws(FileError) {
        let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unwritable(systemReason()) }
        defer { close(descriptor) }
        guard lseek(descriptor, off_t(offset), SEEK_SET) == off_t(offset) else {
            throw .unwritable(systemReason())
        }
        try write(bytes, to: descriptor)
    }

    /// Removes a file if it exists.
    package static func remove(_ path: String) {
        _ = unsafe unlink(path)
    }

    /// Writes to standard output.
    package static func writeToStandardOutput(_ bytes: [UInt8]) throws(FileError) {
        try write(bytes, to: STDOUT_FILENO)
    }

    /// The size of the terminal that standard output is; nil for others.
    package static var windowSize: WindowSize? { WindowSize(descriptor: STDOUT_FILENO) }

    /// Closes standard output; some network file systems report only then that they could not write.
    package static func closeStandardOutput() throws(FileError) {
        guard close(STDOUT_FILENO) == 0 else { throw .unwritable(systemReason()) }
    }

    /// Writes to standard error.
    package static func writeToStandardError(_ bytes: [UInt8]) throws(FileError) {
        try write(bytes, to: STDERR_FILENO)
    }

    /// Writes all bytes, in as many calls as needed.
    static func write(_ bytes: [UInt8], to descriptor: Int32) throws(FileError) {
        guard write(bytes.span, to: descriptor) else { throw .unwritable(systemReason()) }
    }

    /// Writes all bytes; returns false with `errno` set on failure.
    static func write(_ bytes: Span<UInt8>, to descriptor: Int32) -> Bool {
        var done = 0
        while done < bytes.count {
            // The pointer is valid for the call and the rest of the bytes lies behind it.
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Platform.write(descriptor, buffer.baseAddress! + done, buffer.count - done)
            }
            if count < 0, errno != EINTR { return false }
            done += max(count, 0)
        }
        return true
    }

    /// Whether a path exists and is not a regular file: pipes and devices are written directly, not replaced.
    static func isSpecial(_ path: String) -> Bool {
        var status = stat()
        // `status` is written by the call and outlives it.
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    package static func folder(of path: String) -> String { FilePath(path).folder.text }

    package static func name(of path: String) -> String { FilePath(path).name.text }
}

extension OutputFile {
}

/// A buffered file for rows of pixels that do not fit in memory.
package final class RowFile {
    package let path: String
    private let descriptor: Int32
    private var waiting: [UInt8] = []

    /// The size of the buffer in bytes.
    private static let chunk = 1 << 20

    /// - Parameter isOutput: Whether it becomes an output, with the permissions of new files; otherwise only the
    ///   user reads it.
    package init(_ path: String, isOutput: Bool = false) throws(FileError) {
        self.path = path
        let mode: mode_t = isOutput ? 0o666 : 0o600
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw .unwritable(systemReason()) }
        waiting.reserveCapacity(Self.chunk)
    }

    deinit { close(descriptor) }

    /// Appends a row.
    package func append(_ row: RawSpan) throws(FileError) {
        // The bytes are copied before the call returns.
        unsafe row.withUnsafeBytes { unsafe waiting.append(contentsOf: $0) }
        if waiting.count >= Self.chunk { try flush() }
    }

    /// Appends bytes.
    package func append(_ bytes: [UInt8]) throws(FileError) {
        // The buffer never grows, except for bytes that are larger.
        if waiting.count + bytes.count > Self.chunk { try flush() }
        waiting += bytes
    }

    /// Writes what is buffered, so that the file can be read.
    package func flush() throws(FileError) {
        try OutputFile.write(waiting, to: descriptor)
        waiting.removeAll(keepingCapacity: true)
    }
}

extension Span<UInt8> {
    /// Passes the bytes on in arrays of at most 64 KiB.
    package func withChunks(_ body: ([UInt8]) -> Void) {
        let chunk = 1 << 16
        for start in stride(from: 0, to: count, by: chunk) {
            let part = extracting(start..<Swift.min(start + chunk, count))
            // The bytes are copied before the call returns.
            body(unsafe part.withUnsafeBufferPointer { unsafe Array($0) })
        }
    }
}
