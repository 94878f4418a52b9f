internal import GRDB

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
    func entries(_ range: Range<Int>, _ database: Database) throws -> [AssetEntry] {
        let request: SQL = "\(entries) ORDER BY \(entryOrder) LIMIT \(range.count) OFFSET \(range.lowerBound)"
        return try SQLRequest<Row>(literal: request).fetchAll(database)
            .map { AssetEntry(key: EntryKey($0["key"]), count: $0["count"]) }
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

extension EntryKey {
    init?(_ value: DatabaseValue) {
        switch value.storage {
        case .int64(let number): self = .number(Int(number))
        case .string(let text): self = .text(text)
        default: return nil
        }
    }

    var databaseValue: DatabaseValue {
        switch self {
        case .number(let number): number.databaseValue
        case .text(let text): text.databaseValue
        }
    }
}
