private import Platform

/// C's stream of errors, to which libraries write.
enum MessageStream {
    /// Sends what is written to the stream to /dev/null, for the rest of the process.
    static func drop() {
        // glibc and Darwin keep the stream in a variable; with others, messages stay.
        #if canImport(Darwin)
        let name = "__stderrp"
        #else
        let name = "stderr"
        #endif
        guard let process = unsafe dlopen(nil, RTLD_NOW), let place = unsafe dlsym(process, name),
            let null = unsafe fopen("/dev/null", "we")
        else { return }
        #if !canImport(Musl)
        // The variable is a pointer to a stream. Streams are never freed: another thread may be writing to the former one.
        unsafe place.assumingMemoryBound(to: type(of: null).self).pointee = null
        #endif
    }
}
