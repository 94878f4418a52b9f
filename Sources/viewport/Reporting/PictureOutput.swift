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
    private let kind: OutputKind
    private let output: MarkedOutput

    /// - Parameter inputs: the files that are read, "-" for standard input.
    init(_ path: String, _ format: PictureFormat, inputs: [String], overwrites: Bool) {
        self.init(path, kind: format.fileKind, inputs: inputs, overwrites: overwrites)
    }

    init(_ path: String, kind: OutputKind, inputs: [String], overwrites: Bool) {
        self.path = path
        self.kind = kind
        output = MarkedOutput(path, kind, inputs: inputs, overwrites: overwrites)
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
                try StandardOutput.write(FileMark.added(to: bytes, kind))
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

/// The destination of a picture with exactly the server's bytes: it has no mark, and replaces a file with equal bytes.
struct ExactOutput {
    let path: String
    let format: PictureFormat
    let inputs: [String]
    let overwrites: Bool

    /// Checks whether a picture can be written.
    func check() throws {
        guard path != "-" else { return try StandardOutput.refuseTerminal() }
        try OutputError.naming(path) { () throws(FileError) in try output { _ in true }.check() }
    }

    func write(_ bytes: [UInt8]) throws(OutputError) {
        let format = format
        try OutputError.naming(path == "-" ? StandardOutput.name : path) { () throws(FileError) in
            guard path != "-" else { return try StandardOutput.write(bytes) }
            try output {
                FileMark.isOn($0, format.fileKind) || (try? InputFile.contents($0)) == bytes
            }.write(bytes)
        }
    }

    private func output(isOwn: @escaping @Sendable (String) -> Bool) -> Output {
        Output(path, format.fileKind, inputs: inputs, overwrites: overwrites, isOwn: isOwn)
    }

    func report(_ text: JSONValue) {
        if path == "-" { StandardError.write("\(text)\n") } else { print(text) }
    }
}
#endif
