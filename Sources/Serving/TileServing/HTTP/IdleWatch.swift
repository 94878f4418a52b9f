#if Server
internal import NIOCore
internal import NIOHTTPTypes
internal import ServiceLifecycle
internal import Synchronization

/// A service that ends when no client has been connected for some time.
final class IdleWatch: Service {
    private struct State {
        /// The server itself counts until clients can connect.
        var connections = 1
        var lastClosed = SuspendingClock.now
    }

    private let limit: Duration
    private let state = Mutex(State())

    /// - Parameter limit: The time without a client; that in which the machine sleeps does not count.
    init(limit: Duration) {
        self.limit = limit
    }

    /// Begins to watch: clients can connect.
    func begin() { count(-1) }

    /// Returns a handler that counts a connection.
    func handler() -> any RemovableChannelHandler { Handler(self) }

    func run() async throws {
        // Where the server ends for another reason, the pause is cancelled: no failure.
        try? await cancelWhenGracefulShutdown { try await self.waitUntilIdle() }
    }

    private func waitUntilIdle() async throws {
        while true {
            let rest = state.withLock {
                $0.connections > 0 ? limit : limit - (SuspendingClock.now - $0.lastClosed)
            }
            guard rest > .zero else { return }
            try await Task.sleep(for: rest, clock: .suspending)
        }
    }

    private func count(_ change: Int) {
        state.withLock {
            $0.connections += change
            $0.lastClosed = .now
        }
    }

    private final class Handler: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPRequestPart

        private let watch: IdleWatch

        init(_ watch: IdleWatch) {
            self.watch = watch
        }

        func handlerAdded(context: ChannelHandlerContext) { watch.count(1) }

        func handlerRemoved(context: ChannelHandlerContext) { watch.count(-1) }
    }
}
#endif
