internal import Logging
package import NIOCore
package import NIOHTTPTypes
internal import Synchronization

/// Notices when a client has left, on each connection.
///
/// HTTP/1.1 asks nobody to stay: who closes their side while a picture is made is taken to be gone, and what
/// was made for them alone stops.
// NIO calls handlers of a connection on its one event loop; the mutex is for the task that waits.
package final class DisconnectHandler: ChannelInboundHandler, RemovableChannelHandler, Sendable {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart

    private struct State {
        var isGone = false
        var onLeaving: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Whether the client has left.
    package var isGone: Bool { state.withLock { $0.isGone } }

    /// Does something that is cancelled when the client leaves.
    package func whileThere<R: Sendable>(_ work: @escaping @Sendable () async throws -> R) async throws -> R {
        let task = Task { try await work() }
        let isGone = state.withLock { state in
            state.onLeaving = { task.cancel() }
            return state.isGone
        }
        if isGone { task.cancel() }
        defer { state.withLock { $0.onLeaving = nil } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed { leave() }
        context.fireUserInboundEventTriggered(event)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    private func leave() {
        let onLeaving = state.withLock { state in
            state.isGone = true
            return state.onLeaving
        }
        onLeaving?()
    }
}

/// Goes on listening when a connection cannot be taken in, as for want of descriptors.
///
/// An error that reached the end of the pipeline would end the server, and all connections with it.
final class ResilientListener: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias OutboundIn = Never

    private let logger: Logger
    private var isPausing = false
    private var isAsked = false

    /// How long clients wait in the system's queue before the next one is taken in.
    private static let pause = TimeAmount.milliseconds(100)

    init(_ logger: Logger) {
        self.logger = logger
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        logger.warning("a connection cannot be taken in", metadata: ["error": "\(error)"])
        guard !isPausing else { return }
        isPausing = true
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) {
            self.isPausing = false
            if self.isAsked { context.read() }
            self.isAsked = false
        }
    }

    func read(context: ChannelHandlerContext) {
        guard !isPausing else {
            isAsked = true
            return
        }
        context.read()
    }
}
