internal import GRDB
internal import ImageMetadata

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
        let key = EntryKey(row["key"])
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
        case (.all, .number(0)): "TRUE"
        case (.place, nil): "asset.place IS NULL"
        case (.place, .text(let name)): "asset.place = (SELECT id FROM place WHERE name = \(name))"
        case (.week, .number(let key)):
            "asset.week = \(key) AND \(isTaken(from: day(key), before: day(key) + 7))"
        case (.hour, .number(let key)):
            "asset.hour = \(key) AND \(isTaken(from: day(key / 100), before: day(key / 100) + 1))"
        case (.day, .number(let key)):
            """
            asset.hour BETWEEN \(key * 100) AND \(key * 100 + 99)
            AND \(isTaken(from: day(key), before: day(key) + 1))
            """
        case (.month, .number(let key)):
            """
            asset.hour BETWEEN \(key * 10_000) AND \(key * 10_000 + 9999)
            AND \(isTaken(from: day(key * 100 + 1), before: day(key * 100 + 1) + 31))
            """
        case (.year, .number(let key)):
            """
            asset.hour BETWEEN \(key * 1_000_000) AND \(key * 1_000_000 + 999_999)
            AND \(isTaken(from: day(key * 10_000 + 101), before: day(key * 10_000 + 101) + 366))
            """
        case (.week, nil), (.hour, nil), (.day, nil), (.month, nil), (.year, nil):
            "asset.instant = \(Asset.undated)"
        default: "FALSE"
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
