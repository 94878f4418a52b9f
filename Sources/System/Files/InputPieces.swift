internal import Platform

/// Reads a file in pieces, without mapping it: a card that is removed is an error, not a signal.
package final class InputPieces {
    let descriptor: Int32
    private var buffer: [UInt8]

    /// The most bytes of a piece.
    private static let largestPiece = 1 << 18

    /// - Throws: `FileError` where the file cannot be opened.
    package init(_ path: String) throws(FileError) {
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw errno == ENOENT ? .missing : .unreadable(systemReason()) }
        // Small files need no large buffer; files without a size, such as pipes, do.
        let size = FileStatus(descriptor: descriptor)?.size ?? 0
        buffer = [UInt8](repeating: 0, count: size > 0 ? min(size, Self.largestPiece) : Self.largestPiece)
    }

    deinit { close(descriptor) }

    /// Lends the next piece; nil at the end of the file.
    package func next<R>(_ body: (Span<UInt8>) -> R) throws(FileError) -> R? {
        while true {
            // The call writes at most `count` bytes.
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe read(descriptor, $0.baseAddress, $0.count)
            }
            if count == 0 { return nil }
            if count > 0 {
                let piece = buffer
                return body(piece.span.extracting(0..<count))
            }
            guard errno == EINTR else { throw .unreadable(systemReason()) }
        }
    }
}
