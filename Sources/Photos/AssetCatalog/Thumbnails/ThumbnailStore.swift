internal import Basics
package import Files
internal import Foundation
internal import GRDB

/// The thumbnails of a library, in a database beside the catalog.
///
/// They are found by the bytes of the file and the turn of its sidecar: a file that was moved keeps its thumbnails, and
/// copies share them. Without the database, pictures are made when they are needed.
struct ThumbnailStore: Sendable {
    /// What a picture depends on.
    struct Key: Hashable, Sendable {
        var sha256: Data
        var turn: Int

        init(_ asset: Asset) {
            sha256 = Data([UInt8](hexadecimal: asset.sha256) ?? [])
            turn = asset.turn.rawValue
        }

        init(_ row: Row) { (sha256, turn) = (row[0], row[1]) }

        /// The order of the database.
        static func < (a: Self, b: Self) -> Bool {
            a.sha256 == b.sha256 ? a.turn < b.turn : a.sha256.lexicographicallyPrecedes(b.sha256)
        }
    }

    /// The thumbnails of one key.
    struct Entry: Sendable {
        var key: Key
        var thumbnails: [AssetThumbnail]
    }

    /// The version of the pictures; increment it when other bytes are made of the same file.
    private static let version = 1

    private let database: Catalog

    /// Opens the thumbnails of a catalog.
    init(catalog: String) throws {
        database = try Catalog(path: Self.path(catalog), Self.migrator, pageKilobytes: 2000)
    }

    static func path(_ catalog: String) -> String { catalog + ".thumbnails" }

    /// Opens the thumbnails for writing; damaged ones, and those of another version, are removed.
    static func writable(catalog: String) throws -> Self {
        let store: Self
        do {
            store = try Self(catalog: catalog)
            try store.removeOtherVersions()
        } catch {
            guard (error as? LibraryError)?.kind == .damaged else { throw error }
            for suffix in ["-wal", "-shm", ""] { Folder.remove(path(catalog) + suffix) }
            let new = try Self(catalog: catalog)
            try new.removeOtherVersions()
            return new
        }
        return store
    }

    private func removeOtherVersions() throws {
        try database.writeAndWait { database in
            guard try Int.fetchOne(database, sql: "PRAGMA user_version") != Self.version else { return }
            try database.execute(sql: "DELETE FROM thumbnail; PRAGMA user_version = \(Self.version)")
        }
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("thumbnails") { database in
            try database.execute(
                sql: """
                    CREATE TABLE thumbnail (
                        id INTEGER PRIMARY KEY, sha256 BLOB NOT NULL, turn INTEGER NOT NULL, form TEXT NOT NULL,
                        bytes BLOB NOT NULL, UNIQUE (sha256, turn, form))
                    """)
        }
        return migrator
    }

    /// Whether the thumbnails of a key exist; all of them are written together.
    func has(_ key: Key) throws -> Bool {
        try database.readAndWait { database in
            let find = try database.cachedStatement(
                sql: "SELECT 1 FROM thumbnail WHERE sha256 = ? AND turn = ? LIMIT 1")
            return try Int.fetchOne(find, arguments: [key.sha256, key.turn]) != nil
        }
    }

    func bytes(_ key: Key, _ form: String) throws -> [UInt8]? {
        try database.readAndWait { database in
            let find = try database.cachedStatement(
                sql: "SELECT bytes FROM thumbnail WHERE sha256 = ? AND turn = ? AND form = ?")
            return try Data.fetchOne(find, arguments: [key.sha256, key.turn, form]).map { [UInt8]($0) }
        }
    }

    /// Writes thumbnails in one transaction.
    func write(_ entries: [Entry]) throws {
        try database.writeAndWait { database in
            let insert = try database.cachedStatement(
                sql: "INSERT OR REPLACE INTO thumbnail(sha256, turn, form, bytes) VALUES (?, ?, ?, ?)")
            for entry in entries {
                for thumbnail in entry.thumbnails {
                    try insert.execute(
                        arguments: [
                            entry.key.sha256, entry.key.turn, thumbnail.form, Data(thumbnail.bytes),
                        ])
                }
            }
        }
    }

    /// Removes the thumbnails of keys.
    func remove(_ keys: [Key]) throws {
        try database.writeAndWait { database in
            let delete = try database.cachedStatement(
                sql: "DELETE FROM thumbnail WHERE sha256 = ? AND turn = ?")
            for key in keys { try delete.execute(arguments: [key.sha256, key.turn]) }
        }
    }

    /// The differences between a catalog and its thumbnails.
    struct Comparison: Sendable {
        /// The number of assets with thumbnails.
        var present = 0
        /// The assets without.
        var missing: [Asset.ID] = []
        /// The thumbnails of no asset.
        var orphans: [Key] = []
    }

    /// Compares assets with their thumbnails, both in the order of their keys.
    ///
    /// - Parameter isIncluded: whether the asset of a path counts.
    func comparison(
        with library: PhotoLibrary, _ isIncluded: (FilePath) -> Bool
    ) throws -> Comparison {
        try library.readAndWait { catalog in
            try database.readAndWait { database in
                var comparison = Comparison()
                let stored = try Row.fetchCursor(
                    database, sql: "SELECT DISTINCT sha256, turn FROM thumbnail ORDER BY sha256, turn")
                var next = try stored.next().map { Key($0) }
                var isWanted = false
                func advance() throws {
                    if let key = next, !isWanted { comparison.orphans.append(key) }
                    (next, isWanted) = (try stored.next().map { Key($0) }, false)
                }
                let assets = try Row.fetchCursor(
                    catalog,
                    sql: """
                        SELECT sha256, ifnull(turn, 1) AS turned, id, path FROM asset ORDER BY sha256, turned
                        """)
                while let row = try assets.next() {
                    let key = Key(row)
                    while let earlier = next, earlier < key { try advance() }
                    if next == key { isWanted = true }
                    guard isIncluded(FilePath(row[3] as String)) else { continue }
                    if next == key { comparison.present += 1 } else { comparison.missing.append(row[2]) }
                }
                while next != nil { try advance() }
                return comparison
            }
        }
    }
}

/// A small picture of an asset as an encoded file.
package struct AssetThumbnail: Equatable, Sendable {
    /// The name of its size and shape.
    package var form: String
    package var bytes: [UInt8]

    package init(form: String, bytes: [UInt8]) { (self.form, self.bytes) = (form, bytes) }
}

/// Reads the thumbnails of a library, which another process may make at any time.
final class StoredThumbnails: Sendable {
    private let catalog: String
    private let store = Once<ThumbnailStore>()

    init(catalog: String) { self.catalog = catalog }

    /// Returns a thumbnail; nil if there is none, or it cannot be read.
    func bytes(of asset: Asset, _ form: String) -> [UInt8]? {
        let path = ThumbnailStore.path(catalog)
        // They may have gigabytes, which nobody wants to be copied.
        guard store.valueIfMade != nil || FileStatus(path) != nil && ReadOnlyCatalog.isReadInPlace(path),
            let store = try? store.value({ try ThumbnailStore(catalog: catalog) })
        else { return nil }
        return try? store.bytes(ThumbnailStore.Key(asset), form)
    }
}

extension PhotoLibrary {
    /// Returns a thumbnail that `index` has stored; nil without one, or if the file has changed since it was indexed.
    ///
    /// Blocks the calling thread.
    package func storedThumbnail(of asset: Asset, _ form: String) -> [UInt8]? {
        guard let status = FileStatus(path(of: asset)), asset.isCurrent(status) else { return nil }
        return thumbnails.bytes(of: asset, form)
    }
}

extension Asset {
    /// Whether its file is as it was when it was indexed.
    package func isCurrent(_ status: FileStatus) -> Bool {
        status.size == bytes && status.modified == modifiedNanoseconds
    }
}
