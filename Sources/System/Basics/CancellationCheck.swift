/// A check of whether a task is cancelled, for any thread.
///
/// `Task.isCancelled` refers to the task of the calling thread; threads that a task starts for its work have none.
// A running task's state may be read on any thread, and `run` returns before the task ends.
@safe package struct CancellationCheck: @unchecked Sendable {
    private let task: UnsafeCurrentTask?

    /// Whether the task is cancelled; false if there is none.
    package var isCancelled: Bool {
        guard let task = unsafe task else { return false }
        return unsafe task.isCancelled
    }

    /// Calls a closure with a check of the current task.
    ///
    /// - Parameter body: Must not keep the check after it returns.
    package static func run<R, E: Error>(_ body: (CancellationCheck) throws(E) -> R) throws(E) -> R {
        let result: Result<R, E> = unsafe withUnsafeCurrentTask { task in
            do throws(E) {
                return .success(try body(unsafe CancellationCheck(task: task)))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
