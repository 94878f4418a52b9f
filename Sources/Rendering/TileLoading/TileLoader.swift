internal import Basics
package import ImageReading
public import MemoryWatching
private import Synchronization
package import ViewportGeometry

/// Loads tiles by priority, each once for all viewers that request it, and drops requests that were cancelled.
///
/// The actor only manages the queue. Tiles are decoded on threads for blocking work, as many at a time as there are
/// processors; a tile of higher priority never waits for more than these. Images that can only be read from the
/// top are read in one pass for all tiles of a request.
public actor TileLoader {
    /// The cache of decoded tiles, which several loaders may share.
    public nonisolated let cache: TileCache
    /// The side of a tile in pixels.
    public nonisolated let side: Int
    /// The size from which tiles pay off for images without random access: smaller images are decoded as a whole.
    package nonisolated let minimumPixels: Int

    /// Separate threads: rendering never waits behind tiles.
    private let executor = BlockingExecutor(for: .computing)
    private var jobs: [Int: TileJob] = [:]
    private var jobOfTile: [TileKey: Int] = [:]
    private var requestSets: [TileViewer: TileRequestSet] = [:]
    /// Sources whose readers stay open between viewports.
    private var sources = LRUCache<SourceIdentity, TiledSource>(capacity: 64)
    private var running = 0
    private var lastNumber = 0

    /// Creates a loader, which can serve all viewers and files of a process.
    ///
    /// - Parameters:
    ///   - cache: keeps the tiles.
    ///   - side: the side of a tile in pixels, 16 to 4096; other values are clamped.
    public init(cache: TileCache = TileCache(), side: Int = 256) {
        self.init(cache: cache, side: side, minimumPixels: 1 << 24)
    }

    package init(cache: TileCache = TileCache(), side: Int = 256, minimumPixels: Int) {
        self.cache = cache
        self.side = min(max(side, 16), 4096)
        self.minimumPixels = minimumPixels
    }

    /// Returns the source of a file in tiles.
    package func source(of file: ImageFile) -> TiledSource {
        if let source = sources.value(file.identity) { return source }
        let source = TiledSource(
            file.source, identity: file.identity, cache: cache, side: side, minimumPixels: minimumPixels)
        sources.insert(source, for: file.identity, cost: 1)
        return source
    }

    /// The number of reads that wait or run.
    package var jobCount: Int { jobs.count }

    /// Replaces the requests of a viewer; earlier requests that are not repeated are cancelled.
    ///
    /// Tiles that are in memory arrive immediately. The request is valid until the delivery is released or the viewer
    /// makes another request.
    package func request(_ requests: [TileRequest], of source: TiledSource, for viewer: TileViewer)
        -> TileDelivery
    {
        cache.show(Set(requests.map(\.key)), for: viewer)
        let (number, cached) = replace(requests, of: source, for: viewer)
        let delivery = TileDelivery { Task { await self.cancelRequests(of: viewer, number) } }
        requestSets[viewer]?.delivery = delivery
        for arrival in cached { delivery.put(arrival) }
        startJobs()
        return delivery
    }

    /// Requests tiles that are read when no visible tiles are missing, until the viewer requests others.
    package func requestPrefetch(_ requests: [TileRequest], of source: TiledSource, for viewer: TileViewer) {
        _ = replace(requests, of: source, for: viewer.prefetching)
        startJobs()
    }

    /// Cancels all requests of a viewer, visible and prefetched.
    public func cancelRequests(of viewer: TileViewer) {
        cache.show([], for: viewer)
        for viewer in [viewer, viewer.prefetching] {
            guard let number = requestSets[viewer]?.number else { continue }
            cancelRequests(of: viewer, number)
        }
    }

    private func cancelRequests(of viewer: TileViewer, _ number: Int) {
        guard let set = requestSets[viewer], set.number == number else { return }
        requestSets[viewer] = nil
        set.delivery?.close()
        for key in set.keys { cancel(key, viewer) }
    }

    private func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Stores the requests of a viewer, and returns the tiles that are in memory.
    private func replace(
        _ requests: [TileRequest], of source: TiledSource, for viewer: TileViewer
    ) -> (number: Int, cached: [TileArrival]) {
        let previous = requestSets[viewer]
        previous?.delivery?.close()
        let number = nextNumber()
        let keys = Set(requests.map(\.key))
        requestSets[viewer] = TileRequestSet(number: number, keys: keys)
        var cached: [TileArrival] = []
        var group: Int?
        // New requests first, then cancellations: a tile in both sets continues to be read.
        for request in requests {
            if let tile = cache.tile(request.key) {
                cached.append(TileArrival(key: request.key, result: .success(tile)))
            } else {
                add(request, source, viewer, &group)
            }
        }
        for key in previous?.keys.subtracting(keys) ?? [] { cancel(key, viewer) }
        return (number, cached)
    }

    /// - Parameter group: the job for tiles that are read in the same pass.
    private func add(
        _ request: TileRequest, _ source: TiledSource, _ viewer: TileViewer, _ group: inout Int?
    ) {
        // A tile that is requested already stays in its job, which may be running.
        let id = jobOfTile[request.key] ?? group ?? nextNumber()
        if !source.readsTilesAlone, jobOfTile[request.key] == nil { group = id }
        jobOfTile[request.key] = id
        jobs[id, default: TileJob(source: source)].ranks[request.key, default: [:]][viewer] = request.rank
    }

    private func cancel(_ key: TileKey, _ viewer: TileViewer) {
        guard let id = jobOfTile[key], jobs[id]!.cancel(key, viewer) else { return }
        jobOfTile[key] = nil
        guard jobs[id]!.ranks.isEmpty else { return }
        jobs[id]!.task?.cancel()
        jobs[id] = nil
    }

    /// Starts jobs in order of priority, as many as may run.
    private func startJobs() {
        while running < executor.width,
            let next = jobs.filter({ $0.value.task == nil }).min(by: { $0.value.rank < $1.value.rank })
        {
            start(next.key, next.value)
        }
    }

    private func start(_ id: Int, _ job: TileJob) {
        running += 1
        let (source, keys) = (job.source, Array(job.ranks.keys))
        // Detached: a task that inherits the actor would decode on it.
        jobs[id]?.task = Task.detached(executorPreference: executor) {
            let result = Result<[TileKey: Tile], any Error> { try source.load(keys) }
            await self.finish(id, result)
        }
    }

    private func finish(_ id: Int, _ result: Result<[TileKey: Tile], any Error>) {
        running -= 1
        defer { startJobs() }
        // A cancelled job may have been requested again; then another job delivers its tiles.
        guard let job = jobs.removeValue(forKey: id) else { return }
        for (key, ranks) in job.ranks {
            jobOfTile[key] = nil
            let arrival = TileArrival(key: key, result: result.map { $0[key]! })
            for viewer in ranks.keys { requestSets[viewer]?.delivery?.put(arrival) }
        }
    }
}

extension TileLoader: MemoryReleasing {
    /// The size of the tiles in the cache in bytes.
    public nonisolated var releasableByteCount: Int { cache.byteCount }

    /// Releases tiles of the cache, and the open readers and overviews of files that no viewer shows.
    ///
    /// When memory is critical, those of all files are released that are not being read.
    public nonisolated func releaseMemory(under pressure: MemoryPressure) {
        guard pressure > .normal else { return }
        cache.releaseMemory(under: pressure)
        Task { await self.releaseSources(under: pressure) }
    }

    /// Releases the sources of files, which can be opened again.
    package func releaseSources(under pressure: MemoryPressure) {
        let shown = pressure < .critical ? Set(cache.shownTiles.map(\.source)) : []
        sources.removeAll { !shown.contains($0) }
    }

    /// The number of files whose readers stay open.
    package var sourceCount: Int { sources.count }
}

/// Tiles that are read together: one, except for images that are read from the top.
private struct TileJob {
    let source: TiledSource
    /// The priority of each tile for each viewer; tiles without a viewer are removed.
    var ranks: [TileKey: [TileViewer: TileRank]] = [:]
    /// The task while it is read.
    var task: Task<Void, Never>?

    var rank: TileRank { ranks.values.lazy.compactMap { $0.values.min() }.min()! }

    /// Removes a viewer's request; returns true where no other viewer requests the tile.
    mutating func cancel(_ key: TileKey, _ viewer: TileViewer) -> Bool {
        guard ranks[key]?.removeValue(forKey: viewer) != nil, ranks[key]!.isEmpty else { return false }
        ranks[key] = nil
        return true
    }
}

/// The requests of a viewer.
private struct TileRequestSet {
    let number: Int
    let keys: Set<TileKey>
    // Weak: the viewer owns the delivery, and releasing it cancels the requests.
    weak var delivery: TileDelivery?
}

/// Identifies a viewer of tiles, which requests one set of tiles at a time.
public struct TileViewer: Hashable, Sendable {
    private static let last = Atomic(0)

    private let number: Int
    private let isPrefetching: Bool

    /// Creates a viewer that differs from all others.
    public init() {
        self.init(number: Self.last.wrappingAdd(1, ordering: .relaxed).newValue, isPrefetching: false)
    }

    private init(number: Int, isPrefetching: Bool) {
        self.number = number
        self.isPrefetching = isPrefetching
    }

    /// The viewer's set of prefetched tiles: those of the viewport where a motion will end.
    var prefetching: TileViewer { TileViewer(number: number, isPrefetching: true) }
}

/// The priority of a tile: the smallest value is read first.
package struct TileRank: Comparable, Hashable, Sendable {
    /// The purpose of a tile.
    package enum Purpose: Int, Sendable {
        /// A placeholder for others: few and coarse.
        case placeholder
        /// It is visible.
        case visible
        /// It will be visible soon.
        case prefetch
    }

    package var purpose: Purpose
    /// The squared distance from the center of the visible rectangle, in half pixels of the level.
    package var distance: Int

    package static func < (a: Self, b: Self) -> Bool {
        (a.purpose.rawValue, a.distance) < (b.purpose.rawValue, b.distance)
    }
}

/// A tile and its priority.
package struct TileRequest: Sendable {
    package var key: TileKey
    package var rank: TileRank

    /// Returns requests for the tiles of a rectangle, ranked by the distance from its center.
    package static func requests(
        _ rect: PixelRect<StoredGrid>, of level: TiledLevel, for purpose: TileRank.Purpose
    ) -> [TileRequest] {
        level.grid.positions(in: rect).map { column, row in
            let tile = level.grid.rect(column: column, row: row)
            // Doubled distances, so that centers are whole numbers.
            let x = 2 * (tile.x - rect.x) + tile.width - rect.width
            let y = 2 * (tile.y - rect.y) + tile.height - rect.height
            return TileRequest(
                key: level.key(column: column, row: row),
                rank: TileRank(purpose: purpose, distance: x * x + y * y))
        }
    }
}

/// A tile that was read, or the error.
package struct TileArrival: Sendable {
    package let key: TileKey
    package let result: Result<Tile, any Error>
}

/// Receives the tiles that a viewer requested; releasing it cancels the request.
package final class TileDelivery: Sendable {
    private let arrivals = Mutex([TileArrival]())
    private let signal: AsyncStream<Void>.Continuation
    private let cancel: @Sendable () -> Void
    /// Signals arrivals; one signal may cover several.
    package let signals: AsyncStream<Void>

    init(cancel: @escaping @Sendable () -> Void) {
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.cancel = cancel
    }

    deinit { cancel() }

    func put(_ arrival: TileArrival) {
        arrivals.withLock { $0.append(arrival) }
        signal.yield()
    }

    /// Ends the signals: the viewer has made another request.
    func close() { signal.finish() }

    /// Returns all arrivals since the last call.
    package func takeAll() -> [TileArrival] {
        arrivals.withLock { arrivals in
            defer { arrivals = [] }
            return arrivals
        }
    }
}
