package import GRDB
internal import ImageMetadata
package import ViewportGeometry

extension PhotoLibrary {
    /// Returns an asset by its identifier; nil if it was removed.
    package func asset(_ id: Asset.ID) async throws -> Asset? {
        try await read { try Asset.fetch([id], $0).first }
    }

    /// Returns assets by their identifiers, in that order; removed assets are omitted.
    public func assets(_ ids: [Asset.ID]) async throws -> [Asset] {
        try await read { try Asset.fetch(ids, $0) }
    }

    /// Returns the asset of a file by its path below the root; nil if there is none.
    package func asset(path: String) async throws -> Asset? {
        try await read { database in
            try Row.fetchOne(database, sql: "\(Asset.selection) WHERE path = ?", arguments: [path])
                .map { Asset($0) }
        }
    }

    /// Returns the turn that the sidecar of a file states, by its path below the root.
    package func turn(of path: String) async throws -> Orientation {
        try await read { database in
            let find = try database.cachedStatement(sql: "SELECT turn FROM asset WHERE path = ?")
            return try Int.fetchOne(find, arguments: [path]).flatMap { Orientation(rawValue: $0) } ?? .up
        }
    }

    /// Returns the assets whose paths end with a name or a part of a path, such as "c.jpg" or "trip/c.jpg".
    ///
    /// If none does, those with the same letters in another case, of A to Z.
    package func assets(pathsEndingWith end: String) async throws -> [Asset] {
        let end = "/\(end)"
        let found = try await read { database in
            try Row.fetchAll(
                database,
                sql: """
                    \(Asset.selection) WHERE substr('/' || path, -?) = ? COLLATE NOCASE ORDER BY path
                    """, arguments: [end.unicodeScalars.count, end]
            ).map { Asset($0) }
        }
        let exact = found.filter { "/\($0.path)".utf8.reversed().starts(with: end.utf8.reversed()) }
        return exact.isEmpty ? found : exact
    }
}

extension Asset {
    /// Returns the assets with these identifiers, in this order.
    package static func fetch(_ ids: [ID], _ database: Database) throws -> [Asset] {
        let list = ids.map(String.init).joined(separator: ",")
        let rows = try Row.fetchAll(database, sql: "\(selection) WHERE asset.id IN (\(list))")
        let assets = Dictionary(rows.map { Asset($0) }.map { ($0.id, $0) }) { $1 }
        return ids.compactMap { assets[$0] }
    }
}

extension PhotoLibrary {
    /// Adds assets without reading their files, and returns their identifiers.
    ///
    /// Assets with the identifier 0 get a new one.
    @discardableResult
    package func insert(_ assets: [Asset]) async throws -> [Asset.ID] {
        try await write { database in
            let ids = try assets.map { try $0.insert(FileRecord(), database) }
            try Stacking.update(database)
            return ids
        }
    }

    /// Updates assets by their identifiers.
    package func update(_ assets: [Asset]) async throws {
        try await write { database in
            for asset in assets { try asset.update(FileRecord(), database) }
            try Stacking.update(database)
        }
    }

    /// Removes assets from the catalog; their files are kept.
    package func remove(_ ids: [Asset.ID]) async throws {
        try await write { database in
            for id in ids { try database.execute(sql: "DELETE FROM asset WHERE id = ?", arguments: [id]) }
            try Stacking.update(database)
        }
    }
}

extension PhotoLibrary {
    /// Sets the locations of assets in the catalog; files are not changed.
    ///
    /// Locations from a file's metadata are replaced when the file changes; others are kept.
    package func setLocations(_ locations: [Asset.ID: Location]) async throws {
        try await write { database in
            try PlaceNaming.forget(database)
            for (id, location) in locations {
                try database.execute(
                    sql: """
                        UPDATE asset SET latitude = ?, longitude = ?, altitude = ?, accuracy = ?, locationSource = ?
                        WHERE id = ?
                        """,
                    arguments: [
                        location.latitude, location.longitude, location.altitude, location.accuracy,
                        location.source.rawValue, id,
                    ])
            }
        }
    }

    /// Sets the place names of assets in the catalog; nil removes a name.
    package func setPlaces(_ places: [Asset.ID: String?]) async throws {
        try await write { try Self.setPlaces(places, $0) }
    }

    static func setPlaces(_ places: [Asset.ID: String?], _ database: Database) throws {
        for (id, name) in places {
            let place = try name.map { try Asset.place($0, database) }
            try database.cachedStatement(sql: "UPDATE asset SET place = ? WHERE id = ?")
                .execute(arguments: [place, id])
        }
    }
}
