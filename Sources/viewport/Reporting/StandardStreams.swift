import ArgumentParser
import Files
import Platform
import Synchronization

/// The stream for results.
enum StandardOutput {
    private static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Writes a path on a line of its own: its bytes for programs, and escaped at a terminal.
    static func write(path: String) throws(OutputError) {
        let bytes = isTerminal ? Array(PathText.shown(path).utf8) : PathText.bytes(path)
        try OutputError.naming("standard output") { () throws(FileError) in
            try OutputFile.writeToStandardOutput(bytes + [0x0A])
        }
    }
}

/// Prints a line; bytes of file names that are not UTF-8 are shown as "\xFF".
///
/// JSON is already escaped. It shadows the standard library's function in this module.
func print(_ line: some CustomStringConvertible) {
    Swift.print(PathText.shown("\(line)"))
}

/// The stream for messages and progress.
enum StandardError {
    static let isTerminal = isatty(STDERR_FILENO) == 1

    /// Whether notes and progress are suppressed; errors are not.
    static var isQuiet: Bool {
        get { quiet.load(ordering: .relaxed) }
        set { quiet.store(newValue, ordering: .relaxed) }
    }

    /// Whether progress lines are shown.
    static var showsProgress: Bool { isTerminal && !isQuiet }

    private static let quiet = Atomic(false)

    /// Writes a note that is not an error; `--quiet` suppresses it.
    static func note(_ sentence: String) {
        if !isQuiet { write("viewport: \(sentence)\n") }
    }

    static func write(_ text: String) {
        // There is no other stream to report a failure to.
        try? OutputFile.writeToStandardError(Array(PathText.shown(text).utf8))
    }
}

/// The option `--quiet`.
struct QuietArguments: ParsableArguments {
    @Flag(help: "Print only results and errors: no progress, notes or summaries.")
    var quiet = false

    func validate() { StandardError.isQuiet = quiet }
}

/// Prints a message that is not a result; `--quiet` suppresses it.
func say(_ sentence: String) {
    if !StandardError.isQuiet { print(sentence) }
}
