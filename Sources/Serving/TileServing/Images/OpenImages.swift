#if Server
internal import Basics
internal import Files
internal import HTTPTypes
internal import MemoryWatching
internal import Presentation
internal import RemoteFiles
internal import RenderCaching
internal import Synchronization
internal import TilePyramid
internal import ViewportGeometry
internal import ViewportRendering

/// A cache of recently requested images, each opened and prepared once.
final class OpenImages: Sendable {
    private struct Key: Hashable {
        var path: FilePath
        var page: Int
        var status: FileStatus
        var turn: Orientation?
    }

    private struct State {
        var paths: LRUCache<FilePath, String>
        var open: LRUCache<Key, OpenImage>
        var prepared: LRUCache<Key, PreparedImage>
        /// Images with previews in memory.
        var overviews: LRUCache<Key, ImageFile>
        /// The last known status of remote images, and when it was found.
        var remote: LRUCache<FilePath, (status: FileStatus, time: Int)>
        /// Images with small levels on disk.
        var small: LRUCache<LevelKey, ImageFile>
    }

    private struct LevelKey: Hashable {
        var image: Key
        var level: Int
    }

    private let roots: ImageRoots
    private let maximumPixels: Int?
    private let remote: RemoteOptions
    private let access: AccessControl?
    private let isPrivate: @Sendable (_ path: String) -> Bool
    private let turn: @Sendable (_ path: String) async -> Orientation?
    private let caches: ImageCaches
    private let tiles: TileCache
    private let state: Mutex<State>
    private let opening = RequestCoalescer<FilePath, OpenImage>()
    private let preparing = RequestCoalescer<Key, PreparedImage>(outlivesWaiters: true)
    private let reducing = RequestCoalescer<LevelKey, ImageFile?>(outlivesWaiters: true)
    private let admission: AdmissionController
    private let metrics: ServerMetrics
    private let speeds = BuildSpeeds()

    /// - Parameters:
    ///   - isPrivate: Returns whether only pages of this server may read the file at a path.
    ///   - turn: Returns how the file at a path is turned; nil if it never is.
    init(
        _ roots: ImageRoots, _ limits: TileServer.Limits, cache: CacheFolder,
        _ admission: AdmissionController, _ metrics: ServerMetrics, access: AccessControl?,
        remote: RemoteOptions,
        isPrivate: @escaping @Sendable (_ path: String) -> Bool,
        turn: @escaping @Sendable (_ path: String) async -> Orientation?
    ) {
        self.roots = roots
        self.admission = admission
        self.metrics = metrics
        self.isPrivate = isPrivate
        self.turn = turn
        maximumPixels = limits.maximumSourcePixels
        self.remote = remote
        self.access = access
        var policy = limits.pyramids
        policy.keepsReducedLevels = true
        let pyramids = PyramidCache(folder: cache, policy: policy) { roots.threads(of: $0.path).builders }
        caches = ImageCaches(IndexCache(folder: cache), pyramids, missing: .isMadeIfPossible)
        tiles = TileCache(capacity: limits.tileCacheBytes)
        state = Mutex(
            State(
                paths: LRUCache(capacity: 4096), open: LRUCache(capacity: limits.openImageCount),
                prepared: LRUCache(capacity: limits.preparedImageCount),
                overviews: LRUCache(capacity: limits.overviewCacheBytes),
                remote: LRUCache(capacity: limits.openImageCount),
                small: LRUCache(capacity: 4 * limits.preparedImageCount)))
    }

    /// Returns the image of an identifier in a request.
    ///
    /// - Throws: `RouteError`. Pages of other origins get the same error whether or not a private image exists.
    func image(_ identifier: String, for request: RouteRequest) async throws -> OpenImage {
        do {
            let checked = try await checkedPath(of: identifier, for: request)
            let image = try await image(identifier)
            // The file that the identifier names may have changed.
            if let checked, image.path != checked { try await access?.check(image.path, for: request) }
            if image.isPrivate, request.isCrossOrigin { throw RouteError.crossOrigin }
            return image
        } catch var error as RouteError {
            if !error.isPrivate, try await isPrivateIdentifier(identifier) {
                if request.isCrossOrigin { throw RouteError.crossOrigin }
                error.isPrivate = true
            }
            throw error
        }
    }

    /// Asks the application, before anything of the image is read, and returns the path that it allows.
    private func checkedPath(of identifier: String, for request: RouteRequest) async throws -> String? {
        guard let access else { return nil }
        let (name, roots) = (PageIdentifier(identifier).name, roots)
        guard let path = try await roots.root(of: name)?.threads.run({ roots.path(of: name) }) ?? nil else {
            throw RouteError.imageNotFound
        }
        try await access.check(path, for: request)
        return path
    }

    /// Returns whether only pages of this server may read the file of an identifier, which need not exist.
    private func isPrivateIdentifier(_ identifier: String) async throws -> Bool {
        for (root, path) in roots.paths(of: PageIdentifier(identifier).name) {
            if try await root.threads.run({ self.isPrivate(path) }) { return true }
        }
        return false
    }

    /// Returns the image of an identifier, which ends with `;n` for page n.
    ///
    /// - Throws: `RouteError`.
    private func image(_ identifier: String) async throws -> OpenImage {
        let parts = PageIdentifier(identifier)
        let (name, page) = (parts.name, parts.page)
        guard let threads = roots.root(of: name)?.threads else { throw RouteError.imageNotFound }
        // The status shows whether the open file is still the one at the path.
        if let path = state.withLock({ $0.paths.value(FilePath(name)) }),
            let status = try await status(of: path, threads)
        {
            let key = Key(path: FilePath(path), page: page, status: status, turn: await turn(path))
            if let open = state.withLock({ $0.open.value(key) }),
                !open.file.opened.isRemote || open.file.opened.isUnchanged
            {
                return open
            }
        }
        return try await opening.value(for: FilePath("\(page);\(name)")) {
            let path = try await threads.run { self.roots.path(of: name) }
            guard let path else { throw RouteError.imageNotFound }
            let turn = await self.turn(path)
            return try await threads.run { try self.open(name, path, page, threads, turn) }
        }
    }

    /// Returns the status of a file; that of a remote one for some seconds after it was found.
    private func status(of path: String, _ threads: RootThreads) async throws -> FileStatus? {
        guard RemoteAddress.isRemote(path) else { return try await threads.status(of: path) }
        return state.withLock { $0.remote.value(FilePath(path)) }.flatMap {
            ProcessEnvironment.now - $0.time < Self.remoteLifetime ? $0.status : nil
        }
    }

    /// The time for which a remote image counts as unchanged, in nanoseconds.
    private static let remoteLifetime = 10_000_000_000

    private func open(
        _ name: String, _ path: String, _ page: Int, _ threads: RootThreads, _ turn: Orientation?
    ) throws -> OpenImage {
        if RemoteAddress.isRemote(path), let kept = stillCurrent(name, path, page) { return kept }
        let image: OpenImage
        do throws(RenderingError) {
            image = try OpenImage(
                path, page: page, on: threads, maximumPixels: maximumPixels, remote: remote,
                isPrivate: isPrivate(path), turn: turn)
        } catch .unreadable(_, let reason) where RemoteAddress.isRemote(path) {
            throw RouteError(.badGateway, "the image cannot be read from its server: \(reason)")
        } catch {
            throw RouteError(error)
        }
        if RemoteAddress.isRemote(path) { keep(image.status, of: path) }
        state.withLock { state in
            state.paths.insert(path, for: FilePath(name), cost: 1)
            state.open.insert(image, for: Self.key(image), cost: 1)
        }
        return image
    }

    /// Asks for the status of a remote image, and returns the open one if it is the same.
    private func stillCurrent(_ name: String, _ path: String, _ page: Int) -> OpenImage? {
        guard let status = FileStatus(image: path, remote) else { return nil }
        let key = Key(path: FilePath(path), page: page, status: status)
        let open = state.withLock { $0.open.value(key) }
        guard let open, open.file.opened.isUnchanged else { return nil }
        keep(status, of: path)
        return open
    }

    private func keep(_ status: FileStatus, of path: String) {
        state.withLock { $0.remote.insert((status, ProcessEnvironment.now), for: FilePath(path), cost: 1) }
    }

    /// Prepares the image for random access; concurrent callers share one preparation.
    ///
    /// - Throws: `RouteError`, `RenderingError`, `CacheError`, or `CancellationError`.
    func prepared(_ image: OpenImage) async throws -> PreparedImage {
        if let prepared = preparedIfReady(image) { return prepared }
        let key = Self.key(image)
        return try await preparing.value(
            for: key,
            queued: { begin in
                let prepared = try await self.build(.pyramid, of: image, begin) {
                    try await self.prepare(image)
                }
                self.state.withLock { $0.prepared.insert(prepared, for: key, cost: 1) }
                return prepared
            })
    }

    /// Runs a build in the queue of the server, unless the image can be read in parts as it is.
    private func build<R: Sendable>(
        _ kind: BuildKind, of image: OpenImage, _ begin: @Sendable () throws -> Void,
        _ work: @Sendable () async throws -> R
    ) async throws -> R {
        let file = image.file
        let isReady = try await image.threads.executor.run {
            kind == .pyramid && self.caches.areReady(for: file)
        }
        if isReady {
            try begin()
            return try await work()
        }
        let pixels = file.storedSize.area
        let cost = WorkCost(
            bytes: file.decodingByteCount, threads: Self.threads(file),
            duration: speeds.duration(kind, file.format, pixels))
        return try await admission.run(.build, cost, reading: image.threads) {
            try begin()
            let start = ContinuousClock.now
            let result = try await work()
            speeds.note(kind, file.format, pixels, in: .now - start)
            metrics.count(kind)
            return result
        }
    }

    /// Returns the number of threads that a pass over a file keeps busy.
    private static func threads(_ file: ImageFile) -> Int {
        switch file.format {
        // A pass takes milliseconds, and runs among the renders.
        case .jpeg where file.source.capabilities.blocks != nil: 0
        // One thread inflates, another one filters.
        case .png where file.indexable != nil: min(2, BlockingExecutor.shared.width)
        default: 1
        }
    }

    /// Prepares the image for the first view of it, whose size is not known.
    func preload(_ image: OpenImage) async throws {
        let file = image.file
        guard caches.overviewLevel(of: file, for: file.source.pyramid.levels.last!) == nil else { return }
        _ = try await prepared(image)
    }

    /// Returns a renderer for a picture that needs no close look at a slow image: one pass over the file makes the small
    /// levels, which are kept on disk.
    ///
    /// Returns nil if the image should be prepared.
    func smallRenderer(_ image: OpenImage, _ picture: IIIFPicture) async throws -> PreparedImage? {
        let file = image.file
        let isSlow = file.source.capabilities.access != .random && file.indexable?.capabilities.blocks == nil
        if isSlow, caches.leavesOut(file), picture.region.size == file.uprightSize {
            // Reading it twice, for an index and for the picture, would take longer.
            return PreparedImage(whole: file)
        }
        let scale = Double(picture.size.width) / Double(picture.region.width)
        let needed = file.source.pyramid.level(forScale: scale)
        guard let level = caches.overviewLevel(of: file, for: needed) else { return nil }
        let key = LevelKey(image: Self.key(image), level: level.index)
        if let small = state.withLock({ $0.small.value(key) }) { return Self.small(small) }
        let small = try await reducing.value(
            for: key, queued: { begin in try await self.reduce(image, needed, begin) })
        guard let small else {
            return PreparedImage(whole: file)
        }
        let tiled = small.optimizedForRandomAccess(tiles)
        state.withLock { $0.small.insert(tiled, for: key, cost: 1) }
        return Self.small(tiled)
    }

    private static func small(_ file: ImageFile) -> PreparedImage {
        PreparedImage(renderer: IIIFRenderer(file, tiles: nil), tiles: nil, partBytes: 2 << 20)
    }

    /// Returns the image, read from small levels in the cache, which are made if they are missing; nil where the cache
    /// cannot be written.
    private func reduce(
        _ image: OpenImage, _ needed: PyramidLevel, _ begin: @Sendable () throws -> Void
    ) async throws -> ImageFile? {
        let (file, caches) = (image.file, caches)
        let kept = try await image.threads.executor.run { caches.existingOverview(of: file, for: needed) }
        if let kept { return kept }
        do {
            return try await build(.overview, of: image, begin) {
                try await caches.overview(of: file, for: needed)
            }
        } catch let error as CacheError {
            if case .changed = error { throw error }
            return nil
        }
    }

    /// Returns the image if it is prepared.
    func preparedIfReady(_ image: OpenImage) -> PreparedImage? {
        state.withLock { $0.prepared.value(Self.key(image)) }
    }

    /// Returns a renderer for a scale that works without preparation; nil if there is none.
    ///
    /// The first small view of a large JPEG does not wait for its index.
    func overviewRenderer(_ image: OpenImage, scale: Double) -> PreparedImage? {
        guard let bytes = image.file.overviewByteCount(forScale: scale) else { return nil }
        let file = overview(of: image, bytes)
        return PreparedImage(whole: file)
    }

    private func overview(of image: OpenImage, _ bytes: Int) -> ImageFile {
        let key = Self.key(image)
        return state.withLock { state in
            if let file = state.overviews.value(key) { return file }
            let file = image.file.keepingOverview()
            state.overviews.insert(file, for: key, cost: bytes)
            return file
        }
    }

    private func prepare(_ image: OpenImage) async throws -> PreparedImage {
        let (caches, tiles) = (caches, tiles)
        let file = image.file.overviewByteCount(forScale: 0.001).map { overview(of: image, $0) } ?? image.file
        let executor = Self.threads(file) == 0 ? image.threads.executor : image.threads.builders
        let indexed = try await executor.run { try caches.indexed(file) }
        let pyramid = try await caches.pyramid(of: indexed)
        return try await image.threads.executor.run {
            let file = pyramid.optimizedForRandomAccess(tiles)
            let stored = StoredTiles(file)
            // A viewer that shows details also shows the overview.
            Task { try? await image.threads.builders.run { file.preloadOverview() } }
            return PreparedImage(
                renderer: IIIFRenderer(file, tiles: stored), tiles: stored, partBytes: file.partByteCount)
        }
    }

    private static func key(_ image: OpenImage) -> Key {
        Key(path: FilePath(image.path), page: image.file.page, status: image.status, turn: image.turn)
    }
}

extension OpenImages: MemoryReleasing {
    /// The size of tiles and previews; indexes and open readers are not counted.
    var releasableByteCount: Int {
        tiles.byteCount + roots.listings.nameCount
            + state.withLock { $0.overviews.cost + $0.prepared.count + $0.small.count }
    }

    /// The memory of previews and of decoded tiles in bytes.
    var byteCounts: (previews: Int, tiles: Int) { (state.withLock { $0.overviews.cost }, tiles.byteCount) }

    /// Releases the least recently requested half of all images and tiles; when memory is critical, all of them.
    ///
    /// Requests in progress keep the images that they read.
    func releaseMemory(under pressure: MemoryPressure) {
        guard pressure > .normal else { return }
        tiles.trim(toByteCount: pressure.rest(of: tiles.byteCount))
        roots.listings.trim(toNameCount: pressure.rest(of: roots.listings.nameCount))
        state.withLock { state in
            state.open.trim(toCost: pressure.rest(of: state.open.cost))
            state.prepared.trim(toCost: pressure.rest(of: state.prepared.cost))
            state.overviews.trim(toCost: pressure.rest(of: state.overviews.cost))
            state.small.trim(toCost: pressure.rest(of: state.small.cost))
        }
    }
}

extension MemoryPressure {
    /// The size that a cache keeps: half of it under a warning, nothing when memory is critical.
    func rest(of cost: Int) -> Int {
        switch self {
        case .normal: cost
        case .warning: cost / 2
        case .critical: 0
        }
    }
}
#endif
