private import Dispatch
private import Synchronization

/// An executor for blocking work, which must not occupy Swift's cooperative threads.
///
/// libvips blocks the thread that it decodes on. At most `width` jobs run at the same time; the others wait in order.
package final class BlockingExecutor: TaskExecutor {
    /// For short work: a viewport, a tile.
    package static let shared = BlockingExecutor(for: .computing)
    /// For long work with separate threads, such as writing a pyramid, so that it never delays a viewport.
    package static let background = BlockingExecutor(for: .background)

    /// What jobs do, which decides how many of them run at the same time.
    package enum Work: Sendable {
        /// They compute: one per processor.
        case computing
        /// They wait for storage or a network: a few, so that a slow one does not hold up the others, however few processors
        /// there are.
        case waiting
        /// They compute for long, with threads of their own, while others compute, too: one after another.
        case background

        package var width: Int {
            switch self {
            case .computing: Processors.count
            case .waiting: 4
            case .background: 1
            }
        }
    }

    /// The most jobs that run at the same time.
    package let width: Int
    private let leavesCancelledWork: Bool

    private let state = Mutex((waiting: [UnownedJob](), running: 0))

    /// - Parameter leavesCancelledWork: Whether `run` returns as soon as it is cancelled. Its work goes on: a thread that
    ///   waits for storage that does not answer cannot be stopped.
    package convenience init(for work: Work, leavesCancelledWork: Bool = false) {
        self.init(width: work.width, leavesCancelledWork: leavesCancelledWork)
    }

    /// Creates an executor of another width than work of a kind needs.
    package init(width: Int, leavesCancelledWork: Bool = false) {
        self.leavesCancelledWork = leavesCancelledWork
        self.width = max(1, width)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        // Moved into the list, from where it is run exactly once.
        let job = UnownedJob(job)
        let startsThread = state.withLock { state in
            state.waiting.append(job)
            guard state.running < width else { return false }
            state.running += 1
            return true
        }
        if startsThread { WorkerThread.start("viewport.blocking") { self.work() } }
    }

    /// Runs jobs until none is waiting.
    private func work() {
        while let job = next() {
            unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }

    private func next() -> UnownedJob? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.running -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
    }

    /// Runs blocking work on one of the threads; cancelling the caller cancels the work's task.
    ///
    /// - Throws: what the work throws, or `CancellationError` where the caller is cancelled before it begins.
    package func run<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        // Short work could end before its task is told.
        try Task.checkCancellation()
        let outcome = Outcome<R>()
        let task = Task.detached(executorPreference: self) {
            guard outcome.begin() else { return }
            outcome.end(with: Result { try work() })
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { outcome.resume($0) }
        } onCancel: {
            task.cancel()
            outcome.cancel(leavesWork: leavesCancelledWork)
        }
    }
}

/// The result of work for one caller, who gets the first.
private final class Outcome<R: Sendable>: Sendable {
    private struct State {
        var isBegun = false
        var caller: CheckedContinuation<R, any Error>?
        var result: Result<R, any Error>?
    }

    private let state = Mutex(State())

    /// Begins the work; returns false where the caller has left.
    func begin() -> Bool {
        state.withLock { state in
            state.isBegun = state.result == nil
            return state.isBegun
        }
    }

    func end(with result: Result<R, any Error>) {
        change { $0.result = $0.result ?? result }
    }

    /// Lets the caller go, unless the work has begun.
    ///
    /// - Parameter leavesWork: Whether to let the caller go in any case.
    func cancel(leavesWork: Bool) {
        change { state in
            guard leavesWork || !state.isBegun else { return }
            state.result = state.result ?? .failure(CancellationError())
        }
    }

    func resume(_ caller: CheckedContinuation<R, any Error>) {
        change { $0.caller = caller }
    }

    /// Changes the state, and resumes the caller with the result once both are there.
    private func change(_ body: (inout State) -> Void) {
        let ready = state.withLock { state in
            body(&state)
            return state.result.flatMap { result in state.caller.take().map { ($0, result) } }
        }
        if let (caller, result) = ready { caller.resume(with: result) }
    }
}

extension BlockingExecutor {
    /// Waits for asynchronous work on a thread that may block, such as one of a batch; never on one of Swift's pool.
    package static func waiting<R: Sendable>(
        for work: @escaping @Sendable () async throws -> R
    ) throws -> R {
        let result = Mutex<Result<R, any Error>>(.failure(CancellationError()))
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            let outcome: Result<R, any Error>
            do { outcome = .success(try await work()) } catch { outcome = .failure(error) }
            result.withLock { $0 = outcome }
            isDone.signal()
        }
        isDone.wait()
        return try result.withLock(\.self).get()
    }
}
