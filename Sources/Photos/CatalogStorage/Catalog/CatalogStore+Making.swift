internal import Assets
internal import Files
internal import GRDB

extension CatalogStore {
    /// Creates an empty database, unless there is a file at its path; returns its content if this call has.
    ///
    /// It appears complete: processes that create it at the same time do not meet in a part of it.
    package static func make(at path: String) throws -> String? {
        let folder: OutputFolder
        do throws(FileError) {
            folder = try OutputFolder(
                beside: "\(OutputFile.folder(of: path))/catalog-\(UInt64.random(in: 0...(.max)))")
        } catch {
            throw LibraryError.inaccessible(catalog: path, error)
        }
        defer { folder.discard() }
        let new = folder.path(of: LibraryFolder.catalog)
        let content: String
        do {
            let file = PlainPath(new)
            defer { withExtendedLifetime(file) {} }
            let pool = try DatabasePool(path: file.path, configuration: configuration())
            try migrator.migrate(pool)
            content = try pool.read(self.content)
            try pool.close()
        } catch {
            throw libraryError(error, path: path, file: new)
        }
        do throws(FileError) {
            return try Folder.moveToNewName(new, path) ? content : nil
        } catch {
            throw LibraryError.inaccessible(catalog: path, error)
        }
    }

    /// The rows of all tables, as text.
    private static func content(of database: Database) throws -> String {
        let output = TextOutput()
        try database.dumpContent(to: output)
        return output.text
    }

    private final class TextOutput: TextOutputStream {
        private(set) var text = ""
        func write(_ part: String) { text += part }
    }

    /// Returns a number that changes when another process writes the database; nil if it has other content already.
    ///
    /// - Parameter content: what `make` returned. The number is one of the connection, which is opened after other processes
    ///   can find the database.
    package func foreignVersion(of content: String) throws -> Int? {
        do {
            return try connections.database.writeWithoutTransaction { database in
                // What is written after the number was read changes it.
                let version = try Int.fetchOne(database, sql: "PRAGMA data_version")
                return try Self.content(of: database) == content ? version : nil
            }
        } catch {
            throw Self.libraryError(error, path: path)
        }
    }

    /// Closes the database for good if no other process has it open, or has written it; returns whether it did.
    ///
    /// - Parameters:
    ///   - version: what `foreignVersion` returned when it was made.
    ///   - remove: removes its files, while no other process can read or write it.
    package func takeBack(since version: Int, _ remove: () -> Void) -> Bool {
        guard let pool = connections.database as? DatabasePool else { return false }
        pool.invalidateReadOnlyConnections()
        defer { try? pool.close() }
        let isTaken = try? pool.barrierWriteWithoutTransaction { database in
            try database.execute(sql: "PRAGMA busy_timeout = 0")
            // Every connection to a database with a write-ahead log keeps others from leaving that mode.
            guard try Int.fetchOne(database, sql: "PRAGMA data_version") == version,
                try String.fetchOne(database, sql: "PRAGMA journal_mode = DELETE") == "delete"
            else { return false }
            try database.execute(sql: "BEGIN EXCLUSIVE")
            remove()
            try? database.execute(sql: "ROLLBACK")
            return true
        }
        return isTaken ?? false
    }
}
