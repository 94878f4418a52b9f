internal import Logging
internal import NIOCore

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
