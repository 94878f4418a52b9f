package import Assets
package import Files
internal import GRDB

extension Catalog {
    /// Returns all groups: the whole library, the picks, the albums in their order, then folders with assets by path.
    package func groups() throws -> [AssetGroup] {
        let all = try Row.fetchAll(
            database,
            sql: "SELECT total(number) AS count, total(bytes) AS bytes FROM tally WHERE grouping = 'week'"
        ).map { AssetGroup(id: .all, name: "", count: $0["count"], bytes: $0["bytes"]) }
        let albums = try Row.fetchAll(
            database,
            sql: """
                SELECT album.id, name, total(number) AS count, total(bytes) AS bytes FROM album
                LEFT JOIN calendar ON calendar.album = album.id
                GROUP BY album.id ORDER BY album.position, album.id
                """
        ).map { AssetGroup(id: .album($0["id"]), name: $0["name"], count: $0["count"], bytes: $0["bytes"]) }
        let folders = try Row.fetchAll(
            database,
            sql: """
                SELECT folder.id, path, sum(number) AS count, sum(bytes) AS bytes FROM folder
                JOIN tally ON grouping = 'folder' AND code = folder.id
                GROUP BY folder.id ORDER BY path
                """
        ).map { AssetGroup(id: .folder($0["id"]), name: $0["path"], count: $0["count"], bytes: $0["bytes"]) }
        return all + albums + folders
    }

    /// Creates an empty album after the others.
    ///
    /// - Throws: `LibraryError`, of the kind `alreadyExists` if the name is taken.
    package func createAlbum(_ name: String) throws -> AssetGroup {
        guard try !isAlbum(name) else { throw LibraryError(.albumExists(name)) }
        return AssetGroup(id: .album(try insertAlbum(name)), name: name, count: 0, bytes: 0)
    }

    /// Renames an album.
    package func renameAlbum(_ id: AssetGroup.ID, to name: String) throws {
        let album = try self.album(id)
        guard try !isAlbum(name, except: album) else { throw LibraryError(.albumExists(name)) }
        try database.execute(sql: "UPDATE album SET name = ? WHERE id = ?", arguments: [name, album])
    }

    /// Deletes an album, or empties the picks.
    package func deleteAlbum(_ id: AssetGroup.ID) throws {
        let album = try self.album(id)
        try database.execute(sql: "DELETE FROM albumAsset WHERE album = ?", arguments: [album])
        guard id != .picks else { return }
        try database.execute(sql: "DELETE FROM album WHERE id = ?", arguments: [album])
    }

    /// Appends assets to an album; assets that it contains already keep their position.
    ///
    /// - Throws: `LibraryError` of the kind `notFound` if there is no such album or asset.
    package func add(_ assets: [Asset.ID], to id: AssetGroup.ID) throws {
        let album = try self.album(id)
        let last = "SELECT max(position) FROM albumAsset WHERE album = ?"
        var position = try Int.fetchOne(database, sql: last, arguments: [album]) ?? 0
        let find = try database.cachedStatement(sql: "SELECT 1 FROM asset WHERE id = ?")
        let insert = try database.cachedStatement(
            sql: "INSERT OR IGNORE INTO albumAsset VALUES (?, ?, ?)")
        for asset in assets {
            guard try Bool.fetchOne(find, arguments: [asset]) != nil else {
                throw LibraryError(.noAsset(asset))
            }
            position += 1
            try insert.execute(arguments: [album, asset, position])
        }
    }

    /// Removes assets from an album.
    package func remove(_ assets: [Asset.ID], from id: AssetGroup.ID) throws {
        let album = try self.album(id)
        for asset in assets {
            try database.execute(
                sql: "DELETE FROM albumAsset WHERE album = ? AND asset = ?", arguments: [album, asset])
        }
    }

    /// Returns the assets of an album in the order in which they were added.
    package func albumAssets(_ id: AssetGroup.ID) throws -> [Asset.ID] {
        try Int64.fetchAll(
            database, sql: "SELECT asset FROM albumAsset WHERE album = ? ORDER BY position, asset",
            arguments: [album(id)])
    }

    /// Returns the albums that contain an asset, in their order.
    package func albums(of asset: Asset.ID) throws -> [AssetGroup] {
        let ids = try Int64.fetchSet(
            database, sql: "SELECT album FROM albumAsset WHERE asset = ?", arguments: [asset])
        return try groups().filter { group in
            if case .album(let id) = group.id { ids.contains(id) } else { false }
        }
    }

    /// Returns the number of an album.
    ///
    /// - Throws: `LibraryError` of the kind `notFound` if there is none.
    func album(_ id: AssetGroup.ID) throws -> Int64 {
        guard case .album(let album) = id,
            try Bool.fetchOne(database, sql: "SELECT 1 FROM album WHERE id = ?", arguments: [album]) != nil
        else { throw LibraryError.noAlbum }
        return album
    }

    private func isAlbum(_ name: String, except: Int64 = 0) throws -> Bool {
        try Bool.fetchOne(
            database, sql: "SELECT 1 FROM album WHERE name = ? AND id <> ?", arguments: [name, except]) != nil
    }

    private func insertAlbum(_ name: String) throws -> Int64 {
        try database.execute(
            sql: "INSERT INTO album(name, position) SELECT ?, 1 + max(position) FROM album",
            arguments: [name])
        return database.lastInsertedRowID
    }
}

/// What became of a change of memberships.
package struct MembershipChange: Sendable {
    /// Whether the album was made for it.
    package let isNewAlbum: Bool
    /// The paths of the assets that were added or removed.
    package let paths: [FilePath]
}

extension Catalog {
    /// Adds assets to the album of a name, which is created, or removes them from it.
    ///
    /// - Throws: `LibraryError` of the kind `notFound` if there is no such asset, or no such album to remove from.
    package func setMembership(
        of ids: [Asset.ID], inAlbum name: String, _ isMember: Bool
    ) throws -> MembershipChange {
        let found = try number(ofAlbum: name)
        if found == nil, !isMember { throw LibraryError.noAlbum }
        let id = try found ?? insertAlbum(name)
        let path = try database.cachedStatement(sql: "SELECT path FROM asset WHERE id = ?")
        let change = try database.cachedStatement(
            sql: isMember
                ? """
                INSERT OR IGNORE INTO albumAsset SELECT ?1, ?2,
                    1 + ifnull((SELECT max(position) FROM albumAsset WHERE album = ?1), 0)
                """ : "DELETE FROM albumAsset WHERE album = ?1 AND asset = ?2")
        var paths: [FilePath] = []
        for asset in ids {
            guard let path = try String.fetchOne(path, arguments: [asset]) else {
                throw LibraryError(.noAsset(asset))
            }
            try change.execute(arguments: [id, asset])
            if database.changesCount > 0 { paths.append(FilePath(path)) }
        }
        return MembershipChange(isNewAlbum: found == nil, paths: paths)
    }

    private func number(ofAlbum name: String) throws -> Int64? {
        try Int64.fetchOne(database, sql: "SELECT id FROM album WHERE name = ?", arguments: [name])
    }

    /// Appends assets to albums, which are created where they are missing, and to the picks for nil, in their order.
    package func append(_ paths: [FilePath], toAlbum name: String?) throws {
        var album: Int64 = 1
        if let name {
            try makeAlbum(name)
            album = try number(ofAlbum: name) ?? 1
        }
        let insert = try database.cachedStatement(
            sql: """
                INSERT OR IGNORE INTO albumAsset
                SELECT ?1, asset.id, 1 + ifnull((SELECT max(position) FROM albumAsset WHERE album = ?1), 0)
                FROM asset WHERE path = ?2
                """)
        for path in paths { try insert.execute(arguments: [album, path.text]) }
    }

    /// Creates an album after the others unless there is one of the name.
    private func makeAlbum(_ name: String) throws {
        try database.execute(
            sql: "INSERT OR IGNORE INTO album(name, position) SELECT ?, 1 + max(position) FROM album",
            arguments: [name])
    }

    /// Adds an asset to the albums of others, at their positions; returns the names of those albums.
    package func unite(albumsOf ids: Set<Asset.ID>, on keeper: Asset.ID) throws -> [String] {
        let list = ids.map(String.init).joined(separator: ",")
        let albums = try Row.fetchAll(
            database,
            sql: """
                SELECT album, name, min(albumAsset.position) FROM albumAsset JOIN album ON album.id = album
                WHERE asset IN (\(list)) AND album NOT IN (SELECT album FROM albumAsset WHERE asset = ?)
                GROUP BY album
                """, arguments: [keeper])
        return try albums.map { row in
            try database.execute(
                sql: "INSERT INTO albumAsset VALUES (?, ?, ?)",
                arguments: [row[0] as Int64, keeper, row[2] as Int])
            return row[1]
        }
    }

    /// The names of the picks and of the other albums, in their order.
    package func albumNames() throws -> (picks: String?, others: [String]) {
        let names = try Row.fetchAll(database, sql: "SELECT id, name FROM album ORDER BY position, id")
        return (
            names.first { $0[0] as Int64 == 1 }?[1],
            names.filter { $0[0] as Int64 != 1 }.map { $0[1] as String }
        )
    }

    /// The albums of an asset with its positions in them, in the order of the albums; the picks have the name nil.
    package func memberships(of asset: Asset.ID) throws -> [(album: String?, position: Int)] {
        let albums = try database.cachedStatement(
            sql: """
                SELECT album.id, name, albumAsset.position FROM albumAsset JOIN album ON album.id = album
                WHERE asset = ? ORDER BY album.position, album.id
                """)
        return try Row.fetchAll(albums, arguments: [asset]).map { row in
            (row[0] as Int64 == 1 ? nil : row[1], row[2])
        }
    }
}

extension CatalogStore {
    /// Returns the names of the picks and the albums without opening the catalog for others; blocks.
    ///
    /// Nothing is written, not even the files that SQLite has beside a database.
    package static func albumNames(at path: String) throws -> [String] {
        var configuration = Configuration()
        configuration.readonly = true
        // A log is read through its index, which SQLite would make if it were missing.
        let hasLog = CatalogCopy.isNeeded(for: path) && FileStatus(path + "-shm") != nil
        let database = try DatabaseQueue(
            path: ReadOnlyCatalog.address(path, isFixed: !hasLog), configuration: configuration)
        return try database.read {
            try String.fetchAll($0, sql: "SELECT name FROM album ORDER BY position, id")
        }
    }
}
