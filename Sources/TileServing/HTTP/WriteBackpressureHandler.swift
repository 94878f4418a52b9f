internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Sends answers piece by piece, on each connection, and closes it where nothing is taken for too long.
final class WriteBackpressureHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let deliveries: OutboundByteBudget
    private let timeout: Duration
    private var number: OutboundByteBudget.Number?
    private var look: Scheduled<Void>?
    /// Whether nothing follows the answer that is being sent.
    private var isLast = false

    /// What a client has to take for it to count as reading, in bytes.
    private static let piece = 64 << 10
    /// What an answer counts before its body.
    private static let head = 1 << 10

    /// - Parameter timeout: how long a client may take not even a piece.
    init(_ deliveries: OutboundByteBudget, timeout: Duration) {
        self.deliveries = deliveries
        self.timeout = timeout
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        number = deliveries.enter { channel.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        if let number { deliveries.leave(number) }
        number = nil
        look?.cancel()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard let number else { return context.write(data, promise: promise) }
        switch unwrapOutboundIn(data) {
        case .head(let response):
            isLast = response.headerFields[.connection] == "close"
            context.write(data, promise: deliver(Self.head, number, context, promise))
        case .body(let body):
            send(body, number, context, promise)
        case .end where isLast:
            let channel = context.channel
            let sent = promise ?? context.eventLoop.makePromise()
            sent.futureResult.whenSuccess { channel.close(mode: .output, promise: nil) }
            context.write(data, promise: sent)
        case .end:
            context.write(data, promise: promise)
        }
    }

    private func send(
        _ body: ByteBuffer, _ number: OutboundByteBudget.Number, _ context: ChannelHandlerContext,
        _ promise: EventLoopPromise<Void>?
    ) {
        // Pieces share the memory of the whole, which is free when the last of them is taken.
        let whole = deliver(body.readableBytes, number, context, promise)
        var rest = body
        while rest.readableBytes > Self.piece, let piece = rest.readSlice(length: Self.piece) {
            let taken = context.eventLoop.makePromise(of: Void.self)
            taken.futureResult.whenSuccess { [deliveries] in deliveries.noteTaken(number) }
            context.write(wrapOutboundOut(.body(piece)), promise: taken)
        }
        context.write(wrapOutboundOut(.body(rest)), promise: whole)
    }

    /// Counts bytes until what is promised has been taken; streams never end, so each part of an answer is by itself.
    private func deliver(
        _ bytes: Int, _ number: OutboundByteBudget.Number, _ context: ChannelHandlerContext,
        _ promise: EventLoopPromise<Void>?
    ) -> EventLoopPromise<Void> {
        deliveries.add(bytes, to: number)
        watch(number, context, after: timeout)
        let sent = promise ?? context.eventLoop.makePromise()
        sent.futureResult.whenSuccess { [deliveries] in deliveries.finish(bytes, of: number) }
        return sent
    }

    /// Looks at the connection again and again, as long as something is on its way.
    private func watch(
        _ number: OutboundByteBudget.Number, _ context: ChannelHandlerContext, after delay: Duration
    ) {
        guard look == nil else { return }
        look = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(delay)) {
            self.look = nil
            guard let idle = self.deliveries.idleTime(of: number) else { return }
            guard idle < self.timeout else { return context.close(promise: nil) }
            self.watch(number, context, after: self.timeout - idle)
        }
    }
}
