import Files

/// Where a picture goes: a file, or standard output for "-".
struct PictureOutput {
    let path: String

    var isStandardOutput: Bool { path == "-" }

    /// Finds what would stop the picture from being written, before work is put into it.
    func check() throws(OutputError) {
        guard !isStandardOutput else { return }
        try OutputError.naming(path) { () throws(FileError) in try OutputFile.check(path) }
    }

    func write(_ bytes: [UInt8]) throws(OutputError) {
        try OutputError.naming(path) { () throws(FileError) in
            if isStandardOutput {
                try OutputFile.writeToStandardOutput(bytes)
            } else {
                try OutputFile.write(bytes, to: path)
            }
        }
    }

    /// Prints a report where it is no part of the picture.
    func report(_ text: JSONText) {
        if isStandardOutput { StandardError.write("\(text)\n") } else { print(text) }
    }
}
