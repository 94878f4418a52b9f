internal import Synchronization

/// Work that many may want at once and one does: all who ask for the same key wait for one result.
///
/// Who is cancelled leaves at once; when all have left, the work is cancelled, unless it goes on for its own sake.
final class RequestCoalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private typealias Waiter = CheckedContinuation<Value, any Error>

    private struct Job {
        let task: Task<Void, Never>
        let number: Int
        var waiters: [Int: Waiter] = [:]
    }

    private struct State {
        var jobs: [Key: Job] = [:]
        var lastNumber = 0

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    private let outlivesWaiters: Bool
    private let state = Mutex(State())

    /// - Parameter outlivesWaiters: whether work is finished though nobody waits for it any more.
    init(outlivesWaiters: Bool = false) {
        self.outlivesWaiters = outlivesWaiters
    }

    /// What is being done now.
    var count: Int { state.withLock { $0.jobs.count } }

    /// The result of work, which is begun if nobody has begun it.
    func value(
        for key: Key, _ make: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let waiter = state.withLock { $0.nextNumber() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { state in
                    var job = state.jobs[key] ?? begin(key, state.nextNumber(), make)
                    job.waiters[waiter] = continuation
                    state.jobs[key] = job
                }
                // Cancelled before it was on the list: the handler found nothing then.
                if Task.isCancelled { leave(key, waiter) }
            }
        } onCancel: {
            leave(key, waiter)
        }
    }

    private func begin(
        _ key: Key, _ number: Int, _ make: @escaping @Sendable () async throws -> Value
    ) -> Job {
        let task = Task.detached {
            let result: Result<Value, any Error>
            do {
                result = .success(try await make())
            } catch {
                result = .failure(error)
            }
            self.finish(key, number, result)
        }
        return Job(task: task, number: number)
    }

    private func finish(_ key: Key, _ number: Int, _ result: Result<Value, any Error>) {
        let waiters = state.withLock { state -> [Waiter] in
            // One that everybody left is off the list, and a later one may be on it.
            guard let job = state.jobs[key], job.number == number else { return [] }
            state.jobs[key] = nil
            return Array(job.waiters.values)
        }
        for waiter in waiters { waiter.resume(with: result) }
    }

    private func leave(_ key: Key, _ waiter: Int) {
        let continuation = state.withLock { state -> Waiter? in
            guard let continuation = state.jobs[key]?.waiters.removeValue(forKey: waiter) else { return nil }
            if !outlivesWaiters, let job = state.jobs[key], job.waiters.isEmpty {
                job.task.cancel()
                state.jobs[key] = nil
            }
            return continuation
        }
        continuation?.resume(throwing: CancellationError())
    }
}
