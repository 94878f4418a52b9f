/// Asks whether a task is cancelled, on whatever thread.
///
/// `Task.isCancelled` is about the task of the thread that asks; threads that a task starts for its work have none.
// A task may be asked whether it is cancelled on any thread for as long as it runs, and `run` returns before it ends.
@safe package struct CancellationCheck: @unchecked Sendable {
    private let task: UnsafeCurrentTask?

    /// Whether the task is cancelled; never, where there is none.
    package var isCancelled: Bool {
        guard let task = unsafe task else { return false }
        return unsafe task.isCancelled
    }

    /// Lends a check of the current task.
    ///
    /// - Parameter body: it must not keep the check beyond its return.
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
