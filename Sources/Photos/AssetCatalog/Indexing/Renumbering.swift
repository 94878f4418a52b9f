package import CatalogStorage

/// Files whose size and times are those of their records, under other inodes.
///
/// After a copy of a library, and whenever some file systems are mounted, all files have other inodes: they are as they
/// were, and need not be read. Where other files of the folder keep theirs, single ones were replaced. Their bytes decide,
/// as they do for files that have the size and the time of another photo, with which they may have been exchanged.
package struct Renumbering {
    /// A file of a folder with its record.
    package typealias File = (known: CatalogedFile, file: ScannedFile)

    /// The sizes and times that several assets with different bytes have; nil before they are needed.
    private var shared: Set<FileState>?

    package init() {}

    /// Separates the files that are as they were from those whose bytes have to be compared.
    ///
    /// - Parameter isPartial: whether other files of the folder have the inodes of their records.
    package mutating func split(
        _ files: [File], isPartial: Bool, _ library: PhotoLibrary
    ) throws -> (same: [File], doubtful: [File]) {
        guard !files.isEmpty, !isPartial else { return ([], files) }
        let shared: Set<FileState>
        if let known = self.shared {
            shared = known
        } else {
            shared = try library.readAndWait { try $0.sharedStates() }
            self.shared = shared
        }
        func isShared(_ file: File) -> Bool {
            shared.contains(FileState(bytes: file.known.bytes, modified: file.known.modified))
        }
        return (files.filter { !isShared($0) }, files.filter(isShared))
    }

    /// Writes the inodes of files into their records.
    static func store(_ files: [File], _ library: PhotoLibrary) throws {
        guard !files.isEmpty else { return }
        try library.writeAndWait { try $0.renumber(files) }
    }
}
