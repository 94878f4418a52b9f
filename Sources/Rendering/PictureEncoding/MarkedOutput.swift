package import Containers
package import Files

/// An output file that gets a mark, by which later runs recognize it as written by this program; thumbnails have one, too.
package struct MarkedOutput: Sendable {
    /// The path as given.
    package let path: String
    private let kind: OutputKind
    private let output: Output

    /// - Parameters:
    ///   - inputs: the files that are read, "-" for standard input.
    ///   - overwrites: whether a file of the same kind without a mark may be replaced.
    package init(_ path: String, _ kind: OutputKind, inputs: [String], overwrites: Bool) {
        self.path = path
        self.kind = kind
        output = Output(path, kind, inputs: inputs, overwrites: overwrites) { FileMark.isOnOwn($0, kind) }
    }

    /// Throws if the file cannot be written, before any work is done.
    package func check() throws(FileError) { try output.check() }

    /// Writes the file with its mark, atomically.
    package func write(_ bytes: [UInt8]) throws(FileError) {
        try output.write(FileMark.parts(of: bytes, kind))
    }

    /// Returns the hidden path to which another program writes the file.
    package func hiddenPath() throws(FileError) -> String { try output.hiddenPath() }

    /// Marks a file that another program wrote, and renames it to its final name.
    package func publish(_ hidden: String) throws(FileError) {
        try FileMark.append(to: hidden, kind)
        try output.publish(hidden)
    }
}
