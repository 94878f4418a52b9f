#if Server
internal import Basics
internal import NIOCore
internal import NIOPosix
internal import Synchronization
internal import Vips

/// Decides when an image is rendered: small ones before large ones, in bounded numbers and memory.
///
/// A request that finds the queue full fails at once: a quick refusal is better than a wait in vain.
final class AdmissionController: Sendable {
    /// How much work an image is.
    enum Kind: Int, Sendable {
        /// A tile.
        case small
        /// More pixels than tiles have, or slow to decode.
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
        /// The waiters in their order; those that were cancelled are no longer in `waiters`.
        var order: [[Int]] = [[], []]
        var waiters: [[Int: Waiter]] = [[:], [:]]
    }

    private let width: Int
    private let capacity: [Int]
    private let budget: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - width: how many images are rendered at once.
    ///   - small: how many small ones may wait.
    ///   - large: how many large ones may wait.
    ///   - budget: pixels of all images that are being rendered.
    init(width: Int = BlockingExecutor.shared.width, small: Int = 2000, large: Int = 64, budget: Int) {
        self.width = width
        capacity = [small, large]
        self.budget = budget
    }

    /// How many images wait.
    var waiting: Int { state.withLock { $0.waiters[0].count + $0.waiters[1].count } }

    /// Runs blocking work on a thread of its own when its turn has come.
    ///
    /// - Parameter cost: the pixels of the image.
    /// - Throws: `RouteError.busy`, what `work` throws, or `CancellationError`.
    func run<R: Sendable>(
        _ kind: Kind, cost: Int, _ work: @escaping @Sendable () throws -> R
    ) async throws -> R {
        try await acquire(kind, cost)
        defer { release(kind, cost) }
        return try await BlockingExecutor.shared.run(work)
    }

    /// Runs work that does not block when its turn has come.
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

    /// Admits waiters as long as there is room.
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
        // One thread is always left for tiles.
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

/// Runs work that is cancelled when it takes longer than a limit.
///
/// An event loop keeps the time: a sleeping task would keep its memory until the limit even when it is cancelled, and
/// there are thousands of images a second.
///
/// - Throws: `RouteError.timedOut`, or what the work throws.
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
