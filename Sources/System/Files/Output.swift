/// An output file of a command, and the rules of what it may replace.
///
/// The rules are the same for all commands. An output is never one of the inputs, not even through links. It never
/// replaces a file of another kind. It replaces one of the same kind only if this program made it or the user allows
/// it. Pipes and devices are written directly. The rules are checked when work begins, and again when the file is
/// renamed to its destination.
package struct Output: Sendable {
    /// The path as given.
    package let path: String
    /// What it is in a sentence, such as "a PNG picture".
    private let kind: String
    /// Returns the kind of a file by its first bytes.
    private let kindOf: @Sendable ([UInt8]) -> String
    private let isInput: @Sendable (FileIdentity) -> Bool
    private let overwrites: Bool
    private let isOwn: @Sendable (String) -> Bool

    /// - Parameters:
    ///   - kind: What the file is in a sentence, such as "a PNG picture".
    ///   - recognizing: Returns the kind of a file by its first bytes, 1024 or all.
    ///   - overwrites: Whether a file of the same kind that this program did not make may be replaced.
    ///   - isOwn: Whether the file at a path was made by this program and is unchanged.
    ///   - isInput: Whether a file is read.
    package init(
        _ path: String, kind: String, recognizing: @escaping @Sendable ([UInt8]) -> String, overwrites: Bool,
        isOwn: @escaping @Sendable (String) -> Bool, isInput: @escaping @Sendable (FileIdentity) -> Bool
    ) {
        self.path = path
        self.kind = kind
        kindOf = recognizing
        self.isInput = isInput
        self.overwrites = overwrites
        self.isOwn = isOwn
    }

    /// Whether it is a pipe or a device.
    package var isSpecial: Bool { OutputFile.isSpecial(path) && !Folder.isFolder(path, followingLinks: true) }

    /// Throws if the file cannot be written, before any work is done.
    package func check() throws(FileError) {
        // Nothing is written to a device's folder.
        guard !isSpecial else { return }
        let target = try target()
        try OutputFile.check(target)
        _ = try replaceable(target)
    }

    /// Writes the file atomically: under a hidden name in the same folder, then renamed.
    package func write(_ bytes: [UInt8], modified: Int? = nil) throws(FileError) {
        try write([bytes[...]], modified: modified)
    }

    /// Writes consecutive parts of the file as one.
    package func write(_ parts: [ArraySlice<UInt8>], modified: Int? = nil) throws(FileError) {
        guard !isSpecial else { return try OutputFile.write(parts.reduce(into: []) { $0 += $1 }, to: path) }
        let part = try PartFile(in: OutputFile.folder(of: target()))
        do throws(FileError) {
            for bytes in parts { try part.append(bytes) }
            if let modified { part.setModified(modified) }
            try publish(part.path)
        } catch {
            part.discard()
            throw error
        }
    }

    /// A hidden path in the same folder for other code to write to; publish or remove it afterwards.
    ///
    /// What a killed process leaves there is removed by the next check in this folder.
    ///
    /// - Parameter role: tells several hidden files of one output apart.
    package func hiddenPath(_ role: String = "") throws(FileError) -> String {
        let target = try target()
        return TemporaryName.beside("\(OutputFile.folder(of: target))/\(role)\(OutputFile.name(of: target))")
    }

    /// Renames a finished file to its destination, unless the existing file must not be replaced.
    package func publish(_ hidden: String) throws(FileError) {
        let target = try target()
        // Other processes may write there at the same time, so each attempt checks again.
        for _ in 0..<100 {
            guard let old = try replaceable(target) else {
                if try Renaming.toNewName(hidden, target) { return }
                continue
            }
            guard try Renaming.exchange(hidden, target) else { return try Folder.move(hidden, to: target) }
            guard FileStatus(hidden) == old else {
                _ = try Renaming.exchange(hidden, target)
                continue
            }
            OutputFile.remove(hidden)
            return
        }
        throw .unwritable("other programs write there all the time")
    }

    /// The file that the path refers to: links are followed, not replaced.
    func target() throws(FileError) -> String { try FileIdentity.target(of: path) }

    /// The file to replace; nil if there is none.
    ///
    /// - Throws: `FileError` if the existing file must not be replaced.
    private func replaceable(_ target: String) throws(FileError) -> FileStatus? {
        guard OutputFolder.isThere(target) || Folder.isFolder(target) else { return nil }
        guard let status = FileStatus(target) else { throw .folder }
        if let identity = FileIdentity(target), isInput(identity) {
            throw .kept("is the input itself, which is never replaced; choose another name")
        }
        if status.size == 0 { return status }
        guard let there = kind(of: target) else { throw .unwritable("what is there cannot be read") }
        guard there == kind else {
            throw .kept("is \(there) and would become \(kind); choose another name")
        }
        guard overwrites || isOwn(target) else { throw .exists }
        return status
    }

    /// The kind of a file; nil if it cannot be read.
    private func kind(of path: String) -> String? {
        guard let pieces = try? InputPieces(path) else { return nil }
        return try? pieces.next { bytes in kindOf((0..<min(1024, bytes.count)).map { bytes[$0] }) }
    }
}
