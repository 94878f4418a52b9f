internal import GRDB

extension Arrangement {
    /// Arranges the assets that the catalog holds now: standard parts are left to it, those of users are asked
    /// for every asset.
    init(_ criteria: CollectionCriteria, _ database: Database) throws {
        let buckets =
            if let query = criteria.query {
                try Self.buckets(query, database)
            } else {
                try Self.buckets(criteria, criteria.nearestQuery, database)
            }
        var contents = buckets.map { (key: $0.key, ids: $0.value) }
        if criteria.omitsEmptyEntries { contents.removeAll { $0.ids.isEmpty } }
        contents.sort { a, b in
            if criteria.sorter.areInOrder(a.key, b.key) { return true }
            return !criteria.sorter.areInOrder(b.key, a.key) && DateSorter.precedes(a.key, b.key)
        }
        self.init(contents, sequence: try ChangeLog.lastSequence(database))
    }

    /// The assets of every entry, of which no more than the columns of an index are read.
    private static func buckets(
        _ query: CollectionQuery, _ database: Database
    ) throws -> [EntryKey?: [Asset.ID]] {
        var buckets: [EntryKey?: [Asset.ID]] = [:]
        for part in query.parts {
            let request: SQL = """
                SELECT asset.id, \(query.key) AS key, \(query.condition) AS isIncluded FROM \(query.rows)
                WHERE \(query.isInSource) AND \(part) ORDER BY \(query.assetOrder)
                """
            let rows = try SQLRequest<Row>(literal: request).fetchCursor(database)
            while let row = try rows.next() {
                let key = EntryKey(row[1])
                if row[2] {
                    buckets[key, default: []].append(row[0])
                } else {
                    buckets[key, default: []] += []
                }
            }
        }
        return buckets
    }

    /// The assets of every entry where something of the user's own has to see them.
    private static func buckets(
        _ criteria: CollectionCriteria, _ query: CollectionQuery, _ database: Database
    ) throws -> [EntryKey?: [Asset.ID]] {
        let isSorted = criteria.sorter is DateSorter
        var buckets: [EntryKey?: [Asset.ID]] = [:]
        var unsorted: [EntryKey?: [Asset]] = [:]
        let filter: any Filter = criteria.catalogFilter == nil ? criteria.filter : AssetKinds.all
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
                return !criteria.sorter.areInOrder(b, a) && a.path.utf8.lexicographicallyPrecedes(b.path.utf8)
            }.map(\.id)
        }
        return buckets
    }
}
