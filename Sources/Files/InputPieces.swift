#if canImport(Darwin)
    private import Darwin
#else
    private import Glibc
#endif

/// The bytes of a file, piece by piece, without mapping it: a card that is pulled out is an error, not the end of
/// the process.
// The buffer is lent by `next` only, for the time of its call.
@safe package final class InputPieces {
    let descriptor: Int32
    private let buffer: UnsafeMutableBufferPointer<UInt8>

    /// - Throws: `FileError` where the file cannot be opened.
    package init(_ path: String) throws(FileError) {
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw errno == ENOENT ? .missing : .unreadable(systemReason()) }
        // Lent piece by piece, and freed in deinit.
        unsafe buffer = .allocate(capacity: 1 << 18)
    }

    deinit {
        close(descriptor)
        unsafe buffer.deallocate()
    }

    /// Lends the next piece; nil at the end of the file.
    package func next<R>(_ body: (Span<UInt8>) -> R) throws(FileError) -> R? {
        while true {
            let count = unsafe read(descriptor, buffer.baseAddress!, buffer.count)
            if count == 0 { return nil }
            if count > 0 {
                return body(unsafe Span(_unsafeElements: UnsafeBufferPointer(rebasing: buffer[0..<count])))
            }
            guard errno == EINTR else { throw .unreadable(systemReason()) }
        }
    }
}
