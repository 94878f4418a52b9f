package import PhotoCatalog

extension AssetCollection {
    /// Returns the number of entries.
    package func entryCount() async throws -> Int { try await entries().count }

    /// Returns the number of assets in all entries.
    package func count() async throws -> Int {
        try await entries().reduce(0) { $0 + $1.count }
    }

    /// Returns some of the assets of the entry at an index; empty if there is no such entry.
    ///
    /// - Parameter range: clamped to the assets of the entry.
    package func assets(
        inEntry index: Int, _ range: Range<Int> = 0..<Int(Int32.max)
    ) async throws -> [Asset] {
        guard (0..<Int(Int32.max)).contains(index),
            let entry = try await entries(index..<(index + 1)).first
        else { return [] }
        return try await assets(in: entry, range)
    }

    /// Returns the asset at an index path; nil if there is none.
    package func asset(at indexPath: AssetIndexPath) async throws -> Asset? {
        guard indexPath.entry >= 0, (0..<Int(Int32.max)).contains(indexPath.asset) else { return nil }
        return try await assets(inEntry: indexPath.entry, indexPath.asset..<(indexPath.asset + 1)).first
    }

    /// Returns the index path of the last asset, skipping empty entries; nil if there is none.
    package func lastIndexPath() async throws -> AssetIndexPath? {
        let entries = try await entries()
        return entries.lastIndex { $0.count > 0 }
            .map { AssetIndexPath(entry: $0, asset: entries[$0].count - 1) }
    }
}
