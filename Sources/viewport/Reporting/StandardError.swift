import Files

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The stream for people: sentences and progress.
enum StandardError {
    static let isTerminal = isatty(STDERR_FILENO) == 1

    static func write(_ text: String) {
        // What cannot be said there can be said nowhere.
        try? OutputFile.writeToStandardError(Array(PathText.shown(text).utf8))
    }
}
