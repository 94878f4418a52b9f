#if Server
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes
internal import Synchronization

/// Sends the responses of a connection in chunks, and closes it if the client reads nothing for too long.
///
/// A response stays in memory until the client has read it. Some connections that request large pictures and read
/// nothing would be enough to use up the memory of the server.
///
/// - SwiftNIO fulfills the promise of a write once the system has taken the bytes. So responses are written in chunks,
///   and each chunk that is taken is progress of the client.
/// - A connection without progress for `timeout` is closed. At first the time for a whole response was limited to a
///   minute, which cut off slow clients that did read.
/// - `OutboundByteBudget` limits what all connections hold together.
final class WriteBackpressureHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let budget: OutboundByteBudget
    private let timeout: Duration
    private var connection: OutboundByteBudget.ConnectionID?
    private var check: Scheduled<Void>?
    /// Whether the connection closes after this response.
    private var isLast = false

    /// The number of bytes that count as progress of a client.
    private static let chunkSize = 64 << 10
    /// The number of bytes that are accounted for the head of a response.
    private static let headSize = 1 << 10

    /// - Parameter timeout: The maximum time in which a client reads less than a chunk.
    init(_ budget: OutboundByteBudget, timeout: Duration) {
        self.budget = budget
        self.timeout = timeout
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        connection = budget.register { channel.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        if let connection { budget.unregister(connection) }
        connection = nil
        check?.cancel()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard let connection else { return context.write(data, promise: promise) }
        switch unwrapOutboundIn(data) {
        case .head(let response):
            isLast = response.headerFields[.connection] == "close"
            context.write(data, promise: reserve(Self.headSize, connection, context, promise))
        case .body(let body):
            send(body, connection, context, promise)
        case .end where isLast:
            let channel = context.channel
            let sent = promise ?? context.eventLoop.makePromise()
            // Half of it: a client that still sends would get a reset instead of the response (RFC 9112, section 9.6).
            sent.futureResult.whenSuccess { channel.close(mode: .output, promise: nil) }
            context.write(data, promise: sent)
        case .end:
            context.write(data, promise: promise)
        }
    }

    private func send(
        _ body: ByteBuffer, _ connection: OutboundByteBudget.ConnectionID, _ context: ChannelHandlerContext,
        _ promise: EventLoopPromise<Void>?
    ) {
        // Chunks share the memory of the body, which is freed after the last one.
        let whole = reserve(body.readableBytes, connection, context, promise)
        var rest = body
        while rest.readableBytes > Self.chunkSize, let chunk = rest.readSlice(length: Self.chunkSize) {
            let sent = context.eventLoop.makePromise(of: Void.self)
            sent.futureResult.whenSuccess { [budget] in budget.noteProgress(of: connection) }
            context.write(wrapOutboundOut(.body(chunk)), promise: sent)
        }
        context.write(wrapOutboundOut(.body(rest)), promise: whole)
    }

    /// Counts bytes until they are sent, separately for each part, because streams never end.
    private func reserve(
        _ bytes: Int, _ connection: OutboundByteBudget.ConnectionID, _ context: ChannelHandlerContext,
        _ promise: EventLoopPromise<Void>?
    ) -> EventLoopPromise<Void> {
        budget.add(bytes, to: connection)
        scheduleCheck(of: connection, context, after: timeout)
        let sent = promise ?? context.eventLoop.makePromise()
        sent.futureResult.whenSuccess { [budget] in budget.finish(bytes, of: connection) }
        return sent
    }

    /// Checks the connection repeatedly while bytes are pending.
    private func scheduleCheck(
        of connection: OutboundByteBudget.ConnectionID, _ context: ChannelHandlerContext,
        after delay: Duration
    ) {
        guard check == nil else { return }
        check = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(delay)) {
            self.check = nil
            guard let idle = self.budget.idleTime(of: connection) else { return }
            guard idle < self.timeout else { return context.close(promise: nil) }
            self.scheduleCheck(of: connection, context, after: self.timeout - idle)
        }
    }
}

/// A limit on the pending bytes of all responses.
///
/// Above it, large images wait until clients have read, and connections are closed that read nothing for seconds, or
/// slowly for half a minute. Slow readers cannot exhaust the memory, and clients that do read get whole responses.
///
/// At first, connections were closed whenever another one exceeded the limit. A soak test showed that this cut a large
/// response as soon as another client got one, although its own client read it.
final class OutboundByteBudget: Sendable {
    typealias ConnectionID = Int

    private struct Connection {
        var bytes = 0
        /// The time since which bytes have been pending.
        var start = ContinuousClock.now
        var lastProgress = ContinuousClock.now
        let close: @Sendable () -> Void
    }

    private struct State {
        var lastID = 0
        var bytes = 0
        var connections: [ConnectionID: Connection] = [:]
        var onRoom: @Sendable () -> Void = {}
    }

    private let budget: Int
    private let patience: Duration
    private let longest: Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - budget: The pending bytes above which large images wait.
    ///   - patience: The time without progress after which a connection is closed for others.
    ///   - longest: The time after which a connection is closed for others although it makes progress.
    init(budget: Int, patience: Duration = .seconds(2), longest: Duration = .seconds(30)) {
        (self.budget, self.patience, self.longest) = (budget, patience, longest)
    }

    /// The pending bytes of all responses.
    var bytes: Int { state.withLock { $0.bytes } }

    /// Whether a large response may be made now.
    var hasRoom: Bool { state.withLock { $0.bytes < budget } }

    /// Closes slow connections while the budget is exceeded.
    func closeSlowConnections() {
        for connection in state.withLock({ removeSlowConnections(&$0, except: nil) }) { connection.close() }
    }

    /// Sets the function that is called when there is room again.
    func whenRoom(_ call: @escaping @Sendable () -> Void) {
        state.withLock { $0.onRoom = call }
    }

    /// Adds a connection.
    ///
    /// - Parameter close: Called at most once, if other connections need its share.
    func register(close: @escaping @Sendable () -> Void) -> ConnectionID {
        state.withLock { state in
            state.lastID += 1
            state.connections[state.lastID] = Connection(close: close)
            return state.lastID
        }
    }

    func unregister(_ id: ConnectionID) {
        subtracting { _ = remove(id, &$0) }
    }

    /// Adds pending bytes of a connection, and closes slow ones if they exceed the budget.
    func add(_ bytes: Int, to id: ConnectionID) {
        let closed = state.withLock { state in
            guard var connection = state.connections[id] else { return [Connection]() }
            if connection.bytes == 0 { (connection.start, connection.lastProgress) = (.now, .now) }
            connection.bytes += bytes
            state.connections[id] = connection
            state.bytes += bytes
            return removeSlowConnections(&state, except: id)
        }
        // Outside of the lock: to close a connection unregisters it.
        for connection in closed { connection.close() }
    }

    /// Records progress of a client.
    func noteProgress(of id: ConnectionID) {
        state.withLock { $0.connections[id]?.lastProgress = .now }
    }

    /// Subtracts bytes that were sent.
    func finish(_ bytes: Int, of id: ConnectionID) {
        subtracting { state in
            guard state.connections[id] != nil else { return }
            state.connections[id]?.bytes -= bytes
            state.connections[id]?.lastProgress = .now
            state.bytes -= bytes
        }
    }

    /// Returns the time since the last progress of a client; nil if no bytes are pending.
    func idleTime(of id: ConnectionID) -> Duration? {
        state.withLock { state in
            guard let connection = state.connections[id], connection.bytes > 0 else { return nil }
            return .now - connection.lastProgress
        }
    }

    /// Changes the state, and reports room that comes of it.
    private func subtracting(_ change: (inout sending State) -> Void) {
        let onRoom = state.withLock { state -> (@Sendable () -> Void)? in
            let wasFull = state.bytes >= budget
            change(&state)
            return wasFull && state.bytes < budget ? state.onRoom : nil
        }
        onRoom?()
    }

    /// Removes slow connections while the budget is exceeded.
    private func removeSlowConnections(_ state: inout State, except id: ConnectionID?) -> [Connection] {
        var closed: [Connection] = []
        while state.bytes > budget, let slowest = slowest(state, except: id) {
            closed += remove(slowest, &state).map { [$0] } ?? []
        }
        return closed
    }

    private func slowest(_ state: State, except id: ConnectionID?) -> ConnectionID? {
        let now = ContinuousClock.now
        let others = state.connections.filter { key, connection in
            key != id && connection.bytes > 0
                && (now - connection.lastProgress >= patience || now - connection.start >= longest)
        }
        return others.min { ($0.value.lastProgress, $0.key) < ($1.value.lastProgress, $1.key) }?.key
    }

    private func remove(_ id: ConnectionID, _ state: inout State) -> Connection? {
        let connection = state.connections.removeValue(forKey: id)
        state.bytes -= connection?.bytes ?? 0
        return connection
    }
}
#endif
