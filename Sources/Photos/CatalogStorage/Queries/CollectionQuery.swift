package import Assets
internal import GRDB
internal import ImageMetadata

/// The criteria of a collection: source, grouping, filter and order.
package struct CollectionCriteria: Sendable {
    package let source: AssetGroup.ID
    package let grouping: any AssetGrouping
    package var filter: any AssetFilter
    package var sorter: any AssetSorter
    package var omitsEmptyEntries: Bool

    package init(
        source: AssetGroup.ID, grouping: any AssetGrouping, filter: any AssetFilter, sorter: any AssetSorter,
        omitsEmptyEntries: Bool
    ) {
        (self.source, self.grouping, self.filter) = (source, grouping, filter)
        (self.sorter, self.omitsEmptyEntries) = (sorter, omitsEmptyEntries)
    }

    /// The criteria as a query if all are standard, so that the catalog can answer page by page; else nil.
    package var query: CollectionQuery? {
        let isStandard = grouping is StandardGrouping && sorter is DateSorter && catalogFilter != nil
        return isStandard ? nearestQuery : nil
    }

    /// A query by the standard criteria; the others have to be evaluated for every asset.
    var nearestQuery: CollectionQuery {
        let (filter, condition) = catalogFilter ?? (AssetKinds.all, "TRUE")
        return CollectionQuery(
            source: source, grouping: (grouping as? StandardGrouping)?.unit ?? .all, filter: filter,
            condition: condition, sorter: sorter as? DateSorter ?? .dateAscending,
            omitsEmptyEntries: omitsEmptyEntries)
    }

    /// The filter and its condition; nil if the catalog cannot evaluate it.
    var catalogFilter: (filter: any CatalogFilter, condition: SQL)? {
        guard let filter = filter as? any CatalogFilter, let condition = filter.condition else {
            return nil
        }
        return (filter, condition)
    }
}

/// A collection with standard criteria as SQL.
package struct CollectionQuery: Sendable {
    let source: AssetGroup.ID
    let grouping: StandardGrouping.Unit
    let filter: any CatalogFilter
    /// The condition of the filter.
    let condition: SQL
    let sorter: DateSorter
    let omitsEmptyEntries: Bool

    /// The expression for the key of a row of `asset`.
    var key: SQL {
        switch grouping {
        case .all: "0"
        case .week: "asset.week"
        case .place: "(SELECT name FROM place WHERE id = asset.place)"
        case .year, .month, .day, .hour: "asset.hour / \(hours)"
        }
    }

    /// The divisor that turns the key of an hour into the key of the grouping.
    var hours: Int {
        switch grouping {
        case .year: 1_000_000
        case .month: 10_000
        case .day: 100
        case .all, .week, .hour, .place: 1
        }
    }

    /// Returns some of the entries, in order.
    package func entries(_ range: Range<Int>, _ catalog: Catalog) throws -> [CollectionEntry] {
        let request: SQL = "\(entries) ORDER BY \(entryOrder) LIMIT \(range.count) OFFSET \(range.lowerBound)"
        return try SQLRequest<Row>(literal: request).fetchAll(catalog.database)
            .map { CollectionEntry(key: entryKey($0["key"]), count: $0["count"]) }
    }

    /// Returns the number of entries before the entry with a key.
    func entryIndex(of key: EntryKey?, _ database: Database) throws -> Int {
        let isBefore: SQL =
            switch (sorter.entries, key) {
            case (_, nil): "key IS NOT NULL"
            case (.ascending, let key?): "key < \(key.databaseValue)"
            case (.descending, let key?): "key > \(key.databaseValue)"
            }
        let request: SQL = "SELECT count(*) FROM (\(entries)) WHERE \(isBefore)"
        return try SQLRequest<Int>(literal: request).fetchOne(database) ?? 0
    }

    private var entryOrder: SQL {
        sorter.entries == .ascending ? "key IS NULL, key" : "key IS NULL, key DESC"
    }
}

extension CollectionQuery {
    /// Returns the key for a value of the expression `key`; nil for NULL.
    func entryKey(_ value: DatabaseValue) -> EntryKey? {
        switch value.storage {
        case .int64(let number): grouping.key(Int(number))
        case .string(let text): .place(text)
        default: nil
        }
    }
}

extension EntryKey {
    fileprivate var databaseValue: DatabaseValue { number?.databaseValue ?? description.databaseValue }
}

extension CollectionQuery {
    /// The table with the assets, which is sorted by date or has such an index.
    var rows: SQL {
        switch source {
        case .all: "asset"
        case .folder: "asset"
        case .album: "albumOrder AS asset"
        }
    }

    /// The condition for rows of the group.
    var isInSource: SQL {
        switch source {
        case .all: "TRUE"
        case .album(let id): "asset.album = \(id)"
        case .folder(let id): "asset.folder = \(id)"
        }
    }

    /// Conditions that divide the rows into parts that follow each other in the order.
    ///
    /// Undated assets are last in either order, and have the greatest instant.
    var parts: [SQL] {
        sorter.assets == .ascending
            ? ["TRUE"] : ["asset.instant < \(Asset.undated)", "asset.instant = \(Asset.undated)"]
    }

    /// The same for one entry: the assets of a period are all dated, or all undated.
    var entryParts: [SQL] {
        switch grouping {
        case .all, .place: parts
        case .year, .month, .week, .day, .hour: ["TRUE"]
        }
    }

    /// Returns the index path of an asset; nil if the collection does not contain it.
    package func indexPath(of id: Asset.ID, _ catalog: Catalog) throws -> AssetIndexPath? {
        let database = catalog.database
        let find: SQL = """
            SELECT \(key) AS key, asset.instant, asset.fraction, asset.path FROM \(rows)
            WHERE \(isInSource) AND \(condition) AND asset.id = \(id)
            """
        guard let row = try SQLRequest<Row>(literal: find).fetchOne(database) else { return nil }
        let key = entryKey(row["key"])
        let entry = try entryIndex(of: key, database)
        let (instant, fraction, path): (Int, Int, String) = (row["instant"], row["fraction"], row["path"])
        let position: SQL = "(asset.instant, asset.fraction, asset.path)"
        let own: SQL = "(\(instant), \(fraction), \(path))"
        let isBefore: SQL =
            switch (sorter.assets, instant) {
            case (.ascending, _): "\(position) < \(own)"
            case (.descending, Asset.undated): "(asset.instant < \(instant) OR \(position) > \(own))"
            case (.descending, _): "\(position) > \(own) AND asset.instant < \(Asset.undated)"
            }
        let count: SQL = """
            SELECT count(*) FROM \(rows) WHERE \(isInSource) AND \(hasKey(key)) AND \(condition)
            AND \(isBefore)
            """
        return AssetIndexPath(
            entry: entry, asset: try SQLRequest<Int>(literal: count).fetchOne(database) ?? 0)
    }

    /// The ORDER BY terms of the assets in a part.
    var assetOrder: SQL {
        sorter.assets == .ascending
            ? "asset.instant, asset.fraction, asset.path"
            : "asset.instant DESC, asset.fraction DESC, asset.path DESC"
    }

    /// The condition for rows with a key.
    func hasKey(_ key: EntryKey?) -> SQL {
        switch (grouping, key) {
        case (.all, .all): return "TRUE"
        case (.place, nil): return "asset.place IS NULL"
        case (.place, .place(let name)):
            return "asset.place = (SELECT id FROM place WHERE name = \(name))"
        case (_, .period(let period)) where period.unit == grouping.period: return isIn(period)
        case (.week, nil), (.hour, nil), (.day, nil), (.month, nil), (.year, nil):
            return "asset.instant = \(Asset.undated)"
        default: return "FALSE"
        }
    }

    private func isIn(_ period: DatePeriod) -> SQL {
        let key = period.number
        let instants = instants(of: period)
        let isTaken: SQL = "asset.instant BETWEEN \(instants.lowerBound) AND \(instants.upperBound)"
        switch period.unit {
        case .week: return "asset.week = \(key) AND \(isTaken)"
        case .hour: return "asset.hour = \(key) AND \(isTaken)"
        case .day: return "asset.hour BETWEEN \(key * 100) AND \(key * 100 + 99) AND \(isTaken)"
        case .month: return "asset.hour BETWEEN \(key * 10_000) AND \(key * 10_000 + 9999) AND \(isTaken)"
        case .year:
            return "asset.hour BETWEEN \(key * 1_000_000) AND \(key * 1_000_000 + 999_999) AND \(isTaken)"
        }
    }

    /// Bounds of the instants of a period, in any time zone.
    func instants(of period: DatePeriod) -> ClosedRange<Int> {
        let first = period.start.dayNumber
        let days =
            switch period.unit {
            case .hour, .day: 1
            case .week: 7
            case .month: 31
            case .year: 366
            }
        return instants(from: first, before: first + days)
    }

    /// The day number of a day's key.
    func day(_ key: Int) -> Int {
        WallClock(year: key / 10_000, month: key / 100 % 100, day: key % 100)?.dayNumber ?? 0
    }

    /// Bounds of the instant, which the index can use: no zone is a whole day from UTC.
    func isTaken(from first: Int, before last: Int) -> SQL {
        let instants = instants(from: first, before: last)
        return "asset.instant BETWEEN \(instants.lowerBound) AND \(instants.upperBound)"
    }

    private func instants(from first: Int, before last: Int) -> ClosedRange<Int> {
        ((first - 1) * 86_400)...((last + 1) * 86_400)
    }
}
