#if canImport(Darwin)
    private import Darwin
#else
    private import Glibc
#endif

/// The file descriptors that the process may have open.
package enum Descriptors {
    /// How many there may be: the soft limit.
    package static var limit: Int { Int(clamping: limits().rlim_cur) }

    /// Raises the soft limit to the hard one; what the system refuses stays as it is.
    package static func raiseLimit() {
        var raised = limits()
        #if canImport(Darwin)
            // The system refuses more than this, also where it states no hard limit.
            raised.rlim_cur = min(raised.rlim_max, rlim_t(OPEN_MAX))
        #else
            raised.rlim_cur = raised.rlim_max
        #endif
        // `raised` is read by the call and outlives it.
        _ = unsafe setrlimit(resource, &raised)
    }

    /// Whether no file can be opened at the moment for want of descriptors.
    package static var areExhausted: Bool {
        let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard descriptor < 0 else {
            close(descriptor)
            return false
        }
        return errno == EMFILE || errno == ENFILE
    }

    #if canImport(Darwin)
        private static let resource = RLIMIT_NOFILE
    #else
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif

    private static func limits() -> rlimit {
        var limits = rlimit()
        // `limits` is written by the call and outlives it.
        guard unsafe getrlimit(resource, &limits) == 0 else { return rlimit(rlim_cur: 256, rlim_max: 256) }
        return limits
    }
}
