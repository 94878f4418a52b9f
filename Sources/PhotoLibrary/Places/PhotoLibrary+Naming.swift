internal import GRDB

extension PhotoLibrary {
    /// Gives every asset the name of the place that it was taken in; how many names have changed.
    @discardableResult
    public func namePlaces(_ names: PlaceNames) async throws(LibraryError) -> Int {
        let changes = try await catalogue.read { database in
            var changes: [Asset.ID: String?] = [:]
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT asset.id, latitude, longitude, place.name FROM asset
                    LEFT JOIN place ON place.id = asset.place
                    WHERE latitude IS NOT NULL OR asset.place IS NOT NULL
                    """)
            while let row = try rows.next() {
                let old: String? = row[3]
                let new: String? =
                    if let latitude = row[1] as Double?, let longitude = row[2] as Double? {
                        names.name(latitude: latitude, longitude: longitude)
                    } else {
                        nil
                    }
                if new != old { changes.updateValue(new, forKey: row[0]) }
            }
            return changes
        }
        if !changes.isEmpty { try await setPlaces(changes) }
        return changes.count
    }
}
