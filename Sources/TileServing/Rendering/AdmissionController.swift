#if Server
internal import Basics
internal import NIOCore
internal import NIOPosix
internal import Synchronization
internal import Vips

/// A queue of renders: small images before large ones, with a limited number and area at the same time.
///
/// A request fails immediately if the queue is full.
final class AdmissionController: Sendable {
    /// The priority class of a render.
    enum Kind: Int, Sendable {
        /// A tile.
        case small
        /// An image with more pixels than a tile, or one that is slow to decode.
        case large
    }

    private struct Waiter {
        let cost: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var lastID = 0
        var running = [0, 0]
        var cost = 0
        /// The waiters in order; cancelled ones are no longer in `waiters`.
        var order: [[Int]] = [[], []]
        var waiters: [[Int: Waiter]] = [[:], [:]]
    }

    private let width: Int
    private let capacity: [Int]
    private let budget: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - width: The number of images that are rendered at the same time.
    ///   - small: The number of small images that may wait.
    ///   - large: The number of large images that may wait.
    ///   - budget: The number of pixels that are rendered at the same time.
    init(width: Int = BlockingExecutor.shared.width, small: Int = 2000, large: Int = 64, budget: Int) {
        self.width = width
        capacity = [small, large]
        self.budget = budget
    }

    /// The number of waiting images.
    var waiting: Int { state.withLock { $0.waiters[0].count + $0.waiters[1].count } }

    /// Runs blocking work on another thread after it is admitted.
    ///
    /// - Parameter cost: The number of pixels.
    /// - Throws: `RouteError.busy`, the error of `work`, or `CancellationError`.
    func run<R: Sendable>(
        _ kind: Kind, cost: Int, _ work: @escaping @Sendable () throws -> R
    ) async throws -> R {
        try await acquire(kind, cost)
        defer { release(kind, cost) }
        return try await BlockingExecutor.shared.run(work)
    }

    /// Runs nonblocking work after it is admitted.
    func run<R: Sendable>(
        _ kind: Kind, cost: Int, _ work: @Sendable () async throws -> R
    ) async throws -> R {
        try await acquire(kind, cost)
        defer { release(kind, cost) }
        return try await work()
    }

    private func acquire(_ kind: Kind, _ cost: Int) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                let isFull = state.withLock { state in
                    guard state.waiters[kind.rawValue].count < capacity[kind.rawValue] else { return true }
                    state.waiters[kind.rawValue][id] = Waiter(cost: cost, continuation: continuation)
                    state.order[kind.rawValue].append(id)
                    return false
                }
                if isFull { return continuation.resume(throwing: RouteError.busy) }
                admit()
                if Task.isCancelled { cancel(kind, id) }
            }
        } onCancel: {
            cancel(kind, id)
        }
    }

    private func cancel(_ kind: Kind, _ id: Int) {
        let waiter = state.withLock { $0.waiters[kind.rawValue].removeValue(forKey: id) }
        waiter?.continuation.resume(throwing: CancellationError())
    }

    private func release(_ kind: Kind, _ cost: Int) {
        state.withLock { state in
            state.running[kind.rawValue] -= 1
            state.cost -= cost
        }
        admit()
    }

    /// Admits waiters while the limits permit.
    private func admit() {
        let admitted = state.withLock { state in
            var admitted: [Waiter] = []
            while state.running[0] + state.running[1] < width, let waiter = next(&state) {
                admitted.append(waiter)
            }
            return admitted
        }
        for waiter in admitted { waiter.continuation.resume() }
    }

    private func next(_ state: inout State) -> Waiter? {
        // One thread is reserved for tiles.
        for kind in 0...1 where kind == 0 || state.running[1] < max(1, width - 1) {
            while let id = state.order[kind].first {
                guard let waiter = state.waiters[kind][id] else {
                    state.order[kind].removeFirst()
                    continue
                }
                guard state.cost == 0 || state.cost + waiter.cost <= budget else { break }
                state.order[kind].removeFirst()
                state.waiters[kind][id] = nil
                state.running[kind] += 1
                state.cost += waiter.cost
                return waiter
            }
        }
        return nil
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
