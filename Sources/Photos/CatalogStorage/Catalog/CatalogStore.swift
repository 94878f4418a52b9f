internal import Assets
internal import Files
internal import GRDB
internal import Places

/// The database of a library: concurrent reads on several connections, serialized writes.
///
/// The asynchronous methods run on the database's queues and never block the caller.
package final class CatalogStore: Sendable {
    package let path: String
    /// Why nothing is stored: the storage is read-only, or this user may not write there.
    private let fault: LibraryError?
    let connections: Connections

    /// Whether nothing is stored.
    package var isReadOnly: Bool { fault != nil }

    /// The connections to a database, and what has to exist as long as they do.
    struct Connections {
        let database: any DatabaseWriter
        var file: PlainPath?
        var copy: CatalogCopy?
    }

    /// Opens or creates a database and migrates its schema; blocks.
    ///
    /// A database that cannot be written is read where it is if nobody else can write it either; otherwise, and if its
    /// log or its schema needs writing, a copy is read.
    ///
    /// - Parameters:
    ///   - pageKilobytes: the memory for pages of each connection.
    ///   - asCopy: whether a database that cannot be written is copied, so that `write` changes the copy.
    package convenience init(path: String, asCopy: Bool = false) throws {
        try self.init(path: path, Self.migrator, asCopy: asCopy)
    }

    /// Opens or creates a database of another schema.
    init(
        path: String, _ migrator: DatabaseMigrator, pageKilobytes: Int = 16000, asCopy: Bool = false
    ) throws {
        self.path = path
        let fault = ReadOnlyCatalog.fault(of: path)
        self.fault = asCopy ? nil : fault.map { .inaccessible(catalog: path, $0) }
        do {
            if let fault {
                let isFixed = fault.isReadOnlyStorage && !asCopy
                connections =
                    try (isFixed ? Self.fixed(path, migrator, pageKilobytes) : nil)
                    ?? Self.copied(path, migrator, pageKilobytes)
            } else {
                connections = try Self.open(path, migrator, pageKilobytes)
            }
        } catch {
            throw Self.libraryError(error, path: path)
        }
    }

    private static func open(
        _ path: String, _ migrator: DatabaseMigrator, _ pageKilobytes: Int
    ) throws -> Connections {
        while true {
            let before = FileIdentity(path)
            let result = Result { try opened(path, migrator, pageKilobytes) }
            // Its maker may have taken it back before this connection kept it from doing so.
            guard before != nil, before != FileIdentity(path) else { return try result.get() }
            if FileStatus(path) == nil { throw LibraryError(.missing(catalog: path)) }
        }
    }

    private static func opened(
        _ path: String, _ migrator: DatabaseMigrator, _ pageKilobytes: Int
    ) throws -> Connections {
        let file = PlainPath(path)
        let pool = try DatabasePool(path: file.path, configuration: configuration(pageKilobytes))
        if try pool.read(migrator.hasBeenSuperseded) { throw LibraryError(.newer(catalog: path)) }
        try migrate(pool, migrator)
        return Connections(database: pool, file: file)
    }

    /// Opens a database that nobody can write; nil if its log has to be applied, or its schema to be migrated.
    private static func fixed(
        _ path: String, _ migrator: DatabaseMigrator, _ pageKilobytes: Int
    ) throws -> Connections? {
        guard !CatalogCopy.isNeeded(for: path) else { return nil }
        var configuration = configuration(pageKilobytes)
        configuration.readonly = true
        do {
            let pool = try DatabasePool(
                path: ReadOnlyCatalog.address(path), configuration: configuration)
            if try pool.read(migrator.hasBeenSuperseded) { throw LibraryError(.newer(catalog: path)) }
            return try pool.read(migrator.hasCompletedMigrations) ? Connections(database: pool) : nil
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CANTOPEN {
            // An SQLite that was built without addresses.
            return nil
        }
    }

    /// Opens a copy of a database, whose files are removed as soon as they are open: the system frees them with the last
    /// descriptor, also if the process is killed.
    private static func copied(
        _ path: String, _ migrator: DatabaseMigrator, _ pageKilobytes: Int
    ) throws -> Connections {
        let copy = try CatalogCopy(of: path)
        let file = PlainPath(copy.path)
        defer { withExtendedLifetime((copy, file)) {} }
        do {
            let queue = try DatabaseQueue(path: file.path, configuration: configuration(pageKilobytes))
            // Applies the log; a single connection then needs no files beside the database.
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = MEMORY") }
            if try queue.read(migrator.hasBeenSuperseded) { throw LibraryError(.newer(catalog: path)) }
            try migrator.migrate(queue)
            #if canImport(Darwin)
            // Apple's SQLite rejects databases whose files were removed.
            return Connections(database: queue, copy: copy)
            #else
            return Connections(database: queue)
            #endif
        } catch {
            // The error names the catalog, not the copy.
            throw libraryError(error, path: path, file: copy.path)
        }
    }

    /// Migrates the schema, also while another process does the same.
    private static func migrate(_ pool: DatabasePool, _ migrator: DatabaseMigrator) throws {
        var applied = try pool.read(migrator.appliedIdentifiers)
        while true {
            do {
                return try migrator.migrate(pool)
            } catch let error as DatabaseError {
                // The other process has applied this migration meanwhile: continue with the next.
                let present = try pool.read(migrator.appliedIdentifiers)
                guard present.count > applied.count else { throw error }
                applied = present
            }
        }
    }

    static func configuration(_ pageKilobytes: Int = 16000) -> Configuration {
        var configuration = Configuration()
        configuration.label = "viewport.catalog"
        configuration.maximumReaderCount = 4
        // Other processes write in short batches.
        configuration.busyMode = .timeout(20)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA cache_size = -\(pageKilobytes)")
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
            // Debian's SQLite overwrites deleted rows with zeros, which only costs time here.
            try database.execute(sql: "PRAGMA secure_delete = OFF")
            database.add(function: NearFilter.metersBetween)
            database.add(function: PlaceFilter.placeHolds)
            database.add(function: CollectionQuery.weekOf)
            database.add(function: Stacking.shotOf)
            database.add(function: countryOf)
        }
        return configuration
    }

    /// The SQL function for the names of a place's country.
    static let countryOf = DatabaseFunction("countryOf", argumentCount: 1, pure: true) { values in
        String.fromDatabaseValue(values[0]).flatMap { Country(ofPlace: $0)?.names }
    }

    /// Reads from one snapshot of the database.
    package func read<R: Sendable>(
        _ body: @escaping @Sendable (Catalog) throws -> R
    ) async throws -> R {
        do {
            return try await connections.database.read { try body(Catalog($0)) }
        } catch {
            throw Self.libraryError(error, path: path)
        }
    }

    /// Writes in one transaction.
    package func write<R: Sendable>(
        _ body: @escaping @Sendable (Catalog) throws -> R
    ) async throws -> R {
        if let fault { throw fault }
        do {
            return try await connections.database.write { try body(Catalog($0)) }
        } catch {
            throw Self.libraryError(error, path: path)
        }
    }

    /// Writes what is not worth storing, such as a check that SQLite takes for a write: to a copy, if need be.
    package func writeAside<R: Sendable>(
        _ body: @escaping @Sendable (Catalog) throws -> R
    ) async throws -> R {
        guard fault != nil else { return try await write(body) }
        let path = path
        let copy = try await BackgroundQueue.run {
            try CatalogStore(path: path, asCopy: true)
        }
        return try await copy.write(body)
    }

    /// Writes on the current thread, which may block.
    package func writeAndWait<R>(_ body: (Catalog) throws -> R) throws -> R {
        if let fault { throw fault }
        do {
            return try connections.database.write { try body(Catalog($0)) }
        } catch {
            throw Self.libraryError(error, path: path)
        }
    }

    /// Reads on the current thread, which may block.
    package func readAndWait<R>(_ body: (Catalog) throws -> R) throws -> R {
        do {
            return try connections.database.read { try body(Catalog($0)) }
        } catch {
            throw Self.libraryError(error, path: path)
        }
    }

    /// Whether reading a catalog needs no copy of it.
    package static func isReadInPlace(_ path: String) -> Bool { ReadOnlyCatalog.isReadInPlace(path) }

    /// Checkpoints the log, so that the database is one file, and closes all connections.
    package func close() throws {
        do {
            if fault == nil {
                _ = try connections.database.writeWithoutTransaction { try $0.checkpoint(.truncate) }
            }
            try connections.database.close()
        } catch {
            throw Self.libraryError(error, path: path)
        }
    }

    /// Whether a message says that tables are those of another program.
    private static func isAboutTables(_ message: String) -> Bool {
        ["no such table", "no such column", "has no column", "already exists"].contains(
            where: message.contains)
    }

    /// Maps an error of the database to one of the library.
    ///
    /// - Parameter file: the file that was opened, if it is a copy of the catalog.
    static func libraryError(
        _ error: any Error, path: String, file: String? = nil
    ) -> any Error {
        if error is LibraryError { return error }
        if error is CancellationError { return error }
        guard let error = error as? DatabaseError else {
            // Other errors of the database's reader have the statement and the row in their texts.
            return error is RowDecodingError
                ? LibraryError(
                    .damaged(catalog: path, reason: "a row has other values than a library stores"))
                : LibraryError(.inaccessible(catalog: path, reason: "\(error)"))
        }
        var reason = error.message ?? "SQLite's error \(error.resultCode.rawValue)"
        // SQLite reports a full disk as an I/O error where it cannot enlarge its shared memory.
        if error.resultCode == .SQLITE_IOERR,
            let free = Folder.freeBytes(at: OutputFile.folder(of: file ?? path)), free < 65_536
        {
            reason = "the disk is full"
        }
        // The storage may have become read-only since the catalog was opened.
        if [.SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_READONLY].contains(error.resultCode),
            let fault = ReadOnlyCatalog.fault(of: path), fault.isReadOnlyStorage, file == nil
        {
            return LibraryError.inaccessible(catalog: path, fault)
        }
        // A cancelled task interrupts its statements.
        if [.SQLITE_INTERRUPT, .SQLITE_ABORT].contains(error.resultCode) { return CancellationError() }
        let cause: LibraryError.Cause =
            switch error.resultCode {
            case .SQLITE_BUSY, .SQLITE_LOCKED: .busy(catalog: path)
            case .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY, .SQLITE_NOMEM:
                .inaccessible(catalog: path, reason: reason)
            case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT: .damaged(catalog: path, reason: reason)
            case .SQLITE_ERROR where Self.isAboutTables(reason):
                .damaged(catalog: path, reason: "its tables are not those of a library")
            // The message has parts of the statement.
            case .SQLITE_ERROR: .refused(catalog: path, reason: "SQLite's error 1")
            default: .refused(catalog: path, reason: reason)
            }
        return LibraryError(cause)
    }
}
