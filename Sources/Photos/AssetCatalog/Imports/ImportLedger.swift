package import Files
package import Foundation
package import GRDB

/// An import as the ledger of the library has it.
package struct ImportRecord: Equatable, Sendable {
    /// The number, which is greater for later imports.
    package let id: Int64
    /// When it began.
    package let date: Date
    /// The absolute paths of its sources.
    package let sources: [FilePath]
    /// Whether it removed sources after copying them.
    package let moves: Bool
    /// The number of files that it had found.
    package let discovered: Int
    /// How it ended; nil if it was killed, or is running.
    package let end: End?
    /// The number of files with each outcome, by the outcome's name.
    package internal(set) var counts: [String: Int] = [:]

    /// How an import ends.
    package enum End: String, Sendable { case finished, stopped }

    /// The number of files whose outcome is known; a killed import has not done the others.
    package var done: Int { counts.values.reduce(0, +) }
}

/// What became of one file of an import.
package struct ImportedFileRecord: Equatable, Sendable {
    /// The position in the plan of the import.
    package var number: Int
    /// The absolute path of the file, or of the entry of an archive, when it was imported.
    package var source: FilePath
    package var bytes: Int
    /// The name of the outcome.
    package var outcome: String
    /// The path below the root at that time.
    package var path: FilePath?
    /// The evidence that the library had the file already.
    package var evidence: String?
    package var reason: String?
    /// Whether the source was removed.
    package var isRemoved: Bool

    package init(
        number: Int, source: FilePath, bytes: Int, outcome: String, path: FilePath?, evidence: String?,
        reason: String?, isRemoved: Bool
    ) {
        (self.number, self.source, self.bytes, self.outcome) = (number, source, bytes, outcome)
        (self.path, self.evidence, self.reason, self.isRemoved) = (path, evidence, reason, isRemoved)
    }
}

/// Where a file of the library came from.
package struct ImportOrigin: Equatable, Sendable {
    /// The number of the import.
    package let id: Int64
    package let date: Date
    /// The absolute path of the source at that time.
    package let source: FilePath
    /// Whether the import removed the source.
    package let isRemoved: Bool
    /// Whether the import brought the file; otherwise the library had it already.
    package let isBrought: Bool
}

/// The ledger of imports in the catalog, which is never trimmed.
///
/// It has a row for each import and one for each file of its plan, with what became of it. Before, the library knew
/// what it had imported, but not when, from where, and what became of the files that it did not take.
///
/// - Rows are written in the importer's batches, so that a killed import keeps what it has done. Such an import has no
///   end in the ledger.
/// - A row is written again where more happens to its file, such as the removal of the source.
/// - Assets are found by their checksums, since files are moved and renamed after they were imported.
/// - A catalog that replaces a damaged one gets all rows that can be read.
/// - The files of an import are read page by page: it may have a million of them.
package enum ImportLedger {
    /// `sha256` is that of the asset that an import has made or found, so that it is known under other names, too.
    static let tables = """
        CREATE TABLE importRun (
            id INTEGER PRIMARY KEY AUTOINCREMENT, date INTEGER NOT NULL, sources TEXT NOT NULL,
            moves INTEGER NOT NULL, discovered INTEGER NOT NULL, ended TEXT);
        CREATE TABLE importFile (
            id INTEGER PRIMARY KEY, import INTEGER NOT NULL REFERENCES importRun(id), number INTEGER NOT NULL,
            source TEXT NOT NULL, bytes INTEGER NOT NULL, outcome TEXT NOT NULL, path TEXT, evidence TEXT,
            reason TEXT, removed INTEGER NOT NULL, sha256 BLOB, UNIQUE (import, number));
        CREATE INDEX importFileByPath ON importFile(path) WHERE path IS NOT NULL;
        CREATE INDEX importFileByBytes ON importFile(sha256) WHERE sha256 IS NOT NULL;
        """

    /// How the reason of a file begins that was imported although something is missing of it.
    package static let damageMark = "is damaged, and was imported nevertheless: "

    /// Returns the assets that were damaged when they were imported or indexed, with what is missing, by their paths.
    package static func damaged(_ database: Database) throws -> [FilePath: String] {
        // Texts that begin with the mark sort between it and it with the greatest character.
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT asset.path, substr(max(importFile.reason), ?3) FROM importFile
                JOIN asset ON asset.sha256 = importFile.sha256
                WHERE importFile.reason >= ?1 AND importFile.reason < ?2 GROUP BY asset.path
                UNION ALL SELECT path, damage FROM asset WHERE damage IS NOT NULL
                """, arguments: [damageMark, damageMark + "\u{10FFFF}", damageMark.count + 1])
        return Dictionary(rows.map { (FilePath($0[0] as String), $0[1] as String) }) { first, _ in first }
    }

    /// The names of the tables, in the order in which rows are inserted.
    package static let names = ["importRun", "importFile"]

    /// Begins an import and returns its number.
    package static func begin(
        _ sources: [FilePath], moves: Bool, discovered: Int, _ database: Database
    ) throws -> Int64 {
        try database.execute(
            sql: "INSERT INTO importRun(date, sources, moves, discovered) VALUES (?, ?, ?, ?)",
            arguments: [
                Int(Date().timeIntervalSince1970),
                String(decoding: try JSONEncoder().encode(sources.map(\.text)), as: UTF8.self),
                moves, discovered,
            ])
        return database.lastInsertedRowID
    }

    /// Writes the outcomes of files, or what has become of them since.
    package static func record(
        _ files: [ImportedFileRecord], of id: Int64, _ database: Database
    ) throws {
        // `ifnull`: when a row is written again, its asset may be at another path.
        let insert = try database.cachedStatement(
            sql: """
                INSERT INTO importFile(import, number, source, bytes, outcome, path, evidence, reason, removed, sha256)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, (SELECT sha256 FROM asset WHERE path = ?6))
                ON CONFLICT (import, number) DO UPDATE SET outcome = excluded.outcome, path = excluded.path,
                    evidence = excluded.evidence, reason = excluded.reason, removed = excluded.removed,
                    sha256 = ifnull(excluded.sha256, sha256)
                """)
        for file in files {
            try insert.execute(
                arguments: [
                    id, file.number, file.source.text, file.bytes, file.outcome, file.path?.text,
                    file.evidence,
                    file.reason, file.isRemoved,
                ])
        }
    }

    package static func end(_ id: Int64, _ end: ImportRecord.End, _ database: Database) throws {
        try database.execute(
            sql: "UPDATE importRun SET ended = ? WHERE id = ?", arguments: [end.rawValue, id])
    }

    /// Returns the imports with a condition, the first one first.
    static func imports(where condition: String = "1", _ database: Database) throws -> [ImportRecord] {
        var imports = try Row.fetchAll(
            database,
            sql: """
                SELECT id, date, sources, moves, discovered, ended FROM importRun WHERE \(condition) ORDER BY id
                """
        ).map { ImportRecord($0) }
        let places = Dictionary(uniqueKeysWithValues: imports.enumerated().map { ($1.id, $0) })
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT import, outcome, count(*) FROM importFile
                WHERE import IN (SELECT id FROM importRun WHERE \(condition)) GROUP BY import, outcome
                """)
        while let row = try rows.next() {
            guard let place = places[row[0]] else { continue }
            imports[place].counts[row[1]] = row[2]
        }
        return imports
    }

    /// Returns the files of an import after a position, at most `count`.
    static func files(
        of id: Int64, after number: Int, most count: Int, _ database: Database
    ) throws -> [ImportedFileRecord] {
        let find = try database.cachedStatement(
            sql: """
                SELECT number, source, bytes, outcome, path, evidence, reason, removed FROM importFile
                WHERE import = ? AND number > ? ORDER BY number LIMIT ?
                """)
        return try Array(
            Row.fetchCursor(find, arguments: [id, number, count]).map { ImportedFileRecord($0) })
    }

    /// The outcomes of files that an import has brought.
    private static let brought: Set = ["imported", "repaired"]

    /// Returns where an asset came from: the first import that brought its bytes, or else found them there.
    ///
    /// A file with other bytes that was imported to the same path counts only if its checksum is not known.
    static func origin(of path: FilePath, _ database: Database) throws -> ImportOrigin? {
        let find = try database.cachedStatement(
            sql: """
                SELECT importRun.id, importRun.date, importFile.source, importFile.removed, importFile.outcome
                FROM importFile JOIN importRun ON importRun.id = importFile.import
                WHERE importFile.sha256 = (SELECT sha256 FROM asset WHERE path = ?1)
                    OR importFile.path = ?1 AND importFile.sha256 IS NULL
                ORDER BY importFile.outcome IN ('imported', 'repaired') DESC, importFile.path = ?1 DESC, importFile.id
                LIMIT 1
                """)
        return try Row.fetchOne(find, arguments: [path.text]).map {
            ImportOrigin(
                id: $0[0], date: Date(timeIntervalSince1970: TimeInterval($0[1] as Int)),
                source: FilePath($0[2] as String), isRemoved: $0[3],
                isBrought: brought.contains($0[4]))
        }
    }
}

extension ImportOrigin: CustomStringConvertible {
    /// "import 3 of 2026-05-25 copied it from /media/card/a.jpg".
    package var description: String {
        let day = date.ISO8601Format().prefix(10)
        return "import \(id) of \(day) \(isRemoved ? "moved" : isBrought ? "copied" : "found") it "
            + "\(isBrought ? "from" : "at") \(source)"
    }
}

extension ImportRecord {
    private static func sources(_ text: String?) -> [FilePath] {
        let texts = try? JSONDecoder().decode([String].self, from: Data((text ?? "").utf8))
        return texts?.map { FilePath($0) } ?? []
    }

    /// Reads the columns of `importRun`.
    init(_ row: Row) {
        self.init(
            id: row["id"], date: Date(timeIntervalSince1970: TimeInterval(row["date"] as Int? ?? 0)),
            sources: Self.sources(row["sources"]),
            moves: row["moves"] ?? false, discovered: row["discovered"] ?? 0,
            end: (row["ended"] as String?).flatMap(End.init(rawValue:)))
    }
}

extension ImportedFileRecord {
    /// Reads the columns that `ImportLedger.files` selects.
    fileprivate init(_ row: Row) {
        self.init(
            number: row[0], source: FilePath(row[1] as String), bytes: row[2], outcome: row[3],
            path: (row[4] as String?).map { FilePath($0) }, evidence: row[5], reason: row[6],
            isRemoved: row[7])
    }
}

extension PhotoLibrary {
    /// Returns all imports into the library, the first one first.
    package func imports() async throws -> [ImportRecord] {
        try await read { try ImportLedger.imports($0) }
    }

    /// Returns an import, without its files.
    ///
    /// - Throws: `LibraryError` of the kind `notFound` if the library has no import of that number.
    package func importRecord(_ id: Int64) async throws -> ImportRecord {
        let root = root
        return try await read { database in
            guard let record = try ImportLedger.imports(where: "id = \(id)", database).first else {
                throw LibraryError(.noImport(id, root: root))
            }
            return record
        }
    }

    /// Returns what became of the files of an import after a position in its plan; at most `count` of them, in order.
    package func importedFiles(
        of id: Int64, after number: Int = -1, most count: Int = 4096
    ) async throws -> [ImportedFileRecord] {
        try await read { try ImportLedger.files(of: id, after: number, most: count, $0) }
    }

    /// Returns where files of the library came from, by their paths below the root.
    package func origins(of paths: [FilePath]) async throws -> [FilePath: ImportOrigin] {
        try await read { database in
            var origins: [FilePath: ImportOrigin] = [:]
            for path in paths { origins[path] = try ImportLedger.origin(of: path, database) }
            return origins
        }
    }
}
