package import Containers
package import Files

/// An output file that gets a mark, by which later runs recognize it as written by this program; thumbnails have one, too.
package struct MarkedOutput: Sendable {
    /// The path as given.
    package let path: String
    private let kind: OutputKind
    private let overwrites: Bool
    private let isMarked: Bool
    private let isInput: @Sendable (FileIdentity) -> Bool

    /// - Parameters:
    ///   - inputs: the files that are read, "-" for standard input.
    ///   - overwrites: whether a file of the same kind without a mark may be replaced.
    ///   - isMarked: whether it gets the mark; a file without one replaces one with equal bytes.
    package init(
        _ path: String, _ kind: OutputKind, inputs: [String], overwrites: Bool, isMarked: Bool = true
    ) {
        self.init(path, kind, overwrites: overwrites, isMarked: isMarked) { file in
            inputs.contains { FileIdentity($0) == file }
        }
    }

    /// Creates an output for inputs that are too many for a list.
    ///
    /// - Parameter isInput: whether a file is read.
    package init(
        _ path: String, _ kind: OutputKind, overwrites: Bool, isMarked: Bool = true,
        isInput: @escaping @Sendable (FileIdentity) -> Bool
    ) {
        (self.path, self.kind, self.overwrites) = (path, kind, overwrites)
        (self.isMarked, self.isInput) = (isMarked, isInput)
    }

    private func output(_ isOwn: @escaping @Sendable (String) -> Bool) -> Output {
        Output(path, kind, overwrites: overwrites, isOwn: isOwn, isInput: isInput)
    }

    private var markedOutput: Output {
        output { [kind] in FileMark.isOnOwn($0, kind) }
    }

    /// Throws if the file cannot be written, before any work is done.
    package func check() throws(FileError) {
        // Whether the bytes are equal is known when they are.
        try (isMarked ? markedOutput : output { _ in true }).check()
    }

    /// Writes the file with its mark, atomically.
    package func write(_ bytes: [UInt8]) throws(FileError) {
        guard isMarked else { return try write(marked: bytes) }
        try markedOutput.write(FileMark.parts(of: bytes, kind))
    }

    /// Returns the bytes of the file: those of a picture, with the mark if it gets one.
    package func marked(_ bytes: [UInt8]) -> [UInt8] {
        isMarked ? FileMark.added(to: bytes, kind) : bytes
    }

    /// Writes the bytes of the file, atomically.
    package func write(marked bytes: [UInt8]) throws(FileError) {
        guard !isMarked else { return try markedOutput.write(bytes) }
        try output { [kind] in FileMark.isOn($0, kind) || (try? InputFile.contents($0)) == bytes }.write(
            bytes)
    }

    /// Returns the hidden path to which another program writes the file.
    package func hiddenPath() throws(FileError) -> String { try markedOutput.hiddenPath() }

    /// Marks a file that another program wrote, and renames it to its final name.
    package func publish(_ hidden: String) throws(FileError) {
        try FileMark.append(to: hidden, kind)
        try markedOutput.publish(hidden)
    }
}
