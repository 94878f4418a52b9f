#if canImport(Darwin)
    private import Darwin
#else
    private import Glibc
#endif

/// A file mapped into memory for as long as it is needed: for those who look at it thousands of times.
///
/// A file that is cut while it is mapped ends the process, as with every map.
// The memory is only read, and its address never changes.
@safe package final class MappedFile: @unchecked Sendable {
    private let start: UnsafeMutableRawPointer
    private let count: Int

    /// Nil where the file is empty or cannot be opened.
    package init?(_ path: String) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        // `status` is written by the call and outlives it.
        guard unsafe fstat(descriptor, &status) == 0, status.st_size > 0 else { return nil }
        count = Int(status.st_size)
        // Private and read only; taken away in deinit.
        guard let start = unsafe mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0),
            unsafe start != MAP_FAILED
        else { return nil }
        unsafe self.start = start
    }

    deinit { unsafe munmap(start, count) }

    /// Lends the bytes.
    package func withBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        // Mapped as long as self lives, and self as long as the call.
        let bytes = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(start), byteCount: count)
        return try body(bytes)
    }

    /// A copy of some bytes; nil where the file has not all of them.
    package func copy(_ range: Range<Int>) -> [UInt8]? {
        guard range.lowerBound >= 0, range.upperBound <= count else { return nil }
        // Inside of the map, as was just checked.
        return unsafe Array(UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count))
    }
}
