internal import Files
internal import GRDB

extension PhotoLibrary {
    /// Checks the catalog for contradictions in its pages, its search index and its counts.
    ///
    /// - Returns: a sentence for each fault; empty where all is well.
    /// - Throws: `LibraryError.cancelled` where the task was cancelled.
    public func verify() async throws(LibraryError) -> [String] {
        let faults = try await read { database in
            let pages = try String.fetchAll(database, sql: "PRAGMA quick_check(20)").filter { $0 != "ok" }
            return try pages + Self.countedWrongly(database) + Self.keptWrongly(database)
        }
        return try await faults + (isSearchRight() ? [] : ["the search does not hold what the assets say"])
    }

    /// Whether the search finds every asset by its own words, and by no others.
    private func isSearchRight() async throws(LibraryError) -> Bool {
        do {
            // Not zero: the words are compared with those of the assets too. FTS5 takes it for writing.
            try await write { database in
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

extension PhotoLibrary {
    /// Reads the files of assets and compares them with their checksums.
    ///
    /// - Parameters:
    ///   - assets: whose files are read.
    ///   - progress: receives the number of files read, and of all.
    /// - Returns: the files that are damaged or gone, and those that were written since they were indexed, which have
    ///   `needsIndexing`.
    /// - Throws: `LibraryError.cancelled` where the task was cancelled.
    public func checkFiles(
        of assets: [Asset], progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws(LibraryError) -> [IndexReport.Failure] {
        var failures: [IndexReport.Failure] = []
        for start in stride(from: 0, to: assets.count, by: 64) {
            if Task.isCancelled { throw .cancelled }
            let batch = Array(assets[start...].prefix(64))
            failures += try await BackgroundQueue.run { () throws(LibraryError) in
                batch.compactMap { asset in
                    self.fault(of: asset)
                }
            }
            progress(start + batch.count, assets.count)
        }
        return failures
    }

    private func fault(of asset: Asset) -> IndexReport.Failure? {
        func failure(_ reason: String, needsIndexing: Bool = false) -> IndexReport.Failure {
            IndexReport.Failure(path: asset.path, reason: reason, needsIndexing: needsIndexing)
        }
        guard let status = FileStatus(path(of: asset)) else { return failure("is gone", needsIndexing: true) }
        guard status.size == asset.bytes, status.modified == asset.modifiedNanoseconds else {
            return failure("was written since it was indexed", needsIndexing: true)
        }
        do {
            return try FileDigest.of(path(of: asset)) == asset.sha256
                ? nil : failure(Asset.damage)
        } catch {
            return failure(error.description)
        }
    }
}

extension Asset {
    /// What is wrong with a file of another checksum and the same size and time.
    static let damage =
        "has other bytes than when it was indexed, at the same time and size: restore it from a backup"
}
