internal import GRDB
internal import Synchronization

/// What has happened in a library.
public enum LibraryNotice: Equatable, Sendable {
    /// The library can be used; its groups. The first notice of every sequence.
    case didSetUp(groups: [AssetGroup])
    /// Groups appeared, changed or went: those that went as they were last.
    case groupsChanged(inserted: [AssetGroup], updated: [AssetGroup], deleted: [AssetGroup])
    /// Assets appeared, changed (what is known of them or their files) or went.
    case assetsChanged(inserted: [Asset.ID], updated: [Asset.ID], removed: [Asset.ID])
    /// More happened than is told one by one: what was loaded has to be loaded again.
    case reload(groups: [AssetGroup])
}

/// What happens in a library, by this process or by others; it ends when its task is cancelled.
///
/// Every reader has notices of its own, and none of them waits in memory: what happens between two readings is
/// told at once, so that an asset that came and went meanwhile is not mentioned.
public struct LibraryNotices: AsyncSequence, Sendable {
    public typealias Element = LibraryNotice
    public typealias Failure = LibraryError

    let library: PhotoLibrary

    public func makeAsyncIterator() -> Iterator { Iterator(library: library) }

    public struct Iterator: AsyncIteratorProtocol {
        let library: PhotoLibrary
        private var known: (sequence: Int, groups: [AssetGroup])?
        private var waiting: [LibraryNotice] = []

        init(library: PhotoLibrary) { self.library = library }

        public mutating func next() async throws(LibraryError) -> LibraryNotice? {
            guard let known else {
                let now = try await library.catalog.read { database in
                    (try ChangeLog.lastSequence(database), try AssetGroup.fetchAll(database))
                }
                self.known = now
                return .didSetUp(groups: now.1)
            }
            while waiting.isEmpty {
                guard try await library.waitForChange(after: known.sequence) else { return nil }
                try await look(since: known)
            }
            return waiting.removeFirst()
        }

        /// Turns what has happened since into notices.
        private mutating func look(since known: (sequence: Int, groups: [AssetGroup]))
            async throws(LibraryError)
        {
            let (sequence, groups, assets) = try await library.catalog.read { database in
                (
                    try ChangeLog.lastSequence(database), try AssetGroup.fetchAll(database),
                    try ChangeLog.assets(since: known.sequence, database)
                )
            }
            self.known = (sequence, groups)
            guard let assets else {
                waiting = [.reload(groups: groups)]
                return
            }
            if let change = LibraryNotice(from: known.groups, to: groups) { waiting.append(change) }
            if !assets.isEmpty {
                waiting.append(
                    .assetsChanged(
                        inserted: assets.inserted, updated: assets.updated, removed: assets.removed))
            }
        }
    }
}

extension PhotoLibrary {
    /// What happens in the library from now on; begins with `LibraryNotice.didSetUp`.
    public var notices: LibraryNotices { LibraryNotices(library: self) }

    /// The number of the last change that the catalog notes.
    package func lastChange() async throws(LibraryError) -> Int {
        try await catalog.read(ChangeLog.lastSequence)
    }

    /// How long those who wait for changes let pass between two looks.
    package static var pause: Duration { .milliseconds(100) }

    /// Waits until the catalog notes a change behind this one, by whichever process; false when cancelled.
    ///
    /// The catalog is asked ten times a second, which costs nothing that can be measured, so that changes
    /// within a tenth of a second are told together.
    func waitForChange(after sequence: Int) async throws(LibraryError) -> Bool {
        while !Task.isCancelled {
            do throws(LibraryError) {
                if try await catalog.read(ChangeLog.lastSequence) != sequence { return true }
            } catch .cancelled {
                return false
            }
            try? await Task.sleep(for: Self.pause)
        }
        return false
    }
}

extension LibraryNotice {
    /// What happened to groups; nil where nothing did.
    init?(from old: [AssetGroup], to new: [AssetGroup]) {
        let before = Dictionary(old.map { ($0.id, $0) }) { $1 }
        let after = Set(new.map(\.id))
        let inserted = new.filter { before[$0.id] == nil }
        let updated = new.filter { group in before[group.id].map { $0 != group } ?? false }
        let deleted = old.filter { !after.contains($0.id) }
        // Albums that only changed places are told as updated too.
        let common = new.filter { before[$0.id] != nil }.map(\.id)
        let isReordered = common != old.map(\.id).filter(after.contains)
        guard !inserted.isEmpty || !updated.isEmpty || !deleted.isEmpty || isReordered else { return nil }
        let moved = isReordered ? new.filter { $0.kind == .album && before[$0.id] == $0 } : []
        self = .groupsChanged(inserted: inserted, updated: updated + moved, deleted: deleted)
    }
}

/// Observers that end with the one who owns the pool.
public final class ObserverPool: Sendable {
    private let tasks = Mutex<[Task<Void, Never>]>([])

    public init() {}

    deinit { cancel() }

    /// Calls `body` with every element of a sequence of notices until the pool is gone.
    ///
    /// - Parameter failed: is called with the error where the sequence ends with one.
    public func observe<Notices: AsyncSequence & Sendable>(
        _ notices: Notices, _ body: @escaping @Sendable (Notices.Element) async -> Void,
        failed: @escaping @Sendable (any Error) -> Void = { _ in }
    ) where Notices.Element: Sendable {
        let task = Task.detached {
            do {
                for try await notice in notices { await body(notice) }
            } catch {
                failed(error)
            }
        }
        tasks.withLock { $0.append(task) }
    }

    /// Ends all observers now.
    public func cancel() {
        for task in tasks.withLock({ $0 }) { task.cancel() }
    }
}
