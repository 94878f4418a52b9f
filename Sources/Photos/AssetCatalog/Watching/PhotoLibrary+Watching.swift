internal import Basics
internal import Files

/// Watches the folders of a library and all below them, and reports the paths that have to be indexed.
///
/// Sidecars in a folder of their own have the paths of their photos, and are reported by them. What the library does not have,
/// usually hidden files, is skipped. Changes in quick succession are reported together, so that both names of a renamed file are
/// indexed in one run and the asset is kept.
final class FolderFollower: Sendable {
    private struct State {
        let watch: FolderWatch
        var paths: Set<FilePath> = []
    }

    /// The folder of sidecars comes first: it may lie in the library.
    private let roots: [String]
    private let scope: EntryScope
    private let state: Exclusive<State>

    /// The milliseconds without a new change before changes are reported, and the maximum delay.
    private static let (quiet, longest) = (60, 250)

    /// - Throws: `FileError` if the system cannot watch so many folders.
    init(_ places: SidecarPlaces, _ scope: EntryScope = .visible) throws(FileError) {
        roots = [places.folder, places.root].compactMap(\.self)
        self.scope = scope
        let watch = try FolderWatch()
        for root in roots { try Self.add(root, watch, scope) }
        state = Exclusive(State(watch: watch))
    }

    /// Waits for changes until the flag is raised; returns paths below the root, empty for the whole library.
    func next(_ flag: CancellationFlag) throws(FileError) -> [String] {
        try state.withValue(cancelled: .cancelled) { state throws(FileError) in
            var first: ContinuousClock.Instant?
            while !flag.isRaised {
                let events = state.watch.events(within: first == nil ? 200 : Self.quiet)
                for event in events { try note(event, &state) }
                let now = ContinuousClock.now
                if first == nil, !state.paths.isEmpty { first = now }
                guard let first, events.isEmpty || now - first > .milliseconds(Self.longest) else { continue }
                defer { state.paths = [] }
                return state.paths.contains("") ? [""] : state.paths.sorted().map(\.text)
            }
            return []
        }
    }

    private func note(_ event: FolderEvent, _ state: inout State) throws(FileError) {
        switch event {
        case .changed(let path), .removed(let path), .folderRemoved(let path): insert(path, &state)
        case .folderAppeared(let path):
            guard insert(path, &state) else { return }
            try Self.add(path, state.watch, scope)
        case .overflow:
            // New folders may be among the dropped events.
            for root in roots { try Self.add(root, state.watch, scope) }
            state.paths.insert("")
        }
    }

    /// Records a path; returns false if the library does not have it.
    @discardableResult
    private func insert(_ path: String, _ state: inout State) -> Bool {
        let relative = roots.lazy.compactMap { FilePath(path).below(FilePath($0)) }.first ?? ""
        guard scope.includes(relative) else { return false }
        state.paths.insert(relative)
        return true
    }

    /// Watches each folder before it is listed, so that no change in between is missed.
    private static func add(
        _ root: String, _ watch: FolderWatch, _ scope: EntryScope
    ) throws(FileError) {
        var waiting = [root]
        while let folder = waiting.popLast() {
            try watch.add(folder)
            // Indexing reports folders that are gone or cannot be read.
            let entries = (try? Folder.entries(in: folder)) ?? []
            waiting += entries.filter {
                $0.kind == .folder && scope.includes(FilePath($0.name), in: FilePath(folder))
            }.map {
                "\(folder)/\($0.name)"
            }
        }
    }
}

extension PhotoLibrary {
    /// Updates the catalog as files change, until the task is cancelled.
    ///
    /// Indexes the whole library first. `changes` reports the resulting changes of assets and groups.
    ///
    /// - Parameter indexed: receives the result of every index run.
    /// - Throws: `LibraryError`; returns normally when the task is cancelled.
    public func watch(
        indexed: @escaping @Sendable (IndexReport) -> Void = { _ in }
    ) async throws {
        let flag = CancellationFlag()
        try await withTaskCancellationHandler {
            do {
                try await follow(flag, indexed)
            } catch is CancellationError {
            }
        } onCancel: {
            flag.raise()
        }
    }

    private func follow(
        _ flag: CancellationFlag, _ indexed: @Sendable (IndexReport) -> Void
    ) async throws {
        let (root, places, scope) = (root, places, try scope())
        do {
            // Watches before indexing, so that no change in between is missed.
            let follower = try await BackgroundQueue.result { () throws(FileError) in
                try FolderFollower(places, scope)
            }.get()
            indexed(try await indexWhenFree([""]))
            while !flag.isRaised {
                let paths = try await BackgroundQueue.result { () throws(FileError) in
                    try follower.next(flag)
                }.get()
                if !paths.isEmpty { indexed(try await indexWhenFree(paths)) }
            }
        } catch let error as FileError {
            throw LibraryError.noRoot(root, error)
        }
    }
}
