/// Work that a signal cancels, so that it ends where it can go on the next time.
enum InterruptibleWork {
    /// Runs the work in a task; when a signal comes, the task is cancelled and waited for.
    ///
    /// - Throws: `Interruption.Stopped` where a signal came.
    static func run<R: Sendable>(_ work: @escaping @Sendable () async throws -> R) async throws -> R {
        let interruption = Interruption()
        let flag = interruption.flag
        let task = Task { try await work() }
        let guardian = Task {
            while (try? flag.check()) != nil { try await Task.sleep(for: .milliseconds(20)) }
            task.cancel()
        }
        defer { guardian.cancel() }
        let result = await task.result
        try withExtendedLifetime(interruption) { try flag.check() }
        return try result.get()
    }
}
