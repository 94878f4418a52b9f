internal import Synchronization

/// Observers that end with the one who owns the pool.
public final class ObserverPool: Sendable {
    private let tasks = Mutex<[Task<Void, Never>]>([])

    public init() {}

    deinit { cancel() }

    /// Calls `body` with every element of a sequence of notices until the pool is gone.
    ///
    /// - Parameter failed: is called with the error where the sequence ends with one.
    public func observe<Notices: AsyncSequence & Sendable>(
        _ notices: Notices, _ body: @escaping @Sendable (Notices.Element) async -> Void,
        failed: @escaping @Sendable (any Error) -> Void = { _ in }
    ) where Notices.Element: Sendable {
        let task = Task.detached {
            do {
                for try await notice in notices { await body(notice) }
            } catch {
                failed(error)
            }
        }
        tasks.withLock { $0.append(task) }
    }

    /// Ends all observers now.
    public func cancel() {
        for task in tasks.withLock({ $0 }) { task.cancel() }
    }
}
