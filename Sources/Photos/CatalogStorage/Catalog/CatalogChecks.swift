internal import GRDB

// The search index, counts and orders that the catalog keeps for speed, compared with the assets.
extension Catalog {
    /// The checks that only read; each returns a sentence for each fault.
    package static var checks: [@Sendable (Catalog) throws -> [String]] {
        [{ try $0.faultyPages() }]
            + ["hour", "week", "place", "folder"].map { grouping in { try $0.wrongCounts(by: grouping) } }
            + [{ try $0.wrongAlbumOrder() }, { try $0.wrongCalendar() }]
    }

    private func faultyPages() throws -> [String] {
        try String.fetchAll(database, sql: "PRAGMA quick_check(20)").filter { $0 != "ok" }
    }

    /// Throws `LibraryError` of the kind `damaged` if the search index does not match the texts of the assets.
    package func checkSearch() throws {
        // Rank 1 compares the index with the texts, too. FTS5 treats the command as a write.
        try database.execute(sql: "INSERT INTO search(search, rank) VALUES ('integrity-check', 1)")
    }

    /// Compares the stored counts of a grouping with those of the assets.
    private func wrongCounts(by grouping: String) throws -> [String] {
        let difference = """
            SELECT ifnull(\(grouping), -1) AS code, kinds, count(*) AS number, sum(bytes) AS bytes
                FROM asset GROUP BY 1, kinds
            EXCEPT SELECT code, kinds, number, bytes FROM tally WHERE grouping = '\(grouping)'
            """
        let wrong = try Int.fetchOne(database, sql: "SELECT count(*) FROM (\(difference))") ?? 0
        return wrong == 0 ? [] : ["\(wrong) entries by \(grouping) are counted wrongly"]
    }

    private func wrongAlbumOrder() throws -> [String] {
        let ordered = """
            SELECT albumAsset.album, \(CatalogStore.ordered) FROM albumAsset
            JOIN asset ON asset.id = albumAsset.asset
            """
        return try differences(ordered, "albumOrder", "the order of albums")
    }

    private func wrongCalendar() throws -> [String] {
        let counted = """
            SELECT album, ifnull(place, -1), ifnull(hour, -1), kinds, count(*), sum(bytes)
            FROM (SELECT 0 AS album, place, hour, kinds, bytes FROM asset
                UNION ALL SELECT album, place, hour, kinds, bytes FROM albumOrder)
            GROUP BY 1, 2, 3, 4
            """
        return try differences(counted, "calendar", "the number of assets by hour and place")
    }

    /// Compares a table that is derived from others, for speed, with its source.
    private func differences(_ source: String, _ table: String, _ name: String) throws -> [String] {
        let copy = "SELECT * FROM \(table)"
        let differences = [(source, copy), (copy, source)].map { "SELECT * FROM (\($0) EXCEPT \($1))" }
        let isWrong = try Bool.fetchOne(
            database, sql: "SELECT EXISTS (\(differences.joined(separator: " UNION ALL ")))")
        return isWrong == true ? ["\(name) is not what the assets say"] : []
    }
}
