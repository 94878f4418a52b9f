internal import Dispatch
internal import Synchronization
internal import Vips

extension ViewportRenderer {
    /// Makes the picture on a thread for blocking work, as many at once as there are processors.
    ///
    /// - Throws: `RenderingError`, or `CancellationError` soon after its task is cancelled.
    public func render(_ viewport: Viewport, of file: ImageFile) async throws -> (
        picture: Picture, report: RenderReport
    ) {
        let task = Task(executorPreference: BlockingExecutor.shared) {
            try render(viewport, of: file, progress: { _ in })
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

/// Runs what blocks away from Swift's cooperative threads, of which there are too few to wait on.
private final class BlockingExecutor: TaskExecutor {
    static let shared = BlockingExecutor()

    private let queues: [DispatchQueue]
    private let turn = Atomic(0)

    private init() {
        queues = (0..<max(1, VipsLibrary.concurrency)).map {
            DispatchQueue(label: "viewport.rendering.\($0)")
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        // Moved into the closure, which runs it exactly once.
        let job = UnownedJob(job)
        queues[turn.wrappingAdd(1, ordering: .relaxed).oldValue % queues.count].async {
            unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
