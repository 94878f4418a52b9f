internal import Basics
private import Synchronization
internal import ViewportGeometry
internal import Vips

/// Brings tiles: those that are wanted most first, equal ones once, and none that nobody wants any more.
///
/// The actor only keeps the books. Tiles are decoded on threads for blocking work, one each, as many at once as
/// there are processors; no more than these are on their way, so what is wanted most is always next.
public actor TileLoader {
    /// A tile that is wanted.
    struct Job {
        let number: Int
        let source: TiledSource
        /// How soon each viewer wants it.
        var ranks: [TileViewer: TileRank]
        /// Set while it is read.
        var task: Task<Void, Never>?

        var rank: TileRank { ranks.values.min()! }
    }

    /// What a viewer wants.
    struct Wanted {
        let number: Int
        var keys: Set<TileKey>
        weak var inbox: TileDelivery?
    }

    public nonisolated let cache: TileCache
    /// Pixels of a tile's side.
    public nonisolated let side: Int

    /// Threads of its own: what renders never waits behind tiles.
    private let executor = BlockingExecutor()
    var jobs: [TileKey: Job] = [:]
    var wanted: [TileViewer: Wanted] = [:]
    /// Sources whose readers stay open between viewports.
    private var sources = LRUCache<SourceIdentity, TiledSource>(capacity: 64)
    private var running = 0
    private var lastNumber = 0

    public init(cache: TileCache = TileCache(), side: Int = 256) {
        self.cache = cache
        self.side = side
    }

    /// The source of a file, in tiles.
    func source(of file: ImageFile) -> TiledSource {
        if let source = sources.value(file.identity) { return source }
        let source = TiledSource(file.source, identity: file.identity, cache: cache, side: side)
        sources.insert(source, for: file.identity, cost: 1)
        return source
    }

    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// How many tiles wait or are read.
    package var jobCount: Int { jobs.count }

    /// Starts as many jobs as may run, the most wanted first.
    func startJobs() {
        while running < executor.width,
            let next = jobs.filter({ $0.value.task == nil }).min(by: { $0.value.rank < $1.value.rank })
        {
            start(next.key, next.value)
        }
    }

    private func start(_ key: TileKey, _ job: Job) {
        running += 1
        let (number, source) = (job.number, job.source)
        // Detached: a task of the actor's own would decode on the actor.
        jobs[key]?.task = Task.detached(executorPreference: executor) {
            let result = Result<Tile, any Error> { try source.load(key) }
            await self.finish(key, number, result)
        }
    }

    private func finish(_ key: TileKey, _ number: Int, _ result: Result<Tile, any Error>) {
        running -= 1
        defer { startJobs() }
        // A job that was given up may have been wanted again: then another one brings it.
        guard let job = jobs[key], job.number == number else { return }
        jobs[key] = nil
        for viewer in job.ranks.keys {
            wanted[viewer]?.inbox?.put(TileArrival(key: key, result: result))
        }
    }
}

extension TileLoader {
    /// Takes a set of tiles as all that a viewer wants; what it wanted before and does not want now is given up.
    ///
    /// Tiles that are in memory arrive at once. The set is wanted until the inbox is let go of, or the viewer
    /// wants another one.
    func want(_ wishes: [TileRequest], of source: TiledSource, for viewer: TileViewer) -> TileDelivery {
        let (number, found) = replace(wishes, of: source, for: viewer)
        let inbox = TileDelivery { Task { await self.leave(viewer, number) } }
        wanted[viewer]?.inbox = inbox
        for arrival in found { inbox.put(arrival) }
        startJobs()
        return inbox
    }

    /// Takes a set of tiles to be read when nothing more urgent is to do, until the viewer says otherwise.
    func wantSoon(_ wishes: [TileRequest], of source: TiledSource, for viewer: TileViewer) {
        _ = replace(wishes, of: source, for: viewer.resting)
        startJobs()
    }

    /// Gives up all that a viewer wants, now and soon.
    public func leave(_ viewer: TileViewer) {
        for viewer in [viewer, viewer.resting] {
            guard let number = wanted[viewer]?.number else { continue }
            leave(viewer, number)
        }
    }

    /// Books what a viewer wants, and gives what of it is in memory.
    private func replace(
        _ wishes: [TileRequest], of source: TiledSource, for viewer: TileViewer
    ) -> (number: Int, found: [TileArrival]) {
        let before = wanted[viewer]
        before?.inbox?.close()
        let number = nextNumber()
        let keys = Set(wishes.map(\.key))
        wanted[viewer] = Wanted(number: number, keys: keys)
        var found: [TileArrival] = []
        // First what is wanted, then what is not: a tile of both sets goes on.
        for wish in wishes {
            if let tile = cache.tile(wish.key) {
                found.append(TileArrival(key: wish.key, result: .success(tile)))
            } else {
                add(wish, source, viewer)
            }
        }
        for key in before?.keys.subtracting(keys) ?? [] { giveUp(key, viewer) }
        return (number, found)
    }

    private func add(_ wish: TileRequest, _ source: TiledSource, _ viewer: TileViewer) {
        if jobs[wish.key] == nil {
            jobs[wish.key] = Job(number: nextNumber(), source: source, ranks: [:])
        }
        jobs[wish.key]!.ranks[viewer] = wish.rank
    }

    private func leave(_ viewer: TileViewer, _ number: Int) {
        guard let set = wanted[viewer], set.number == number else { return }
        wanted[viewer] = nil
        set.inbox?.close()
        for key in set.keys { giveUp(key, viewer) }
    }

    private func giveUp(_ key: TileKey, _ viewer: TileViewer) {
        guard jobs[key]?.ranks.removeValue(forKey: viewer) != nil, jobs[key]!.ranks.isEmpty else { return }
        jobs[key]!.task?.cancel()
        jobs[key] = nil
    }
}

/// One who looks: it wants one set of tiles at a time.
public struct TileViewer: Hashable, Sendable {
    private static let last = Atomic(0)

    private let number: Int
    /// Whether it asks for what may be seen soon.
    let isResting: Bool

    /// A viewer that is no other.
    public init() {
        number = Self.last.wrappingAdd(1, ordering: .relaxed).newValue
        isResting = false
    }

    private init(number: Int) {
        self.number = number
        isResting = true
    }

    /// The same viewer, as far as it asks for what it will see when all motion has ended.
    var resting: TileViewer { TileViewer(number: number) }
}

/// How soon a tile is wanted: the least comes first.
package struct TileRank: Comparable, Hashable, Sendable {
    /// What tiles are wanted for.
    package enum Purpose: Int, Sendable {
        /// Filling holes at once: few and coarse.
        case stopgap
        /// Being seen.
        case visible
        /// Being seen soon.
        case resting
    }

    package var purpose: Purpose
    /// The square of the distance from the middle of what is seen, in pixels of the level.
    package var distance: Int

    package static func < (a: Self, b: Self) -> Bool {
        (a.purpose.rawValue, a.distance) < (b.purpose.rawValue, b.distance)
    }
}

/// A tile and how soon it is wanted.
package struct TileRequest: Sendable {
    package var key: TileKey
    package var rank: TileRank

    /// The tiles of a rectangle, ranked from its middle.
    static func wishes(
        _ rect: PixelRect<StoredGrid>, of level: TiledLevel, for purpose: TileRank.Purpose
    ) -> [TileRequest] {
        level.grid.places(in: rect).map { column, row in
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

/// A tile that came, or why it did not.
struct TileArrival: Sendable {
    let key: TileKey
    let result: Result<Tile, any Error>
}

/// Where the tiles that a viewer wants arrive; when nobody holds it any more, the viewer wants none.
final class TileDelivery: Sendable {
    private let arrivals = Mutex([TileArrival]())
    private let signal: AsyncStream<Void>.Continuation
    private let leave: @Sendable () -> Void
    /// Says that something has arrived; many arrivals may be one signal.
    let signals: AsyncStream<Void>

    init(leave: @escaping @Sendable () -> Void) {
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.leave = leave
    }

    deinit { leave() }

    func put(_ arrival: TileArrival) {
        arrivals.withLock { $0.append(arrival) }
        signal.yield()
    }

    /// Ends the signals: the viewer wants something else now.
    func close() { signal.finish() }

    /// Everything that has arrived since the last call.
    func takeAll() -> [TileArrival] {
        arrivals.withLock { arrivals in
            defer { arrivals = [] }
            return arrivals
        }
    }
}
