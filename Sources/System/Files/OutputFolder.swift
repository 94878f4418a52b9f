private import Platform

/// A temporary folder next to an output, from which finished files are moved to their destinations.
///
/// `discard` removes it with its contents; folders of killed processes are removed by the next process.
package struct OutputFolder: Sendable {
    /// The path of the hidden folder.
    package let path: String
    /// The lock that marks the folder as in use; nil on file systems without locks.
    private let claim: Claim?

    /// Creates the folder next to `output`.
    package init(beside output: String) throws(FileError) {
        let folder = OutputFile.folder(of: output)
        TemporaryName.sweep(folder)
        path = TemporaryName.beside(output)
        Self.remove(path)
        guard unsafe mkdir(path, 0o777) == 0 else {
            throw errno == ENOENT ? .noFolder(folder) : .unwritable(systemReason())
        }
        claim = Claim(path)
    }

    /// The path of a file in it.
    package func path(of name: String) -> String { "\(path)/\(name)" }

    /// Creates a folder in it, with missing folders above.
    package func makeFolder(_ name: String) throws(FileError) {
        if unsafe mkdir(path(of: name), 0o777) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let parent = FilePath(name).parent else { throw .unwritable(systemReason()) }
        try makeFolder(parent.text)
        // Another thread may have created it meanwhile.
        guard unsafe mkdir(path(of: name), 0o777) == 0 || errno == EEXIST else {
            throw .unwritable(systemReason())
        }
    }

    /// Writes a file and creates missing folders above it.
    package func write(_ bytes: [UInt8], to name: String) throws(FileError) {
        var descriptor = unsafe open(path(of: name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        if descriptor < 0, errno == ENOENT, let parent = FilePath(name).parent {
            try makeFolder(parent.text)
            descriptor = unsafe open(path(of: name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        }
        guard descriptor >= 0 else { throw .unwritable(systemReason()) }
        defer { close(descriptor) }
        try OutputFile.write(bytes, to: descriptor)
    }

    /// Gives a file a second name; the bytes are stored once.
    package func link(_ name: String, as other: String) throws(FileError) {
        if let parent = FilePath(other).parent { try makeFolder(parent.text) }
        if Self.linked(path(of: name), path(of: other)) { return }
        // Some file systems have no links.
        try write(try InputFile.contents(path(of: name)), to: other)
    }

    /// The bytes of a file.
    package func size(of name: String) -> Int {
        var status = stat()
        // `status` is written by the call and outlives it.
        return unsafe stat(path(of: name), &status) == 0 ? Int(status.st_size) : 0
    }

    /// Moves a file from its destination into this folder; returns false if there is none.
    package func takeIn(_ output: String) throws(FileError) -> Bool {
        if unsafe rename(output, path(of: "replaced-\(OutputFile.name(of: output))")) == 0 { return true }
        guard errno == ENOENT else { throw .unwritable(systemReason()) }
        return false
    }

    /// Moves a file back to its destination, unless that exists.
    package func giveBack(_ output: String) {
        _ = try? Renaming.toNewName(path(of: "replaced-\(OutputFile.name(of: output))"), output)
    }

    /// Removes the folder with everything in it.
    package func discard() { Self.remove(path) }

    /// Whether a path holds something that must not be lost: a file or a nonempty folder.
    package static func isThere(_ path: String) -> Bool {
        var status = stat()
        // `status` is written by the call and outlives it.
        guard unsafe lstat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT != S_IFDIR || !Folder.names(in: path).isEmpty
    }

    private static func linked(_ name: String, _ other: String) -> Bool {
        // This module overloads it for paths.
        unsafe Files.link(name, other) == 0
    }

    /// Removes a file, or a folder with its contents; links are removed, not followed.
    static func remove(_ path: String) {
        if unsafe unlink(path) == 0 || errno == ENOENT { return }
        for entry in Folder.names(in: path) { remove("\(path)/\(entry)") }
        unsafe rmdir(path)
    }
}

/// An output folder that a command writes atomically, by the rules of `Output`.
///
/// It never replaces a folder that contains an input or files of other kinds. A folder of the same kind is replaced
/// only if this program made all of its contents, or if the user allows it.
package struct FolderOutput: Sendable {
    private let path: String
    private let inputs: [String]
    private let overwrites: Bool
    private let isSameKind: @Sendable (String) -> Bool
    private let isOwn: @Sendable (String) -> Bool

    package init(
        _ path: String, inputs: [String], overwrites: Bool, isSameKind: @escaping @Sendable (String) -> Bool,
        isOwn: @escaping @Sendable (String) -> Bool
    ) {
        self.path = path
        self.inputs = inputs
        self.overwrites = overwrites
        self.isSameKind = isSameKind
        self.isOwn = isOwn
    }

    /// Throws if the folder cannot be written, before any work is done.
    package func check() throws(FileError) {
        let target = try FileIdentity.target(of: path)
        try checkReplacing(target, at: target)
    }

    /// Moves a finished folder to its destination; what was there is moved to the hidden path.
    package func publish(_ hidden: String) throws(FileError) {
        let target = try FileIdentity.target(of: path)
        for _ in 0..<100 {
            try checkReplacing(target, at: target)
            if !OutputFolder.isThere(target) {
                Folder.removeEmpty(target)
                if try Renaming.toNewName(hidden, target) { return }
                continue
            }
            let old = FileIdentity(target)
            guard try Renaming.exchange(hidden, target) else {
                try Folder.move(target, to: "\(hidden)-replaced")
                return try Folder.move(hidden, to: target)
            }
            do throws(FileError) {
                guard FileIdentity(hidden) == old else { throw .exists }
                return try checkReplacing(target, at: hidden)
            } catch {
                // Another process has written there since the check.
                _ = try Renaming.exchange(hidden, target)
            }
        }
        throw .unwritable("other programs write there all the time")
    }

    /// - Parameter current: The present path of the folder that was at the target.
    private func checkReplacing(_ target: String, at current: String) throws(FileError) {
        guard OutputFolder.isThere(current) else { return }
        guard Folder.isFolder(current), let identity = FileIdentity(current) else {
            throw .kept("is a file and would become a folder; choose another name")
        }
        if let input = inputs.first(where: { FileIdentity.folders(above: $0).contains(identity) }) {
            throw .kept("holds the input \(input), which would go with it; choose another name")
        }
        guard isSameKind(current) else {
            throw .kept("is a folder of other things, which are never replaced; choose another name")
        }
        guard overwrites || isOwn(current) else { throw .exists }
    }
}
