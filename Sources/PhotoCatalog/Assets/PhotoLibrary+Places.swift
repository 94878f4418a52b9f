internal import GRDB
public import ImageMetadata

extension PhotoLibrary {
    /// Says where assets were taken; what their files say of it is not shown any more.
    ///
    /// A location whose source is a file's own metadata is replaced when the file changes, others stay.
    public func setLocations(_ locations: [Asset.ID: Location]) async throws(LibraryError) {
        try await catalog.write { database in
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

    /// Gives assets the names of the places that they were taken in; nil takes the name away.
    public func setPlaces(_ places: [Asset.ID: String?]) async throws(LibraryError) {
        try await catalog.write { try Self.setPlaces(places, $0) }
    }

    static func setPlaces(_ places: [Asset.ID: String?], _ database: Database) throws {
        for (id, name) in places {
            let place = try name.map { try Asset.place($0, database) }
            try database.cachedStatement(sql: "UPDATE asset SET place = ? WHERE id = ?")
                .execute(arguments: [place, id])
        }
    }
}
