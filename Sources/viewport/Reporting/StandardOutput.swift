import Files

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

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
