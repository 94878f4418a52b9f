internal import Archives
internal import AssetCatalog
internal import Files

/// The files below the sources, and the entries that are skipped.
///
/// Symbolic links to files are followed; links to folders are not, since they may form a cycle.
struct SourceWalk {
    /// The files of each folder, sorted by name; folders sorted by path.
    private(set) var folders: [[SourceFile]] = []
    private(set) var left: [SkippedSource] = []
    /// All that was found, noted before anything is decided: each has to be in a folder or be skipped.
    private(set) var found: [FilePath] = []
    /// The archives that are read.
    private(set) var archives: [String] = []
    private let root: String
    /// The most bytes of an entry of an archive; nil for the archives' own limit.
    private let entryLimit: Int?
    private let scope: EntryScope
    private var seen: Set<FilePath> = []

    /// - Parameters:
    ///   - paths: absolute paths of files and folders.
    ///   - root: the root of the library, which is never a source.
    /// - Throws: `LibraryError` of the kind `notFound` if one of the paths cannot be read.
    init(_ paths: [FilePath], root: String, entryLimit: Int? = nil, _ scope: EntryScope) throws {
        (self.root, self.entryLimit, self.scope) = (root, entryLimit, scope)
        var named: [FilePath: [SourceFile]] = [:]
        var order: [FilePath] = []
        for path in paths {
            let parent = path.folder
            if let status = FileStatus(path.text) {
                let isNew = seen.insert(path).inserted
                if ZipArchive.isNamed(path.text) {
                    guard isNew else { continue }
                    do throws(ZipError) {
                        try list(ZipArchive(path.text, limit: entryLimit))
                    } catch {
                        throw LibraryError.archive(error)
                    }
                    continue
                }
                found.append(path)
                guard isNew else { continue }
                if named[parent] == nil { order.append(parent) }
                // Named files of one folder may belong to the same group.
                named[parent, default: []].append(
                    SourceFile(path: path, status: status, isLink: Folder.isLink(path.text)))
                continue
            }
            do {
                try Folder.check(path.text)
            } catch {
                throw LibraryError(.noSource(path.text, reason: error.description))
            }
            walk(path)
        }
        folders += order.compactMap { named[$0]?.sorted { $0.name < $1.name } }
        joinFoldersOfExports()
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

    /// Drops all but some files.
    mutating func keep(_ known: Set<FilePath>) {
        folders = folders.map { $0.filter { known.contains($0.path) } }.filter { !$0.isEmpty }
        left.removeAll { !known.contains($0.path) }
        found.removeAll { !known.contains($0) }
    }

    private mutating func walk(_ top: FilePath) {
        var waiting = [top]
        while let folder = waiting.popLast() {
            guard seen.insert(folder).inserted else { continue }
            guard !Folder.isSame(folder.text, as: root) else {
                add([.library(folder)])
                continue
            }
            let listing = SourceListing(of: folder, scope)
            add(listing.left)
            for archive in listing.archives where seen.insert(archive.path).inserted { list(archive) }
            let files = listing.files()
            found += files.lazy.map(\.path)
            let new = files.filter { seen.insert($0.path).inserted }
            if !new.isEmpty { folders.append(new) }
            waiting += listing.folders.reversed()
        }
    }

    /// Notes what is found and skipped.
    private mutating func add(_ skipped: [SkippedSource]) {
        found += skipped.lazy.map(\.path)
        left += skipped
    }

    /// Reads an archive that lies in a folder.
    private mutating func list(_ file: SourceFile) {
        do throws(ZipError) {
            try list(ZipArchive(file.path.text, limit: entryLimit))
        } catch {
            add([SkippedSource(file.path, bytes: file.status.size, .unreadable, error.fault.description)])
        }
    }

    /// Adds the files of an archive.
    private mutating func list(_ archive: ZipArchive) {
        archives.append(archive.path)
        let listing = ArchiveListing(of: archive, scope)
        add(listing.left)
        for entries in listing.folders {
            let files = entries.files
            found += files.lazy.map(\.path)
            folders.append(files)
        }
    }

    /// Joins the folders of one export that are in several archives or unpacked folders: a sidecar may be in another
    /// archive than its photo.
    private mutating func joinFoldersOfExports() {
        var places: [FilePath: Int] = [:]
        var joined: [[SourceFile]] = []
        for files in folders {
            let folder = files.first?.path.folder ?? ""
            let key = TakeoutFolderName.insideExport(folder) ?? folder
            if let place = places[key] {
                joined[place] += files
            } else {
                places[key] = joined.count
                joined.append(files)
            }
        }
        folders = joined
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
