package import Assets
package import Files
internal import Foundation
internal import GRDB

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
package struct ImportLedger {
    let database: Database

    init(_ database: Database) { self.database = database }

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

    /// Returns the assets that were damaged when they were imported or indexed, with what is missing, by their paths.
    package func damaged() throws -> [FilePath: String] {
        // Texts that begin with the mark sort between it and it with the greatest character.
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT asset.path, substr(max(importFile.reason), ?3) FROM importFile
                JOIN asset ON asset.sha256 = importFile.sha256
                WHERE importFile.reason >= ?1 AND importFile.reason < ?2 GROUP BY asset.path
                UNION ALL SELECT path, damage FROM asset WHERE damage IS NOT NULL
                """,
            arguments: [
                ImportedFileRecord.damageMark, ImportedFileRecord.damageMark + "\u{10FFFF}",
                ImportedFileRecord.damageMark.count + 1,
            ])
        return Dictionary(rows.map { (FilePath($0[0] as String), $0[1] as String) }) { first, _ in first }
    }

    /// The names of the tables, in the order in which rows are inserted.
    static let names = ["importRun", "importFile"]

    /// Begins an import and returns its number.
    package func begin(
        _ sources: [FilePath], moves: Bool, discovered: Int
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
    package func record(
        _ files: [ImportedFileRecord], of id: Int64
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

    package func end(_ id: Int64, _ end: ImportRecord.End) throws {
        try database.execute(
            sql: "UPDATE importRun SET ended = ? WHERE id = ?", arguments: [end.rawValue, id])
    }

    /// Returns all imports, the first one first.
    package func all() throws -> [ImportRecord] { try imports() }

    /// Returns an import, without its files; nil if there is none of the number.
    package func record(_ id: Int64) throws -> ImportRecord? { try imports(where: "id = \(id)").first }

    /// Returns the imports with a condition, the first one first.
    private func imports(where condition: String = "1") throws -> [ImportRecord] {
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
    package func files(
        of id: Int64, after number: Int, most count: Int
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
    package func origin(of path: FilePath) throws -> ImportOrigin? {
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
                isBrought: Self.brought.contains($0[4]))
        }
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

extension Catalog {
    package var imports: ImportLedger { ImportLedger(database) }
}
