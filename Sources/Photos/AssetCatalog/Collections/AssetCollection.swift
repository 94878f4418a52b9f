internal import Basics
internal import CatalogStorage
internal import Synchronization

/// The assets of a group, arranged into entries by a grouping, then a filter, then a sorter.
///
/// The group and the grouping are fixed; the filter and the sorter can change at any time. Each method reads the
/// current state of the catalog, page by page. For an order that is stable between calls, take a `snapshot` and
/// update it with `changes`.
public final class AssetCollection: Sendable {
    /// The library that the assets belong to.
    package let library: PhotoLibrary
    private let state: Mutex<State>

    private struct State {
        var criteria: CollectionCriteria
        /// Incremented with every change of the criteria.
        var version = 0
        /// The last snapshot, for criteria that the catalog cannot answer page by page.
        var kept: CollectionSnapshot?
    }

    init(_ library: PhotoLibrary, _ criteria: CollectionCriteria) {
        self.library = library
        state = Mutex(State(criteria: criteria))
    }

    var criteria: CollectionCriteria { state.withLock { $0.criteria } }
    var version: Int { state.withLock { $0.version } }

    /// The cached snapshot of these criteria.
    var kept: CollectionSnapshot? { state.withLock { $0.kept } }

    /// Caches a snapshot unless the criteria have changed since this version.
    func keep(_ snapshot: CollectionSnapshot, _ version: Int) {
        state.withLock { if $0.version == version { $0.kept = snapshot } }
    }

    /// The filter of the assets.
    public var filter: any AssetFilter {
        get { criteria.filter }
        set { change { $0.filter = newValue } }
    }

    /// The order of the entries, and of the assets in them.
    public var sorter: any AssetSorter {
        get { criteria.sorter }
        set { change { $0.sorter = newValue } }
    }

    /// Whether entries without a matching asset are omitted.
    package var omitsEmptyEntries: Bool {
        get { criteria.omitsEmptyEntries }
        set { change { $0.omitsEmptyEntries = newValue } }
    }

    private func change(_ body: (inout CollectionCriteria) -> Void) {
        state.withLock { state in
            body(&state.criteria)
            state.version += 1
            state.kept = nil
        }
    }
}

extension PhotoLibrary {
    /// Returns the assets of a group as a collection; nothing is read before one of its methods is called.
    public func collection(
        of group: AssetGroup.ID = .all, grouping: some AssetGrouping = .all,
        filter: some AssetFilter = AssetKinds.all,
        sorter: some AssetSorter = .dateAscending, omitsEmptyEntries: Bool = true
    ) -> AssetCollection {
        AssetCollection(
            self,
            CollectionCriteria(
                source: group, grouping: grouping, filter: filter, sorter: sorter,
                omitsEmptyEntries: omitsEmptyEntries))
    }
}

extension AssetCollection {
    /// Returns some of the entries, in order.
    ///
    /// - Parameter range: clamped to the existing entries.
    public func entries(
        _ range: Range<Int> = 0..<Int(Int32.max)
    ) async throws -> [CollectionEntry] {
        let range = Self.page(range)
        return try await answer { query, catalog in
            try query.entries(range, catalog)
        } or: {
            Array($0.entries[range.clamped(to: $0.entries.indices)])
        }
    }

    /// Returns some of the assets of all entries, one entry after the other.
    ///
    /// A page deep in the collection costs about as much as the first one: the entries before it are skipped by
    /// their counts, and the assets of an entry are found by their keys. Only the first visit of a position far in
    /// one entry reads the index up to it.
    ///
    /// - Parameter range: positions in the whole collection, clamped to the existing ones.
    public func assets(_ range: Range<Int>) async throws -> [Asset] {
        let range = Self.page(range)
        if let query = criteria.query {
            let anchors = library.anchors
            return try await library.read { try query.assets(range, anchors, $0) }
        }
        let snapshot = try await currentSnapshot()
        return try await library.assets(Array(snapshot.ids[range.clamped(to: snapshot.ids.indices)]))
    }

    /// Returns some of the assets of an entry, in order.
    ///
    /// - Parameter range: clamped to the assets of the entry.
    public func assets(
        in entry: CollectionEntry, _ range: Range<Int> = 0..<Int(Int32.max)
    ) async throws -> [Asset] {
        try await pages(of: entry.key, range)
    }

    /// Returns the index path of an asset; nil if the collection does not contain it.
    package func indexPath(of asset: Asset.ID) async throws -> AssetIndexPath? {
        try await answer { query, catalog in
            try query.indexPath(of: asset, catalog)
        } or: {
            $0.indexPath(of: asset)
        }
    }

    /// Returns all entries and the identifiers of their assets in their current state.
    public func snapshot() async throws -> CollectionSnapshot {
        let criteria = criteria
        return try await library.read { try $0.snapshot(criteria) }
    }

    /// Clamps a range to the possible positions.
    private static func page(_ range: Range<Int>) -> Range<Int> { range.clamped(to: 0..<Int(Int32.max)) }

    private func pages(of key: EntryKey?, _ range: Range<Int>) async throws -> [Asset] {
        let range = Self.page(range)
        if let query = criteria.query {
            let anchors = library.anchors
            return try await library.read { try query.assets(in: key, range, anchors, $0) }
        }
        let snapshot = try await currentSnapshot()
        guard let entry = snapshot.entries.firstIndex(where: { $0.key == key }) else { return [] }
        let ids = snapshot.ids(in: entry)
        let first = min(ids.startIndex + range.lowerBound, ids.endIndex)
        return try await library.assets(Array(ids[first...].prefix(range.count)))
    }

    /// Queries the catalog if all criteria are standard, else the snapshot.
    private func answer<R: Sendable>(
        _ ask: @escaping @Sendable (CollectionQuery, Catalog) throws -> R, or look: (CollectionSnapshot) -> R
    ) async throws -> R {
        if let query = criteria.query {
            return try await library.read { try ask(query, $0) }
        }
        return look(try await currentSnapshot())
    }

    /// Returns the cached snapshot if nothing has changed since, else a new one.
    private func currentSnapshot() async throws -> CollectionSnapshot {
        let version = version
        let sequence = try await library.read { try $0.lastChange() }
        if let kept, kept.sequence == sequence { return kept }
        let snapshot = try await snapshot()
        keep(snapshot, version)
        return snapshot
    }
}
