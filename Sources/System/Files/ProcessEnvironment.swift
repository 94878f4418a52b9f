private import Platform

/// Environment variables, paths, host and clock of the process.
package enum ProcessEnvironment {
    /// An environment variable; nil if it is not set or empty.
    package static func variable(_ name: String) -> String? {
        // The text belongs to the environment, which this program does not change; it is copied.
        guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
        return unsafe PathText.decode(cString: value)
    }

    /// The absolute path with symbolic links resolved; the path itself if nothing is there.
    package static func absolutePath(_ path: String) -> String { resolvedPath(path) ?? path }

    /// The absolute path with symbolic links resolved; nil if nothing is there.
    static func resolvedPath(_ path: String) -> String? {
        // A null buffer makes the call allocate the result, which is freed here.
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe PathText.decode(cString: resolved)
    }

    /// The folder for temporary files.
    package static var temporaryFolder: String { variable("TMPDIR") ?? "/tmp" }

    /// The absolute path of what may not exist yet.
    package static func futurePath(_ path: String) -> String {
        guard unsafe access(path, F_OK) != 0 else { return absolutePath(path) }
        let path = FilePath(path)
        guard let name = path.names.last else { return absolutePath(path.text) }
        let start: FilePath = path.isAbsolute ? "/" : "./"
        let parent = path.names.dropLast().reduce(start) { $0.appending($1) }
        return FilePath(futurePath(parent.text)).appending(name).text
    }

    /// The process ID.
    package static var process: Int { Int(getpid()) }

    /// The host name; nil if there is none.
    package static var hostName: String? {
        var name = [CChar](repeating: 0, count: 256)
        // The last byte is never written, so that the name ends within the array.
        let isKnown = unsafe gethostname(&name, name.count - 1) == 0
        let text = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return isKnown && !text.isEmpty ? text : nil
    }

    /// The current time, in nanoseconds since 1970.
    package static var now: Int {
        var time = timespec()
        // `time` is written by the call and outlives it.
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    }

    /// Opens a URL with the user's default program; does nothing if there is none.
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

/// The limit of open file descriptors.
package enum Descriptors {
    /// The soft limit.
    package static var limit: Int { Int(clamping: limits().rlim_cur) }

    /// Raises the soft limit to the hard limit, if the system allows it.
    package static func raiseLimit() {
        var raised = limits()
        #if canImport(Darwin)
        // The system refuses more than this, even if it reports no hard limit.
        raised.rlim_cur = min(raised.rlim_max, rlim_t(OPEN_MAX))
        #else
        raised.rlim_cur = raised.rlim_max
        #endif
        // `raised` is read by the call and outlives it.
        _ = unsafe setrlimit(resource, &raised)
    }

    /// Occupies the standard streams that are closed with descriptors that cannot be read and written.
    ///
    /// Otherwise the next file that is opened takes their place, and results are written into it.
    package static func occupyStandardStreams() {
        let accesses = [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        for (stream, access) in accesses where fcntl(stream, F_GETFD) < 0 {
            // The first free descriptor is the one of the stream: those below it are open.
            _ = unsafe open("/dev/null", access)
        }
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
