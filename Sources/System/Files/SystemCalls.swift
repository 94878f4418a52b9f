internal import Platform

// System calls with paths in the encoding of `PathText`. In this module they take precedence over the originals, to
// which Swift would pass the UTF-8 of a path. They are unsafe like the originals.

@discardableResult @unsafe func open(_ path: String, _ flags: Int32) -> Int32 {
    unsafe PathText.withCString(path) { unsafe open($0, flags) }
}

@discardableResult @unsafe func open(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
    unsafe PathText.withCString(path) { unsafe open($0, flags, mode) }
}

@discardableResult @unsafe func stat(_ path: String, _ status: UnsafeMutablePointer<stat>) -> Int32 {
    unsafe PathText.withCString(path) { unsafe stat($0, status) }
}

@discardableResult @unsafe func lstat(_ path: String, _ status: UnsafeMutablePointer<stat>) -> Int32 {
    unsafe PathText.withCString(path) { unsafe lstat($0, status) }
}

@discardableResult @unsafe func statvfs(_ path: String, _ status: UnsafeMutablePointer<statvfs>) -> Int32 {
    unsafe PathText.withCString(path) { unsafe statvfs($0, status) }
}

@discardableResult @unsafe func access(_ path: String, _ mode: Int32) -> Int32 {
    unsafe PathText.withCString(path) { unsafe access($0, mode) }
}

@discardableResult @unsafe func mkdir(_ path: String, _ mode: mode_t) -> Int32 {
    unsafe PathText.withCString(path) { unsafe mkdir($0, mode) }
}

@discardableResult @unsafe func unlink(_ path: String) -> Int32 {
    unsafe PathText.withCString(path) { unsafe unlink($0) }
}

@discardableResult @unsafe func rmdir(_ path: String) -> Int32 {
    unsafe PathText.withCString(path) { unsafe rmdir($0) }
}

@discardableResult @unsafe func rename(_ path: String, _ other: String) -> Int32 {
    unsafe PathText.withCString(path) { path in
        unsafe PathText.withCString(other) { unsafe rename(path, $0) }
    }
}

@discardableResult @unsafe func link(_ path: String, _ other: String) -> Int32 {
    unsafe PathText.withCString(path) { path in
        unsafe PathText.withCString(other) { unsafe link(path, $0) }
    }
}

@discardableResult @unsafe func utimensat(
    _ folder: Int32, _ path: String, _ times: UnsafePointer<timespec>?, _ flags: Int32
) -> Int32 {
    unsafe PathText.withCString(path) { unsafe utimensat(folder, $0, times, flags) }
}

#if canImport(Darwin)
@discardableResult @unsafe func opendir(_ path: String) -> UnsafeMutablePointer<DIR>? {
    unsafe PathText.withCString(path) { unsafe opendir($0) }
}
#else
@discardableResult @unsafe func opendir(_ path: String) -> OpaquePointer? {
    unsafe PathText.withCString(path) { unsafe opendir($0) }
}
#endif

@discardableResult @unsafe func realpath(_ path: String, _ buffer: UnsafeMutablePointer<CChar>?)
    -> UnsafeMutablePointer<CChar>?
{
    unsafe PathText.withCString(path) { unsafe realpath($0, buffer) }
}

/// Returns the system's message for an error, by default the last one of this thread.
package func systemReason(_ number: Int32 = errno) -> String {
    // The text lives until the next call on this thread; it is copied at once.
    unsafe String(cString: strerror(number))
}

extension FileError {
    /// Whether the disk, or the user's share of it, is full: no other file can be written either.
    package var isFullDisk: Bool { [ENOSPC, EDQUOT].contains { self == .unwritable(systemReason($0)) } }

    /// Whether nobody reads the pipe that was written to.
    package var isClosedPipe: Bool { self == .unwritable(systemReason(EPIPE)) }

    /// Whether the file system is mounted read-only: nothing on it can be written by anybody.
    package var isReadOnlyStorage: Bool { self == .unwritable(systemReason(EROFS)) }

    /// The cause alone, for sentences that name the operation themselves.
    package var cause: String {
        if isFullDisk { return "the disk is full" }
        if isReadOnlyStorage { return "the storage is read-only" }
        return switch self {
        case .unreadable(let reason), .unavailable(let reason), .unwritable(let reason): reason
        default: description
        }
    }
}
