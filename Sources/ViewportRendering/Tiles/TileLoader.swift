internal import Basics
private import Synchronization
internal import ViewportGeometry
internal import Vips

/// Loads tiles by priority: each once for all viewers that request it, and none that no viewer requests any more.
///
/// The actor only keeps the queue. Tiles are decoded on threads for blocking work, one each, as many at once as
/// there are processors; a tile of higher priority never waits for more than these. Of images that can only be read
/// from the top, all tiles of a request are read in one pass.
public actor TileLoader {
    /// Decoded tiles, which several loaders may share.
    public nonisolated let cache: TileCache
    /// The side of a tile in pixels.
    public nonisolated let side: Int
    /// The pixels from which on tiles pay for images that have no random access: less are decoded at once.
    package nonisolated let minimumPixels: Int

    /// Threads of its own: what renders never waits behind tiles.
    private let executor = BlockingExecutor()
    private var jobs: [Int: TileJob] = [:]
    private var jobOfTile: [TileKey: Int] = [:]
    private var requestSets: [TileViewer: TileRequestSet] = [:]
    /// Sources whose readers stay open between viewports.
    private var sources = LRUCache<SourceIdentity, TiledSource>(capacity: 64)
    private var running = 0
    private var lastNumber = 0

    /// Creates a loader; one serves all viewers and files of a process.
    ///
    /// - Parameters:
    ///   - cache: where tiles are kept.
    ///   - side: the side of a tile in pixels, 16 to 4096; other values are clamped.
    public init(cache: TileCache = TileCache(), side: Int = 256) {
        self.init(cache: cache, side: side, minimumPixels: 1 << 24)
    }

    package init(cache: TileCache = TileCache(), side: Int = 256, minimumPixels: Int) {
        self.cache = cache
        self.side = min(max(side, 16), 4096)
        self.minimumPixels = minimumPixels
    }

    /// The source of a file, in tiles.
    func source(of file: ImageFile) -> TiledSource {
        if let source = sources.value(file.identity) { return source }
        let source = TiledSource(
            file.source, identity: file.identity, cache: cache, side: side, minimumPixels: minimumPixels)
        sources.insert(source, for: file.identity, cost: 1)
        return source
    }

    /// The reads that wait or run.
    package var jobCount: Int { jobs.count }

    /// Replaces all that a viewer requests; what it requested before and does not request now is cancelled.
    ///
    /// Tiles that are in memory arrive at once. The request stands until the delivery is released, or the viewer
    /// makes another one.
    func request(_ requests: [TileRequest], of source: TiledSource, for viewer: TileViewer) -> TileDelivery {
        let (number, cached) = replace(requests, of: source, for: viewer)
        let delivery = TileDelivery { Task { await self.cancelRequests(of: viewer, number) } }
        requestSets[viewer]?.delivery = delivery
        for arrival in cached { delivery.put(arrival) }
        startJobs()
        return delivery
    }

    /// Requests tiles that are read when nothing more urgent is to do, until the viewer requests others.
    func requestPrefetch(_ requests: [TileRequest], of source: TiledSource, for viewer: TileViewer) {
        _ = replace(requests, of: source, for: viewer.prefetching)
        startJobs()
    }

    /// Cancels all that a viewer requests, to be shown or prefetched.
    public func cancelRequests(of viewer: TileViewer) {
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

    /// Notes what a viewer requests, and returns what of it is in memory.
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
        // New requests first, then cancelling: a tile of both sets is read on.
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

    /// - Parameter group: the job of the tiles that are read in the same pass.
    private func add(
        _ request: TileRequest, _ source: TiledSource, _ viewer: TileViewer, _ group: inout Int?
    ) {
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

    /// Starts as many jobs as may run, those of highest priority first.
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
        // Detached: a task of the actor's own would decode on the actor.
        jobs[id]?.task = Task.detached(executorPreference: executor) {
            let result = Result<[TileKey: Tile], any Error> { try source.load(keys) }
            await self.finish(id, result)
        }
    }

    private func finish(_ id: Int, _ result: Result<[TileKey: Tile], any Error>) {
        running -= 1
        defer { startJobs() }
        // A cancelled job may have been requested again: then another one brings its tiles.
        guard let job = jobs.removeValue(forKey: id) else { return }
        for (key, ranks) in job.ranks {
            jobOfTile[key] = nil
            let arrival = TileArrival(key: key, result: result.map { $0[key]! })
            for viewer in ranks.keys { requestSets[viewer]?.delivery?.put(arrival) }
        }
    }
}

/// Tiles that are read together: one, but for images that are read from the top.
private struct TileJob {
    let source: TiledSource
    /// The priority that each viewer gives each tile; tiles that nobody requests are not there.
    var ranks: [TileKey: [TileViewer: TileRank]] = [:]
    /// Set while it is read.
    var task: Task<Void, Never>?

    init(source: TiledSource) {
        self.source = source
    }

    var rank: TileRank { ranks.values.lazy.compactMap { $0.values.min() }.min()! }

    /// Takes a viewer's request back; true where nobody else requests the tile.
    mutating func cancel(_ key: TileKey, _ viewer: TileViewer) -> Bool {
        guard ranks[key]?.removeValue(forKey: viewer) != nil, ranks[key]!.isEmpty else { return false }
        ranks[key] = nil
        return true
    }
}

/// What a viewer requests.
private struct TileRequestSet {
    let number: Int
    let keys: Set<TileKey>
    weak var delivery: TileDelivery?
}

/// Identifies whoever shows tiles: it requests one set of tiles at a time.
public struct TileViewer: Hashable, Sendable {
    private static let last = Atomic(0)

    private let number: Int
    private let isPrefetching: Bool

    /// A viewer that differs from all others.
    public init() {
        self.init(number: Self.last.wrappingAdd(1, ordering: .relaxed).newValue, isPrefetching: false)
    }

    private init(number: Int, isPrefetching: Bool) {
        self.number = number
        self.isPrefetching = isPrefetching
    }

    /// The same viewer's other set: what it will show when all motion has ended.
    var prefetching: TileViewer { TileViewer(number: number, isPrefetching: true) }
}

/// The priority of a tile: the least is read first.
package struct TileRank: Comparable, Hashable, Sendable {
    /// What a tile is needed for.
    package enum Purpose: Int, Sendable {
        /// To stand in for others at once: few and coarse.
        case placeholder
        /// To be seen.
        case visible
        /// To be seen soon.
        case prefetch
    }

    package var purpose: Purpose
    /// The square of the distance from the middle of what is seen, in half pixels of the level.
    package var distance: Int

    package static func < (a: Self, b: Self) -> Bool {
        (a.purpose.rawValue, a.distance) < (b.purpose.rawValue, b.distance)
    }
}

/// A tile and its priority.
package struct TileRequest: Sendable {
    package var key: TileKey
    package var rank: TileRank

    /// The tiles of a rectangle, ranked from its middle.
    static func requests(
        _ rect: PixelRect<StoredGrid>, of level: TiledLevel, for purpose: TileRank.Purpose
    ) -> [TileRequest] {
        level.grid.positions(in: rect).map { column, row in
            let tile = level.grid.rect(column: column, row: row)
            // Twice the distances, so that the middles are whole numbers.
            let x = 2 * (tile.x - rect.x) + tile.width - rect.width
            let y = 2 * (tile.y - rect.y) + tile.height - rect.height
            return TileRequest(
                key: level.key(column: column, row: row),
                rank: TileRank(purpose: purpose, distance: x * x + y * y))
        }
    }
}

/// A tile that was read, or why it was not.
struct TileArrival: Sendable {
    let key: TileKey
    let result: Result<Tile, any Error>
}

/// Where the tiles that a viewer requests arrive; releasing it cancels the request.
final class TileDelivery: Sendable {
    private let arrivals = Mutex([TileArrival]())
    private let signal: AsyncStream<Void>.Continuation
    private let cancel: @Sendable () -> Void
    /// Signals arrivals; one signal may stand for many.
    let signals: AsyncStream<Void>

    init(cancel: @escaping @Sendable () -> Void) {
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.cancel = cancel
    }

    deinit { cancel() }

    func put(_ arrival: TileArrival) {
        arrivals.withLock { $0.append(arrival) }
        signal.yield()
    }

    /// Ends the signals: the viewer requests something else now.
    func close() { signal.finish() }

    /// Everything that has arrived since the last call.
    func takeAll() -> [TileArrival] {
        arrivals.withLock { arrivals in
            defer { arrivals = [] }
            return arrivals
        }
    }
}
