internal import Basics
internal import NIOCore
internal import NIOPosix
internal import Synchronization
internal import Vips

/// Decides when a picture is made: small ones before large ones, not too many at once, never too much memory.
///
/// Who finds the queue full is turned away at once: to be told to come again is better than to wait in vain.
final class AdmissionController: Sendable {
    /// How much work a picture is.
    enum Kind: Int, Sendable {
        /// A tile.
        case small
        /// A render of more pixels than tiles have.
        case large
    }

    private struct Waiter {
        let cost: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var lastNumber = 0
        var running = [0, 0]
        var cost = 0
        /// The numbers of those who wait, the first first; those who have left are no longer in `waiters`.
        var order: [[Int]] = [[], []]
        var waiters: [[Int: Waiter]] = [[:], [:]]
    }

    private let width: Int
    private let capacity: [Int]
    private let budget: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - width: how many pictures are made at once.
    ///   - small: how many small ones may wait, and `large` how many large ones.
    ///   - budget: the pixels that all pictures that are being made may have together.
    init(width: Int = BlockingExecutor.shared.width, small: Int = 2000, large: Int = 64, budget: Int) {
        self.width = width
        capacity = [small, large]
        self.budget = budget
    }

    /// How many wait.
    var waiting: Int { state.withLock { $0.waiters[0].count + $0.waiters[1].count } }

    /// Makes a picture of so many pixels when its turn has come, on a thread for blocking work.
    ///
    /// - Throws: `Failure.busy`, what `work` throws, or `CancellationError`.
    func run<R: Sendable>(
        _ kind: Kind, cost: Int, _ work: @escaping @Sendable () throws -> R
    ) async throws -> R {
        try await enter(kind, cost)
        defer { leave(kind, cost) }
        return try await BlockingExecutor.shared.run(work)
    }

    /// The same for work that goes to such a thread itself.
    func run<R: Sendable>(
        _ kind: Kind, cost: Int, _ work: @Sendable () async throws -> R
    ) async throws -> R {
        try await enter(kind, cost)
        defer { leave(kind, cost) }
        return try await work()
    }

    private func enter(_ kind: Kind, _ cost: Int) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                let isFull = state.withLock { state in
                    guard state.waiters[kind.rawValue].count < capacity[kind.rawValue] else { return true }
                    state.waiters[kind.rawValue][number] = Waiter(cost: cost, continuation: continuation)
                    state.order[kind.rawValue].append(number)
                    return false
                }
                if isFull { return continuation.resume(throwing: Failure.busy) }
                admit()
                if Task.isCancelled { abandon(kind, number) }
            }
        } onCancel: {
            abandon(kind, number)
        }
    }

    private func abandon(_ kind: Kind, _ number: Int) {
        let waiter = state.withLock { $0.waiters[kind.rawValue].removeValue(forKey: number) }
        waiter?.continuation.resume(throwing: CancellationError())
    }

    private func leave(_ kind: Kind, _ cost: Int) {
        state.withLock { state in
            state.running[kind.rawValue] -= 1
            state.cost -= cost
        }
        admit()
    }

    /// Lets in who can be let in.
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
        // One thread is always left to tiles.
        for kind in 0...1 where kind == 0 || state.running[1] < max(1, width - 1) {
            while let number = state.order[kind].first {
                guard let waiter = state.waiters[kind][number] else {
                    state.order[kind].removeFirst()
                    continue
                }
                guard state.cost == 0 || state.cost + waiter.cost <= budget else { break }
                state.order[kind].removeFirst()
                state.waiters[kind][number] = nil
                state.running[kind] += 1
                state.cost += waiter.cost
                return waiter
            }
        }
        return nil
    }
}

/// Does work that is cancelled when it takes longer than it may.
///
/// The limit is an event loop's: a task that sleeps keeps its memory until its time has come, also when it is
/// cancelled, and there are thousands of pictures a second.
///
/// - Throws: `Failure.tooSlow`, or what the work throws.
func withPatience<R: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async throws -> R
) async throws -> R {
    let task = Task { try await work() }
    let time = Time()
    let alarm = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: TimeAmount(limit)) {
        time.isOver.withLock { $0 = true }
        task.cancel()
    }
    defer { alarm.cancel() }
    do {
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    } catch {
        throw time.isOver.withLock { $0 } ? Failure.tooSlow : error
    }
}

private final class Time: Sendable {
    let isOver = Mutex(false)
}
