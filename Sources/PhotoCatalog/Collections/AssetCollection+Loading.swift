internal import GRDB

extension AssetCollection {
    /// Some of the entries, in order; fewer where there are not so many.
    public func entries(_ range: Range<Int> = 0..<Int(Int32.max)) async throws(LibraryError) -> [AssetEntry] {
        try await answer { query, database in
            try query.entries(range, database)
        } or: {
            Array($0.entries[range.clamped(to: $0.entries.indices)])
        }
    }

    /// How many entries there are.
    public func entryCount() async throws(LibraryError) -> Int {
        try await answer { query, database in
            try query.entryCount(database)
        } or: {
            $0.entries.count
        }
    }

    /// Some of the assets of an entry, in order; fewer where there are not so many.
    public func assets(
        in entry: AssetEntry, _ range: Range<Int> = 0..<Int(Int32.max)
    ) async throws(LibraryError) -> [Asset] {
        try await pages(of: entry.key, range)
    }

    /// Some of the assets of the entry at a place.
    public func assets(
        inEntry index: Int, _ range: Range<Int> = 0..<Int(Int32.max)
    ) async throws(LibraryError) -> [Asset] {
        guard let entry = try await entries(index..<(index + 1)).first else { return [] }
        return try await pages(of: entry.key, range)
    }

    /// The asset at a place; nil where there is none.
    public func asset(at indexPath: AssetIndexPath) async throws(LibraryError) -> Asset? {
        guard indexPath >= AssetIndexPath(entry: 0, asset: 0), indexPath.asset >= 0 else { return nil }
        return try await assets(inEntry: indexPath.entry, indexPath.asset..<(indexPath.asset + 1)).first
    }

    /// Where an asset stands; nil where it is not shown.
    public func indexPath(of asset: Asset.ID) async throws(LibraryError) -> AssetIndexPath? {
        try await answer { query, database in
            try query.indexPath(of: asset, database)
        } or: {
            $0.indexPath(of: asset)
        }
    }

    /// The place of the last asset; nil where there is none.
    ///
    /// Empty entries are skipped.
    public func lastIndexPath() async throws(LibraryError) -> AssetIndexPath? {
        try await answer { query, database in
            try query.lastIndexPath(database)
        } or: {
            $0.lastIndexPath
        }
    }

    /// All entries and assets as they are now.
    public func arrangement() async throws(LibraryError) -> Arrangement {
        let criteria = criteria
        return try await library.catalog.read { try Arrangement(criteria, $0) }
    }

    private func pages(of key: EntryKey?, _ range: Range<Int>) async throws(LibraryError) -> [Asset] {
        let criteria = criteria
        if let query = criteria.query {
            return try await library.catalog.read { try query.assets(in: key, range, $0) }
        }
        let arrangement = try await currentArrangement()
        guard let entry = arrangement.entries.firstIndex(where: { $0.key == key }) else { return [] }
        let ids = arrangement.ids(in: entry)
        let first = min(ids.startIndex + range.lowerBound, ids.endIndex)
        return try await library.assets(Array(ids[first...].prefix(range.count)))
    }

    /// An answer of the catalog where all criteria are standard, else one of the arrangement.
    private func answer<R: Sendable>(
        _ ask: @escaping @Sendable (CollectionQuery, Database) throws -> R, or look: (Arrangement) -> R
    ) async throws(LibraryError) -> R {
        if let query = criteria.query {
            return try await library.catalog.read { try ask(query, $0) }
        }
        return look(try await currentArrangement())
    }

    /// The last arrangement where nothing has changed since, else a new one.
    private func currentArrangement() async throws(LibraryError) -> Arrangement {
        let version = version
        let sequence = try await library.catalog.read(ChangeLog.lastSequence)
        if let kept, kept.sequence == sequence { return kept }
        let arrangement = try await arrangement()
        keep(arrangement, version)
        return arrangement
    }
}
