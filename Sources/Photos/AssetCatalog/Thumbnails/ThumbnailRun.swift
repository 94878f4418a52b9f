internal import Basics
internal import CatalogStorage
internal import Files
internal import Synchronization

/// Makes the thumbnails of assets for the library, which does not decode itself.
package protocol AssetThumbnailMaker: Sendable {
    /// Returns all thumbnails of an asset; nil if it is a film and no program decodes films.
    ///
    /// Called on several threads, which it may block.
    func thumbnails(of asset: Asset, at path: String) throws -> [AssetThumbnail]?
}

/// What makes the thumbnails of an index run, and what is told how far it is.
package struct ThumbnailPlan: Sendable {
    package var maker: any AssetThumbnailMaker
    /// Receives the number of assets done and of all, while thumbnails are made of files that were indexed before.
    package var progress: @Sendable (Int, Int) -> Void

    package init(
        _ maker: some AssetThumbnailMaker, progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) {
        (self.maker, self.progress) = (maker, progress)
    }
}

/// The thumbnails of an index run.
package struct ThumbnailReport: Hashable, Codable, Sendable {
    /// The number of assets whose thumbnails were made.
    package internal(set) var made = 0
    /// The number of assets that had thumbnails.
    package internal(set) var kept = 0
    /// The number of pictures without an asset, whose thumbnails were removed.
    package internal(set) var removed = 0
    /// The number of films without thumbnails because no program decodes them.
    package internal(set) var undecodedFilms = 0
    /// The assets of which no thumbnails can be made.
    package internal(set) var failures: [IndexReport.Failure] = []
}

/// Makes the thumbnails that are missing, on the threads of an index run.
final class ThumbnailRun: Sendable {
    private struct State {
        var report = ThumbnailReport()
        /// Thumbnails that are not written yet.
        var waiting: [ThumbnailStore.Entry] = []
        var waitingBytes = 0
        /// Assets of which none can be made.
        var failed: Set<ThumbnailStore.Key> = []
        var error: (any Error)?
    }

    private let plan: ThumbnailPlan
    private let store: ThumbnailStore
    private let flag: CancellationFlag
    private let state = Mutex(State())

    /// The bytes of thumbnails in one transaction.
    private static let batch = 2 << 20

    private init(_ plan: ThumbnailPlan, catalog: String, _ flag: CancellationFlag) throws {
        (self.plan, self.flag) = (plan, flag)
        store = try .writable(catalog: catalog)
    }

    /// Passes a run to a closure; thumbnails that were made are written also if it throws.
    static func with<R>(
        _ plan: ThumbnailPlan, catalog: String, _ flag: CancellationFlag,
        _ body: (ThumbnailRun) throws -> R
    ) throws -> R {
        let run = try ThumbnailRun(plan, catalog: catalog, flag)
        defer { run.write() }
        return try body(run)
    }

    /// Makes the thumbnails of an asset if they are missing; blocks.
    func make(_ asset: Asset, at path: String) {
        let key = ThumbnailStore.Key(asset)
        guard state.withLock({ $0.error == nil && !$0.failed.contains(key) }) else { return }
        do {
            if try store.has(key) { return }
        } catch {
            return state.withLock { $0.error = $0.error ?? error }
        }
        do {
            guard let thumbnails = try plan.maker.thumbnails(of: asset, at: path) else {
                return state.withLock { state in
                    state.report.undecodedFilms += 1
                    state.failed.insert(key)
                }
            }
            guard let status = FileStatus(path), asset.isCurrent(status) else {
                return fail(asset, key, "was changed while it was read; index it again")
            }
            let isFull = state.withLock { state in
                state.report.made += 1
                state.waiting.append(ThumbnailStore.Entry(key: key, thumbnails: thumbnails))
                state.waitingBytes += thumbnails.reduce(0) { $0 + $1.bytes.count }
                return state.waitingBytes >= Self.batch
            }
            if isFull { write() }
        } catch is CancellationError {
        } catch {
            fail(asset, key, "\(error)")
        }
    }

    private func fail(_ asset: Asset, _ key: ThumbnailStore.Key, _ reason: String) {
        state.withLock { state in
            state.report.failures.append(IndexReport.Failure(path: asset.path, reason: reason))
            state.failed.insert(key)
        }
    }

    /// Writes what waits.
    private func write() {
        let entries = state.withLock { state in
            defer { (state.waiting, state.waitingBytes) = ([], 0) }
            return state.error == nil ? state.waiting : []
        }
        guard !entries.isEmpty else { return }
        do {
            try store.write(entries)
        } catch {
            state.withLock { $0.error = $0.error ?? error }
        }
    }

    /// Throws if thumbnails cannot be written.
    func check() throws {
        if let error = state.withLock(\.error) { throw error }
    }

    /// Makes the thumbnails that assets below paths lack, and removes those without an asset.
    func finish(_ paths: [FilePath], of library: PhotoLibrary) throws -> ThumbnailReport {
        write()
        try check()
        let isWhole = paths.contains("")
        let made = state.withLock(\.report.made)
        let comparison = try store.comparison(with: library.store) { path in
            isWhole || paths.contains { path.isIn($0) }
        }
        try make(comparison.missing, of: library)
        if isWhole, !comparison.orphans.isEmpty { try store.remove(comparison.orphans) }
        return state.withLock { state in
            state.report.kept = max(0, comparison.present - made)
            state.report.removed = isWhole ? comparison.orphans.count : 0
            state.report.failures.sort { $0.file < $1.file }
            return state.report
        }
    }

    private func make(_ ids: [Asset.ID], of library: PhotoLibrary) throws {
        let batch = 64
        for start in stride(from: 0, to: ids.count, by: batch) {
            let part = Array(ids[start...].prefix(batch))
            let assets = try library.readAndWait { try $0.assets(part) }
            Processors.forEach(below: assets.count, until: flag) { index in
                make(assets[index], at: library.path(of: assets[index]))
            }
            try check()
            if flag.isRaised { throw CancellationError() }
            plan.progress(min(start + batch, ids.count), ids.count)
        }
        write()
        try check()
    }
}
