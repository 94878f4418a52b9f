import Files
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The stream for people: sentences and progress.
enum StandardError {
    static let isTerminal = isatty(STDERR_FILENO) == 1

    /// Whether notes and progress are left out; errors are not.
    static var isQuiet: Bool {
        get { quiet.load(ordering: .relaxed) }
        set { quiet.store(newValue, ordering: .relaxed) }
    }

    /// Whether lines that change may be shown.
    static var showsProgress: Bool { isTerminal && !isQuiet }

    private static let quiet = Atomic(false)

    /// Says something that is no error; --quiet leaves it out.
    static func note(_ sentence: String) {
        if !isQuiet { write("viewport: \(sentence)\n") }
    }

    static func write(_ text: String) {
        // What cannot be said there can be said nowhere.
        try? OutputFile.writeToStandardError(Array(PathText.shown(text).utf8))
    }
}
