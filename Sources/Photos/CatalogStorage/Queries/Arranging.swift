package import Assets
internal import GRDB

extension Catalog {
    /// Arranges the assets that the catalog holds now.
    ///
    /// The catalog evaluates standard criteria; those of the program are called for every asset.
    package func snapshot(_ criteria: CollectionCriteria) throws -> CollectionSnapshot {
        let buckets =
            if let query = criteria.query {
                try buckets(query)
            } else {
                try buckets(criteria, criteria.nearestQuery)
            }
        var contents = buckets.map { (key: $0.key, ids: $0.value) }
        if criteria.omitsEmptyEntries { contents.removeAll { $0.ids.isEmpty } }
        contents.sort { a, b in
            if criteria.sorter.areInOrder(a.key, b.key) { return true }
            return !criteria.sorter.areInOrder(b.key, a.key) && DateSorter.precedes(a.key, b.key)
        }
        return CollectionSnapshot(contents, sequence: try lastChange())
    }

    /// Reads the assets of every entry from a covering index.
    private func buckets(
        _ query: CollectionQuery
    ) throws -> [EntryKey?: [Asset.ID]] {
        // Keyed by database values: creating a key for every row takes longer than reading it.
        var buckets: [DatabaseValue: [Asset.ID]] = [:]
        for part in query.parts {
            let request: SQL = """
                SELECT asset.id, \(query.key) AS key, \(query.condition) AS isIncluded FROM \(query.rows)
                WHERE \(query.isInSource) AND \(part) ORDER BY \(query.assetOrder)
                """
            let rows = try SQLRequest<Row>(literal: request).fetchCursor(database)
            while let row = try rows.next() {
                if row[2] {
                    buckets[row[1], default: []].append(row[0])
                } else {
                    buckets[row[1], default: []] += []
                }
            }
        }
        return Dictionary(buckets.map { (query.entryKey($0), $1) }) { $0 + $1 }
    }

    /// Reads the assets of every entry for criteria of the program, which get every asset.
    private func buckets(
        _ criteria: CollectionCriteria, _ query: CollectionQuery
    ) throws -> [EntryKey?: [Asset.ID]] {
        let isSorted = criteria.sorter is DateSorter
        var buckets: [EntryKey?: [Asset.ID]] = [:]
        var unsorted: [EntryKey?: [Asset]] = [:]
        let filter: any AssetFilter = criteria.catalogFilter == nil ? criteria.filter : AssetKinds.all
        for part in query.parts {
            let request: SQL = """
                SELECT whole.*, place.name AS placeName, \(query.condition) AS isIncluded FROM \(query.rows)
                JOIN asset AS whole ON whole.id = asset.id LEFT JOIN place ON place.id = asset.place
                WHERE \(query.isInSource) AND \(part) ORDER BY \(query.assetOrder)
                """
            let rows = try SQLRequest<Row>(literal: request).fetchCursor(database)
            while let row = try rows.next() {
                let asset = Asset(row)
                let key = criteria.grouping.key(of: asset)
                guard row["isIncluded"], filter.includes(asset) else {
                    buckets[key, default: []] += []
                    continue
                }
                if isSorted {
                    buckets[key, default: []].append(asset.id)
                } else {
                    unsorted[key, default: []].append(asset)
                }
            }
        }
        for (key, assets) in unsorted {
            buckets[key] = assets.sorted { a, b in
                if criteria.sorter.areInOrder(a, b) { return true }
                return !criteria.sorter.areInOrder(b, a) && a.file < b.file
            }.map(\.id)
        }
        return buckets
    }
}

extension Catalog {
    /// Returns the positions of all assets of a query that have one; reads 24 bytes per asset.
    package func positions(_ query: CollectionQuery) throws -> AssetPositions {
        // The index alone has everything where no row is excluded.
        let isWhole = query.source == .all && (query.filter as? AssetKinds) == .all
        let from: SQL =
            isWhole
            ? "asset INDEXED BY assetByLocation WHERE latitude IS NOT NULL"
            : """
            asset AS whole WHERE latitude IS NOT NULL AND id IN (
                SELECT asset.id FROM \(query.rows) WHERE \(query.isInSource) AND \(query.condition))
            """
        let request: SQL = "SELECT id, latitude, longitude FROM \(from)"
        var positions = AssetPositions()
        let rows = try SQLRequest<Row>(literal: request).fetchCursor(database)
        while let row = try rows.next() {
            positions.append(row[0], latitude: row[1], longitude: row[2])
        }
        return positions
    }
}
