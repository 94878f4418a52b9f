/// What has happened to a collection, good enough to bring a list up to date without loading it again.
///
/// To turn the old list into the new one: take out `removed` and the old places of `moved`, then
/// `deletedEntries`; put in `insertedEntries`, then `inserted` and the new places of `moved` in ascending order;
/// then show `updated` anew.
public struct CollectionChange: Equatable, Sendable {
    public struct Move: Hashable, Sendable {
        public var from: AssetIndexPath
        public var to: AssetIndexPath

        public init(from: AssetIndexPath, to: AssetIndexPath) {
            self.from = from
            self.to = to
        }
    }

    /// The collection before and after.
    public var before: Arrangement
    public var after: Arrangement
    /// Whether more has changed than is told one by one: then the rest is empty.
    public var isReload = false
    /// Places of entries in the old list, ascending.
    public var deletedEntries: [Int] = []
    /// Places of entries in the new list, ascending.
    public var insertedEntries: [Int] = []
    /// Old places of assets that are shown no more, ascending.
    public var removed: [AssetIndexPath] = []
    /// New places of assets that were not shown before, ascending.
    public var inserted: [AssetIndexPath] = []
    /// Assets that changed their place among those that stayed, by their new places.
    public var moved: [Move] = []
    /// New places of assets of which something else changed, ascending.
    public var updated: [AssetIndexPath] = []
}

extension CollectionChange {
    /// How many assets may appear, go and move for each to be told; above it the list has to be loaded again.
    public static let limit = 1_000

    /// Whether nothing that is shown has changed.
    var isEmpty: Bool {
        !isReload && deletedEntries.isEmpty && insertedEntries.isEmpty && removed.isEmpty && inserted.isEmpty
            && moved.isEmpty && updated.isEmpty
    }

    /// What leads from one arrangement to another.
    ///
    /// - Parameter updated: assets of which something has changed; nil where it is not known any more which.
    init(from before: Arrangement, to after: Arrangement, updated: [Asset.ID]?) {
        self.init(before: before, after: after)
        guard let updated, updated.count <= Self.limit, compareEntries() else {
            isReload = true
            return
        }
        guard compareAssets() else {
            self = CollectionChange(before: before, after: after, isReload: true)
            return
        }
        let shown = Set(updated)
        let new = Set(inserted)
        // One pass over the arrangement for all of them.
        if !shown.isEmpty {
            self.updated = after.indexPaths.filter { shown.contains(after[$0]) && !new.contains($0) }
        }
    }

    /// Finds the entries that came and went; false where those that stayed are in another order.
    private mutating func compareEntries() -> Bool {
        let old = Set(before.entries.map(\.key))
        let new = Set(after.entries.map(\.key))
        deletedEntries = before.entries.indices.filter { !new.contains(before.entries[$0].key) }
        insertedEntries = after.entries.indices.filter { !old.contains(after.entries[$0].key) }
        return before.entries.map(\.key).filter(new.contains) == after.entries.map(\.key).filter(old.contains)
    }

    /// Finds the assets that came, went and moved; false where they are too many.
    private mutating func compareAssets() -> Bool {
        // What is equal at both ends needs no look: most changes are small.
        let (old, new) = Arrangement.differingParts(before, after)
        let oldPlaces = Dictionary(old.map { (before[$0], $0) }) { $1 }
        let newPlaces = Dictionary(new.map { (after[$0], $0) }) { $1 }
        removed = old.filter { newPlaces[before[$0]] == nil }
        inserted = new.filter { oldPlaces[after[$0]] == nil }
        guard removed.count + inserted.count <= Self.limit else { return false }
        // Where the assets that stayed stood before, in their new order.
        let stayed = new.compactMap { to in oldPlaces[after[to]].map { Move(from: $0, to: to) } }
        let changesEntry = stayed.filter {
            before.entries[$0.from.entry].key != after.entries[$0.to.entry].key
        }
        let others = stayed.filter { before.entries[$0.from.entry].key == after.entries[$0.to.entry].key }
        let still = Self.longestAscending(others.map(\.from))
        moved = (changesEntry + others.indices.filter { !still.contains($0) }.map { others[$0] })
            .sorted { $0.to < $1.to }
        return removed.count + inserted.count + moved.count <= Self.limit
    }

    /// The indices of a longest part of the list in which places ascend: what need not move.
    ///
    /// Source: timeout sorting; Fredman, On computing the length of longest increasing subsequences, 1975.
    private static func longestAscending(_ places: [AssetIndexPath]) -> Set<Int> {
        var tails: [Int] = []
        var previous = [Int](repeating: -1, count: places.count)
        for index in places.indices {
            var (low, high) = (0, tails.count)
            while low < high {
                let middle = (low + high) / 2
                if places[tails[middle]] < places[index] { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = tails[low - 1] }
            if low == tails.count { tails.append(index) } else { tails[low] = index }
        }
        var result: Set<Int> = []
        var index = tails.last ?? -1
        while index >= 0 {
            result.insert(index)
            index = previous[index]
        }
        return result
    }
}

/// What happens to a collection: its assets change, or its filter or sorter do; it ends when its task is cancelled.
///
/// Every reader has changes of its own, and none of them waits in memory: a change leads from what the reader was
/// told last to what is now, whatever came between.
public struct CollectionChanges: AsyncSequence, Sendable {
    public typealias Element = CollectionChange
    public typealias Failure = LibraryError

    let collection: AssetCollection
    let start: Arrangement?

    public func makeAsyncIterator() -> Iterator { Iterator(collection: collection, known: start) }

    public struct Iterator: AsyncIteratorProtocol {
        let collection: AssetCollection
        /// The collection as it was at the last look.
        package private(set) var known: Arrangement?
        private var version: Int?

        init(collection: AssetCollection, known: Arrangement?) {
            self.collection = collection
            self.known = known
        }

        public mutating func next() async throws(LibraryError) -> CollectionChange? {
            do throws(LibraryError) {
                while !Task.isCancelled {
                    if let change = try await look() { return change }
                    try? await Task.sleep(for: PhotoLibrary.pause)
                }
                return nil
            } catch .cancelled {
                return nil
            }
        }

        /// What has changed since the last look; nil where nothing that is shown has.
        package mutating func look() async throws(LibraryError) -> CollectionChange? {
            let library = collection.library
            let (criteria, newVersion) = (collection.criteria, collection.version)
            guard let known else {
                self.known = try await collection.arrangement()
                version = newVersion
                return nil
            }
            let sequence = try await library.catalog.read(ChangeLog.lastSequence)
            guard sequence != known.sequence || newVersion != version else { return nil }
            version = newVersion
            let (arrangement, updated) = try await library.catalog.read { database in
                (
                    try Arrangement(criteria, database),
                    try ChangeLog.assets(since: known.sequence, database)?.updated
                )
            }
            self.known = arrangement
            let change = CollectionChange(from: known, to: arrangement, updated: updated)
            return change.isEmpty ? nil : change
        }
    }
}

extension AssetCollection {
    /// What happens to the collection after an arrangement, or from the first reading on where there is none.
    public func changes(since arrangement: Arrangement? = nil) -> CollectionChanges {
        CollectionChanges(collection: self, start: arrangement)
    }
}
