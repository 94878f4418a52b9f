#if canImport(Darwin)
    private import Darwin
#else
    private import Glibc
#endif

/// Reads a file or a stream line by line, in memory that does not grow with it.
package final class LineReader {
    /// A line without its end.
    package struct Line: Equatable, Sendable {
        package var bytes: [UInt8]
        /// Whether the line was longer than lines may be: then only its start is here.
        package var isCut = false
    }

    /// Bytes of a line that are kept.
    package static let longestLine = 1 << 20

    /// Bytes of the file; nil for streams.
    package let size: Int?
    /// Bytes of the lines that were handed out.
    package private(set) var offset = 0

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

    /// The next line; nil behind the last one, and when waiting for more was given up.
    ///
    /// - Parameter isStopped: asked several times a second while a stream has nothing to give.
    package func next(isStopped: () -> Bool = { false }) throws(FileError) -> Line? {
        var line = Line(bytes: [])
        while true {
            if unread.isEmpty {
                guard try fill(isStopped) else { return nil }
                guard !unread.isEmpty else { return line.bytes.isEmpty ? nil : line }
            }
            let end = buffer[unread].firstIndex(of: UInt8(ascii: "\n"))
            let piece = buffer[unread.lowerBound..<(end ?? unread.upperBound)]
            let room = Self.longestLine - line.bytes.count
            line.bytes += piece.prefix(room)
            line.isCut = line.isCut || piece.count > room
            offset += piece.count + (end == nil ? 0 : 1)
            unread = (end.map { $0 + 1 } ?? unread.upperBound)..<unread.upperBound
            if end != nil { return line }
        }
    }

    /// Reads what is there, and nothing at the end; false when it was stopped.
    private func fill(_ isStopped: () -> Bool) throws(FileError) -> Bool {
        while !isAtEnd {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            // One descriptor, which outlives the call.
            let ready = unsafe poll(&waiting, 1, 200)
            if isStopped() { return false }
            guard ready > 0 else { continue }
            // The buffer is as long as it says, and written by the call alone.
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
