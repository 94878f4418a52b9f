internal import GRDB
internal import ImageMetadata

/// What makes a collection: which assets, how they are grouped, which of them are shown and in what order.
struct CollectionCriteria: Sendable {
    let source: AssetGroup.ID
    let grouping: any AssetGrouping
    var filter: any AssetFilter
    var sorter: any AssetSorter
    var omitsEmptyEntries: Bool

    /// The same as a query where all of it is standard, so that the catalog can answer page by page.
    var query: CollectionQuery? {
        let isStandard = grouping is StandardGrouping && sorter is DateSorter && catalogFilter != nil
        return isStandard ? nearestQuery : nil
    }

    /// A query with all that is standard: the rest has to be asked for every asset.
    var nearestQuery: CollectionQuery {
        let (filter, condition) = catalogFilter ?? (AssetKinds.all, "TRUE")
        return CollectionQuery(
            source: source, grouping: (grouping as? StandardGrouping)?.unit ?? .all, filter: filter,
            condition: condition, sorter: sorter as? DateSorter ?? .dateAscending,
            omitsEmptyEntries: omitsEmptyEntries)
    }

    /// The filter and its condition; nil where it has none.
    var catalogFilter: (filter: any CatalogFilter, condition: SQL)? {
        guard let filter = filter as? any CatalogFilter, let condition = filter.condition else {
            return nil
        }
        return (filter, condition)
    }
}

/// A collection of standard parts in the catalog's language.
struct CollectionQuery {
    let source: AssetGroup.ID
    let grouping: StandardGrouping.Unit
    let filter: any CatalogFilter
    /// The filter's own.
    let condition: SQL
    let sorter: DateSorter
    let omitsEmptyEntries: Bool

    /// The key of a row of `asset`.
    var key: SQL {
        switch grouping {
        case .all: "0"
        case .week: "asset.week"
        case .place: "(SELECT name FROM place WHERE id = asset.place)"
        case .year, .month, .day, .hour: "asset.hour / \(hours)"
        }
    }

    /// What an hour's key is divided by to be that of the grouping.
    var hours: Int {
        switch grouping {
        case .year: 1_000_000
        case .month: 10_000
        case .day: 100
        case .all, .week, .hour, .place: 1
        }
    }

    /// Some of the entries, in order.
    func entries(_ range: Range<Int>, _ database: Database) throws -> [CollectionEntry] {
        let request: SQL = "\(entries) ORDER BY \(entryOrder) LIMIT \(range.count) OFFSET \(range.lowerBound)"
        return try SQLRequest<Row>(literal: request).fetchAll(database)
            .map { CollectionEntry(key: entryKey($0["key"]), count: $0["count"]) }
    }

    func entryCount(_ database: Database) throws -> Int {
        try SQLRequest<Int>(literal: "SELECT count(*) FROM (\(entries))").fetchOne(database) ?? 0
    }

    /// The place of the last asset; nil where there is none.
    func lastIndexPath(_ database: Database) throws -> AssetIndexPath? {
        let request: SQL = "SELECT count FROM (\(entries)) ORDER BY \(entryOrder)"
        let counts = try SQLRequest<Int>(literal: request).fetchAll(database)
        return counts.lastIndex { $0 > 0 }.map { AssetIndexPath(entry: $0, asset: counts[$0] - 1) }
    }

    /// How many entries stand before the one with a key.
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
    /// The key that the catalog gives as a value of `key`; nil for NULL.
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
    /// The table that is in order, or has an index that is.
    var rows: SQL {
        switch source {
        case .all: "asset"
        case .folder: "asset"
        case .album: "albumOrder AS asset"
        }
    }

    /// Which rows belong to the group.
    var isInSource: SQL {
        switch source {
        case .all: "TRUE"
        case .album(let id): "asset.album = \(id)"
        case .folder(let id): "asset.folder = \(id)"
        }
    }

    /// Some of the assets of an entry, in order.
    func assets(in key: EntryKey?, _ range: Range<Int>, _ database: Database) throws -> [Asset] {
        var ids: [Asset.ID] = []
        var skipped = range.lowerBound
        let parts = entryParts
        for part in parts where ids.count < range.count {
            let from: SQL = "FROM \(rows) WHERE \(isInSource) AND \(hasKey(key)) AND \(part) AND \(condition)"
            let request: SQL = """
                SELECT asset.id \(from) ORDER BY \(assetOrder)
                LIMIT \(range.count - ids.count) OFFSET \(skipped)
                """
            let found = try SQLRequest<Int64>(literal: request).fetchAll(database)
            ids += found
            if !found.isEmpty {
                skipped = 0
            } else if skipped > 0, parts.count > 1 {
                // What is not skipped in this part is skipped in the next.
                skipped -= try SQLRequest<Int>(literal: "SELECT count(*) \(from)").fetchOne(database) ?? 0
            }
        }
        return try Asset.fetch(ids, database)
    }

    /// Some of the assets of all entries, one entry after the other.
    func assets(_ range: Range<Int>, _ database: Database) throws -> [Asset] {
        var (skipped, rest) = (range.lowerBound, range.count)
        var assets: [Asset] = []
        for entry in try entries(0..<Int(Int32.max), database) where rest > 0 {
            if skipped >= entry.count {
                skipped -= entry.count
                continue
            }
            let found = try self.assets(in: entry.key, skipped..<(skipped + rest), database)
            (skipped, rest) = (0, rest - found.count)
            assets += found
        }
        return assets
    }

    /// Conditions that divide all rows so that the assets of the first part come before those of the next.
    ///
    /// Undated assets are last in either order, and have the greatest instant.
    var parts: [SQL] {
        sorter.assets == .ascending
            ? ["TRUE"] : ["asset.instant < \(Asset.undated)", "asset.instant = \(Asset.undated)"]
    }

    /// The same of an entry: where it is one of dates, all its assets are dated, or none.
    private var entryParts: [SQL] {
        switch grouping {
        case .all, .place: parts
        case .year, .month, .week, .day, .hour: ["TRUE"]
        }
    }

    /// Where an asset stands; nil where the collection does not show it.
    func indexPath(of id: Asset.ID, _ database: Database) throws -> AssetIndexPath? {
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

    /// The order of the assets in a part.
    var assetOrder: SQL {
        sorter.assets == .ascending
            ? "asset.instant, asset.fraction, asset.path"
            : "asset.instant DESC, asset.fraction DESC, asset.path DESC"
    }

    /// What holds for the rows with a key.
    private func hasKey(_ key: EntryKey?) -> SQL {
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
        let (key, first) = (period.number, period.start.dayNumber)
        switch period.unit {
        case .week: return "asset.week = \(key) AND \(isTaken(from: first, before: first + 7))"
        case .hour: return "asset.hour = \(key) AND \(isTaken(from: first, before: first + 1))"
        case .day:
            return """
                asset.hour BETWEEN \(key * 100) AND \(key * 100 + 99)
                AND \(isTaken(from: first, before: first + 1))
                """
        case .month:
            return """
                asset.hour BETWEEN \(key * 10_000) AND \(key * 10_000 + 9999)
                AND \(isTaken(from: first, before: first + 31))
                """
        case .year:
            return """
                asset.hour BETWEEN \(key * 1_000_000) AND \(key * 1_000_000 + 999_999)
                AND \(isTaken(from: first, before: first + 366))
                """
        }
    }

    /// The day number of a day's key.
    func day(_ key: Int) -> Int {
        WallClock(year: key / 10_000, month: key / 100 % 100, day: key % 100)?.dayNumber ?? 0
    }

    /// Bounds of the instant, by which the rows are found: no zone is a whole day from UTC.
    func isTaken(from first: Int, before last: Int) -> SQL {
        "asset.instant BETWEEN \((first - 1) * 86_400) AND \((last + 1) * 86_400)"
    }
}
