#if Server
internal import Basics
internal import MemoryWatching
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// What a piece of work needs.
struct WorkCost: Sendable {
    /// The estimated memory in bytes.
    var bytes: Int
    /// The number of threads that it keeps busy.
    var threads = 1
    /// The estimated duration, for builds.
    var duration = Duration.zero

    /// Whether it waits where the memory of the process has no room for it.
    fileprivate var isHeavy: Bool { bytes > 16 << 20 }
}

/// A queue of work: small images before large ones, and builds of indexes and levels, with limits on the number and the
/// memory of all work that runs at the same time.
///
/// A request fails immediately if the queue is full, or a build could not end in time.
///
/// Memory is limited twice. The estimates of all work that runs stay within a budget, which was one of pixels at first.
/// Estimates do not know what allocators keep, though, and a soak exceeded `--memory`. So heavy work, of more than 16
/// MB, also waits until the process has room for it and for what running heavy work may still take. That is looked at
/// for each one: two that were admitted for the same room took a soak of 512 MB to 514. Caches are emptied for heavy
/// work, at most ten times a second; once, that was done after each tile.
///
/// Nothing overtakes work that waits for memory, or a large image could wait forever. Work on storage that hangs leaves
/// its threads to others.
final class AdmissionController: Sendable {
    /// The class of work.
    enum Kind: Int, Sendable, CaseIterable {
        /// The render of a tile.
        case small
        /// The render of an image with more pixels than a tile, or of one that is slow to decode.
        case large
        /// A pass over a file that makes an index or levels.
        ///
        /// Builds have threads of their own. The one with the earliest sum of arrival and duration is next: short
        /// builds go first, but not forever.
        case build
    }

    private struct Waiter {
        let cost: WorkCost
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Build {
        let cost: WorkCost
        let start: ContinuousClock.Instant
    }

    private struct State {
        var lastID = 0
        /// The threads that run work, by kind.
        var threads = [0, 0, 0]
        /// The work that these threads run.
        var running: Set<Int> = []
        /// The memory of running work, by kind.
        var bytes = [0, 0, 0]
        /// The waiters in order; cancelled ones are no longer in `waiters`.
        var order: [[Int]] = [[], [], []]
        var waiters: [[Int: Waiter]] = [[:], [:], [:]]
        var builds: [Int: Build] = [:]
        /// The sum of arrival and duration of waiting builds.
        var deadlines: [Int: ContinuousClock.Instant] = [:]
        /// The memory of the process.
        var memory: MemoryWatch?
        /// Until then, memory is not released again for the same work.
        var tightUntil: ContinuousClock.Instant?
        var heavy = HeavyWork()
        /// The resident memory of the process when it was read last, in bytes.
        var resident = 0
    }

    /// The running work that needs much memory.
    private struct HeavyWork {
        private var byteCount = 0
        /// What the process has once this work has used all its memory.
        private var promised = 0

        /// The memory of the process with further work: what runs may have used none of its memory yet.
        func total(with bytes: Int, _ resident: Int) -> Int {
            max(resident, min(promised, resident + byteCount)) + bytes
        }

        mutating func begin(_ bytes: Int, _ resident: Int) {
            (promised, byteCount) = (total(with: bytes, resident), byteCount + bytes)
        }

        mutating func end(_ bytes: Int) { (promised, byteCount) = (promised - bytes, byteCount - bytes) }
    }

    private let width: Int
    private let capacity: [Int]
    private let timeLimit: Duration
    private let state = Mutex(State())
    private let budget: Int
    private let renderBudget: Int
    private let outbound: OutboundByteBudget?

    /// - Parameters:
    ///   - width: The number of images that are rendered at the same time, and the number of threads that build.
    ///   - small: The number of small images that may wait.
    ///   - large: The number of large images that may wait.
    ///   - budget: The memory that all work may use at the same time, in bytes.
    ///   - renderBudget: The memory that renders may use of it; one alone may use more.
    ///   - timeLimit: The time in which builds must end, including their wait.
    ///   - outbound: The pending bytes of responses; large images wait until it has room.
    init(
        width: Int = BlockingExecutor.shared.width, small: Int = 2000, large: Int = 64, budget: Int,
        renderBudget: Int = .max, timeLimit: Duration = .seconds(60), outbound: OutboundByteBudget? = nil
    ) {
        self.width = width
        capacity = [small, large, .max]
        self.budget = budget
        self.renderBudget = renderBudget
        self.timeLimit = timeLimit
        self.outbound = outbound
        outbound?.whenRoom { [weak self] in self?.admit() }
    }

    /// Makes work of much memory wait for other work while the process would exceed its limit: estimates do not know what
    /// allocators keep.
    func listen(to memory: MemoryWatch) { state.withLock { $0.memory = memory } }

    /// The number of waiting images.
    var waiting: Int { state.withLock { $0.waiters[0].count + $0.waiters[1].count } }

    /// The number of waiting builds.
    var waitingBuilds: Int { state.withLock { $0.waiters[Kind.build.rawValue].count } }

    /// The estimated memory of all running work in bytes.
    var byteCount: Int { state.withLock { $0.bytes.reduce(0, +) } }

    /// Runs blocking work on a thread of a root after it is admitted.
    ///
    /// - Throws: `RouteError.busy`, the error of `work`, or `CancellationError`.
    func run<R: Sendable>(
        _ kind: Kind, _ cost: WorkCost, on root: RootThreads, _ work: @escaping @Sendable () throws -> R
    ) async throws -> R {
        try await run(kind, cost, reading: root) { try await root.executor.run(work) }
    }

    /// Runs nonblocking work after it is admitted.
    ///
    /// - Parameter root: The threads of the root that it reads. While its storage does not answer, other work takes the place
    ///   of this work.
    func run<R: Sendable>(
        _ kind: Kind, _ cost: WorkCost, reading root: RootThreads? = nil,
        _ work: @Sendable () async throws -> R
    ) async throws -> R {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await acquire(kind, cost, id)
        let monitor = root.map { watch($0, kind, cost, id) }
        defer {
            monitor?.cancel()
            release(kind, cost, id)
        }
        return try await work()
    }

    private func watch(_ root: RootThreads, _ kind: Kind, _ cost: WorkCost, _ id: Int) -> RepeatedTask {
        let pause = TimeAmount.seconds(2)
        return MultiThreadedEventLoopGroup.singleton.any().scheduleRepeatedTask(
            initialDelay: pause, delay: pause
        ) { _ in
            Task { if await !root.answers() { self.setAside(kind, cost, id) } }
        }
    }

    /// Gives the threads of running work to other work.
    private func setAside(_ kind: Kind, _ cost: WorkCost, _ id: Int) {
        state.withLock { state in
            guard state.running.remove(id) != nil else { return }
            // Its memory still counts: it has it until it ends.
            state.threads[kind.rawValue] -= cost.threads
            state.builds[id] = nil
        }
        admit()
    }

    private func acquire(_ kind: Kind, _ cost: WorkCost, _ id: Int) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                let refused = state.withLock { state -> RouteError? in
                    if let error = refusal(kind, cost, state) { return error }
                    state.waiters[kind.rawValue][id] = Waiter(cost: cost, continuation: continuation)
                    if kind == .build {
                        state.deadlines[id] = .now + cost.duration
                    } else {
                        state.order[kind.rawValue].append(id)
                    }
                    return nil
                }
                if let refused { return continuation.resume(throwing: refused) }
                admit()
                if Task.isCancelled { cancel(kind, id) }
            }
        } onCancel: {
            cancel(kind, id)
        }
    }

    private func refusal(_ kind: Kind, _ cost: WorkCost, _ state: State) -> RouteError? {
        if cost.bytes > budget { return .needsTooMuchMemory }
        guard kind == .build else {
            return state.waiters[kind.rawValue].count < capacity[kind.rawValue] ? nil : .busy
        }
        let wait = wait(state)
        // A build that need not wait begins, however long it takes.
        guard wait > .zero, wait + cost.duration > timeLimit else { return nil }
        return .busy(for: wait + cost.duration - timeLimit)
    }

    /// Returns the time until all builds have ended.
    private func wait(_ state: State) -> Duration {
        let now = ContinuousClock.now
        let running = state.builds.values.map {
            max(.zero, $0.cost.duration - (now - $0.start)) * $0.cost.threads
        }
        let waiting = state.waiters[Kind.build.rawValue].values.map { $0.cost.duration * $0.cost.threads }
        return (running + waiting).reduce(.zero, +) / width
    }

    private func cancel(_ kind: Kind, _ id: Int) {
        let waiter = state.withLock { state in
            state.deadlines[id] = nil
            state.tightUntil = nil
            return state.waiters[kind.rawValue].removeValue(forKey: id)
        }
        waiter?.continuation.resume(throwing: CancellationError())
        // Its place at the head of the queue may have held others back.
        if waiter != nil { admit() }
    }

    private func release(_ kind: Kind, _ cost: WorkCost, _ id: Int) {
        state.withLock { state in
            if state.running.remove(id) != nil { state.threads[kind.rawValue] -= cost.threads }
            state.bytes[kind.rawValue] -= cost.bytes
            state.builds[id] = nil
            guard cost.isHeavy else { return }
            state.tightUntil = nil
            state.heavy.end(cost.bytes)
        }
        admit()
    }

    /// Admits waiters while the limits permit.
    private func admit() {
        // Outside of the lock: a connection that is closed may call this function.
        outbound?.closeSlowConnections()
        var isMore = true
        while isMore {
            let heavy = heavyWithRoom()
            let admitted = state.withLock { state in
                var admitted: [Waiter] = []
                while let waiter = next(&state, heavy: heavy) { admitted.append(waiter) }
                return admitted
            }
            for waiter in admitted { waiter.continuation.resume() }
            // The memory of the process is looked at for each of them.
            isMore = admitted.contains(where: \.cost.isHeavy)
        }
    }

    /// Releases caches for the first heavy work, and returns it if the process has room for it.
    ///
    /// Caches fill again with each tile: to empty them more often would only cost time.
    private func heavyWithRoom() -> Int? {
        let (memory, waiter, wasTight, running) = state.withLock {
            ($0.memory, firstHeavy(&$0), $0.tightUntil.map { $0 > .now } ?? false, $0.heavy)
        }
        guard let waiter, !wasTight else { return nil }
        guard let memory else { return waiter.id }
        // Outside of the lock: caches have locks of their own.
        let (fits, resident) = memory.releaseMemory { running.total(with: waiter.bytes, $0) }
        state.withLock { state in
            state.tightUntil = fits ? nil : .now + .milliseconds(100)
            state.resident = resident
        }
        return fits ? waiter.id : nil
    }

    /// The first heavy work that waits for nothing else; nil if there is none.
    private func firstHeavy(_ state: inout State) -> (id: Int, bytes: Int)? {
        for kind in Kind.allCases {
            guard let (id, waiter) = first(kind, &state), waiter.cost.isHeavy,
                hasThread(for: kind, waiter.cost, state), hasMemory(for: kind, waiter.cost, state),
                !waitsForClients(kind)
            else { continue }
            return (id, waiter.cost.bytes)
        }
        return nil
    }

    /// Builds do not wait for clients that read.
    private func waitsForClients(_ kind: Kind) -> Bool { kind == .large && outbound?.hasRoom == false }

    /// - Parameter heavy: The heavy work that the memory of the process has room for.
    private func next(_ state: inout State, heavy: Int?) -> Waiter? {
        for kind in Kind.allCases {
            guard let (id, waiter) = first(kind, &state), hasThread(for: kind, waiter.cost, state),
                !waitsForClients(kind)
            else { continue }
            // Nothing overtakes an image that waits for memory.
            guard hasMemory(for: kind, waiter.cost, state) else { return nil }
            if waiter.cost.isHeavy {
                // What runs will end and admit it; where nothing runs, waiting would not help.
                guard id == heavy || state.threads == [0, 0, 0] else { return nil }
                state.tightUntil = nil
                state.heavy.begin(waiter.cost.bytes, state.resident)
            }
            state.order[kind.rawValue].removeAll { $0 == id }
            state.waiters[kind.rawValue][id] = nil
            state.deadlines[id] = nil
            state.threads[kind.rawValue] += waiter.cost.threads
            state.running.insert(id)
            state.bytes[kind.rawValue] += waiter.cost.bytes
            if kind == .build { state.builds[id] = Build(cost: waiter.cost, start: .now) }
            return waiter
        }
        return nil
    }

    private func first(_ kind: Kind, _ state: inout State) -> (Int, Waiter)? {
        let waiters = state.waiters[kind.rawValue]
        if kind == .build {
            let first = state.deadlines.min { ($0.value, $0.key) < ($1.value, $1.key) }
            return first.flatMap { first in waiters[first.key].map { (first.key, $0) } }
        }
        while let id = state.order[kind.rawValue].first {
            if let waiter = waiters[id] { return (id, waiter) }
            state.order[kind.rawValue].removeFirst()
        }
        return nil
    }

    private func hasMemory(for kind: Kind, _ cost: WorkCost, _ state: State) -> Bool {
        let renders = state.bytes[0] + state.bytes[1]
        guard kind == .build || renders == 0 || renders + cost.bytes <= renderBudget else { return false }
        return renders + state.bytes[2] + cost.bytes <= budget
    }

    private func hasThread(for kind: Kind, _ cost: WorkCost, _ state: State) -> Bool {
        let (small, large, builds) = (state.threads[0], state.threads[1], state.threads[2])
        return switch kind {
        case .small: small + large < width
        // One thread is reserved for tiles.
        case .large: small + large < width && large < max(1, width - 1)
        case .build: builds == 0 || builds + cost.threads <= width
        }
    }
}

/// Runs work and cancels it after a time limit.
///
/// The timer runs on an event loop: a sleeping task would keep its memory until the limit even if it is cancelled, and
/// there are thousands of images per second.
///
/// - Throws: `RouteError.timedOut`, or the error of the work.
func withTimeout<R: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async throws -> R
) async throws -> R {
    let task = Task { try await work() }
    let expiry = Expiry()
    let timer = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: TimeAmount(limit)) {
        expiry.hasPassed.withLock { $0 = true }
        task.cancel()
    }
    defer { timer.cancel() }
    do {
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    } catch {
        throw expiry.hasPassed.withLock { $0 } ? RouteError.timedOut : error
    }
}

private final class Expiry: Sendable {
    let hasPassed = Mutex(false)
}
#endif
