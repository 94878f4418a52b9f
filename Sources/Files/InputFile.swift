#if canImport(Darwin)
    private import Darwin
#else
    private import Glibc
#endif

/// A file that is about to be read.
package enum InputFile {
    /// Finds what is wrong with a path before any decoder sees it.
    package static func check(_ path: String) throws(FileError) {
        var status = stat()
        // `status` is written by the call and outlives it.
        guard unsafe stat(path, &status) == 0 else {
            throw errno == ENOENT || errno == ENOTDIR ? .missing : .unreadable(systemReason())
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw .folder
        default: throw .unreadable("it is no regular file")
        }
        guard unsafe access(path, R_OK) == 0 else { throw .unreadable(systemReason()) }
        guard status.st_size > 0 else { throw .empty }
    }

    /// All bytes of a file.
    package static func contents(_ path: String) throws(FileError) -> [UInt8] {
        try check(path)
        // The map is copied before it ends.
        guard let bytes = unsafe withMap(path, { unsafe Array($0) }) else {
            throw .unreadable(systemReason())
        }
        return bytes
    }

    /// Lends the bytes of a file, mapped into memory: only what is touched is read.
    ///
    /// Nil where the file cannot be opened. A file that is cut while it is mapped ends the process, as with
    /// every map.
    package static func withBytes<R>(_ path: String, _ body: (Span<UInt8>) throws -> R) rethrows -> R? {
        // The span of the map's bytes is as long as the map and lent no longer.
        unsafe try withMap(path) { try body(unsafe Span(_unsafeElements: $0)) }
    }

    /// Lends the same as raw bytes, for scanners that load words.
    package static func withRawBytes<R>(_ path: String, _ body: (RawSpan) throws -> R) rethrows -> R? {
        // The same as above.
        unsafe try withMap(path) { try body(unsafe UnsafeRawBufferPointer($0).bytes) }
    }

    /// Lends the same to a reader that goes through it once: what lies before the offset that it gives to
    /// `forget` leaves the process's memory, and comes back from the file if it is read again.
    package static func withPassingBytes<R>(
        _ path: String, _ body: (_ bytes: RawSpan, _ forget: (_ offset: Int) -> Void) throws -> R
    ) rethrows -> R? {
        // The same as above; the map is not written to, so that its pages can be dropped at any time.
        unsafe try withMap(path) { bytes in
            try body(unsafe UnsafeRawBufferPointer(bytes).bytes) { offset in
                let pages = min(max(offset, 0), bytes.count) & ~0xFFFF
                guard pages > 0, let start = bytes.baseAddress else { return }
                unsafe madvise(UnsafeMutableRawPointer(mutating: start), pages, MADV_DONTNEED)
            }
        }
    }

    private static func withMap<R>(
        _ path: String, _ body: (UnsafeBufferPointer<UInt8>) throws -> R
    ) rethrows -> R? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        // `status` is written by the call and outlives it.
        guard unsafe fstat(descriptor, &status) == 0, status.st_size > 0 else { return nil }
        let count = Int(status.st_size)
        // The map is private, read only and unmapped when `body` has returned.
        guard let start = unsafe mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0),
            unsafe start != MAP_FAILED
        else { return nil }
        defer { unsafe munmap(start, count) }
        let bytes = unsafe UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count)
        return unsafe try body(bytes)
    }
}
