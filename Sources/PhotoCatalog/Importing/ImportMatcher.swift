internal import Basics
internal import Digests
internal import Files
internal import Foundation
internal import GRDB

/// Finds what the library has already of the files that are to be imported.
struct ImportMatcher {
    /// A file of the library that has, or should have, the bytes of a source.
    struct Known {
        /// Below the root.
        var path: String
        /// Whether it is where an import brings it.
        var isImported: Bool
        /// Nil where the library's file has lost its bytes since it was indexed.
        var evidence: ImportEvidence?
        var compared: ImportPlan.Compared?
    }

    private enum Match {
        case same(ImportEvidence, ImportPlan.Compared?)
        case damaged(ImportPlan.Compared)
        case other
    }

    private let library: PhotoLibrary
    /// Whether the catalog is not believed.
    private let compares: Bool
    /// Sizes of which the library has files.
    private let sizes: Set<Int>
    private var readings: [String: FileDigest.Reading?] = [:]

    init(_ library: PhotoLibrary, compares: Bool) throws(LibraryError) {
        (self.library, self.compares) = (library, compares)
        sizes = try library.readAndWait { database in
            try Set(Int.fetchAll(database, sql: "SELECT DISTINCT bytes FROM asset"))
        }
    }

    /// Where an earlier import has brought a file, as the catalog or the places that it would go to tell.
    ///
    /// - Parameter places: the files that have the names that it would get, the first one first.
    mutating func imported(_ file: SourceFile, at places: [String]) throws(LibraryError) -> Known? {
        let remembered = try library.readAndWait { try ImportedFiles.path(of: file, $0) }
        return try known(
            file, among: [remembered].compactMap(\.self) + places, remembered: remembered, isImported: true)
    }

    /// Where else the library has a file's bytes.
    mutating func duplicate(of file: SourceFile) throws(LibraryError) -> Known? {
        guard sizes.contains(file.status.size), let digest = digest(of: file) else { return nil }
        let paths = try library.readAndWait { database in
            try String.fetchAll(
                database, sql: "SELECT path FROM asset WHERE sha256 = ? ORDER BY path",
                arguments: [[UInt8](hexadecimal: digest).map { Data($0) }])
        }
        return try known(file, among: paths, isImported: false)
    }

    /// The first of some paths whose file has a source's bytes; else the first whose file has lost them.
    private mutating func known(
        _ file: SourceFile, among paths: [String], remembered: String? = nil, isImported: Bool
    ) throws(LibraryError) -> Known? {
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

    /// The digest of a source; nil where it cannot be read, which copying will tell.
    mutating func digest(of file: SourceFile) -> String? { reading(file.path)?.text }

    private mutating func reading(_ path: String) -> FileDigest.Reading? {
        if let reading = readings[path] { return reading }
        let reading = try? FileDigest.reading(of: path)
        readings[path] = .some(reading)
        return reading
    }

    /// Compares a source with the library's file at a path.
    private mutating func match(
        _ file: SourceFile, _ path: String, isRemembered: Bool
    ) throws(LibraryError) -> Match {
        let absolute = "\(library.root)/\(path)"
        guard let there = FileStatus(absolute) else { return .other }
        if there.isSameFile(as: file.status) { return .same(.sameFile, nil) }
        guard there.size == file.status.size else { return .other }
        let entry = try entry(of: path)
        let isAsIndexed = entry?.bytes == there.size && entry?.modified == there.modified
        if isAsIndexed, !compares {
            if isRemembered { return .same(.record, nil) }
            if let sha256 = entry?.sha256 {
                return digest(of: file) == sha256 ? .same(.catalog, nil) : .other
            }
        }
        guard let source = reading(file.path), let own = reading(absolute) else { return .other }
        let compared = ImportPlan.Compared(source: source.moment, library: own.moment)
        if source.text == own.text { return .same(.bytes, compared) }
        // Its size and time are those of then, but not its bytes: nobody has edited it, the disk has lost them.
        return isAsIndexed && entry?.sha256 == source.text ? .damaged(compared) : .other
    }

    /// What the catalog knows of a file.
    private struct Entry {
        var bytes: Int
        var modified: Int
        /// Nil for what is no asset.
        var sha256: String?
    }

    private func entry(of path: String) throws(LibraryError) -> Entry? {
        try library.readAndWait { database in
            let row = try Row.fetchOne(
                database,
                sql: """
                    SELECT bytes, modified, lower(hex(sha256)) FROM asset WHERE path = ?1
                    UNION ALL SELECT bytes, modified, NULL FROM other WHERE path = ?1
                    """, arguments: [path])
            return row.map { Entry(bytes: $0[0], modified: $0[1], sha256: $0[2]) }
        }
    }
}

/// What the catalog remembers of sources, so that they are not read again when an import is repeated.
enum ImportedFiles {
    static let table = """
        CREATE TABLE imported (
            source TEXT PRIMARY KEY, bytes INTEGER NOT NULL, modified INTEGER NOT NULL, path TEXT NOT NULL
        ) WITHOUT ROWID;
        """

    /// Where the file went to, if it is as it was then.
    static func path(of file: SourceFile, _ database: Database) throws -> String? {
        try String.fetchOne(
            database, sql: "SELECT path FROM imported WHERE source = ? AND bytes = ? AND modified = ?",
            arguments: [file.path, file.status.size, file.status.modified])
    }

    static func remember(_ items: [ImportPlan.Item], _ database: Database) throws {
        for item in items {
            guard let path = item.destination else { continue }
            try database.execute(
                sql: "INSERT OR REPLACE INTO imported VALUES (?, ?, ?, ?)",
                arguments: [item.source, item.bytes, item.modified, path])
        }
    }
}

/// SHA-256 of files, read piece by piece.
enum FileDigest {
    /// A digest with the moment of the file that it belongs to.
    struct Reading {
        /// 64 hexadecimal digits.
        var text: String
        var moment: FileMoment
    }

    /// The digest of a file as it is now.
    static func of(_ path: String) throws(FileError) -> String { try reading(of: path).text }

    /// The digest of a file as it is now, from the disk where the system allows it.
    ///
    /// - Throws: `FileError`, also where the file changes meanwhile.
    static func reading(of path: String) throws(FileError) -> Reading {
        var hash = SHA256()
        let pieces = try InputPieces(path)
        let before = pieces.moment
        pieces.forgetCached()
        while try pieces.next({ hash.update($0) }) != nil {}
        guard let before, pieces.moment == before, FileMoment(path) == before else {
            throw .unreadable("it was changed while it was read; run it again")
        }
        return Reading(text: hash.finalize().hexadecimal, moment: before)
    }
}

/// Marks of the files that a move has linked into the library and not yet taken from their sources.
///
/// A mark is one more name of the file, in the library's hidden folder. When a killed move is carried out again,
/// it tells such a file from one that somebody else has linked to the library's, which is not removed.
struct MoveMarkers {
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
