package import Assets
internal import Basics
internal import Digests
package import Foundation
internal import GRDB

extension Share {
    static let tables = """
        CREATE TABLE share (
            id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, album INTEGER REFERENCES album(id) ON DELETE CASCADE,
            created INTEGER NOT NULL, expires INTEGER NOT NULL, originals INTEGER NOT NULL, secret BLOB NOT NULL);
        CREATE INDEX shareByAlbum ON share(album) WHERE album IS NOT NULL;
        CREATE TABLE shareAsset (
            share INTEGER NOT NULL REFERENCES share(id) ON DELETE CASCADE,
            asset INTEGER NOT NULL REFERENCES asset(id) ON DELETE CASCADE, PRIMARY KEY (share, asset)) WITHOUT ROWID;
        CREATE INDEX shareAssetByAsset ON shareAsset(asset);
        """

    fileprivate static func fetch(where condition: String = "1", _ database: Database) throws -> [Share] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT id, title, created, expires, originals, secret, CASE WHEN album IS NULL
                    THEN (SELECT count(*) FROM shareAsset WHERE share = share.id)
                    ELSE (SELECT count(*) FROM albumAsset WHERE album = share.album) END AS count
                FROM share WHERE \(condition) ORDER BY id
                """
        ).map { row in
            Share(
                id: row["id"], title: row["title"],
                created: Date(timeIntervalSince1970: TimeInterval(row["created"] as Int)),
                expires: Date(timeIntervalSince1970: TimeInterval(row["expires"] as Int)),
                includesOriginals: row["originals"], count: row["count"], secret: Array(row["secret"] as Data)
            )
        }
    }
}

extension Catalog {
    /// Makes a link to an album or to assets.
    ///
    /// - Throws: `LibraryError`, of the kind `notFound` if there is no such album or asset.
    package func share(
        _ content: Share.Content, title: String, until expires: Date, includingOriginals: Bool
    ) throws -> Share {
        var random = SystemRandomNumberGenerator()
        let secret = (0..<4).flatMap { _ in random.next().bytes(.big) }
        var album: Int64?
        if case .album(let id) = content { album = try self.album(id) }
        try database.execute(
            sql:
                "INSERT INTO share(title, album, created, expires, originals, secret) VALUES (?, ?, ?, ?, ?, ?)",
            arguments: [
                title, album, Int(Date().timeIntervalSince1970), Int(expires.timeIntervalSince1970),
                includingOriginals, Data(secret),
            ])
        let id = database.lastInsertedRowID
        if case .assets(let assets) = content {
            let insert = try database.cachedStatement(
                sql: "INSERT OR IGNORE INTO shareAsset VALUES (?, ?)")
            let exists = try database.cachedStatement(sql: "SELECT 1 FROM asset WHERE id = ?")
            for asset in assets {
                guard try Row.fetchOne(exists, arguments: [asset]) != nil else {
                    throw LibraryError(.noAsset(asset))
                }
                try insert.execute(arguments: [id, asset])
            }
        }
        return try Share.fetch(where: "id = \(id)", database)[0]
    }

    /// Returns all shares, ended ones among them, the first one first.
    package func shares() throws -> [Share] { try Share.fetch(database) }

    /// Returns the share of a link, which may have ended; nil if the library has made no such link, or it was revoked.
    package func share(token: String) throws -> Share? {
        guard let number = token.split(separator: "-").first, let id = Int64(strict: number) else {
            return nil
        }
        let share = try Share.fetch(where: "id = \(id)", database).first
        return share.flatMap { SHA256.isEqual(Array($0.token.utf8), Array(token.utf8)) ? $0 : nil }
    }

    /// Ends a link; returns whether there was one.
    package func revokeShare(_ id: Share.ID) throws -> Bool {
        try database.execute(sql: "DELETE FROM share WHERE id = ?", arguments: [id])
        return database.changesCount > 0
    }

    /// Returns the assets of a share, the first ones first, those without a date at the end.
    package func assets(of share: Share) throws -> [Asset] {
        try Row.fetchAll(
            database,
            sql: """
                \(Asset.selection) WHERE asset.id IN (
                    SELECT asset FROM shareAsset WHERE share = ?1 UNION ALL SELECT asset FROM albumAsset
                    WHERE album = (SELECT album FROM share WHERE id = ?1))
                ORDER BY asset.instant, asset.fraction, asset.path
                """, arguments: [share.id]
        ).map { Asset($0) }
    }

    /// Returns an asset of a share; nil if the share does not have it.
    package func asset(_ id: Asset.ID, of share: Share) throws -> Asset? {
        let isIn =
            try Row.fetchOne(
                database,
                sql: """
                    SELECT 1 FROM shareAsset WHERE share = ?1 AND asset = ?2 UNION ALL SELECT 1 FROM albumAsset
                    WHERE album = (SELECT album FROM share WHERE id = ?1) AND asset = ?2
                    """, arguments: [share.id, id]) != nil
        return isIn ? try assets([id]).first : nil
    }
}
