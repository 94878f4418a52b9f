private import Platform

/// Reads a file or a stream line by line, in bounded memory.
package final class LineReader {
    /// A line without its newline.
    package struct Line: Equatable, Sendable {
        package var bytes: [UInt8]
        /// Whether the line was longer than `longestLine`: `bytes` is its start.
        package var isCut = false

        package init(bytes: [UInt8], isCut: Bool = false) {
            (self.bytes, self.isCut) = (bytes, isCut)
        }
    }

    /// The most bytes of a line that are stored.
    package static let longestLine = 1 << 20

    /// The size of the file in bytes; nil for streams.
    package let size: Int?
    /// The bytes of the returned lines.
    package private(set) var offset = 0
    /// The offset of the last line, behind a byte order mark.
    package private(set) var lineStart = 0

    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    private var unread = 0..<0
    private var isAtEnd = false

    /// Opens a file, or standard input for "-".
    package init(_ path: String) throws(FileError) {
        if path == "-" {
            descriptor = STDIN_FILENO
        } else {
            descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                throw errno == ENOENT || errno == ENOTDIR ? .missing : .unreadable(systemReason())
            }
        }
        var status = stat()
        // `status` is written by the call and outlives it.
        let isKnown = unsafe fstat(descriptor, &status) == 0
        guard !isKnown || status.st_mode & S_IFMT != S_IFDIR else {
            if descriptor != STDIN_FILENO { close(descriptor) }
            throw .folder
        }
        size = isKnown && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    }

    deinit {
        if descriptor != STDIN_FILENO { close(descriptor) }
    }

    /// Returns the next line; nil at the end, or once `isStopped` returns true.
    ///
    /// A byte order mark at the start is dropped.
    ///
    /// - Parameter isStopped: Called several times a second while a stream has no data.
    package func next(isStopped: () -> Bool = { false }) throws(FileError) -> Line? {
        let start = offset
        guard var line = try nextLine(isStopped) else { return nil }
        lineStart = start
        if start == 0, line.bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            line.bytes.removeFirst(3)
            lineStart = 3
        }
        return line
    }

    private func nextLine(_ isStopped: () -> Bool) throws(FileError) -> Line? {
        var line = Line(bytes: [])
        while true {
            if unread.isEmpty {
                guard try fill(isStopped) else { return nil }
                guard !unread.isEmpty else { return line.bytes.isEmpty ? nil : line }
            }
            let end = nextNewline
            let piece = buffer[unread.lowerBound..<(end ?? unread.upperBound)]
            let room = Self.longestLine - line.bytes.count
            line.bytes += piece.prefix(room)
            line.isCut = line.isCut || piece.count > room
            offset += piece.count + (end == nil ? 0 : 1)
            // Endless bytes such as those of /dev/zero have no end of a line.
            if size == nil, end == nil, offset == line.bytes.count, offset >= 1 << 16, line.bytes.contains(0)
            {
                throw .unreadable("it is not text")
            }
            unread = (end.map { $0 + 1 } ?? unread.upperBound)..<unread.upperBound
            if end != nil { return line }
        }
    }

    /// The index of the next newline in the buffer.
    private var nextNewline: Int? {
        // The search is inside of the unread part of the buffer.
        unsafe buffer.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress,
                let found = unsafe memchr(start + unread.lowerBound, 0x0A, unread.count)
            else { return nil }
            return unsafe UnsafeRawPointer(found) - start
        }
    }

    /// Reads the available bytes, none at the end; returns false if it was stopped.
    private func fill(_ isStopped: () -> Bool) throws(FileError) -> Bool {
        while !isAtEnd {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            // One descriptor, which outlives the call.
            let ready = unsafe poll(&waiting, 1, 200)
            if isStopped() { return false }
            guard ready > 0 else { continue }
            // The call writes at most `count` bytes.
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0 {
                guard errno == EINTR || errno == EAGAIN else { throw .unreadable(systemReason()) }
                continue
            }
            isAtEnd = count == 0
            unread = 0..<count
            return true
        }
        return true
    }
}

/// A file that one process appends lines to; a line is written when its call returns.
package final class LineFile: Sendable {
    private enum Target: Sendable {
        case stream(@Sendable ([UInt8]) throws(FileError) -> Void)
        /// A new file, locked, and the lock on the file it replaces.
        case replacement(PartFile, of: Output, FileLock)
    }

    private let target: Target

    /// Passes lines on to a closure that writes them to a stream.
    package init(stream: @escaping @Sendable ([UInt8]) throws(FileError) -> Void) {
        target = .stream(stream)
    }

    /// Creates a file that `publish` renames to its destination; nil if another process is writing it.
    ///
    /// Pipes and devices are written directly.
    package init?(replacing output: Output) throws(FileError) {
        try output.check()
        if output.isSpecial {
            let descriptor = unsafe open(output.path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw .unwritable(systemReason()) }
            // Open until the process ends.
            target = .stream { bytes throws(FileError) in try OutputFile.write(bytes, to: descriptor) }
        } else {
            let path = try output.target()
            guard let lock = try FileLock(path, .alone) else { return nil }
            // The previous holder of the lock may have written.
            try output.check()
            target = .replacement(try PartFile(in: OutputFile.folder(of: path)), of: output, lock)
        }
    }

    /// Whether it is a file that replaces another.
    package var isReplacing: Bool {
        if case .replacement = target { true } else { false }
    }

    /// Removes the file if it was not published.
    package func discard() {
        if case .replacement(let part, _, _) = target { part.discard() }
    }

    /// Lets another process or object replace the file; no lines follow.
    package func close() {
        if case .replacement(let part, _, _) = target { part.unlock() }
    }

    /// Renames the file to its destination; more lines can be appended.
    package func publish() throws(FileError) {
        guard case .replacement(let part, let output, _) = target else { return }
        do throws(FileError) {
            try output.publish(part.path)
        } catch {
            part.discard()
            throw error
        }
    }

    package func append(_ line: String) throws(FileError) { try append(lines: Array((line + "\n").utf8)) }

    /// Appends lines that end in newlines.
    package func append(lines bytes: [UInt8]) throws(FileError) {
        switch target {
        case .stream(let write): try write(bytes)
        case .replacement(let part, _, _): try part.append(bytes)
        }
    }
}
