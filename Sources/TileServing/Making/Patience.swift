internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// Does work that is cancelled when it takes longer than it may.
///
/// The limit is an event loop's: a task that sleeps keeps its memory until its time has come, also when it is
/// cancelled, and there are thousands of pictures a second.
///
/// - Throws: `Failure.tooSlow`, or what the work throws.
func withPatience<R: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async throws -> R
) async throws -> R {
    let task = Task { try await work() }
    let time = Time()
    let alarm = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: TimeAmount(limit)) {
        time.isOver.withLock { $0 = true }
        task.cancel()
    }
    defer { alarm.cancel() }
    do {
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    } catch {
        throw time.isOver.withLock { $0 } ? Failure.tooSlow : error
    }
}

private final class Time: Sendable {
    let isOver = Mutex(false)
}
