internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes
internal import Synchronization

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

/// The answers that clients are receiving: together they hold no more memory than a budget.
///
/// Where they would, those connections make room that have taken nothing for longest. So nobody can hold the
/// server by reading slowly, and who reads at all is not the one who has to go.
final class OutboundByteBudget: Sendable {
    /// What names a connection while it is there.
    typealias Number = Int

    private struct Delivery {
        var bytes = 0
        var lastTaken = ContinuousClock.now
        let abandon: @Sendable () -> Void
    }

    private struct State {
        var lastNumber = 0
        var bytes = 0
        var deliveries: [Number: Delivery] = [:]
    }

    private let budget: Int
    private let state = Mutex(State())

    /// - Parameter budget: the bytes of all answers together; a larger one is sent alone.
    init(budget: Int) {
        self.budget = budget
    }

    /// The bytes of all answers that are on their way.
    var bytes: Int { state.withLock { $0.bytes } }

    /// Takes in a connection.
    ///
    /// - Parameter abandon: called, at most once, where others need its room.
    func enter(abandon: @escaping @Sendable () -> Void) -> Number {
        state.withLock { state in
            state.lastNumber += 1
            state.deliveries[state.lastNumber] = Delivery(abandon: abandon)
            return state.lastNumber
        }
    }

    func leave(_ number: Number) {
        state.withLock { _ = remove(number, &$0) }
    }

    /// Adds bytes that a connection has to bring, and makes room for them.
    func add(_ bytes: Int, to number: Number) {
        let abandoned = state.withLock { state in
            guard var delivery = state.deliveries[number] else { return [Delivery]() }
            if delivery.bytes == 0 { delivery.lastTaken = .now }
            delivery.bytes += bytes
            state.deliveries[number] = delivery
            state.bytes += bytes
            var abandoned: [Delivery] = []
            while state.bytes > budget, let slowest = slowest(state, but: number) {
                abandoned += remove(slowest, &state).map { [$0] } ?? []
            }
            return abandoned
        }
        for delivery in abandoned { delivery.abandon() }
    }

    /// Notes that the client has taken something.
    func noteTaken(_ number: Number) {
        state.withLock { $0.deliveries[number]?.lastTaken = .now }
    }

    /// Notes that so many bytes have been taken to their end.
    func finish(_ bytes: Int, of number: Number) {
        state.withLock { state in
            guard state.deliveries[number] != nil else { return }
            state.deliveries[number]?.bytes -= bytes
            state.deliveries[number]?.lastTaken = .now
            state.bytes -= bytes
        }
    }

    /// How long the client has taken nothing of what is on its way; nil where nothing is.
    func idleTime(of number: Number) -> Duration? {
        state.withLock { state in
            guard let delivery = state.deliveries[number], delivery.bytes > 0 else { return nil }
            return .now - delivery.lastTaken
        }
    }

    private func slowest(_ state: State, but number: Number) -> Number? {
        let others = state.deliveries.filter { $0.key != number && $0.value.bytes > 0 }
        return others.min { ($0.value.lastTaken, $0.key) < ($1.value.lastTaken, $1.key) }?.key
    }

    private func remove(_ number: Number, _ state: inout State) -> Delivery? {
        let delivery = state.deliveries.removeValue(forKey: number)
        state.bytes -= delivery?.bytes ?? 0
        return delivery
    }
}
