package import Assets
package import Files
internal import Foundation
internal import GRDB
internal import ImageMetadata
package import ViewportGeometry

extension Catalog {
    /// Returns the assets with these identifiers, in this order; removed assets are omitted.
    package func assets(_ ids: [Asset.ID]) throws -> [Asset] {
        let list = ids.map(String.init).joined(separator: ",")
        let rows = try Row.fetchAll(database, sql: "\(Asset.selection) WHERE asset.id IN (\(list))")
        let assets = Dictionary(rows.map { Asset($0) }.map { ($0.id, $0) }) { $1 }
        return ids.compactMap { assets[$0] }
    }

    /// Returns the asset of a file by its path below the root; nil if there is none.
    package func asset(at path: FilePath) throws -> Asset? {
        try Row.fetchOne(
            database.cachedStatement(sql: "\(Asset.selection) WHERE path = ?"), arguments: [path.text]
        ).map { Asset($0) }
    }

    /// Returns the identifier of the asset of a file; nil if there is none.
    package func id(at path: FilePath) throws -> Asset.ID? {
        try Int64.fetchOne(
            database.cachedStatement(sql: "SELECT id FROM asset WHERE path = ?"), arguments: [path.text])
    }

    /// Returns the turn that the sidecar of a file states.
    package func turn(at path: FilePath) throws -> Orientation {
        let find = try database.cachedStatement(sql: "SELECT turn FROM asset WHERE path = ?")
        return try Int.fetchOne(find, arguments: [path.text]).flatMap { Orientation(rawValue: $0) } ?? .up
    }

    /// Returns the assets whose paths end with a text, in any case of A to Z.
    package func assets(pathsEndingWith end: String) throws -> [Asset] {
        try Row.fetchAll(
            database,
            sql: """
                \(Asset.selection) WHERE substr('/' || path, -?) = ? COLLATE NOCASE ORDER BY path
                """, arguments: [end.unicodeScalars.count, end]
        ).map { Asset($0) }
    }

    /// Returns the path of the photo that has a sidecar.
    package func path(ofSidecar sidecar: FilePath) throws -> FilePath? {
        try String.fetchOne(
            database, sql: "SELECT path FROM asset WHERE sidecar = ?", arguments: [sidecar.text]
        ).map { FilePath($0) }
    }

    /// Whether another asset has the same sidecar.
    package func isShared(_ sidecar: String, besides id: Asset.ID) throws -> Bool {
        try Bool.fetchOne(
            database, sql: "SELECT 1 FROM asset WHERE sidecar = ? AND id <> ?", arguments: [sidecar, id])
            ?? false
    }

    /// Returns the assets whose paths begin with a text, without those with some identifiers, and their sidecars.
    package func neighbors(
        _ prefix: FilePath, except ids: Set<Asset.ID>
    ) throws -> [(path: FilePath, sidecar: FilePath?)] {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT id, path, sidecar FROM asset WHERE path >= ?1 AND path < ?1 || char(1114111)
                """,
            arguments: [prefix.text])
        return rows.filter { !ids.contains($0[0]) }.map { row in
            (FilePath(row[1] as String), (row[2] as String?).map { FilePath($0) })
        }
    }

    /// Returns assets, and the other halves of live photos among them that they lack, behind them.
    package func withPartners(_ ids: [Asset.ID]) throws -> [Asset.ID] {
        let find = try database.cachedStatement(sql: "SELECT livePartner FROM asset WHERE id = ?")
        var seen = Set(ids)
        let partners = try ids.compactMap { try Int64.fetchOne(find, arguments: [$0]) }
        return ids + partners.filter { seen.insert($0).inserted }
    }

    /// Adds an asset without reading its file, and returns its identifier, which is new if the asset's is 0.
    @discardableResult
    package func insert(_ asset: Asset) throws -> Asset.ID { try asset.insert(FileRecord(), database) }

    /// Updates an asset by its identifier, except for the partner of a live photo.
    package func update(_ asset: Asset) throws { try asset.update(FileRecord(), database) }

    /// Removes an asset; its file is kept.
    package func remove(_ id: Asset.ID) throws {
        try database.execute(sql: "DELETE FROM asset WHERE id = ?", arguments: [id])
    }
}

extension Catalog {
    /// Sets the locations of assets.
    package func setLocations(_ locations: [Asset.ID: Location]) throws {
        try forgetTowns()
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

    /// Whether the asset of a file has no position; nil for one that is not in the catalog.
    package func unlocated(at path: FilePath) throws -> Asset.ID? {
        let find = try database.cachedStatement(
            sql: "SELECT id FROM asset WHERE path = ? AND latitude IS NULL")
        return try Int64.fetchOne(find, arguments: [path.text])
    }

    /// Passes on the dates of the assets without a position of their own: those that a track gave do not count.
    package func forEachUntracked(_ body: (Asset.ID, CaptureDate?) throws -> Void) throws {
        let rows = try Row.fetchCursor(
            database, sql: "SELECT * FROM asset WHERE latitude IS NULL OR locationSource = ?",
            arguments: [LocationSource.track.rawValue])
        while let row = try rows.next() { try body(row["id"], CaptureDate(row)) }
    }

    /// Sets the place names of assets; nil removes a name.
    package func setPlaces(_ places: [Asset.ID: String?]) throws {
        for (id, name) in places {
            let place = try name.map { try Asset.place($0, database) }
            try database.cachedStatement(sql: "UPDATE asset SET place = ? WHERE id = ?")
                .execute(arguments: [place, id])
        }
    }

    /// Passes on the assets with a position or a place name: degrees, nil without a position, and the name.
    package func forEachPlaced(
        _ body: (Asset.ID, _ position: (latitude: Double, longitude: Double)?, _ name: String?) throws -> Void
    ) throws {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT asset.id, latitude, longitude, place.name FROM asset
                LEFT JOIN place ON place.id = asset.place
                WHERE latitude IS NOT NULL OR asset.place IS NOT NULL
                """)
        while let row = try rows.next() {
            var position: (latitude: Double, longitude: Double)?
            if let latitude = row[1] as Double?, let longitude = row[2] as Double? {
                position = (latitude, longitude)
            }
            try body(row[0], position, row[3])
        }
    }

    /// Whether an asset has a position.
    package func hasPositions() throws -> Bool {
        try Bool.fetchOne(
            database, sql: "SELECT EXISTS (SELECT 1 FROM asset WHERE latitude IS NOT NULL)") ?? false
    }

    /// The size in bytes of the list of towns that has named all places; nil if assets lack a name.
    package func towns() throws -> Int? {
        try Int.fetchOne(database, sql: "SELECT value FROM setting WHERE name = 'towns'")
    }

    package func noteTowns(_ bytes: Int) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO setting VALUES ('towns', ?)", arguments: [bytes])
    }

    /// Records that there are assets without a place name.
    func forgetTowns() throws {
        try database.cachedStatement(sql: "DELETE FROM setting WHERE name = 'towns'").execute()
    }
}
