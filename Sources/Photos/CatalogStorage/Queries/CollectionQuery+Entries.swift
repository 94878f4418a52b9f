internal import Assets
internal import GRDB
internal import ImageMetadata

extension CollectionQuery {
    /// Selects the keys of all entries and the number of their assets that the filter includes, unordered.
    ///
    /// Reads the counts in the catalog instead of the assets where these suffice.
    var entries: SQL { counts.map(entries) ?? entries(assetsThemselves) }

    /// Rows named `asset` with a number of equal assets each.
    private struct Counts {
        var rows: SQL
        /// The number of assets of a row.
        var number: SQL
        var isInSource: SQL
        /// The condition of the filter.
        var condition: SQL
        /// Whether the rows have a column `week`.
        var haveWeeks = false
    }

    private var assetsThemselves: Counts {
        Counts(rows: rows, number: "1", isInSource: isInSource, condition: condition, haveWeeks: true)
    }

    /// The counts that answer the query; nil if none do.
    private var counts: Counts? {
        guard let condition = filter.talliedCondition else { return nil }
        switch (source, grouping) {
        case (.folder, _): return nil
        case (.album(let id), _): return calendar(of: id, condition)
        // There are fewer weeks than hours.
        case (.all, .week) where filter.asksOnlyForKinds, (.all, .all) where filter.asksOnlyForKinds:
            return tally("week", "nullif(code, -1) AS week", condition)
        case (.all, .place) where filter.asksOnlyForKinds: return tally("place", "code AS place", condition)
        case (.all, _) where filter.asksForPlaces || grouping == .place: return calendar(of: 0, condition)
        case (.all, _): return tally("hour", "nullif(code, -1) AS hour", condition)
        }
    }

    private func tally(_ grouping: String, _ key: SQL, _ condition: SQL) -> Counts {
        let rows: SQL = "SELECT \(key), kinds, number FROM tally WHERE grouping = \(grouping)"
        return counts(undivided(rows, hour: "code"), "hour, kinds", condition, haveWeeks: grouping == "week")
    }

    private func calendar(of album: Int64, _ condition: SQL) -> Counts {
        let rows: SQL = """
            SELECT place, nullif(hour, -1) AS hour, kinds, number FROM calendar WHERE album = \(album)
            """
        return counts(undivided(rows, hour: "hour"), "ifnull(place, -1), hour, kinds", condition)
    }

    /// Excludes the hours of which the filter includes a part.
    private func undivided(_ rows: SQL, hour: SQL) -> SQL {
        let hours = filter.dividedHours.map(String.init).joined(separator: ", ")
        return hours.isEmpty ? rows : "\(rows) AND \(hour) NOT IN (\(sql: hours))"
    }

    /// Adds the assets of the hours of which the filter includes a part.
    private func counts(
        _ counted: SQL, _ columns: SQL, _ condition: SQL, haveWeeks: Bool = false
    ) -> Counts {
        let divided = filter.dividedHours.map { hour -> SQL in
            """
            SELECT \(columns), CASE WHEN \(self.condition) THEN 1 ELSE 0 END FROM \(rows)
            WHERE \(isInSource) AND asset.hour = \(hour) AND \(isTaken(from: day(hour / 100), before: day(hour / 100) + 1))
            """
        }
        return Counts(
            rows: "(\(([counted] + divided).joined(separator: " UNION ALL "))) AS asset",
            number: "asset.number",
            isInSource: "TRUE", condition: condition, haveWeeks: haveWeeks)
    }

    private func entries(_ counts: Counts) -> SQL {
        switch grouping {
        case .place:
            // Looks up the name once per place.
            return """
                SELECT (SELECT name FROM place WHERE id = part) AS key, sum(count) AS count
                FROM (\(sums("asset.place", counts))) GROUP BY 1
                """
        case .week where !counts.haveWeeks:
            return """
                SELECT weekOf(part) AS key, sum(count) AS count
                FROM (\(sums("asset.hour / 100", counts))) GROUP BY 1
                """
        default: return "SELECT part AS key, count FROM (\(sums(key, counts)))"
        }
    }

    /// Counts the included assets by an expression.
    private func sums(_ part: SQL, _ counts: Counts) -> SQL {
        if omitsEmptyEntries {
            // The condition can use an index.
            return """
                SELECT \(part) AS part, sum(\(counts.number)) AS count FROM \(counts.rows)
                WHERE \(counts.isInSource) AND \(counts.condition) GROUP BY 1 HAVING count > 0
                """
        }
        return """
            SELECT \(part) AS part, sum(CASE WHEN \(counts.condition) THEN \(counts.number) ELSE 0 END) AS count
            FROM \(counts.rows) WHERE \(counts.isInSource) GROUP BY 1
            """
    }

    /// The SQL function that returns the key of the week of a day's key.
    static let weekOf = DatabaseFunction("weekOf", argumentCount: 1, pure: true) { values in
        guard let day = Int.fromDatabaseValue(values[0]) else { return nil }
        // Of a month or a year, no week is known.
        guard day % 100 > 0 else { return day }
        return WallClock(year: day / 10_000, month: day / 100 % 100, day: day % 100)?.weekKey
    }
}
