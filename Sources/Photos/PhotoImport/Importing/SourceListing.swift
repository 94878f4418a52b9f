internal import Archives
internal import AssetCatalog
internal import Files

/// What a folder of the sources holds.
struct SourceListing {
    /// A file of the folder, or a link to a file.
    private struct Entry {
        var name: FilePath
        var isLink = false
    }

    private let folder: FilePath
    private var entries: [Entry] = []
    /// The archives of exports, whose entries are files of the sources.
    private(set) var archives: [SourceFile] = []
    /// The folders in it, in the order of their names.
    private(set) var folders: [FilePath] = []
    /// What is skipped: also the folder itself if it cannot be read.
    private(set) var left: [SkippedSource] = []

    /// Lists a folder.
    ///
    /// - Parameter scope: which entries are looked at.
    init(of folder: FilePath, _ scope: EntryScope) {
        self.folder = folder
        do {
            for (name, kind) in try Folder.kinds(in: folder.text) { add(FilePath(name), kind, scope) }
        } catch {
            left.append(SkippedSource(folder, .unreadable, error.description))
        }
        folders.sort()
        archives.sort { $0.path < $1.path }
    }

    /// The number of files.
    var count: Int { entries.count }

    /// Reads the status of the files, in the order of their names; those that are gone meanwhile are missing.
    func files() -> [SourceFile] {
        let sorted = entries.sorted { $0.name < $1.name }
        let moments = Folder.moments(of: sorted.lazy.map(\.name), in: folder.text)
        return zip(sorted, moments).compactMap { entry, moment in
            moment.map {
                SourceFile(
                    path: folder.appending(entry.name), status: $0.status, changed: $0.changed,
                    isLink: entry.isLink)
            }
        }
    }

    private mutating func add(_ name: FilePath, _ kind: Folder.Kind, _ scope: EntryScope) {
        if let leaving = scope.leaving(name, in: folder) { return skip(name, leaving.kind, leaving.reason) }
        switch kind {
        case .file where Self.isArchive(name):
            let path = folder.appending(name)
            if let status = FileStatus(path.text) { archives.append(SourceFile(path: path, status: status)) }
        case .file: entries.append(Entry(name: name))
        case .folder: folders.append(folder.appending(name))
        case .link: follow(name)
        case .other: skip(name, FileExtension.isMedia(name) ? .unreadable : .other, "is no regular file")
        }
    }

    private static func isArchive(_ name: FilePath) -> Bool {
        // Most names are told apart by one byte.
        guard let last = name.text.utf8.last, last | 0x20 == UInt8(ascii: "p") else { return false }
        return PhotoExports.isArchive(name.text)
    }

    private mutating func follow(_ name: FilePath) {
        let path = folder.appending(name).text
        if FileStatus(path) != nil {
            entries.append(Entry(name: name, isLink: true))
        } else if Folder.isFolder(path, followingLinks: true) {
            skip(name, .link, "is a link to a folder; name that folder to import it")
        } else {
            skip(
                name, FileExtension.isMedia(name) ? .unreadable : .link,
                "is a link to nothing that can be read")
        }
    }

    private mutating func skip(_ name: FilePath, _ kind: ImportSkipReason.Kind, _ reason: String) {
        left.append(SkippedSource(folder.appending(name), kind, reason))
    }
}

/// What an archive of the sources holds.
struct ArchiveListing {
    /// Entries in one folder of the archive.
    struct Entries {
        private let archive: ZipArchive
        /// The path of the folder, which follows that of the archive.
        let folder: FilePath
        private let numbers: [Int]

        fileprivate init(_ archive: ZipArchive, _ folder: FilePath, _ numbers: [Int]) {
            (self.archive, self.folder, self.numbers) = (archive, folder, numbers)
        }

        /// The number of files.
        var count: Int { numbers.count }

        /// The files in the order of their names.
        var files: [SourceFile] {
            numbers.map { SourceFile(archive.entries[$0], of: archive) }.sorted { $0.name < $1.name }
        }
    }

    /// The entries by their folders, in the order of their paths.
    private(set) var folders: [Entries] = []
    private(set) var left: [SkippedSource] = []

    /// Lists an archive.
    ///
    /// - Parameter scope: which entries are looked at.
    init(of archive: ZipArchive, _ scope: EntryScope) {
        let root = FilePath(archive.path)
        var numbers: [FilePath: [Int]] = [:]
        for (number, entry) in archive.entries.enumerated() {
            if let leaving = Self.leaving(of: entry, scope) {
                left.append(
                    SkippedSource(
                        root.appending(entry.path), bytes: entry.size, leaving.kind, leaving.reason))
            } else {
                numbers[root.appending(entry.path).folder, default: []].append(number)
            }
        }
        folders = numbers.sorted { $0.key < $1.key }.map { Entries(archive, $0.key, $0.value) }
    }

    private static func leaving(of entry: ZipArchive.Entry, _ scope: EntryScope) -> ImportSkipReason? {
        var folder: FilePath = ""
        for name in entry.path.names {
            if let leaving = scope.leaving(name, in: folder) { return leaving }
            folder = folder.appending(name)
        }
        if PhotoExports.isArchive(entry.path.name.text) {
            return ImportSkipReason(
                kind: .unreadable, reason: "is an archive in an archive: unpack it, and import it, too")
        }
        return entry.fault.map { fault in
            let isWanted = FileExtension.isMedia(entry.path) || FileExtension.of(entry.path) == "json"
            return ImportSkipReason(kind: isWanted ? .unreadable : .other, reason: fault.description)
        }
    }
}

extension EntryScope {
    /// Returns why an entry is left; nil if it is looked at.
    fileprivate func leaving(_ name: FilePath, in folder: FilePath) -> ImportSkipReason? {
        guard !includes(name, in: folder) else { return nil }
        let isKept = self != .visible || SystemEntry.isKept(name, in: folder)
        return ImportSkipReason(
            kind: .hidden,
            reason: isKept
                ? "is kept by a system beside photos and was not looked at"
                : "is hidden and was not looked at")
    }
}

extension SkippedSource {
    /// The library itself, mounted below a source.
    static func library(_ folder: FilePath) -> Self {
        Self(folder, .other, "is the library itself, under another path")
    }
}

extension SourceFile {
    /// An entry of an archive.
    fileprivate init(_ entry: ZipArchive.Entry, of archive: ZipArchive) {
        // No file of a disk has this inode and device.
        let status = FileStatus(size: entry.size, modified: entry.modified, inode: .max, device: .max)
        self.init(
            path: FilePath(archive.path).appending(entry.path), status: status,
            member: ZipMember(entry, of: archive))
    }
}
