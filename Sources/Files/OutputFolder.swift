private import Platform

/// A temporary folder beside an output, from which finished files are moved out.
///
/// `discard` removes it with its content; what a killed process left is removed by the next one.
package struct OutputFolder: Sendable {
    /// The path of the hidden folder.
    package let path: String
    /// The lock that marks the folder as in use; nil on file systems without locks.
    private let claim: Claim?

    /// Makes the folder beside `output`.
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

    /// Makes a folder in it, and those that it lies in.
    package func makeFolder(_ name: String) throws(FileError) {
        if unsafe mkdir(path(of: name), 0o777) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = name.lastIndex(of: "/") else { throw .unwritable(systemReason()) }
        try makeFolder(String(name[..<slash]))
        // Another thread may have been quicker.
        guard unsafe mkdir(path(of: name), 0o777) == 0 || errno == EEXIST else {
            throw .unwritable(systemReason())
        }
    }

    /// Writes a file; folders that its name needs are made.
    package func write(_ bytes: [UInt8], to name: String) throws(FileError) {
        var descriptor = unsafe open(path(of: name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        if descriptor < 0, errno == ENOENT, let slash = name.lastIndex(of: "/") {
            try makeFolder(String(name[..<slash]))
            descriptor = unsafe open(path(of: name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        }
        guard descriptor >= 0 else { throw .unwritable(systemReason()) }
        defer { close(descriptor) }
        try OutputFile.write(bytes, to: descriptor)
    }

    /// Gives a file a second name; its bytes are there once.
    package func link(_ name: String, as other: String) throws(FileError) {
        if let slash = other.lastIndex(of: "/") { try makeFolder(String(other[..<slash])) }
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

    /// Moves a file away from its final place, into this folder; false where nothing is there.
    package func takeIn(_ output: String) throws(FileError) -> Bool {
        if unsafe rename(output, path(of: "replaced-\(OutputFile.name(of: output))")) == 0 { return true }
        guard errno == ENOENT else { throw .unwritable(systemReason()) }
        return false
    }

    /// Gives a file that was taken in its place again, unless another has it.
    package func giveBack(_ output: String) {
        _ = try? Renaming.toNewName(path(of: "replaced-\(OutputFile.name(of: output))"), output)
    }

    /// Takes the folder away with everything that is left in it.
    package func discard() { Self.remove(path) }

    /// Whether something is at a path that must not be lost: a file, or a folder that is not empty.
    package static func isThere(_ path: String) -> Bool {
        var status = stat()
        // `status` is written by the call and outlives it.
        guard unsafe lstat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT != S_IFDIR || !Folder.names(in: path).isEmpty
    }

    private static func linked(_ name: String, _ other: String) -> Bool {
        // This module has its own for paths.
        unsafe Files.link(name, other) == 0
    }

    /// Removes a file or a folder with all that is in it; links are removed, not followed.
    static func remove(_ path: String) {
        if unsafe unlink(path) == 0 || errno == ENOENT { return }
        for entry in Folder.names(in: path) { remove("\(path)/\(entry)") }
        unsafe rmdir(path)
    }
}

/// A folder that a command writes atomically, under the rules of `Output`.
///
/// It never replaces a folder that contains an input or files of other kinds. A folder of its own kind is replaced
/// only where this program made all of its content, or where the user allows it.
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

    /// Finds what would stop the folder from appearing, before work is put into it.
    package func check() throws(FileError) {
        let target = try FileIdentity.target(of: path)
        try checkReplacing(target, at: target)
    }

    /// Moves a finished folder to its place; what stood there is then at the hidden path.
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
                // Somebody wrote there since the look.
                _ = try Renaming.exchange(hidden, target)
            }
        }
        throw .unwritable("other programs write there all the time")
    }

    /// - Parameter current: where the folder that stands at the target is now.
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
