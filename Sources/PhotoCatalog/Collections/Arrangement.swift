internal import GRDB

/// A collection as it was at one moment: all its entries and the assets in them; 8 bytes an asset.
public struct Arrangement: Equatable, Sendable {
    public let entries: [AssetEntry]
    /// The assets of all entries, one after the other.
    public let ids: [Asset.ID]
    /// Where each entry begins in `ids`, and where the last one ends.
    let starts: [Int]
    /// The number of the last change that it knows of.
    package let sequence: Int

    init(_ contents: [(key: EntryKey?, ids: [Asset.ID])], sequence: Int = 0) {
        entries = contents.map { AssetEntry(key: $0.key, count: $0.ids.count) }
        ids = contents.flatMap(\.ids)
        starts = contents.reduce(into: [0]) { starts, entry in
            starts.append(starts[starts.count - 1] + entry.ids.count)
        }
        self.sequence = sequence
    }

    public static func == (a: Arrangement, b: Arrangement) -> Bool {
        a.entries == b.entries && a.ids == b.ids
    }

    /// How many assets there are in all entries together.
    public var count: Int { ids.count }

    /// The assets of an entry.
    public func ids(in entry: Int) -> ArraySlice<Asset.ID> { ids[starts[entry]..<starts[entry + 1]] }

    public subscript(indexPath: AssetIndexPath) -> Asset.ID { ids[starts[indexPath.entry] + indexPath.asset] }

    /// The place of the last asset; nil where there is none.
    ///
    /// Empty entries are skipped.
    public var lastIndexPath: AssetIndexPath? {
        entries.lastIndex { $0.count > 0 }.map { AssetIndexPath(entry: $0, asset: entries[$0].count - 1) }
    }

    /// Where an asset stands; nil where it is not shown.
    public func indexPath(of id: Asset.ID) -> AssetIndexPath? {
        ids.firstIndex(of: id).map { position in
            // The entry that begins last at or before the position, and has assets.
            var (low, high) = (0, entries.count)
            while high - low > 1 {
                let middle = (low + high) / 2
                if starts[middle] <= position { low = middle } else { high = middle }
            }
            return AssetIndexPath(entry: low, asset: position - starts[low])
        }
    }
}

extension Arrangement {
    /// The places of all assets, in order.
    var indexPaths: [AssetIndexPath] { places(0..<count) }

    /// The places of some of the assets, counted over all entries.
    private func places(_ range: Range<Int>) -> [AssetIndexPath] {
        var paths: [AssetIndexPath] = []
        paths.reserveCapacity(range.count)
        var entry = 0
        for position in range {
            while starts[entry + 1] <= position { entry += 1 }
            paths.append(AssetIndexPath(entry: entry, asset: position - starts[entry]))
        }
        return paths
    }

    /// The places in two arrangements between what is equal at their beginnings and at their ends.
    static func differingParts(
        _ old: Arrangement, _ new: Arrangement
    ) -> (old: [AssetIndexPath], new: [AssetIndexPath]) {
        // Entries as a whole: an asset is at the same place only if its entry is.
        let shorter = min(old.entries.count, new.entries.count)
        func isEqual(_ a: Int, _ b: Int) -> Bool {
            old.entries[a] == new.entries[b] && old.ids(in: a).elementsEqual(new.ids(in: b))
        }
        var first = 0
        while first < shorter, isEqual(first, first) { first += 1 }
        var last = 0
        while last < shorter - first, isEqual(old.entries.count - 1 - last, new.entries.count - 1 - last) {
            last += 1
        }
        return (
            old.places(old.starts[first]..<old.starts[old.entries.count - last]),
            new.places(new.starts[first]..<new.starts[new.entries.count - last])
        )
    }
}

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
