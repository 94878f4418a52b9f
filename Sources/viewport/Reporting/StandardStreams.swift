#if CommandLine
import ArgumentParser
import Basics
import Dispatch
import Files
import Platform
import Synchronization

/// The stream for results, and the only place that writes to it.
///
/// Lines are buffered unless a person reads them at a terminal. After the first write that fails, nothing more is written,
/// and the process ends with that error, whatever else happens.
enum StandardOutput {
    private struct State {
        var waiting: [UInt8] = []
        var error: FileError?
    }

    /// The name of the stream in messages.
    static let name = "standard output"

    static let isTerminal = isatty(STDOUT_FILENO) == 1

    private static let capacity = 1 << 16
    /// The others sleep while one writes to a slow pipe: who waits for a Mutex keeps a processor busy.
    private static let turn = DispatchSemaphore(value: 1)
    private static let state = Mutex(State())

    /// Bytes that are not text would go to a terminal.
    struct IsTerminal: ExitCoded, CustomStringConvertible {
        var exit: Exit { .usage }
        var description: String {
            "standard output is a terminal, which cannot show the file: redirect it with >, or name a file with -o"
        }
    }

    /// Throws if the stream is a terminal, before a file is written to it.
    static func refuseTerminal() throws(IsTerminal) {
        if isTerminal { throw IsTerminal() }
    }

    /// Writes bytes at once.
    static func write(_ bytes: [UInt8]) throws(FileError) {
        ProgressScreen.endCommand()
        if isTerminal { ProgressScreen.makeRoom() }
        try append(bytes, flushes: true)
    }

    /// Writes a path on a line of its own at once: its bytes for programs, and escaped at a terminal.
    static func write(path: String) throws(FileError) {
        let bytes = isTerminal ? Array(PathText.shown(path).utf8) : PathText.bytes(path)
        try write(bytes + [0x0A])
    }

    /// Writes a line with the next ones; a failure stops the command.
    fileprivate static func add(line: String) {
        if isTerminal {
            ProgressScreen.endCommand()
            ProgressScreen.makeRoom()
        }
        orStop { () throws(FileError) in try append(Array((line + "\n").utf8)) }
    }

    /// Writes the lines that are buffered; a failure stops the command.
    static func flush() { orStop { () throws(FileError) in try write([]) } }

    /// Writes what is buffered and closes the stream; nothing can be written afterwards.
    ///
    /// - Throws: the error of the first write that failed, each time.
    static func finish() throws(OutputError) {
        try OutputError.naming(name) { () throws(FileError) in
            try write([])
            try inTurn { _ throws(FileError) in
                if !isFinished.exchange(true, ordering: .relaxed) { try OutputFile.closeStandardOutput() }
            }
        }
    }

    private static let isFinished = Atomic(false)

    private static func append(_ bytes: [UInt8], flushes: Bool = isTerminal) throws(FileError) {
        try inTurn { waiting throws(FileError) in
            guard flushes || waiting.count + bytes.count > capacity else { return waiting += bytes }
            try OutputFile.writeToStandardOutput(waiting)
            waiting.removeAll(keepingCapacity: true)
            try OutputFile.writeToStandardOutput(bytes)
        }
    }

    /// Runs a body that writes unless an earlier one failed; its error is kept.
    private static func inTurn(_ body: (inout [UInt8]) throws(FileError) -> Void) throws(FileError) {
        turn.wait()
        defer { turn.signal() }
        try state.withLock { state throws(FileError) in
            if let error = state.error { throw error }
            do throws(FileError) {
                try body(&state.waiting)
            } catch {
                state.error = error
                throw error
            }
        }
    }

    /// Stops the command if a body fails: work that can be stopped ends as after a signal.
    private static func orStop(_ body: () throws(FileError) -> Void) {
        do throws(FileError) {
            try body()
        } catch {
            if !Interruption.stopWork() { Exit.now(reporting: OutputError(file: name, reason: error)) }
        }
    }
}

/// Prints a line; bytes of file names that are not UTF-8 are shown as "\xFF".
///
/// JSON is already escaped. It shadows the standard library's function in this module.
func print(_ line: some CustomStringConvertible) {
    StandardOutput.add(line: PathText.shown("\(line)"))
}

/// Prints an object of the members that are not nil as one line of JSON.
func print(json members: KeyValuePairs<String, JSONValue?>) { print(JSONValue.object(members)) }

/// Prints an empty line.
func print() { StandardOutput.add(line: "") }

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
        ProgressScreen.makeRoom()
        draw(text)
    }

    /// Writes progress, which does not make room for itself.
    static func draw(_ text: String) {
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
#endif
