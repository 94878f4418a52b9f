private import Dispatch
private import Synchronization

/// Runs what blocks away from Swift's cooperative threads, of which there are too few to wait on.
///
/// libvips blocks the thread that it decodes on. As many tasks run at once as libvips may use threads.
package final class BlockingExecutor: TaskExecutor {
    package static let shared = BlockingExecutor()

    private let queues: [DispatchQueue]
    private let turn = Atomic(0)

    private init() {
        queues = (0..<max(1, VipsLibrary.concurrency)).map { DispatchQueue(label: "viewport.blocking.\($0)") }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        // Moved into the closure, which runs it exactly once.
        let job = UnownedJob(job)
        let index = turn.wrappingAdd(1, ordering: .relaxed).oldValue % queues.count
        queues[index].async {
            unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
