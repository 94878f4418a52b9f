internal import CatalogStorage

/// The difference between two states of a collection, for updating a list view without reloading it.
///
/// To turn the old list into the new one: remove `removed` and the old positions of `moves`, then `deletedEntries`;
/// insert `insertedEntries`, then `inserted` and the new positions of `moves` in ascending order; then redraw
/// `updated`. As in UIKit's batch updates, what goes has its position in the old list, and what comes in the new one.
///
/// Entries are the same if their keys are, assets if their identifiers are. Of the assets that stay in their entry, as
/// few as possible move: a longest increasing subsequence of their old positions stays where it is. That needs the
/// remaining entries in their old order, so a list whose entries change their order is reloaded, as is one with more
/// than 1,000 changes.
///
/// A change is the difference of two snapshots and is made when the reader asks for it. Nothing is buffered: a slow
/// reader gets one change from its own state to the current one.
public struct CollectionChange: Hashable, Sendable {
    /// A move of an asset.
    package struct Move: Hashable, Sendable {
        /// The index path in the old list.
        package var from: AssetIndexPath
        /// The index path in the new list.
        package var to: AssetIndexPath

        package init(from: AssetIndexPath, to: AssetIndexPath) {
            self.from = from
            self.to = to
        }
    }

    /// The collection before the change.
    package var before: CollectionSnapshot
    /// The collection after the change.
    public var after: CollectionSnapshot
    /// Whether too much has changed to report it one by one; then the lists below are empty.
    public var isReload = false
    /// Indices of deleted entries in the old list, ascending.
    public var deletedEntries: [Int] = []
    /// Indices of inserted entries in the new list, ascending.
    public var insertedEntries: [Int] = []
    /// Index paths in the old list of assets that were removed, ascending.
    public var removed: [AssetIndexPath] = []
    /// Index paths in the new list of assets that were inserted, ascending.
    public var inserted: [AssetIndexPath] = []
    /// Moves of the remaining assets, ascending by their new index paths.
    package var moved: [Move] = []
    /// Index paths in the new list of assets with other changes, ascending.
    public var updated: [AssetIndexPath] = []
}

// Not `Codable`, as snapshots: positions count at one state of one catalog only.
extension CollectionChange: CustomStringConvertible {
    /// What has changed, in numbers: "3 inserted, 0 removed, 1 moved, 2 updated".
    public var description: String {
        isReload
            ? "reload"
            : "\(inserted.count) inserted, \(removed.count) removed, \(moved.count) moved, \(updated.count) updated"
    }
}

extension CollectionChange {
    /// Moves of the remaining assets from an index path in the old list to one in the new, ascending by the latter.
    public var moves: [(from: AssetIndexPath, to: AssetIndexPath)] { moved.map { ($0.from, $0.to) } }

    /// The maximum number of assets that are reported one by one; after more, `isReload` is true.
    package static let limit = 1_000

    /// Whether nothing visible has changed.
    var isEmpty: Bool {
        !isReload && deletedEntries.isEmpty && insertedEntries.isEmpty && removed.isEmpty && inserted.isEmpty
            && moved.isEmpty && updated.isEmpty
    }

    /// Creates the difference of two snapshots.
    ///
    /// - Parameter updated: the assets with changed metadata; nil if they are not known anymore.
    init(from before: CollectionSnapshot, to after: CollectionSnapshot, updated: [Asset.ID]?) {
        self.init(before: before, after: after)
        // Nil where the log of changes does not reach back to the old snapshot.
        guard let updated, updated.count <= Self.limit, compareEntries(), compareAssets() else {
            self = CollectionChange(before: before, after: after, isReload: true)
            return
        }
        let shown = Set(updated)
        let new = Set(inserted)
        // One pass over the snapshot for all of them.
        if !shown.isEmpty {
            self.updated = after.indexPaths.filter { shown.contains(after[$0]) && !new.contains($0) }
        }
    }

    /// Finds inserted and deleted entries; false if the remaining entries are in another order.
    private mutating func compareEntries() -> Bool {
        let old = Set(before.entries.map(\.key))
        let new = Set(after.entries.map(\.key))
        deletedEntries = before.entries.indices.filter { !new.contains(before.entries[$0].key) }
        insertedEntries = after.entries.indices.filter { !old.contains(after.entries[$0].key) }
        return before.entries.map(\.key).filter(new.contains) == after.entries.map(\.key).filter(old.contains)
    }

    /// Finds inserted, removed and moved assets; false if there are too many.
    private mutating func compareAssets() -> Bool {
        // Most changes are small: equal parts at both ends are skipped.
        let (old, new) = CollectionSnapshot.differingParts(before, after)
        let oldPlaces = Dictionary(old.map { (before[$0], $0) }) { $1 }
        let newPlaces = Dictionary(new.map { (after[$0], $0) }) { $1 }
        removed = old.filter { newPlaces[before[$0]] == nil }
        inserted = new.filter { oldPlaces[after[$0]] == nil }
        guard removed.count + inserted.count <= Self.limit else { return false }
        // The old positions of the remaining assets, in their new order.
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

    /// Returns the indices of a longest increasing subsequence: the assets that need not move.
    ///
    /// Source: patience sorting; Fredman, On computing the length of longest increasing subsequences, 1975.
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

/// The changes of a collection by its assets, its filter or its sorter; ends when its task is cancelled.
///
/// Nothing is buffered: a change leads from the reader's state to the current one.
package struct CollectionChanges: AsyncSequence, Sendable {
    /// A change of the collection.
    package typealias Element = CollectionChange
    /// An error that ends the sequence.
    package typealias Failure = any Error

    fileprivate let collection: AssetCollection
    fileprivate let start: CollectionSnapshot?

    /// Creates an iterator that starts at the snapshot.
    package func makeAsyncIterator() -> Iterator { Iterator(collection: collection, known: start) }

    /// The changes for one reader.
    package struct Iterator: AsyncIteratorProtocol {
        private let collection: AssetCollection
        /// The last state that was read.
        package private(set) var known: CollectionSnapshot?
        private var version: Int?

        fileprivate init(collection: AssetCollection, known: CollectionSnapshot?) {
            self.collection = collection
            self.known = known
        }

        /// Waits for the next change; nil where the task is cancelled.
        package mutating func next() async throws -> CollectionChange? {
            do {
                while !Task.isCancelled {
                    if let change = try await poll() { return change }
                    try? await Task.sleep(for: PhotoLibrary.pollingInterval)
                }
                return nil
            } catch is CancellationError {
                return nil
            }
        }

        /// Returns the changes since the last call; nil if nothing visible has changed.
        package mutating func poll() async throws -> CollectionChange? {
            let library = collection.library
            let (criteria, newVersion) = (collection.criteria, collection.version)
            guard let known else {
                self.known = try await collection.snapshot()
                version = newVersion
                return nil
            }
            let sequence = try await library.read { try $0.lastChange() }
            guard sequence != known.sequence || newVersion != version else { return nil }
            version = newVersion
            let (snapshot, updated) = try await library.read { catalog in
                (
                    try catalog.snapshot(criteria),
                    try catalog.changes(since: known.sequence)?.updated
                )
            }
            self.known = snapshot
            let change = CollectionChange(from: known, to: snapshot, updated: updated)
            return change.isEmpty ? nil : change
        }
    }
}

extension AssetCollection {
    /// Returns the changes of the collection since a snapshot; without one, since the first call of `next`.
    ///
    /// The sequence ends when the task is cancelled. Nothing is buffered: each change leads from the previous state
    /// to the current one.
    public func changes(
        since snapshot: CollectionSnapshot? = nil
    ) -> some AsyncSequence<CollectionChange, any Error> & Sendable {
        changeSequence(since: snapshot)
    }

    /// Returns the same changes as a sequence that can be polled.
    package func changeSequence(since snapshot: CollectionSnapshot? = nil) -> CollectionChanges {
        CollectionChanges(collection: self, start: snapshot)
    }
}
