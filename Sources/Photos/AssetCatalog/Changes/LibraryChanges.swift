internal import Basics
internal import CatalogStorage
internal import Synchronization

/// A change of a library.
public enum LibraryChange: Hashable, Codable, Sendable {
    /// The groups at the start; the first element of every sequence.
    case initial(groups: [AssetGroup])
    /// Groups were inserted, changed or deleted; deleted groups have their last state.
    case groupsChanged(inserted: [AssetGroup], updated: [AssetGroup], deleted: [AssetGroup])
    /// Assets were inserted, changed (their files or their metadata) or removed.
    case assetsChanged(inserted: [Asset.ID], updated: [Asset.ID], removed: [Asset.ID])
    /// Too much has changed to report it one by one; reload everything.
    case reload(groups: [AssetGroup])
}

extension LibraryChange: CustomStringConvertible {
    /// What has changed, in numbers: "assets: 3 inserted, 1 updated, 0 removed".
    public var description: String {
        switch self {
        case .initial(let groups): "\(groups.count.counted("group")) at the start"
        case .groupsChanged(let inserted, let updated, let deleted):
            "groups: \(inserted.count) inserted, \(updated.count) updated, \(deleted.count) deleted"
        case .assetsChanged(let inserted, let updated, let removed):
            "assets: \(inserted.count) inserted, \(updated.count) updated, \(removed.count) removed"
        case .reload(let groups): "reload of \(groups.count.counted("group"))"
        }
    }
}

/// The changes of a library by this and other processes; ends when its task is cancelled.
///
/// Every reader gets all changes, and nothing is buffered: changes between two calls of `next` are merged, so that
/// an asset that was inserted and removed in between is not reported.
package struct LibraryChanges: AsyncSequence, Sendable {
    /// A change of the library.
    package typealias Element = LibraryChange
    /// An error that ends the sequence.
    package typealias Failure = any Error

    fileprivate let library: PhotoLibrary

    /// Creates an iterator that starts with the current groups.
    package func makeAsyncIterator() -> Iterator { Iterator(library: library) }

    /// The changes for one reader.
    package struct Iterator: AsyncIteratorProtocol {
        private let library: PhotoLibrary
        private var known: (sequence: Int, groups: [AssetGroup])?
        private var waiting: [LibraryChange] = []

        fileprivate init(library: PhotoLibrary) { self.library = library }

        /// Waits for the next change; nil if the task is cancelled.
        package mutating func next() async throws -> LibraryChange? {
            guard let known else {
                let now = try await library.read { catalog in
                    (try catalog.lastChange(), try catalog.groups())
                }
                self.known = now
                return .initial(groups: now.1)
            }
            while waiting.isEmpty {
                guard try await library.waitForChange(after: known.sequence) else { return nil }
                try await load(since: known)
            }
            return waiting.removeFirst()
        }

        /// Reads the changes since the last call.
        private mutating func load(since known: (sequence: Int, groups: [AssetGroup]))
            async throws
        {
            let (sequence, groups, assets) = try await library.read { catalog in
                (
                    try catalog.lastChange(), try catalog.groups(),
                    try catalog.changes(since: known.sequence)
                )
            }
            self.known = (sequence, groups)
            guard let assets else {
                waiting = [.reload(groups: groups)]
                return
            }
            if let change = LibraryChange(from: known.groups, to: groups) { waiting.append(change) }
            if !assets.isEmpty {
                waiting.append(
                    .assetsChanged(
                        inserted: assets.inserted, updated: assets.updated, removed: assets.removed))
            }
        }
    }
}

extension PhotoLibrary {
    /// The changes of the library by this and other processes; ends when the task is cancelled.
    ///
    /// The first element is `LibraryChange.initial`. Every reader gets all changes, and nothing is buffered: changes
    /// between two elements are merged.
    public var changes: some AsyncSequence<LibraryChange, any Error> & Sendable {
        LibraryChanges(library: self)
    }

    /// The number of the last change in the log.
    package func lastChange() async throws -> Int {
        try await read { try $0.lastChange() }
    }

    /// The time between two reads of the change log.
    package static var pollingInterval: Duration { .milliseconds(100) }

    /// Waits until any process adds a change to the log; returns false if the task is cancelled.
    ///
    /// The log is polled every 100 ms, at no measurable cost, so changes within that time are reported together.
    func waitForChange(after sequence: Int) async throws -> Bool {
        while !Task.isCancelled {
            do {
                if try await read({ try $0.lastChange() }) != sequence { return true }
            } catch is CancellationError {
                return false
            }
            try? await Task.sleep(for: Self.pollingInterval)
        }
        return false
    }
}

extension LibraryChange {
    /// Creates the difference of two lists of groups; nil if they are equal.
    init?(from old: [AssetGroup], to new: [AssetGroup]) {
        let before = Dictionary(old.map { ($0.id, $0) }) { $1 }
        let after = Set(new.map(\.id))
        let inserted = new.filter { before[$0.id] == nil }
        let updated = new.filter { group in before[group.id].map { $0 != group } ?? false }
        let deleted = old.filter { !after.contains($0.id) }
        // Albums that were only reordered are reported as updated.
        let common = new.filter { before[$0.id] != nil }.map(\.id)
        let isReordered = common != old.map(\.id).filter(after.contains)
        guard !inserted.isEmpty || !updated.isEmpty || !deleted.isEmpty || isReordered else { return nil }
        let moved = isReordered ? new.filter { $0.kind == .album && before[$0.id] == $0 } : []
        self = .groupsChanged(inserted: inserted, updated: updated + moved, deleted: deleted)
    }
}
