internal import Archives
internal import AssetCatalog
internal import Basics
internal import CatalogStorage
internal import Digests
internal import Files
internal import Foundation

/// Finds files in the library that equal the files to import.
struct ImportMatcher {
    /// A file of the library that has, or should have, the same bytes as a source.
    struct Known {
        /// Below the root.
        var path: FilePath
        /// Whether it is at the path that an import would give it.
        var isImported: Bool
        /// Nil if the library's file was damaged since it was indexed.
        var evidence: ImportEvidence?
        var compared: ImportPlan.Compared?
    }

    private enum Match {
        case same(ImportEvidence, ImportPlan.Compared?)
        case damaged(ImportPlan.Compared)
        case other
    }

    private let library: PhotoLibrary
    /// Whether bytes are compared even if the catalog has a record.
    private let compares: Bool
    /// The sizes of all files in the library.
    private let sizes: Set<Int>
    private var readings: [FilePath: FileDigest.Reading?] = [:]

    init(_ library: PhotoLibrary, compares: Bool) throws {
        (self.library, self.compares) = (library, compares)
        sizes = try library.readAndWait { try $0.assetSizes() }
    }

    /// Returns the file that an earlier import made of a source.
    ///
    /// - Parameter places: existing files with the names that the source would get, in order.
    mutating func imported(_ file: SourceFile, at places: [FilePath]) throws -> Known? {
        let remembered = try library.readAndWait { try $0.path(ofImported: file) }
        return try known(
            file, among: [remembered].compactMap(\.self) + places, remembered: remembered, isImported: true)
    }

    /// Returns a file at any other path with the same bytes.
    ///
    /// - Parameter others: paths that do not count.
    mutating func duplicate(of file: SourceFile, except others: Set<FilePath> = []) throws -> Known? {
        guard sizes.contains(file.status.size), let digest = digest(of: file) else { return nil }
        let paths = try library.readAndWait { try $0.paths(withDigest: digest) }
        return try known(file, among: paths.filter { !others.contains($0) }, isImported: false)
    }

    /// Returns the first file with the same bytes; else the first that should have them and is damaged.
    private mutating func known(
        _ file: SourceFile, among paths: [FilePath], remembered: FilePath? = nil, isImported: Bool
    ) throws -> Known? {
        var damaged: Known?
        for path in paths where path != damaged?.path {
            switch try match(file, path, isRemembered: path == remembered) {
            case .same(let evidence, let compared):
                return Known(path: path, isImported: isImported, evidence: evidence, compared: compared)
            case .damaged(let compared):
                damaged = damaged ?? Known(path: path, isImported: isImported, compared: compared)
            case .other: continue
            }
        }
        return damaged
    }

    /// Returns the digest of a source; nil if it cannot be read, which copying reports.
    mutating func digest(of file: SourceFile) -> String? { reading(file.path, file.member)?.text }

    private mutating func reading(_ path: FilePath, _ member: ZipMember? = nil) -> FileDigest.Reading? {
        if let reading = readings[path] { return reading }
        let reading =
            if let member { try? FileDigest.reading(of: member) } else {
                try? FileDigest.reading(of: path.text)
            }
        readings[path] = .some(reading)
        return reading
    }

    /// Compares a source with the library's file at a path.
    private mutating func match(
        _ file: SourceFile, _ path: FilePath, isRemembered: Bool
    ) throws -> Match {
        let absolute = FilePath(library.path(of: path))
        guard let there = FileStatus(absolute.text) else { return .other }
        if there.isSameFile(as: file.status) { return .same(.sameFile, nil) }
        guard there.size == file.status.size else { return .other }
        let entry = try library.readAndWait { try $0.record(at: path) }
        let isAsIndexed = entry?.bytes == there.size && entry?.modified == there.modified
        if isAsIndexed, !compares {
            if isRemembered { return .same(.record, nil) }
            if let sha256 = entry?.sha256 {
                return digest(of: file) == sha256 ? .same(.catalog, nil) : .other
            }
        }
        guard let source = reading(file.path, file.member), let own = reading(absolute) else { return .other }
        let compared = ImportPlan.Compared(source: source.moment, library: own.moment)
        if source.text == own.text { return .same(.bytes, compared) }
        // Size and time are unchanged, but the bytes are not: the file was not edited but damaged.
        return isAsIndexed && entry?.sha256 == source.text ? .damaged(compared) : .other
    }
}

extension Catalog {
    /// Returns the path that a source was imported to, if the source is unchanged.
    func path(ofImported file: SourceFile) throws -> FilePath? {
        try path(
            ofImported: file.path, FileState(bytes: file.status.size, modified: file.recordTime))
    }

    /// Records what was imported, so that a repeated import does not read it again.
    func rememberImports(_ items: [ImportPlan.Item]) throws {
        for item in items {
            guard let path = item.destination else { continue }
            try rememberImport(
                of: item.source, FileState(bytes: item.bytes, modified: item.modified), as: path)
        }
    }
}

extension FileDigest {
    /// Reads the digest of an entry of an archive; the state is that of the archive.
    static func reading(of member: ZipMember) throws(ZipError) -> Reading {
        var hash = SHA256()
        let reader = try ZipEntryReader(member.entry, of: member.archive)
        while try reader.next({ hash.update($0) }) != nil {}
        return Reading(hash.finalize().bytes, member.archive.moment)
    }
}

/// Markers of files that a move has linked into the library and not yet removed from the sources.
///
/// A marker is another link to the file in the library's hidden folder. When a killed move is repeated, it
/// distinguishes such a file from one that the user has linked to the library's file, which must not be removed.
struct MoveMarkers {
    private let folder: String

    init(root: String) { folder = "\(root)/\(LibraryFolder.name)/moving" }

    private func path(_ status: FileStatus) -> String { "\(folder)/\(status.device)-\(status.inode)" }

    /// Marks a file; returns false if that is impossible, as on disks without hard links.
    func add(_ source: String, _ status: FileStatus) -> Bool {
        guard (try? Folder.make(folder)) != nil else { return false }
        return FileLink.makeOnSameDisk(source, as: path(status)) || contains(status)
    }

    func contains(_ status: FileStatus) -> Bool {
        FileStatus(path(status))?.isSameFile(as: status) ?? false
    }

    func remove(_ status: FileStatus) { Folder.remove(path(status)) }

    /// Removes all markers.
    func clear() {
        for name in Folder.names(in: folder) { Folder.remove("\(folder)/\(name)") }
        Folder.removeEmpty(folder)
        // Removes the hidden folder if the catalog is elsewhere.
        Folder.removeEmpty(OutputFile.folder(of: folder))
    }
}
