internal import NIOCore
internal import PhotoCatalog
internal import ServiceLifecycle
internal import TileServing

/// What happens to a collection as server-sent events, until the client leaves or the server ends.
///
/// `begin` says of which state the first change is told, `change` what has happened since the one before, `same`
/// that something happened that is not shown; all have `sequence`, the number of the last change of the library
/// that they know of. A comment shows every now and then that all is well.
///
/// Source: HTML Living Standard, 9.2 Server-sent events.
struct CollectionEvents: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    typealias Failure = any Error

    let collection: AssetCollection
    let seat: ConnectionLimiter.Permit
    let channel: any Channel
    let presence: DisconnectHandler?
    /// How many seconds a client may take to receive an event.
    let timeout: Int

    /// How long nothing is sent.
    private static let longestSilence = Duration.seconds(15)

    func makeAsyncIterator() -> Iterator { Iterator(source: self) }

    struct Iterator: AsyncIteratorProtocol {
        private let source: CollectionEvents
        private var changes: CollectionChanges.Iterator?
        private var lastSent = ContinuousClock.now
        private var limit: Scheduled<Void>?
        /// How long large collections that change all the time leave the processor to others.
        private var rest = Duration.zero

        init(source: CollectionEvents) {
            self.source = source
        }

        mutating func next() async throws -> ByteBuffer? {
            // The client has taken what was sent last.
            limit?.cancel()
            guard let text = try await text() else { return nil }
            let channel = source.channel
            limit = channel.eventLoop.scheduleTask(in: .seconds(Int64(source.timeout))) {
                channel.close(promise: nil)
            }
            lastSent = .now
            return ByteBuffer(string: text)
        }

        /// All of the collection; of a large one nobody who has left is to make it.
        private func snapshot() async throws -> CollectionSnapshot {
            let collection = source.collection
            guard let presence = source.presence else { return try await collection.snapshot() }
            return try await presence.whileThere { try await collection.snapshot() }
        }

        private mutating func text() async throws -> String? {
            guard var changes else {
                let now = try await snapshot()
                changes = source.collection.changes(since: now).makeAsyncIterator()
                return "retry: 3000\n\n" + CollectionEvent.begin(now).text
            }
            defer { self.changes = changes }
            try await Task.sleep(for: Swift.min(.seconds(5), rest))
            while !Task.isCancelled, !Task.isShuttingDownGracefully, source.presence?.isGone != true {
                let start = ContinuousClock.now
                let before = changes.known?.sequence
                let change = try await changes.poll()
                rest = (ContinuousClock.now - start) * 2
                if let change { return CollectionEvent.change(change).text }
                if let before, let now = changes.known?.sequence, now != before {
                    return CollectionEvent.same(since: before, now).text
                }
                if ContinuousClock.now - lastSent > CollectionEvents.longestSilence { return ":\n\n" }
                try await Task.sleep(for: PhotoLibrary.pollingInterval)
            }
            return nil
        }
    }
}
