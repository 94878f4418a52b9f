package import Files
private import Synchronization

/// A file in memory, which counts what is read of it and may be truncated meanwhile.
package final class MemoryFile: RandomAccessBytes {
    private let bytes: [UInt8]
    private let truncation: Truncation?
    private let readCount = Atomic(0)
    private let byteCount = Atomic(0)

    /// When a file is truncated, and where.
    package struct Truncation: Sendable {
        /// The reads before it is.
        package var reads: Int
        /// The bytes that are left.
        package var count: Int

        package init(after reads: Int, to count: Int) {
            (self.reads, self.count) = (reads, count)
        }
    }

    package init(_ bytes: [UInt8], truncation: Truncation? = nil) {
        self.bytes = bytes
        self.truncation = truncation
    }

    package var count: Int { bytes.count }

    /// How often it was read.
    package var reads: Int { readCount.load(ordering: .relaxed) }

    /// The bytes that were read.
    package var readBytes: Int { byteCount.load(ordering: .relaxed) }

    package func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) throws(FileError) {
        let read = readCount.add(1, ordering: .relaxed).newValue
        byteCount.add(buffer.count, ordering: .relaxed)
        let end = if let truncation, read > truncation.reads { truncation.count } else { bytes.count }
        guard position >= 0, buffer.count <= end - position else { throw .changed }
        // The buffer has as many bytes.
        unsafe buffer.copyBytes(from: bytes[position..<(position + buffer.count)])
    }
}
