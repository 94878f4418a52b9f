#if Server
internal import Logging
package import NIOCore
package import NIOHTTPTypes
internal import Synchronization

/// Detects that the client of a connection has disconnected.
///
/// A client that closes its sending side while a response is rendered counts as disconnected, and work that only it needs
/// is cancelled. HTTP/1.1 permits such a client to keep receiving; no browser does that.
// NIO calls the handlers of a connection on one event loop; the mutex is for the waiting task.
package final class DisconnectHandler: ChannelInboundHandler, RemovableChannelHandler, Sendable {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart

    private struct State {
        var isDisconnected = false
        var onDisconnect: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Whether the client has disconnected.
    package var isDisconnected: Bool { state.withLock { $0.isDisconnected } }

    /// Runs work and cancels it when the client disconnects.
    package func cancellingOnDisconnect<R: Sendable>(
        _ work: @escaping @Sendable () async throws -> R
    ) async throws -> R {
        let task = Task { try await work() }
        let isDisconnected = state.withLock { state in
            state.onDisconnect = { task.cancel() }
            return state.isDisconnected
        }
        if isDisconnected { task.cancel() }
        defer { state.withLock { $0.onDisconnect = nil } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed { disconnect() }
        context.fireUserInboundEventTriggered(event)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        disconnect()
        context.fireChannelInactive()
    }

    private func disconnect() {
        let onDisconnect = state.withLock { state in
            state.isDisconnected = true
            return state.onDisconnect
        }
        onDisconnect?()
    }
}

/// Keeps the server listening if a connection cannot be accepted, for example without file descriptors.
///
/// An error that reaches the end of the pipeline would stop the server and close all connections.
final class ResilientListener: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias OutboundIn = Never

    private let logger: Logger
    private var isPausing = false
    private var hasPendingRead = false

    /// The pause before the next connection is accepted; clients wait in the system's queue.
    private static let pause = TimeAmount.milliseconds(100)

    init(_ logger: Logger) {
        self.logger = logger
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        logger.warning("a connection cannot be accepted", metadata: ["error": "\(error)"])
        guard !isPausing else { return }
        isPausing = true
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) {
            self.isPausing = false
            if self.hasPendingRead { context.read() }
            self.hasPendingRead = false
        }
    }

    func read(context: ChannelHandlerContext) {
        guard !isPausing else {
            hasPendingRead = true
            return
        }
        context.read()
    }
}
#endif
