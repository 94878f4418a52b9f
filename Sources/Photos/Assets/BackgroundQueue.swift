package import Basics

/// Runs blocking work on threads outside of the cooperative pool, while the caller's task is suspended.
package enum BackgroundQueue {
    package static func run<R: Sendable>(
        _ work: @escaping @Sendable () throws -> R
    ) async throws -> R {
        try await result(work).get()
    }

    /// Runs work with a flag, which is raised when the caller's task is cancelled.
    package static func run<R: Sendable>(
        cancellably work: @escaping @Sendable (CancellationFlag) throws -> R
    ) async throws -> R {
        let flag = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await run { try work(flag) }
        } onCancel: {
            flag.raise()
        }
    }

    package static func result<R: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> R
    ) async -> Result<R, Failure> {
        await withCheckedContinuation { continuation in
            WorkerThread.start("viewport.library") { continuation.resume(returning: Result(catching: work)) }
        }
    }
}
