#if Server
internal import Basics
internal import Files
internal import MemoryWatching
internal import NIOCore
internal import RenderCaching
internal import Synchronization
internal import TilePyramid
internal import ViewportGeometry
internal import ViewportRendering

/// Where the bytes of a picture come from, the fastest way first.
enum PictureSource: Sendable {
    /// A tile as the file has it.
    case stored(ByteBuffer)
    /// A render; `next` is called when it is done.
    case renderer(PreparedImage, next: @Sendable () -> Void = {})
    /// Something slower than a picture that was kept on disk.
    case slower(@Sendable () async throws -> PictureSource)
}

/// Open images in the forms from which pictures are made fast, each made once: with an index or a pyramid, with previews in
/// memory, with small levels on disk.
final class PreparedImages: Sendable {
    private struct State {
        var prepared: LRUCache<OpenImage.Key, PreparedImage>
        /// Images with previews in memory.
        var overviews: LRUCache<OpenImage.Key, ImageFile>
        /// Images with small levels on disk.
        var small: LRUCache<LevelKey, ImageFile>
    }

    private struct LevelKey: Hashable {
        var image: OpenImage.Key
        var level: Int
    }

    private let caches: ImageCaches
    private let tiles: TileCache
    private let state: Mutex<State>
    private let preparing = RequestCoalescer<OpenImage.Key, PreparedImage>(outlivesWaiters: true)
    private let reducing = RequestCoalescer<LevelKey, ImageFile?>(outlivesWaiters: true)
    private let admission: AdmissionController
    private let metrics: ServerMetrics
    private let speeds = BuildSpeeds()

    init(
        _ roots: ImageRoots, _ limits: TileServer.Limits, cache: CacheFolder,
        _ admission: AdmissionController, _ metrics: ServerMetrics
    ) {
        (self.admission, self.metrics) = (admission, metrics)
        var policy = limits.pyramids
        policy.keepsReducedLevels = true
        let pyramids = PyramidCache(folder: cache, policy: policy) { roots.threads(of: $0.path).builders }
        caches = ImageCaches(IndexCache(folder: cache), pyramids, missing: .isMadeIfPossible)
        tiles = TileCache(capacity: limits.tileCacheBytes)
        state = Mutex(
            State(
                prepared: LRUCache(capacity: limits.preparedImageCount),
                overviews: LRUCache(capacity: limits.overviewCacheBytes),
                small: LRUCache(capacity: 4 * limits.preparedImageCount)))
    }

    /// Returns how a picture of an image is made fastest.
    ///
    /// - Throws: `RouteError`, `RenderingError`, `CacheError`, or `CancellationError`.
    func source(of picture: IIIFPicture, in image: OpenImage) async throws -> PictureSource {
        let ready = ready(image)
        if let ready, let bytes = try await stored(picture, image, ready) { return .stored(bytes) }
        let scale = Double(picture.size.width) / Double(picture.region.width)
        if let overview = overviewRenderer(image, scale: scale) {
            // A viewer that shows a part will zoom in; a whole image may be a thumbnail among many.
            guard picture.region.size != image.file.uprightSize else { return .renderer(overview) }
            return .renderer(overview) { Task { _ = try? await self.prepared(image) } }
        }
        return .slower {
            if let ready { return .renderer(ready) }
            if let small = try await self.smallRenderer(image, picture) { return .renderer(small) }
            let prepared = try await self.prepared(image)
            if let bytes = try await self.stored(picture, image, prepared) { return .stored(bytes) }
            return .renderer(prepared)
        }
    }

    private func stored(
        _ picture: IIIFPicture, _ image: OpenImage, _ prepared: PreparedImage
    ) async throws -> ByteBuffer? {
        guard let tiles = prepared.tiles, tiles.mayHave(picture) else { return nil }
        return try await image.threads.executor.run {
            tiles.jpeg(picture).map { ByteBuffer(bytes: $0) }
        }
    }

    /// Prepares the image for random access; concurrent callers share one preparation.
    ///
    private func prepared(_ image: OpenImage) async throws -> PreparedImage {
        if let prepared = ready(image) { return prepared }
        let key = image.key
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
    private func smallRenderer(_ image: OpenImage, _ picture: IIIFPicture) async throws -> PreparedImage? {
        let file = image.file
        let isSlow = file.source.capabilities.access != .random && file.indexable?.capabilities.blocks == nil
        if isSlow, caches.leavesOut(file), picture.region.size == file.uprightSize {
            // Reading it twice, for an index and for the picture, would take longer.
            return PreparedImage(whole: file)
        }
        let scale = Double(picture.size.width) / Double(picture.region.width)
        let needed = file.source.pyramid.level(forScale: scale)
        guard let level = caches.overviewLevel(of: file, for: needed) else { return nil }
        let key = LevelKey(image: image.key, level: level.index)
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
    private func ready(_ image: OpenImage) -> PreparedImage? {
        state.withLock { $0.prepared.value(image.key) }
    }

    /// Returns a renderer for a scale that works without preparation; nil if there is none.
    ///
    /// The first small view of a large JPEG does not wait for its index.
    private func overviewRenderer(_ image: OpenImage, scale: Double) -> PreparedImage? {
        guard let bytes = image.file.overviewByteCount(forScale: scale) else { return nil }
        let file = overview(of: image, bytes)
        return PreparedImage(whole: file)
    }

    private func overview(of image: OpenImage, _ bytes: Int) -> ImageFile {
        let key = image.key
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
}

extension PreparedImages: MemoryReleasing {
    /// The size of tiles and previews; indexes and open readers are not counted.
    var releasableByteCount: Int {
        tiles.byteCount + state.withLock { $0.overviews.cost + $0.prepared.count + $0.small.count }
    }

    /// The memory of previews and of decoded tiles in bytes.
    var byteCounts: (previews: Int, tiles: Int) { (state.withLock { $0.overviews.cost }, tiles.byteCount) }

    /// Releases the least recently requested half of all images and tiles; when memory is critical, all of them.
    ///
    /// Requests in progress keep the images that they read.
    func releaseMemory(under pressure: MemoryPressure) {
        guard pressure > .normal else { return }
        tiles.trim(toByteCount: pressure.rest(of: tiles.byteCount))
        state.withLock { state in
            state.prepared.trim(toCost: pressure.rest(of: state.prepared.cost))
            state.overviews.trim(toCost: pressure.rest(of: state.overviews.cost))
            state.small.trim(toCost: pressure.rest(of: state.small.cost))
        }
    }
}

/// An image prepared for random access with an index, a pyramid or tiles in memory.
struct PreparedImage: Sendable {
    let renderer: IIIFRenderer
    let tiles: StoredTiles?
    /// The estimated memory for reading a part, in bytes.
    let partBytes: Int
}

extension PreparedImage {
    /// An image whose parts cost as much memory as the whole.
    init(whole file: ImageFile) {
        self.init(
            renderer: IIIFRenderer(file, tiles: nil), tiles: nil, partBytes: file.decodingByteCount)
    }
}
#endif
