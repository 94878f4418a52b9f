private import Synchronization

/// A tile that came, or why it did not.
struct TileArrival: Sendable {
    let key: TileKey
    let result: Result<Tile, any Error>
}

/// Where the tiles that a viewer wants arrive; when nobody holds it any more, the viewer wants none.
final class TileDelivery: Sendable {
    private let arrivals = Mutex([TileArrival]())
    private let signal: AsyncStream<Void>.Continuation
    private let leave: @Sendable () -> Void
    /// Says that something has arrived; many arrivals may be one signal.
    let signals: AsyncStream<Void>

    init(leave: @escaping @Sendable () -> Void) {
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.leave = leave
    }

    deinit { leave() }

    func put(_ arrival: TileArrival) {
        arrivals.withLock { $0.append(arrival) }
        signal.yield()
    }

    /// Ends the signals: the viewer wants something else now.
    func close() { signal.finish() }

    /// Everything that has arrived since the last call.
    func takeAll() -> [TileArrival] {
        arrivals.withLock { arrivals in
            defer { arrivals = [] }
            return arrivals
        }
    }
}
