private import Dispatch
private import Synchronization

#if canImport(Darwin)
private import Darwin
#else
private import Glibc
#endif

/// Runs what blocks away from Swift's cooperative threads, of which there are too few to wait on.
///
/// libvips blocks the thread that it decodes on. As many tasks run at once as there are processors; the others
/// wait, the eldest first, for whichever thread is done next.
package final class BlockingExecutor: TaskExecutor {
    /// For what takes moments: a viewport, a tile.
    package static let shared = BlockingExecutor()
    /// For what takes its time and threads of its own, as writing a pyramid: it never stands in a viewport's way.
    package static let background = BlockingExecutor(width: 1)

    /// How many jobs run at once.
    package let width: Int

    private let queue = DispatchQueue(label: "viewport.blocking", attributes: .concurrent)
    private let state = Mutex((waiting: [UnownedJob](), running: 0))

    /// - Parameter width: how many jobs run at once; as many as there are processors unless said.
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

    /// Runs jobs until none waits.
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

    /// Does blocking work on one of the threads; cancelling the caller cancels the work's task.
    package func run<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        let task = Task.detached(executorPreference: self) { try work() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
