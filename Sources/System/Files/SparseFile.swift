internal import Platform

/// Bytes elsewhere that can be brought to this machine in one go.
package protocol TransferableBytes: RandomAccessBytes {
    /// Brings all bytes to this machine, and returns their file; nil for bytes that are here already.
    ///
    /// - Parameter progress: receives the share that is there.
    func localCopy(_ progress: @escaping @Sendable (Double) -> Void) throws(FileError) -> SparseFile?
}

/// A temporary file without a name, of which only the written parts take space.
package final class SparseFile: Sendable {
    private let descriptor: Int32

    /// Creates an empty file in the folder for temporary files.
    package init() throws(FileError) {
        guard let file = makeTemporaryFile("viewport-") else { throw .unwritable(systemReason()) }
        _ = fcntl(file.descriptor, F_SETFD, FD_CLOEXEC)
        unsafe unlink(file.path)
        descriptor = file.descriptor
    }

    deinit { close(descriptor) }

    /// A further descriptor of the file, which the caller closes.
    func duplicatedDescriptor() throws(FileError) -> Int32 {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .unreadable(systemReason()) }
        return copy
    }

    /// Writes bytes at a position.
    package func write(_ bytes: [UInt8], at position: Int) throws(FileError) {
        var done = 0
        while done < bytes.count {
            // Inside of the array, by the condition of the loop.
            let count = unsafe bytes.withUnsafeBytes {
                unsafe pwrite(descriptor, $0.baseAddress! + done, bytes.count - done, off_t(position + done))
            }
            if count < 0, errno != EINTR { throw .unwritable(systemReason()) }
            done += max(0, count)
        }
    }

    /// Fills a buffer with bytes that were written.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) throws(FileError) {
        var done = 0
        while done < buffer.count {
            // Inside of the buffer, by the condition of the loop.
            let count = unsafe pread(
                descriptor, buffer.baseAddress! + done, buffer.count - done, off_t(position + done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw .unreadable(count == 0 ? "a temporary file is too short" : systemReason())
            }
            done += count
        }
    }

    /// Frees the space of a range, where the system can.
    package func drop(_ range: Range<Int>) {
        #if os(Linux)
        // Swift's module of the C library omits fallocate(2).
        typealias Allocate = @convention(c) (Int32, Int32, off_t, off_t) -> Int32
        guard let symbol = unsafe dlsym(nil, "fallocate") else { return }
        // The type that fcntl.h declares.
        let allocate = unsafe unsafeBitCast(symbol, to: Allocate.self)
        let (keepsSize, punchesHole): (Int32, Int32) = (1, 2)
        _ = allocate(
            descriptor, punchesHole | keepsSize, off_t(range.lowerBound), off_t(range.count))
        #endif
    }
}
