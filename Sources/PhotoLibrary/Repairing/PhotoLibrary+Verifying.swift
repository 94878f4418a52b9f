internal import Files
internal import GRDB

extension PhotoLibrary {
    /// Looks for contradictions in the catalogue: in its pages, its search and what it has counted.
    ///
    /// - Returns: what is wrong, one sentence each; nothing where all is well.
    public func verify() async throws(LibraryError) -> [String] {
        try await catalogue.read { database in
            let pages = try String.fetchAll(database, sql: "PRAGMA quick_check(20)").filter { $0 != "ok" }
            let counted = try Self.countedWrongly(database)
            return pages + counted
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
}
