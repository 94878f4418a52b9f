internal import Files
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
        sizes = try library.catalog.readAndWait { database in
            try Set(Int.fetchAll(database, sql: "SELECT DISTINCT bytes FROM asset"))
        }
    }

    /// Where an earlier import has brought a file, as the catalog or the places that it would go to tell.
    ///
    /// - Parameter places: the files that have the names that it would get, the first one first.
    mutating func imported(_ file: SourceFile, at places: [String]) throws(LibraryError) -> Known? {
        let remembered = try library.catalog.readAndWait { try ImportedFiles.path(of: file, $0) }
        return try known(
            file, among: [remembered].compactMap(\.self) + places, remembered: remembered, isImported: true)
    }

    /// Where else the library has a file's bytes.
    mutating func duplicate(of file: SourceFile) throws(LibraryError) -> Known? {
        guard sizes.contains(file.status.size), let digest = digest(of: file) else { return nil }
        let paths = try library.catalog.readAndWait { database in
            try String.fetchAll(
                database, sql: "SELECT path FROM asset WHERE sha256 = ? ORDER BY path",
                arguments: [Hexadecimal.bytes(digest)])
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
        try library.catalog.readAndWait { database in
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
