internal import Files
internal import GRDB

extension PhotoLibrary {
    /// Looks for contradictions in the catalog: in its pages, its search and what it has counted.
    ///
    /// - Returns: what is wrong, one sentence each; nothing where all is well.
    public func verify() async throws(LibraryError) -> [String] {
        let faults = try await catalog.read { database in
            let pages = try String.fetchAll(database, sql: "PRAGMA quick_check(20)").filter { $0 != "ok" }
            return try pages + Self.countedWrongly(database) + Self.keptWrongly(database)
        }
        return try await faults + (isSearchRight() ? [] : ["the search does not hold what the assets say"])
    }

    /// Whether the search finds every asset by its own words, and by no others.
    private func isSearchRight() async throws(LibraryError) -> Bool {
        do {
            // Not zero: the words are compared with those of the assets too. FTS5 takes it for writing.
            try await catalog.write { database in
                try database.execute(sql: "INSERT INTO search(search, rank) VALUES ('integrity-check', 1)")
            }
            return true
        } catch .damaged {
            return false
        }
    }

    /// Groupings of which the number of assets is not what their entries add up to.
    private static func countedWrongly(_ database: Database) throws -> [String] {
        try ["hour", "week", "place", "folder"].compactMap { grouping in
            let difference = """
                SELECT ifnull(\(grouping), -1) AS code, kinds, count(*) AS number, sum(bytes) AS bytes
                    FROM asset GROUP BY 1, kinds
                EXCEPT SELECT code, kinds, number, bytes FROM tally WHERE grouping = '\(grouping)'
                """
            let wrong = try Int.fetchOne(database, sql: "SELECT count(*) FROM (\(difference))") ?? 0
            return wrong == 0 ? nil : "\(wrong) entries by \(grouping) are counted wrongly"
        }
    }

    /// What is kept a second time, to be found quickly, and differs from what it was taken from.
    private static func keptWrongly(_ database: Database) throws -> [String] {
        let ordered = """
            SELECT albumAsset.album, \(Catalog.ordered) FROM albumAsset JOIN asset ON asset.id = albumAsset.asset
            """
        let counted = """
            SELECT album, ifnull(place, -1), ifnull(hour, -1), kinds, count(*), sum(bytes)
            FROM (SELECT 0 AS album, place, hour, kinds, bytes FROM asset
                UNION ALL SELECT album, place, hour, kinds, bytes FROM albumOrder)
            GROUP BY 1, 2, 3, 4
            """
        return try [
            (ordered, "SELECT * FROM albumOrder", "the order of albums"),
            (counted, "SELECT * FROM calendar", "the number of assets by hour and place"),
        ].compactMap { source, copy, name in
            let differences = [(source, copy), (copy, source)].map { "SELECT * FROM (\($0) EXCEPT \($1))" }
            let isWrong = try Bool.fetchOne(
                database, sql: "SELECT EXISTS (\(differences.joined(separator: " UNION ALL ")))")
            return isWrong == true ? "\(name) is not what the assets say" : nil
        }
    }
}
