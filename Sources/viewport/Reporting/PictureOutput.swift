#if CommandLine
import Basics
import Containers
import Files
import ViewportRendering

/// The destination of a picture: a file, or standard output for "-".
///
/// A file gets a mark, by which later runs recognize it as written by viewport.
struct PictureOutput: Sendable {
    let path: String
    private let output: MarkedOutput

    /// - Parameters:
    ///   - inputs: the files that are read, "-" for standard input.
    ///   - isMarked: whether the file gets the mark; one with a server's bytes has none.
    init(
        _ path: String, _ format: PictureFormat, inputs: [String], overwrites: Bool, isMarked: Bool = true
    ) {
        self.init(path, kind: format.fileKind, inputs: inputs, overwrites: overwrites, isMarked: isMarked)
    }

    init(_ path: String, kind: OutputKind, inputs: [String], overwrites: Bool, isMarked: Bool = true) {
        self.path = path
        output = MarkedOutput(path, kind, inputs: inputs, overwrites: overwrites, isMarked: isMarked)
    }

    var isStandardOutput: Bool { path == "-" }

    /// Checks whether the picture can be written, before it is rendered.
    func check() throws {
        guard !isStandardOutput else { return try StandardOutput.refuseTerminal() }
        try OutputError.naming(path) { () throws(FileError) in try output.check() }
    }

    func write(_ bytes: [UInt8]) throws(OutputError) {
        try OutputError.naming(isStandardOutput ? StandardOutput.name : path) { () throws(FileError) in
            if isStandardOutput {
                try StandardOutput.write(output.marked(bytes))
            } else {
                try output.write(bytes)
            }
        }
    }

    /// Prints a report to standard output, or to standard error if the picture is on standard output.
    func report(_ text: JSONValue) {
        if isStandardOutput { StandardError.write("\(text)\n") } else { print(text) }
    }
}
#endif
