internal import Dispatch

/// Threads for work that waits for disks: the caller's task is suspended, and no thread of Swift's own waits.
enum BackgroundQueue {
    private static let queue = DispatchQueue(label: "viewport.library", attributes: .concurrent)

    static func run<R: Sendable>(
        _ work: @escaping @Sendable () throws(LibraryError) -> R
    ) async throws(LibraryError) -> R {
        try await result(work).get()
    }

    static func result<R: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> R
    ) async -> Result<R, Failure> {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Result(catching: work)) }
        }
    }
}
