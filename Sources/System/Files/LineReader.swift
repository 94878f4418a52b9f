private import Platform

/// Reads a file or a stream line by line, in bounded memory.
package final class LineReader {
    /// A line without its newline.
    package struct Line: Equatable, Sendable {
        package var bytes: [UInt8]
        /// Whether the line was longer than the limit: `bytes` is its start.
        package var isCut = false

        package init(bytes: [UInt8], isCut: Bool = false) {
            (self.bytes, self.isCut) = (bytes, isCut)
        }
    }

    /// The most bytes of a line that are stored, unless another limit is given.
    package static let longestLine = 1 << 20

    /// Puts the next bytes at the start of a buffer and returns their number: 0 at the end; nil once it is stopped.
    package typealias Source = (_ buffer: inout [UInt8], _ isStopped: () -> Bool) throws(FileError) -> Int?

    /// The size of the file in bytes; nil for streams.
    package let size: Int?
    /// The bytes of the returned lines.
    package private(set) var offset = 0
    /// The offset of the last line, behind a byte order mark.
    package private(set) var lineStart = 0

    private let source: Source
    private let longest: Int
    private var buffer: [UInt8]
    private var unread = 0..<0

    /// Reads bytes of any source.
    ///
    /// - Parameters:
    ///   - size: the number of all bytes, if it is known.
    ///   - longest: the most bytes of a line that are stored.
    package init(size: Int?, longest: Int = LineReader.longestLine, _ source: @escaping Source) {
        (self.size, self.longest, self.source) = (size, longest, source)
        buffer = [UInt8](repeating: 0, count: 1 << 16)
    }

    /// Opens a file, or standard input for "-".
    package convenience init(_ path: String, longest: Int = LineReader.longestLine) throws(FileError) {
        let file = try LineStream(path)
        self.init(size: file.size, longest: longest) { buffer, isStopped throws(FileError) in
            try file.fill(&buffer, isStopped)
        }
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
                guard let count = try source(&buffer, isStopped) else { return nil }
                guard count > 0 else { return line.bytes.isEmpty ? nil : line }
                unread = 0..<count
            }
            let end = nextNewline
            let piece = buffer[unread.lowerBound..<(end ?? unread.upperBound)]
            let room = longest - line.bytes.count
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
}

/// A file or standard input whose bytes are waited for.
private final class LineStream {
    private let descriptor: Int32
    /// Nil for streams.
    let size: Int?
    private var isAtEnd = false

    init(_ path: String) throws(FileError) {
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

    /// Reads the available bytes; see `LineReader.Source`.
    func fill(_ buffer: inout [UInt8], _ isStopped: () -> Bool) throws(FileError) -> Int? {
        while !isAtEnd {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            // One descriptor, which outlives the call.
            let ready = unsafe poll(&waiting, 1, 200)
            if isStopped() { return nil }
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
            return count
        }
        return 0
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
