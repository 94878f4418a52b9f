internal import GRDB

/// The positions of the assets of a collection, in no order.
package struct AssetPositions: Sendable {
    /// The identifiers; all three lists have the same length.
    package private(set) var ids: [Asset.ID] = []
    /// Degrees of WGS 84.
    package private(set) var latitudes: [Double] = []
    /// Degrees of WGS 84.
    package private(set) var longitudes: [Double] = []

    package init() {}

    package var count: Int { ids.count }

    package mutating func append(_ id: Asset.ID, latitude: Double, longitude: Double) {
        ids.append(id)
        latitudes.append(latitude)
        longitudes.append(longitude)
    }
}

extension AssetCollection {
    /// Returns the positions of all assets that have one; reads 24 bytes per asset.
    package func positions() async throws -> AssetPositions {
        let criteria = criteria
        let whole = criteria.query.map { query in
            // The index alone has everything where no row is excluded.
            let isWhole = query.source == .all && (query.filter as? AssetKinds) == .all
            let from: SQL =
                isWhole
                ? "asset INDEXED BY assetByLocation WHERE latitude IS NOT NULL"
                : """
                asset AS whole WHERE latitude IS NOT NULL AND id IN (
                    SELECT asset.id FROM \(query.rows) WHERE \(query.isInSource) AND \(query.condition))
                """
            return "SELECT id, latitude, longitude FROM \(from)" as SQL
        }
        guard let request = whole else {
            var positions = AssetPositions()
            for asset in try await assets(0..<Int(Int32.max)) {
                guard let place = asset.location else { continue }
                positions.append(asset.id, latitude: place.latitude, longitude: place.longitude)
            }
            return positions
        }
        return try await library.read { database in
            var positions = AssetPositions()
            let rows = try SQLRequest<Row>(literal: request).fetchCursor(database)
            while let row = try rows.next() {
                positions.append(row[0], latitude: row[1], longitude: row[2])
            }
            return positions
        }
    }
}
