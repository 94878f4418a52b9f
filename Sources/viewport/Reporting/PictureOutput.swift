import Basics
import Files
import Thumbnails
import ViewportRendering

/// Where a picture goes: a file, or standard output for "-".
///
/// A file gets a mark by which later runs know it as this program's own.
struct PictureOutput: Sendable {
    let path: String
    private let kind: OutputKind
    private let output: Output

    /// - Parameter inputs: the files that are read, "-" for standard input.
    init(_ path: String, _ format: PictureFormat, inputs: [String], overwrites: Bool) {
        self.init(path, kind: format.fileKind, inputs: inputs, overwrites: overwrites)
    }

    init(_ path: String, kind: OutputKind, inputs: [String], overwrites: Bool) {
        self.path = path
        self.kind = kind
        output = Output(path, kind, inputs: inputs, overwrites: overwrites) {
            FileMark.isOn($0, kind) || TemplateStore.isThumbnail($0, kind)
        }
    }

    var isStandardOutput: Bool { path == "-" }

    /// Finds what would stop the picture from being written, before work is put into it.
    func check() throws(OutputError) {
        guard !isStandardOutput else { return }
        try OutputError.naming(path) { () throws(FileError) in try output.check() }
    }

    func write(_ bytes: [UInt8]) throws(OutputError) {
        let marked = FileMark.added(to: bytes, kind)
        try OutputError.naming(path) { () throws(FileError) in
            if isStandardOutput {
                try OutputFile.writeToStandardOutput(marked)
            } else {
                try output.write(marked)
            }
        }
    }

    /// The hidden path for another program to write the file to.
    func hiddenPath() throws(OutputError) -> String {
        try OutputError.naming(path) { () throws(FileError) in try output.hiddenPath() }
    }

    /// Marks a file that another program has written, and gives it its name.
    func publish(_ hidden: String) throws(OutputError) {
        try OutputError.naming(path) { () throws(FileError) in
            try FileMark.append(to: hidden, kind)
            try output.publish(hidden)
        }
    }

    /// Prints a report where it is no part of the picture.
    func report(_ text: JSONValue) {
        if isStandardOutput { StandardError.write("\(text)\n") } else { print(text) }
    }
}

/// A picture that has the very bytes that a server would give, without a mark: it replaces what has these bytes too.
struct ExactOutput {
    let path: String
    let format: PictureFormat
    let inputs: [String]
    let overwrites: Bool

    /// Finds what would stop any such picture from being written.
    func check() throws(OutputError) {
        guard path != "-" else { return }
        try OutputError.naming(path) { () throws(FileError) in try output { _ in true }.check() }
    }

    func write(_ bytes: [UInt8]) throws(OutputError) {
        let format = format
        try OutputError.naming(path) { () throws(FileError) in
            guard path != "-" else { return try OutputFile.writeToStandardOutput(bytes) }
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
