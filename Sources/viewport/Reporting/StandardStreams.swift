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

/// Prints a line; bytes of file names that are no UTF-8 are shown as "\xFF".
///
/// JSON has them escaped already. In this module it is found before the standard library's.
func print(_ line: some CustomStringConvertible) {
    Swift.print(PathText.shown("\(line)"))
}

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

/// Whether a command says more than its results and its errors.
struct QuietArguments: ParsableArguments {
    @Flag(help: "Print results and errors alone: no progress, no notes, no summaries.")
    var quiet = false

    func validate() { StandardError.isQuiet = quiet }
}

/// Prints a sentence for people that is no result; --quiet leaves it out.
func say(_ sentence: String) {
    if !StandardError.isQuiet { print(sentence) }
}
