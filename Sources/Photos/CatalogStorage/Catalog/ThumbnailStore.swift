package import Assets
internal import Basics
package import Files
internal import Foundation
internal import GRDB

/// The thumbnails of a library, in a database beside the catalog.
///
/// They are found by the bytes of the file and the turn of its sidecar: a file that was moved keeps its thumbnails, and
/// copies share them. Without the database, pictures are made when they are needed.
package struct ThumbnailStore: Sendable {
    /// What a picture depends on.
    package struct Key: Hashable, Sendable {
        var sha256: Data
        var turn: Int

        package init(_ asset: Asset) {
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
    package struct Entry: Sendable {
        package var key: Key
        package var thumbnails: [AssetThumbnail]

        package init(key: Key, thumbnails: [AssetThumbnail]) {
            (self.key, self.thumbnails) = (key, thumbnails)
        }
    }

    /// The version of the pictures; increment it when other bytes are made of the same file.
    private static let version = 1

    private let store: CatalogStore

    /// Opens the thumbnails of a catalog.
    package init(catalog: String) throws {
        store = try CatalogStore(path: Self.path(catalog), Self.migrator, pageKilobytes: 2000)
    }

    package static func path(_ catalog: String) -> String { catalog + ".thumbnails" }

    /// Opens the thumbnails for writing; damaged ones, and those of another version, are removed.
    package static func writable(catalog: String) throws -> Self {
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
        try store.writeAndWait { catalog in
            let database = catalog.database
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
    package func has(_ key: Key) throws -> Bool {
        try store.readAndWait { catalog in
            let database = catalog.database
            let find = try database.cachedStatement(
                sql: "SELECT 1 FROM thumbnail WHERE sha256 = ? AND turn = ? LIMIT 1")
            return try Int.fetchOne(find, arguments: [key.sha256, key.turn]) != nil
        }
    }

    package func bytes(_ key: Key, _ form: String) throws -> [UInt8]? {
        try store.readAndWait { catalog in
            let database = catalog.database
            let find = try database.cachedStatement(
                sql: "SELECT bytes FROM thumbnail WHERE sha256 = ? AND turn = ? AND form = ?")
            return try Data.fetchOne(find, arguments: [key.sha256, key.turn, form]).map { [UInt8]($0) }
        }
    }

    /// Writes thumbnails in one transaction.
    package func write(_ entries: [Entry]) throws {
        try store.writeAndWait { catalog in
            let database = catalog.database
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
    package func remove(_ keys: [Key]) throws {
        try store.writeAndWait { catalog in
            let database = catalog.database
            let delete = try database.cachedStatement(
                sql: "DELETE FROM thumbnail WHERE sha256 = ? AND turn = ?")
            for key in keys { try delete.execute(arguments: [key.sha256, key.turn]) }
        }
    }

    /// The differences between a catalog and its thumbnails.
    package struct Comparison: Sendable {
        /// The number of assets with thumbnails.
        package var present = 0
        /// The assets without.
        package var missing: [Asset.ID] = []
        /// The thumbnails of no asset.
        package var orphans: [Key] = []
    }

    /// Compares assets with their thumbnails, both in the order of their keys.
    ///
    /// - Parameter isIncluded: whether the asset of a path counts.
    package func comparison(
        with library: CatalogStore, _ isIncluded: (FilePath) -> Bool
    ) throws -> Comparison {
        try library.readAndWait { catalog in
            try store.readAndWait { thumbnails in
                let (catalog, database) = (catalog.database, thumbnails.database)
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
