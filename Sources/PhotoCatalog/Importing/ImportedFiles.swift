internal import Files
internal import GRDB

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
