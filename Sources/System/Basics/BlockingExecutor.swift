private import Dispatch
private import Platform
private import Synchronization

/// An executor for blocking work, which must not occupy Swift's cooperative threads.
///
/// libvips blocks the thread that it decodes on. At most `width` jobs run at the same time, by default one per
/// processor; the others wait in order.
package final class BlockingExecutor: TaskExecutor {
    /// For short work: a viewport, a tile.
    package static let shared = BlockingExecutor()
    /// For long work with separate threads, such as writing a pyramid, so that it never delays a viewport.
    package static let background = BlockingExecutor(width: 1)

    /// The most jobs that run at the same time.
    package let width: Int

    private let queue = DispatchQueue(label: "viewport.blocking", attributes: .concurrent)
    private let state = Mutex((waiting: [UnownedJob](), running: 0))

    /// - Parameter width: The most jobs that run at the same time; by default the number of processors.
    package init(width: Int? = nil) {
        self.width = max(1, width ?? sysconf(Int32(_SC_NPROCESSORS_ONLN)))
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
        if startsThread { queue.async { self.work() } }
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
    package func run<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        let task = Task.detached(executorPreference: self) { try work() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
