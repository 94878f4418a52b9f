internal import Files

/// Marks of the files that a move has linked into the library and not yet taken from their sources.
///
/// A mark is one more name of the file, in the library's hidden folder. When a killed move is carried out again,
/// it tells such a file from one that somebody else has linked to the library's, which is not removed.
struct MovedLinks {
    private let folder: String

    init(root: String) { folder = "\(root)/\(LibraryFolder.name)/moving" }

    private func path(_ status: FileStatus) -> String { "\(folder)/\(status.device)-\(status.inode)" }

    /// Marks a file; false where that cannot be, as on disks without links.
    func add(_ source: String, _ status: FileStatus) -> Bool {
        guard (try? Folder.make(folder)) != nil else { return false }
        return FileLink.makeOnSameDisk(source, as: path(status)) || contains(status)
    }

    func contains(_ status: FileStatus) -> Bool {
        FileStatus(path(status))?.isSameFile(as: status) ?? false
    }

    func remove(_ status: FileStatus) { Folder.remove(path(status)) }

    /// Takes all marks away.
    func clear() {
        for name in Folder.names(in: folder) { Folder.remove("\(folder)/\(name)") }
        Folder.removeEmpty(folder)
        // The catalog may lie elsewhere.
        Folder.removeEmpty(OutputFile.folder(of: folder))
    }
}
