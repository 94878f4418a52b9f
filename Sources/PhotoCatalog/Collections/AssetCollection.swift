internal import GRDB
internal import Synchronization

/// The assets of a group, arranged into entries by a grouping, then a filter, then a sorter.
///
/// Group and grouping are fixed; the filter and the sorter can be changed at any time. Questions are answered from
/// the catalog as it is at that moment, page by page; who needs an order that holds still takes an `arrangement`
/// and keeps it up to date with `changes`.
public final class AssetCollection: Sendable {
    public let library: PhotoLibrary
    private let state: Mutex<State>

    private struct State {
        var criteria: CollectionCriteria
        /// Grows with every change of the criteria.
        var version = 0
        /// The last arrangement of a collection that the catalog cannot answer page by page.
        var kept: Arrangement?
    }

    init(_ library: PhotoLibrary, _ criteria: CollectionCriteria) {
        self.library = library
        state = Mutex(State(criteria: criteria))
    }

    var criteria: CollectionCriteria { state.withLock { $0.criteria } }
    var version: Int { state.withLock { $0.version } }

    /// An arrangement of these criteria, for as long as neither they nor the catalog change.
    var kept: Arrangement? { state.withLock { $0.kept } }

    /// Keeps an arrangement that was made when the criteria had this version.
    func keep(_ arrangement: Arrangement, _ version: Int) {
        state.withLock { if $0.version == version { $0.kept = arrangement } }
    }

    /// The group that the assets belong to.
    public var source: AssetGroup.ID { criteria.source }
    public var grouping: any Grouping { criteria.grouping }

    /// Which assets are shown.
    public var filter: any Filter {
        get { criteria.filter }
        set { change { $0.filter = newValue } }
    }

    /// The order of the entries, and of the assets in them.
    public var sorter: any Sorter {
        get { criteria.sorter }
        set { change { $0.sorter = newValue } }
    }

    /// Whether entries are left out of which the filter leaves no asset.
    public var omitsEmptyEntries: Bool {
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
    /// The assets of a group, arranged.
    ///
    /// Nothing is loaded before something is asked for.
    public func collection(
        of group: AssetGroup.ID = .all, grouping: some Grouping = .all, filter: some Filter = .all,
        sorter: some Sorter = .dateAscending, omitsEmptyEntries: Bool = true
    ) -> AssetCollection {
        AssetCollection(
            self,
            CollectionCriteria(
                source: group, grouping: grouping, filter: filter, sorter: sorter,
                omitsEmptyEntries: omitsEmptyEntries))
    }
}

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

/// An entry of a collection: assets with one key.
public struct AssetEntry: Hashable, Sendable {
    /// Nil for assets that have none, as undated ones.
    public var key: EntryKey?
    /// How many assets of the entry the collection shows.
    public var count: Int

    public init(key: EntryKey?, count: Int) {
        self.key = key
        self.count = count
    }
}

/// Where an asset stands in a collection: the entry, and the place in it; both count from 0.
public struct AssetIndexPath: Hashable, Sendable {
    public var entry: Int
    public var asset: Int

    public init(entry: Int, asset: Int) {
        self.entry = entry
        self.asset = asset
    }
}

extension AssetIndexPath: Comparable {
    public static func < (a: AssetIndexPath, b: AssetIndexPath) -> Bool {
        (a.entry, a.asset) < (b.entry, b.asset)
    }
}

extension AssetIndexPath: CustomStringConvertible {
    public var description: String { "\(entry).\(asset)" }
}
