internal import Dispatch
private import Files
internal import GRDB

/// The database of a library: concurrent reads on several connections, serialized writes.
///
/// The asynchronous methods run on the database's queues and never block the caller.
final class Catalog: Sendable {
    let path: String
    private let file: PlainPath
    private let pool: DatabasePool

    /// Opens or creates a database and migrates its schema; blocks.
    ///
    /// - Parameter pageKilobytes: the memory for pages of each connection.
    init(
        path: String, _ migrator: DatabaseMigrator = Catalog.migrator, pageKilobytes: Int = 16000
    ) throws(LibraryError) {
        self.path = path
        file = PlainPath(path)
        do {
            pool = try DatabasePool(path: file.path, configuration: Self.configuration(pageKilobytes))
            if try pool.read(migrator.hasBeenSuperseded) { throw LibraryError.newer(catalog: path) }
            try Self.migrate(pool, migrator)
        } catch {
            throw Self.libraryError(error, path: path)
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

    private static func configuration(_ pageKilobytes: Int) -> Configuration {
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
            database.add(function: Country.countryOf)
        }
        return configuration
    }

    /// Reads from one snapshot of the database.
    func read<R: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> R
    ) async throws(LibraryError) -> R {
        do {
            return try await pool.read(body)
        } catch {
            throw Self.libraryError(error, path: path)
        }
    }

    /// Writes in one transaction.
    func write<R: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> R
    ) async throws(LibraryError) -> R {
        do {
            return try await pool.write(body)
        } catch {
            throw Self.libraryError(error, path: path)
        }
    }

    /// Writes on the current thread, which may block.
    func writeAndWait<R>(_ body: (Database) throws -> R) throws(LibraryError) -> R {
        do {
            return try pool.write(body)
        } catch {
            throw Self.libraryError(error, path: path)
        }
    }

    /// Reads on the current thread, which may block.
    func readAndWait<R>(_ body: (Database) throws -> R) throws(LibraryError) -> R {
        do {
            return try pool.read(body)
        } catch {
            throw Self.libraryError(error, path: path)
        }
    }

    /// Checkpoints the log, so that the database is one file, and closes all connections.
    func close() throws(LibraryError) {
        do {
            _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
            try pool.close()
        } catch {
            throw Self.libraryError(error, path: path)
        }
    }

    /// Maps an error of the database to one of the library.
    private static func libraryError(_ error: any Error, path: String) -> LibraryError {
        if let error = error as? LibraryError { return error }
        if error is CancellationError { return .cancelled }
        guard let error = error as? DatabaseError else {
            return .inaccessible(catalog: path, reason: "\(error)")
        }
        var reason = error.message ?? "SQLite's error \(error.resultCode.rawValue)"
        // SQLite reports a full disk as an I/O error where it cannot enlarge its shared memory.
        if error.resultCode == .SQLITE_IOERR, let free = Folder.freeBytes(at: OutputFile.folder(of: path)),
            free < 65_536
        {
            reason = "the disk is full"
        }
        return switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: .busy(catalog: path)
        case .SQLITE_INTERRUPT, .SQLITE_ABORT: .cancelled
        case .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY, .SQLITE_NOMEM:
            .inaccessible(catalog: path, reason: reason)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT: .damaged(catalog: path, reason: reason)
        default: .refused(catalog: path, reason: reason)
        }
    }
}

/// Runs blocking work on threads outside of the cooperative pool, while the caller's task is suspended.
enum BackgroundQueue {
    private static let queue = DispatchQueue(label: "viewport.library", attributes: .concurrent)

    static func run<R: Sendable>(
        _ work: @escaping @Sendable () throws(LibraryError) -> R
    ) async throws(LibraryError) -> R {
        try await result(work).get()
    }

    static func result<R: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> R
    ) async -> Result<R, Failure> {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Result(catching: work)) }
        }
    }
}
