internal import CatalogStorage

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
        try await write { catalog in
            var report = EditReport()
            let change = try catalog.setMembership(of: ids, inAlbum: album, isMember)
            var steps = change.paths.map {
                OperationStep(kind: isMember ? .joined : .left, path: $0, other: album)
            }
            report.changed = steps.count
            guard let first = steps.first else { return report }
            // The first step is undone last, when the album is empty.
            if change.isNewAlbum {
                steps.insert(OperationStep(kind: .album, path: first.path, other: album), at: 0)
            }
            let assets = "\(report.changed) asset\(report.changed == 1 ? "" : "s")"
            let operation = try catalog.operations.begin(
                isMember ? "add \(assets) to \(album)" : "remove \(assets) from \(album)")
            try catalog.operations.append(steps, to: operation)
            report.operation = try catalog.operations.last(1).first
            return report
        }
    }
}
