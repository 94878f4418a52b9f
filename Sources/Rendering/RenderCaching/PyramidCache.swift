package import Basics
internal import Files
internal import Synchronization
internal import TilePyramid
internal import ViewportGeometry
public import ViewportRendering
public import WorkReporting

/// A cache of slow images as tiled pyramids on disk, one entry per level.
///
/// Concurrent requests for a level wait for one build, across processes; a build stops when no request
/// waits for it.
public actor PyramidCache {
    /// The folder of the pyramids.
    public nonisolated let folder: CacheFolder
    /// The policy that selects images.
    public nonisolated let policy: PyramidPolicy

    /// The running builds.
    private var builds: [CacheKey: PyramidBuild] = [:]
    /// The number of builds that were started.
    package private(set) var buildCount = 0
    /// Numbers waiters and builds.
    private var lastNumber = 0
    private let executor: @Sendable (ImageFile) -> BlockingExecutor

    /// Creates a cache in a folder, which is created with the first pyramid.
    ///
    /// Builds run one at a time.
    public init(folder: CacheFolder = CacheFolder(), policy: PyramidPolicy = PyramidPolicy()) {
        self.init(folder: folder, policy: policy) { _ in .background }
    }

    /// Creates a cache that builds the levels of a file on the threads of its executor.
    package init(
        folder: CacheFolder, policy: PyramidPolicy,
        executor: @escaping @Sendable (ImageFile) -> BlockingExecutor
    ) {
        self.folder = folder
        self.policy = policy
        self.executor = executor
    }

    /// Returns the file, read from the levels in the cache; nil where there are none.
    ///
    /// Looks the entries up without waiting for builds.
    public nonisolated func existing(_ file: ImageFile) -> ImageFile? {
        var kept = PyramidSource(of: file.source)
        for level in policy.storedLevels(of: file.source) {
            guard let key = CacheKey(file, level), let entry = folder.entry(for: key, .pyramid) else {
                continue
            }
            kept.keep(level, in: entry)
        }
        return kept.isEmpty ? nil : file.reading(from: kept)
    }

    /// Returns the file, read from its pyramid, which is built if it is missing; the file itself where the
    /// policy excludes it.
    ///
    /// - Parameter progress: receives the share that is done, on any thread; not called while
    ///   another process builds the pyramid.
    /// - Throws: `RenderingError`, `CacheError`, or `CancellationError` soon after its task is cancelled.
    public func file(
        _ file: ImageFile, progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> ImageFile {
        let levels = policy.levels(of: file.source)
        let reporter = ProgressReporter(.thousandths, of: 1000, progress)
        guard !levels.isEmpty, file.identity.hasPath else {
            reporter.finish()
            return file
        }
        let pixels = levels.reduce(0) { $0 + Double($1.size.area) }
        var kept = PyramidSource(of: file.source)
        var done = 0.0
        for level in levels {
            guard let key = CacheKey(file, level) else { throw CacheError.changed(file: file.path) }
            let (before, share) = (done, Double(level.size.area) / pixels)
            // Averaged levels are made from the previous level, which is cached already.
            let entry = try await entry(for: key, file.reading(from: kept), level) {
                reporter.report(fraction: before + $0 * share)
            }
            kept.keep(level, in: entry)
            done += share
        }
        reporter.finish()
        return file.reading(from: kept)
    }

    /// Returns whether the cache has all levels of a file that the policy selects.
    package nonisolated func isBuilt(_ file: ImageFile) -> Bool {
        policy.levels(of: file.source).allSatisfy { level in
            CacheKey(file, level).flatMap { folder.entry(for: $0, .pyramid) } != nil
        }
    }

    /// Returns the file, read from a small level in the cache that suffices for a level; one pass over the file makes it
    /// if it is missing.
    ///
    /// Returns nil where the policy has no such level: close looks need the pyramid, and other sources are fast.
    ///
    /// - Throws: as `file(_:progress:)`.
    package func overview(of file: ImageFile, for needed: PyramidLevel) async throws -> ImageFile? {
        guard let level = policy.overview(of: file.source, for: needed), file.identity.hasPath else {
            return nil
        }
        if let kept = existingOverview(of: file, for: needed) { return kept }
        guard let key = CacheKey(file, level) else { throw CacheError.changed(file: file.path) }
        var kept = PyramidSource(of: file.source)
        kept.keep(level, in: try await entry(for: key, file, level) { _ in })
        return file.reading(from: kept)
    }

    /// Returns the file, read from levels in the cache that suffice for a small one; nil where there are none.
    package nonisolated func existingOverview(of file: ImageFile, for needed: PyramidLevel) -> ImageFile? {
        guard let level = policy.overview(of: file.source, for: needed) else { return nil }
        var kept = PyramidSource(of: file.source)
        for level in policy.storedLevels(of: file.source) + [level] {
            if let key = CacheKey(file, level), let entry = folder.entry(for: key, .pyramid) {
                kept.keep(level, in: entry)
            }
        }
        return kept.hasEntry(for: needed) ? file.reading(from: kept) : nil
    }
}

extension CacheKey {
    init?(_ file: ImageFile, _ level: PyramidLevel) {
        self.init(file.identity, variant: "level \(level.index)")
    }
}

/// A level that is being built, and the requests that wait for it.
private struct PyramidBuild {
    let number: Int
    let task: Task<Void, Never>
    let progress: ProgressBoard
    var waiters: [Int: CheckedContinuation<CacheEntry, any Error>] = [:]
}

/// The progress handlers of a build, called on libvips' threads.
private final class ProgressBoard: Sendable {
    private let listeners = Mutex([Int: @Sendable (Double) -> Void]())

    func add(_ number: Int, _ listener: @escaping @Sendable (Double) -> Void) {
        listeners.withLock { $0[number] = listener }
    }

    func remove(_ number: Int) {
        listeners.withLock { _ = $0.removeValue(forKey: number) }
    }

    func report(_ share: Double) {
        for listener in listeners.withLock({ Array($0.values) }) { listener(share) }
    }
}

extension PyramidCache {
    /// Waits for an entry, together with all others who want it.
    private func entry(
        for key: CacheKey, _ file: ImageFile, _ level: PyramidLevel,
        _ progress: @escaping @Sendable (Double) -> Void
    ) async throws -> CacheEntry {
        lastNumber += 1
        let waiter = lastNumber
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                var build = builds[key] ?? begin(key, file, level)
                build.waiters[waiter] = continuation
                build.progress.add(waiter, progress)
                builds[key] = build
            }
        } onCancel: {
            Task { await self.leave(key, waiter) }
        }
    }

    /// How many wait for the pyramid of a file.
    package func waiterCount(_ file: ImageFile) -> Int {
        policy.levels(of: file.source).reduce(0) { count, level in
            count + (CacheKey(file, level).flatMap { builds[$0] }?.waiters.count ?? 0)
        }
    }

    private func begin(_ key: CacheKey, _ file: ImageFile, _ level: PyramidLevel) -> PyramidBuild {
        lastNumber += 1
        let number = lastNumber
        let board = ProgressBoard()
        let task = Task {
            let result: Result<CacheEntry, any Error>
            do {
                result = .success(try await make(key, file, level, board))
            } catch {
                result = .failure(error)
            }
            finish(key, number, result)
        }
        return PyramidBuild(number: number, task: task, progress: board)
    }

    private func make(
        _ key: CacheKey, _ file: ImageFile, _ level: PyramidLevel, _ board: ProgressBoard
    ) async throws -> CacheEntry {
        try await folder.entry(for: key, .pyramid) { path in
            await self.count()
            try await self.write(file, level, to: path, board)
            // The key names the state of the file before the build: pixels of a later state must not get it.
            guard file.opened.isUnchanged,
                file.opened.isRemote || FileStatus(file.identity.path) == file.identity.status
            else {
                throw CacheError.changed(file: file.path)
            }
        }
    }

    private func count() { buildCount += 1 }

    private nonisolated func write(
        _ file: ImageFile, _ level: PyramidLevel, to path: String, _ board: ProgressBoard
    ) async throws {
        // libvips tells of progress on threads of its own, which know no task.
        let isCancelled = CancellationFlag()
        try await withTaskCancellationHandler {
            try await executor(file).run {
                try Task.checkCancellation()
                let reader = try file.source.open(level)
                try PyramidWriter(reader: reader, file: file.opened).write(to: path) { share in
                    board.report(share)
                    return !isCancelled.isRaised
                }
            }
        } onCancel: {
            isCancelled.raise()
        }
    }

    private func finish(_ key: CacheKey, _ number: Int, _ result: Result<CacheEntry, any Error>) {
        // One that everybody left has been taken off the list, and a later one may be on it.
        guard let build = builds[key], build.number == number else { return }
        builds[key] = nil
        for continuation in build.waiters.values { continuation.resume(with: result) }
    }

    private func leave(_ key: CacheKey, _ waiter: Int) {
        guard let continuation = builds[key]?.waiters.removeValue(forKey: waiter) else { return }
        builds[key]?.progress.remove(waiter)
        if let build = builds[key], build.waiters.isEmpty {
            build.task.cancel()
            builds[key] = nil
        }
        continuation.resume(throwing: CancellationError())
    }
}

/// Which sources are worth a pyramid on disk, and at which resolutions.
public struct PyramidPolicy: Hashable, Codable, Sendable {
    /// The pixels from which on it is worth it: below, decoding all of it takes a fraction of a second.
    public var minimumPixels = 1 << 24
    /// The most pixels of a level that is averaged from the one before whenever it is needed, not kept.
    public var averagedPixels = 1 << 22
    /// Whether documents and drawings are kept as pixels, too: they are drawn once instead of for every viewport.
    public var keepsDrawings = false
    /// Whether reduced levels of indexed files are kept where the index does not help them: servers show them often.
    public var keepsReducedLevels = false
    /// The most pixels at which a document is drawn; closer looks are drawn from the document.
    public var maximumDrawnPixels = 1 << 26

    /// The usual policy.
    public init() {}

    /// The levels that are kept of a source, the closest first; none where it is not worth it.
    ///
    /// Levels of the source's own are all kept: each of them costs about as much as the whole file. Files that can
    /// be indexed keep none: the index does the same for a small share of the disk.
    func levels(of source: any ImageSource) -> [PyramidLevel] {
        let capabilities = source.capabilities
        guard capabilities.indexable != nil else { return storedLevels(of: source) }
        guard keepsReducedLevels, !capabilities.wholeRowLevels.isEmpty,
            source.pyramid.full.size.area >= minimumPixels
        else { return [] }
        // Averaging a tile of a reduced level would decode all rows above and below it.
        return source.pyramid.levels.filter { $0.index > 0 && $0.size.area > averagedPixels }
    }

    /// Returns the small level from which pictures that need a level are made; nil where parts of the source are fast, or
    /// the level is not small.
    ///
    /// One pass over the file makes it.
    package func overview(of source: any ImageSource, for needed: PyramidLevel) -> PyramidLevel? {
        let (capabilities, pyramid) = (source.capabilities, source.pyramid)
        let isSlow = capabilities.access == .sequential || !capabilities.wholeRowLevels.isEmpty
        guard isSlow, pyramid.full.size.area >= minimumPixels, needed.size.area <= averagedPixels else {
            return nil
        }
        if source.isNative(needed) { return needed }
        // A pyramid has a level.
        let last = source.nativePyramid.levels.last!.index
        return pyramid.levels.first { $0.index >= last && $0.size.area <= averagedPixels }
    }

    /// The levels that the cache may have of a source: an earlier version kept some of files that are indexed now.
    func storedLevels(of source: any ImageSource) -> [PyramidLevel] {
        let levels = source.pyramid.levels
        let first: PyramidLevel? =
            switch source.capabilities.access {
            case .random:
                // Through its index.
                source.capabilities.indexable != nil && source.pyramid.full.size.area >= minimumPixels
                    ? source.pyramid.full : nil
            case .sequential, .scanned:
                source.pyramid.full.size.area >= minimumPixels ? source.pyramid.full : nil
            case .drawn: keepsDrawings ? levels.first { $0.size.area <= maximumDrawnPixels } : nil
            }
        guard let first else { return [] }
        return levels.filter {
            $0.index >= first.index && (source.isNative($0) || $0.size.area > averagedPixels)
        }
    }
}

extension PyramidPolicy {
    /// Decodes a policy; settings that are missing have their defaults.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        try values.read(&minimumPixels, .minimumPixels)
        try values.read(&averagedPixels, .averagedPixels)
        try values.read(&keepsDrawings, .keepsDrawings)
        try values.read(&keepsReducedLevels, .keepsReducedLevels)
        try values.read(&maximumDrawnPixels, .maximumDrawnPixels)
    }
}
