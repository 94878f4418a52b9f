#if canImport(Darwin)
    private import Darwin
#else
    private import Glibc
#endif

/// A file that is written row by row, for pixels that are too many for memory.
package final class RowFile {
    package let path: String
    private let descriptor: Int32
    private var waiting: [UInt8] = []

    /// Bytes that are written at once.
    private static let chunk = 1 << 20

    package init(_ path: String) throws(FileError) {
        self.path = path
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unwritable(systemReason()) }
        waiting.reserveCapacity(Self.chunk)
    }

    deinit { close(descriptor) }

    /// Takes the next row.
    package func append(_ row: RawSpan) throws(FileError) {
        // The bytes are copied before the call returns.
        unsafe row.withUnsafeBytes { unsafe waiting.append(contentsOf: $0) }
        if waiting.count >= Self.chunk { try flush() }
    }

    /// Takes bytes.
    package func append(_ bytes: [UInt8]) throws(FileError) {
        waiting += bytes
        if waiting.count >= Self.chunk { try flush() }
    }

    /// Writes what was taken; the file can be read now.
    package func flush() throws(FileError) {
        try OutputFile.write(waiting, to: descriptor)
        waiting.removeAll(keepingCapacity: true)
    }
}
