package import Assets
internal import Files
internal import GRDB

extension CollectionQuery {
    /// Returns some of the assets of an entry, in order.
    ///
    /// - Parameter anchors: make pages deep in the entry as cheap as the first, once they were reached.
    package func assets(
        in key: EntryKey?, _ range: Range<Int>, _ anchors: PageAnchors, _ catalog: Catalog
    ) throws -> [Asset] {
        let database = catalog.database
        var ids: [Asset.ID] = []
        var skipped = range.lowerBound
        let parts = entryParts
        for (number, part) in parts.enumerated() where ids.count < range.count {
            let page = EntryPage(query: self, key: key, part: part)
            let anchor = try page.anchor(before: skipped, anchors, database)
            // What this part does not have to skip, the next one has.
            if number + 1 < parts.count, let count = try page.count(upTo: skipped, after: anchor, database) {
                skipped -= count
                continue
            }
            ids += try page.ids(skipped, range.count - ids.count, after: anchor, database)
            skipped = 0
        }
        return try catalog.assets(ids)
    }

    /// Returns some of the assets of all entries, one entry after the other.
    package func assets(_ range: Range<Int>, _ anchors: PageAnchors, _ catalog: Catalog) throws -> [Asset] {
        var (skipped, rest) = (range.lowerBound, range.count)
        var assets: [Asset] = []
        for entry in try entries(0..<Int(Int32.max), catalog) where rest > 0 {
            if skipped >= entry.count {
                skipped -= entry.count
                continue
            }
            let found = try self.assets(in: entry.key, skipped..<(skipped + rest), anchors, catalog)
            (skipped, rest) = (0, rest - found.count)
            assets += found
        }
        return assets
    }
}

/// The assets of one part of an entry, read from any position.
private struct EntryPage {
    let query: CollectionQuery
    let key: EntryKey?
    let part: SQL

    /// Finds the anchor at most a stride before a position; nil for the beginning.
    ///
    /// The anchors on the way are stored, so that only the first visit of a position reads what lies before it.
    func anchor(
        before position: Int, _ anchors: PageAnchors, _ database: Database
    ) throws -> PageAnchors.Anchor? {
        guard position > PageAnchors.stride else { return nil }
        let sequence = try ChangeLog.lastSequence(database)
        let (text, arguments) = try from(after: nil, database).build(database)
        let list = FilePath("\(query.sorter.assets) \(text) \(arguments)")
        var anchor = anchors.anchor(before: position, in: list, sequence)
        var passed: [PageAnchors.Anchor] = []
        while position - start(after: anchor) > PageAnchors.stride {
            guard let next = try next(after: anchor, database) else { break }
            passed.append(next)
            anchor = next
        }
        anchors.append(passed, to: list, sequence)
        return anchor
    }

    /// Returns the number of assets where it is not more than a position; else nil.
    func count(
        upTo position: Int, after anchor: PageAnchors.Anchor?, _ database: Database
    ) throws -> Int? {
        guard position > 0 else { return nil }
        let (start, from) = (start(after: anchor), try from(after: anchor, database))
        let rest: SQL = "SELECT count(*) FROM (SELECT 1 \(from) LIMIT \(position - start + 1))"
        let count = try SQLRequest<Int>(literal: rest).fetchOne(database) ?? 0
        return count > position - start ? nil : start + count
    }

    func ids(
        _ position: Int, _ count: Int, after anchor: PageAnchors.Anchor?, _ database: Database
    ) throws -> [Asset.ID] {
        let from = try from(after: anchor, database)
        let request: SQL = """
            SELECT asset.id \(from) ORDER BY \(query.assetOrder)
            LIMIT \(count) OFFSET \(position - start(after: anchor))
            """
        return try SQLRequest<Int64>(literal: request).fetchAll(database)
    }

    private func start(after anchor: PageAnchors.Anchor?) -> Int { anchor.map { $0.position + 1 } ?? 0 }

    /// Returns the anchor one stride behind another; nil if there are not so many assets.
    private func next(
        after anchor: PageAnchors.Anchor?, _ database: Database
    ) throws -> PageAnchors.Anchor? {
        let offset = PageAnchors.stride - 1
        let from = try from(after: anchor, database)
        let request: SQL = """
            SELECT asset.instant, asset.fraction, asset.path \(from)
            ORDER BY \(query.assetOrder) LIMIT 1 OFFSET \(offset)
            """
        return try SQLRequest<Row>(literal: request).fetchOne(database).map {
            PageAnchors.Anchor(
                position: start(after: anchor) + offset, instant: $0[0], fraction: $0[1], path: $0[2])
        }
    }

    private func from(after anchor: PageAnchors.Anchor?, _ database: Database) throws -> SQL {
        let rows: SQL = """
            FROM \(query.rows) WHERE \(query.isInSource) AND \(query.hasKey(key)) AND \(part)
            AND \(query.condition)
            """
        guard let anchor else { return rows }
        // The plus keeps SQLite from finding the rows by other bounds of the instant than the anchor's.
        let (text, arguments) = try rows.build(database)
        let others = SQL(sql: text.replacing("asset.instant", with: "+asset.instant"), arguments: arguments)
        return "\(others) AND \(isAfter(anchor)) AND \(isBeforeEnd)"
    }

    /// The bound of the instant at which the entry ends.
    private var isBeforeEnd: SQL {
        guard case .period(let period) = key else { return "TRUE" }
        let instants = query.instants(of: period)
        return query.sorter.assets == .ascending
            ? "asset.instant <= \(instants.upperBound)" : "asset.instant >= \(instants.lowerBound)"
    }

    private func isAfter(_ anchor: PageAnchors.Anchor) -> SQL {
        let isAscending = query.sorter.assets == .ascending
        let sign: SQL = isAscending ? ">" : "<"
        if anchor.instant == Asset.undated {
            return """
                asset.instant = \(anchor.instant)
                AND (asset.fraction, asset.path) \(sign) (\(anchor.fraction), \(anchor.path))
                """
        }
        return """
            (asset.instant, asset.fraction, asset.path) \(sign)
            (\(anchor.instant), \(anchor.fraction), \(anchor.path))
            """
    }
}
