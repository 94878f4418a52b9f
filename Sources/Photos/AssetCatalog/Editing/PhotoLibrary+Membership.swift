internal import Files
internal import GRDB

extension PhotoLibrary {
    /// Adds assets to an album, or removes them from it, as an operation that can be undone.
    ///
    /// - Parameters:
    ///   - ids: the assets; those that are members already, or not, stay as they are.
    ///   - album: the name of the album, which is created if an asset is added to it.
    ///   - isMember: whether the assets are added.
    /// - Returns: the operation, and the number of assets that were added or removed.
    /// - Throws: `LibraryError`, of the kind `notFound` if there is no such asset, or no such album to remove from.
    @discardableResult
    package func setMembership(
        of ids: [Asset.ID], inAlbum album: String, _ isMember: Bool
    ) async throws -> EditReport {
        try await write { database in
            var report = EditReport()
            let found = try Int64.fetchOne(
                database, sql: "SELECT id FROM album WHERE name = ?", arguments: [album])
            if found == nil, !isMember { throw LibraryError.noAlbum }
            if found == nil {
                try database.execute(
                    sql: "INSERT INTO album(name, position) SELECT ?, 1 + max(position) FROM album",
                    arguments: [album])
            }
            let id = found ?? database.lastInsertedRowID
            let path = try database.cachedStatement(sql: "SELECT path FROM asset WHERE id = ?")
            let change = try database.cachedStatement(
                sql: isMember
                    ? """
                    INSERT OR IGNORE INTO albumAsset SELECT ?1, ?2,
                        1 + ifnull((SELECT max(position) FROM albumAsset WHERE album = ?1), 0)
                    """ : "DELETE FROM albumAsset WHERE album = ?1 AND asset = ?2")
            var steps: [OperationStep] = []
            for asset in ids {
                guard let path = try String.fetchOne(path, arguments: [asset]) else {
                    throw LibraryError(.noAsset(asset))
                }
                try change.execute(arguments: [id, asset])
                guard database.changesCount > 0 else { continue }
                steps.append(
                    OperationStep(kind: isMember ? .joined : .left, path: FilePath(path), other: album))
            }
            report.changed = steps.count
            guard let first = steps.first else { return report }
            // The first step is undone last, when the album is empty.
            if found == nil {
                steps.insert(OperationStep(kind: .album, path: first.path, other: album), at: 0)
            }
            let assets = "\(report.changed) asset\(report.changed == 1 ? "" : "s")"
            let operation = try OperationLog.begin(
                isMember ? "add \(assets) to \(album)" : "remove \(assets) from \(album)", database)
            try OperationLog.append(steps, to: operation, database)
            report.operation = try OperationLog.last(1, database).first
            return report
        }
    }

    /// Returns the albums that contain an asset, in their order.
    package func albums(of asset: Asset.ID) async throws -> [AssetGroup] {
        try await read { database in
            let ids = try Int64.fetchSet(
                database, sql: "SELECT album FROM albumAsset WHERE asset = ?", arguments: [asset])
            return try AssetGroup.fetchAll(database).filter { group in
                if case .album(let id) = group.id { ids.contains(id) } else { false }
            }
        }
    }
}
