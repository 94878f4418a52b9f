internal import Files
internal import GRDB

extension PhotoLibrary {
    /// Returns all groups: the whole library, the picks, the albums in their order, then folders with assets by path.
    public func groups() async throws -> [AssetGroup] {
        try await read(AssetGroup.fetchAll)
    }

    /// Returns the current state of a group; nil if it was deleted.
    package func group(_ id: AssetGroup.ID) async throws -> AssetGroup? {
        try await groups().first { $0.id == id }
    }

    /// Returns the names of the picks and the albums of a library without opening it; blocks.
    ///
    /// Nothing is written, not even the files that SQLite has beside a database.
    ///
    /// - Throws: an error if there is no catalog, or if it cannot be read now.
    package static func albumNames(at root: String, catalog: String? = nil) throws -> [String] {
        let path = try locate(root, catalog).catalog
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

    /// Returns an album, or the picks, by its name.
    ///
    /// A name in another form of its accents is found, too, unless another album has exactly it.
    ///
    /// - Parameter inAnyCase: whether an album is found also by its name in another case.
    package func album(named name: String, inAnyCase: Bool = false) async throws -> AssetGroup? {
        let albums = try await groups().filter { $0.kind == .album || $0.kind == .picks }
        let album =
            albums.first { FilePath($0.name) == FilePath(name) } ?? albums.first { $0.name == name }
        guard album == nil, inAnyCase else { return album }
        return albums.first { $0.name.lowercased() == name.lowercased() }
    }
}

extension AssetGroup {
    static func fetchAll(_ database: Database) throws -> [AssetGroup] {
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
}

extension PhotoLibrary {
    /// Creates an empty album after the others.
    ///
    /// - Throws: `LibraryError`, of the kind `alreadyExists` if the name is taken.
    @discardableResult
    public func createAlbum(_ name: String) async throws -> AssetGroup {
        try await write { database in
            guard try !Self.isAlbum(name, database) else { throw LibraryError(.albumExists(name)) }
            try database.execute(
                sql: "INSERT INTO album(name, position) SELECT ?, 1 + max(position) FROM album",
                arguments: [name])
            return AssetGroup(id: .album(database.lastInsertedRowID), name: name, count: 0, bytes: 0)
        }
    }

    /// Renames an album.
    ///
    /// - Throws: `LibraryError`, of the kind `alreadyExists` if the name is taken, `notFound` if there is no such
    ///   album.
    public func renameAlbum(_ id: AssetGroup.ID, to name: String) async throws {
        try await write { database in
            let album = try Self.album(id, database)
            guard try !Self.isAlbum(name, except: album, database) else {
                throw LibraryError(.albumExists(name))
            }
            try database.execute(sql: "UPDATE album SET name = ? WHERE id = ?", arguments: [name, album])
        }
    }

    /// Deletes an album, or empties the picks; the assets stay in the library.
    public func deleteAlbum(_ id: AssetGroup.ID) async throws {
        try await write { database in
            let album = try Self.album(id, database)
            try database.execute(sql: "DELETE FROM albumAsset WHERE album = ?", arguments: [album])
            guard id != .picks else { return }
            try database.execute(sql: "DELETE FROM album WHERE id = ?", arguments: [album])
        }
    }

    /// Appends assets to an album; assets that it contains already keep their position.
    public func add(_ assets: [Asset.ID], to id: AssetGroup.ID) async throws {
        try await write { database in
            let album = try Self.album(id, database)
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
    }

    /// Removes assets from an album; they stay in the library.
    public func remove(_ assets: [Asset.ID], from id: AssetGroup.ID) async throws {
        try await write { database in
            let album = try Self.album(id, database)
            for asset in assets {
                try database.execute(
                    sql: "DELETE FROM albumAsset WHERE album = ? AND asset = ?", arguments: [album, asset])
            }
        }
    }

    /// Returns the assets of an album in the order in which they were added.
    package func albumAssets(_ id: AssetGroup.ID) async throws -> [Asset.ID] {
        try await read { database in
            try Int64.fetchAll(
                database, sql: "SELECT asset FROM albumAsset WHERE album = ? ORDER BY position, asset",
                arguments: [Self.album(id, database)])
        }
    }

    private static func isAlbum(_ name: String, except: Int64 = 0, _ database: Database) throws -> Bool {
        try Bool.fetchOne(
            database, sql: "SELECT 1 FROM album WHERE name = ? AND id <> ?", arguments: [name, except]) != nil
    }

    /// Returns the number of an album.
    ///
    /// - Throws: `LibraryError` of the kind `notFound` if there is none.
    static func album(_ id: AssetGroup.ID, _ database: Database) throws -> Int64 {
        guard case .album(let album) = id,
            try Bool.fetchOne(database, sql: "SELECT 1 FROM album WHERE id = ?", arguments: [album]) != nil
        else { throw LibraryError.noAlbum }
        return album
    }
}
