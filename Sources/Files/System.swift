#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// The system's words for the last error of this thread.
func systemReason() -> String {
    // The text lives until the next call on this thread; it is copied at once.
    unsafe String(cString: strerror(errno))
}
