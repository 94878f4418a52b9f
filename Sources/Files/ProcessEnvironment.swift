private import Platform

/// Environment variables, paths, host and clock of the process.
package enum ProcessEnvironment {
    /// A variable of the environment; nil where it is not set or empty.
    package static func variable(_ name: String) -> String? {
        // The text belongs to the environment, which nobody changes here; it is copied at once.
        guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
        return unsafe PathText.decode(cString: value)
    }

    /// The path from the root of the file system, with symbolic links followed; the path itself where there is
    /// nothing at it.
    package static func absolutePath(_ path: String) -> String { resolvedPath(path) ?? path }

    /// The same; nil where there is nothing at the path.
    static func resolvedPath(_ path: String) -> String? {
        // A null buffer makes the call allocate the result, which is freed here.
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe PathText.decode(cString: resolved)
    }

    /// The folder for temporary files.
    package static var temporaryFolder: String { variable("TMPDIR") ?? "/tmp" }

    /// The path from the root of the file system of what may not be there yet.
    package static func futurePath(_ path: String) -> String {
        guard unsafe access(path, F_OK) != 0 else { return absolutePath(path) }
        let parts = path.split(separator: "/")
        guard let name = parts.last else { return absolutePath(path) }
        let parent = path.hasPrefix("/") ? "/" : "./"
        let folder = futurePath(parent + parts.dropLast().joined(separator: "/"))
        return folder == "/" ? "/\(name)" : "\(folder)/\(name)"
    }

    /// The process ID.
    package static var process: Int { Int(getpid()) }

    /// The machine's own name; nil where it has none.
    package static var hostName: String? {
        var name = [CChar](repeating: 0, count: 256)
        // The last byte is never written, so that the name ends within the array.
        let isKnown = unsafe gethostname(&name, name.count - 1) == 0
        let text = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return isKnown && !text.isEmpty ? text : nil
    }

    /// The present, in nanoseconds since 1970.
    package static var now: Int {
        var time = timespec()
        // `time` is written by the call and outlives it.
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    }

    /// Opens an address with the program that the user's system has for it; nothing happens where it has none.
    package static func open(_ address: String) {
        #if canImport(Darwin)
        let (opener, environ) = unsafe ("open", _NSGetEnviron().pointee)
        #else
        let opener = "xdg-open"
        #endif
        var process: pid_t = 0
        let arguments = unsafe [strdup(opener), strdup(address), nil]
        defer {
            unsafe free(arguments[0])
            unsafe free(arguments[1])
        }
        // The arguments are copies that live until the program is started.
        unsafe posix_spawnp(&process, opener, nil, nil, arguments, environ)
    }
}

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

    /// Whether the process or the system has no free file descriptor.
    package static var areExhausted: Bool {
        let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard descriptor < 0 else {
            close(descriptor)
            return false
        }
        return errno == EMFILE || errno == ENFILE
    }

    #if canImport(Glibc)
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    private static let resource = RLIMIT_NOFILE
    #endif

    private static func limits() -> rlimit {
        var limits = rlimit()
        // `limits` is written by the call and outlives it.
        guard unsafe getrlimit(resource, &limits) == 0 else { return rlimit(rlim_cur: 256, rlim_max: 256) }
        return limits
    }
}
