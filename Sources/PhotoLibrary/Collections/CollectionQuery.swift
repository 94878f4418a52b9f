internal import GRDB

/// A collection of standard parts in the catalogue's language.
struct CollectionQuery {
    let source: AssetGroup.ID
    let grouping: StandardGrouping.Unit
    /// The filter where it only asks for kinds.
    let kinds: AssetKinds?
    let condition: SQL
    let sorter: DateSorter
    let omitsEmptyEntries: Bool

    /// The keys of all entries with the number of assets that the filter leaves, in no order.
    ///
    /// Those of the whole library come from what the catalogue has counted already.
    private var entries: SQL {
        let isCounted = source == .all && kinds != nil
        let table = isCounted ? counted : SQL("\(rows) WHERE \(isInSource)")
        let number: SQL = isCounted ? "number" : "1"
        let having: SQL = omitsEmptyEntries ? "HAVING count > 0" : ""
        return """
            SELECT \(isCounted ? countedKey : key) AS key,
                sum(CASE WHEN \(condition) THEN \(number) ELSE 0 END) AS count
            FROM \(table) GROUP BY 1 \(having)
            """
    }

    private var counted: SQL {
        let name =
            switch grouping {
            case .week: "week"
            case .place: "place"
            case .all, .year, .month, .day, .hour: "hour"
            }
        return "tally WHERE grouping = \(name)"
    }

    private var countedKey: SQL {
        switch grouping {
        case .all: "0"
        case .week: "nullif(code, -1)"
        case .place: "(SELECT name FROM place WHERE id = code)"
        case .year, .month, .day, .hour: "nullif(code, -1) / \(hours)"
        }
    }

    /// The key of a row of `asset`.
    var key: SQL {
        switch grouping {
        case .all: "0"
        case .week: "week"
        case .place: "(SELECT name FROM place WHERE id = asset.place)"
        case .year, .month, .day, .hour: "hour / \(hours)"
        }
    }

    /// What an hour's key is divided by to be that of the grouping.
    private var hours: Int {
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
        let request: SQL = """
            SELECT entry, count FROM (
                SELECT row_number() OVER (ORDER BY \(entryOrder)) - 1 AS entry, count FROM (\(entries)))
            WHERE count > 0 ORDER BY entry DESC LIMIT 1
            """
        return try SQLRequest<Row>(literal: request).fetchOne(database)
            .map { AssetIndexPath(entry: $0["entry"], asset: $0["count"] - 1) }
    }

    /// The place of an entry among all; nil where there is none with this key.
    func entryIndex(of key: EntryKey?, _ database: Database) throws -> Int? {
        let request: SQL = """
            SELECT entry FROM (
                SELECT row_number() OVER (ORDER BY \(entryOrder)) - 1 AS entry, key FROM (\(entries)))
            WHERE key IS \(key.databaseValue)
            """
        return try SQLRequest<Int>(literal: request).fetchOne(database)
    }

    private var entryOrder: SQL {
        sorter.entries == .ascending ? "key IS NULL, key" : "key IS NULL DESC, key DESC"
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
}

extension EntryKey? {
    /// NULL for assets without a key.
    var databaseValue: DatabaseValue {
        switch self {
        case .number(let number): number.databaseValue
        case .text(let text): text.databaseValue
        case nil: .null
        }
    }
}
