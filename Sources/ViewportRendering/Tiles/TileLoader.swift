internal import Basics
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
