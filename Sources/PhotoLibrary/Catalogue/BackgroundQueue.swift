internal import Dispatch

/// Threads for work that waits for disks: the caller's task is suspended, and no thread of Swift's own waits.
enum BackgroundQueue {
    private static let queue = DispatchQueue(label: "viewport.library", attributes: .concurrent)

    static func run<R: Sendable>(
        _ work: @escaping @Sendable () throws(LibraryError) -> R
    ) async throws(LibraryError) -> R {
        let result: Result<R, LibraryError> = await withCheckedContinuation { continuation in
            queue.async {
                let result: Result<R, LibraryError>
                do throws(LibraryError) {
                    result = .success(try work())
                } catch {
                    result = .failure(error)
                }
                continuation.resume(returning: result)
            }
        }
        return try result.get()
    }
}
