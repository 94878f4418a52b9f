#if Server
internal import Synchronization

/// Runs work once for all concurrent callers with the same key.
///
/// A cancelled caller returns immediately. The work is cancelled when all its callers are, unless it has begun and
/// outlives them.
///
/// Clients request the same tile, and the index of the same image, at the same time. The work has a task of its own, so
/// no caller's cancellation stops it for the others. Callers do not await that task, which would hold a cancelled one
/// until the work ends: each has a continuation, which the result or its own cancellation resumes.
///
/// Work that outlives its callers, such as an index, serves the next ones. At first it was done even if all callers had
/// left while it waited in the queue; now only work that has begun goes on. A job that nobody waits for leaves the table
/// at once, and a new caller starts another one. Numbers tell jobs with the same key apart.
final class RequestCoalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private typealias Waiter = CheckedContinuation<Value, any Error>

    private struct Job {
        let task: Task<Void, Never>
        let number: Int
        var waiters: [Int: Waiter] = [:]
        var hasBegun = false
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

    /// - Parameter outlivesWaiters: Whether work that has begun continues after all callers are cancelled.
    init(outlivesWaiters: Bool = false) {
        self.outlivesWaiters = outlivesWaiters
    }

    /// The number of running jobs.
    var count: Int { state.withLock { $0.jobs.count } }

    /// Returns the result of the work for a key, and starts it unless it is running.
    func value(
        for key: Key, _ make: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await value(
            for: key,
            queued: { begin in
                try begin()
                return try await make()
            })
    }

    /// Returns the result of the work for a key, and starts it unless it is running.
    ///
    /// - Parameter make: Calls its argument when it has waited for its turn; that throws `CancellationError` if all
    ///   callers were cancelled meanwhile.
    func value(
        for key: Key,
        queued make: @escaping @Sendable (_ begin: @Sendable () throws -> Void) async throws -> Value
    ) async throws -> Value {
        let waiter = state.withLock { $0.nextNumber() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // `finish` takes the lock, too: the job is in the table before its task can end.
                state.withLock { state in
                    var job = state.jobs[key] ?? start(key, state.nextNumber(), make)
                    job.waiters[waiter] = continuation
                    state.jobs[key] = job
                }
                // The cancellation handler may have run before the waiter was registered.
                if Task.isCancelled { cancel(key, waiter) }
            }
        } onCancel: {
            cancel(key, waiter)
        }
    }

    private func start(
        _ key: Key, _ number: Int,
        _ make: @escaping @Sendable (_ begin: @Sendable () throws -> Void) async throws -> Value
    ) -> Job {
        let task = Task.detached {
            let result: Result<Value, any Error>
            do {
                result = .success(try await make { try self.begin(key, number) })
            } catch {
                result = .failure(error)
            }
            self.finish(key, number, result)
        }
        return Job(task: task, number: number)
    }

    private func begin(_ key: Key, _ number: Int) throws {
        let isWanted = state.withLock { state in
            guard state.jobs[key]?.number == number else { return false }
            state.jobs[key]?.hasBegun = true
            return true
        }
        if !isWanted { throw CancellationError() }
    }

    private func finish(_ key: Key, _ number: Int, _ result: Result<Value, any Error>) {
        let waiters = state.withLock { state -> [Waiter] in
            // A job without waiters was removed, and a new one may have its key.
            guard let job = state.jobs[key], job.number == number else { return [] }
            state.jobs[key] = nil
            return Array(job.waiters.values)
        }
        for waiter in waiters { waiter.resume(with: result) }
    }

    private func cancel(_ key: Key, _ waiter: Int) {
        let continuation = state.withLock { state -> Waiter? in
            guard let continuation = state.jobs[key]?.waiters.removeValue(forKey: waiter) else { return nil }
            if let job = state.jobs[key], job.waiters.isEmpty, !(outlivesWaiters && job.hasBegun) {
                job.task.cancel()
                state.jobs[key] = nil
            }
            return continuation
        }
        continuation?.resume(throwing: CancellationError())
    }
}
#endif
