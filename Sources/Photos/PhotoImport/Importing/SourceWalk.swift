internal import Archives
internal import AssetCatalog
internal import Basics
internal import Files

/// All files below the sources of an import, and the entries that are skipped.
struct SourceWalk {
    /// The files of each folder, sorted by name, in the order in which `SourceFolders` finds them.
    private(set) var folders: [[SourceFile]] = []
    private(set) var left: [SkippedSource] = []
    /// All that was found, noted before anything is decided: each has to be in a folder or be skipped.
    private(set) var found: [FilePath] = []
    /// The archives that are read.
    private(set) var archives: [String] = []

    /// - Parameters:
    ///   - paths: absolute paths of files and folders that exist.
    ///   - root: the root of the library, which is never a source.
    ///   - entryLimit: the most bytes of an entry of an archive; nil for the archives' own limit.
    /// - Throws: `LibraryError` if an archive cannot be read; `CancellationError`.
    init(
        _ paths: [FilePath], root: String, entryLimit: Int? = nil, _ scope: EntryScope,
        _ flag: CancellationFlag
    ) throws {
        let sources = try SourceFolders(paths, root: root, entryLimit: entryLimit, scope, flag)
        left = sources.left
        archives = sources.archives
        for number in 0..<sources.groupCount {
            let group = sources.files(of: number)
            folders.append(group.files)
            left += group.left
        }
        found = left.map(\.path) + folders.joined().map(\.path)
        folders.removeAll(where: \.isEmpty)
        leaveLinksToSources()
    }

    /// Takes files with a name out of the folders, and skips them.
    mutating func takeFiles(
        named name: String, _ kind: ImportSkipReason.Kind, _ reason: String,
        where isWanted: (SourceFile) -> Bool
    ) -> [SourceFile] {
        var taken: [SourceFile] = []
        for index in folders.indices {
            let wanted = folders[index].filter { $0.name == FilePath(name) && isWanted($0) }
            guard !wanted.isEmpty else { continue }
            folders[index].removeAll { wanted.contains($0) }
            taken += wanted
            left += wanted.map { SkippedSource($0.path, bytes: $0.status.size, kind, reason) }
        }
        folders.removeAll(where: \.isEmpty)
        return taken
    }

    /// Takes files out of the folders, and skips them for their reasons.
    mutating func skip(_ reasons: [SourceFile: String], _ kind: ImportSkipReason.Kind) {
        guard !reasons.isEmpty else { return }
        for index in folders.indices {
            folders[index].removeAll { file in
                guard let reason = reasons[file] else { return false }
                left.append(SkippedSource(file.path, bytes: file.status.size, kind, reason))
                return true
            }
        }
        folders.removeAll(where: \.isEmpty)
    }

    /// Takes files out of the folders; they are not skipped, but described by their export.
    mutating func take(_ files: Set<SourceFile>) {
        guard !files.isEmpty else { return }
        for index in folders.indices { folders[index].removeAll(where: files.contains) }
        folders.removeAll(where: \.isEmpty)
    }

    /// Drops all but some files.
    mutating func keep(_ known: Set<FilePath>) {
        folders = folders.map { $0.filter { known.contains($0.path) } }.filter { !$0.isEmpty }
        left.removeAll { !known.contains($0.path) }
        found.removeAll { !known.contains($0) }
    }

    /// Skips links to files that are sources themselves.
    private mutating func leaveLinksToSources() {
        let targets = Dictionary(
            folders.joined().lazy.filter { !$0.isLink }.map { (FileIdentity($0.status), $0.path) }
        ) { first, _ in first }
        for index in folders.indices where folders[index].contains(where: \.isLink) {
            folders[index].removeAll { file in
                guard file.isLink, let target = targets[FileIdentity(file.status)] else { return false }
                left.append(
                    SkippedSource(file.path, .link, "is a link to \(target), which is a source itself"))
                return true
            }
        }
    }
}

extension ZipMember {
    /// Writes the bytes of the entry, whose size and checksum are compared at its end.
    func write(
        _ write: (Span<UInt8>) -> Bool, _ read: (Span<UInt8>) -> Void
    ) throws(FileError) {
        do throws(ZipError) {
            let reader = try ZipEntryReader(entry, of: archive)
            while let isWritten = try reader.next({ piece in
                read(piece)
                return write(piece)
            }) {
                guard isWritten else { return }
            }
        } catch {
            throw .unreadable(error.fault.description)
        }
    }
}
