#if Server && Library
internal import Basics
internal import NIOCore
internal import PhotoCatalog
internal import ServiceLifecycle
internal import Synchronization
internal import TileServing

/// The changes of a collection as server-sent events, until the client disconnects or the server ends.
///
/// `begin` has the initial state, `change` the changes since the previous event, and `same` reports changes of the
/// library outside of this collection. All have `sequence`, the number of the last change that they include. Comments
/// are sent as keep-alive.
///
/// Source: HTML Living Standard, 9.2 Server-sent events.
struct CollectionEvents: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    typealias Failure = any Error

    let collection: AssetCollection
    let permit: ConnectionLimiter.Permit
    let channel: (any Channel)?
    let disconnectHandler: DisconnectHandler?
    /// How long a client may take to receive an event.
    let timeout: Duration

    /// The interval of keep-alive comments.
    private static let maximumSilence = Duration.seconds(15)

    func makeAsyncIterator() -> Iterator { Iterator(source: self) }

    struct Iterator: AsyncIteratorProtocol {
        private let source: CollectionEvents
        private var changes: CollectionChanges.Iterator?
        private var lastSent = ContinuousClock.now
        private var limit: Scheduled<Void>?
        /// The pause after a query, so that large collections that change constantly are queried less often.
        private var pause = Duration.zero

        init(source: CollectionEvents) {
            self.source = source
        }

        mutating func next() async throws -> ByteBuffer? {
            // The client has received the previous event.
            limit?.cancel()
            guard let text = try await text() else { return nil }
            if let channel = source.channel {
                limit = channel.eventLoop.scheduleTask(in: TimeAmount(source.timeout)) {
                    channel.close(promise: nil)
                }
            }
            lastSent = .now
            return ByteBuffer(string: text)
        }

        /// Reads the whole collection; the query is cancelled when the client disconnects.
        private func snapshot() async throws -> CollectionSnapshot {
            let collection = source.collection
            guard let disconnectHandler = source.disconnectHandler else {
                return try await collection.snapshot()
            }
            return try await disconnectHandler.cancellingOnDisconnect { try await collection.snapshot() }
        }

        private mutating func text() async throws -> String? {
            guard var changes else {
                let now = try await snapshot()
                changes = source.collection.changeSequence(since: now).makeAsyncIterator()
                return "retry: 3000\n\n" + CollectionEvent.begin(now).text
            }
            defer { self.changes = changes }
            try await Task.sleep(for: Swift.min(.seconds(5), pause))
            while !Task.isCancelled, !Task.isShuttingDownGracefully,
                source.disconnectHandler?.isDisconnected != true
            {
                let start = ContinuousClock.now
                let before = changes.known?.sequence
                let change = try await changes.poll()
                pause = (ContinuousClock.now - start) * 2
                if let change { return CollectionEvent.change(change).text }
                if let before, let now = changes.known?.sequence, now != before {
                    return CollectionEvent.same(since: before, now).text
                }
                if ContinuousClock.now - lastSent > CollectionEvents.maximumSilence { return ":\n\n" }
                try await Task.sleep(for: PhotoLibrary.pollingInterval)
            }
            return nil
        }
    }
}

/// One event of a collection's stream.
enum CollectionEvent {
    case begin(CollectionSnapshot)
    case change(CollectionChange)
    /// The library has changed, but not this collection.
    case same(since: Int, Int)

    /// The event as it is sent.
    var text: String { "event: \(name)\ndata: \(data)\n\n" }

    private var name: String {
        switch self {
        case .begin: "begin"
        case .change: "change"
        case .same: "same"
        }
    }

    private var data: JSONValue {
        switch self {
        case .begin(let now):
            .object([
                "sequence": .int(now.sequence), "entries": .int(now.entries.count),
                "assets": .int(now.count),
            ])
        case .same(let since, let sequence):
            .object(["since": .int(since), "sequence": .int(sequence)])
        case .change(let change): change.json
        }
    }
}

extension CollectionChange {
    /// The change as pages read it: index paths are [entry, asset], entries [index, key, count].
    ///
    /// With `reload` the page has to reload everything.
    fileprivate var json: JSONValue {
        let whole: [(String, JSONValue?)] = [
            ("since", .int(before.sequence)), ("sequence", .int(after.sequence)), ("reload", .bool(isReload)),
            ("entries", .int(after.entries.count)), ("assets", .int(after.count)),
        ]
        guard !isReload else { return .object(whole) }
        let moves = moved.map { JSONValue.array([$0.from.json, $0.to.json]) }
        return .object(
            whole + [
                ("deletedEntries", .array(deletedEntries.map(JSONValue.int))),
                ("insertedEntries", .array(insertedEntries.map(entry))),
                ("changedEntries", .array(changedEntries.map(entry))),
                ("removed", .array(removed.map(\.json))), ("inserted", .array(inserted.map(\.json))),
                ("moved", .array(moves)), ("updated", .array(updated.map(\.json))),
            ])
    }

    private func entry(_ index: Int) -> JSONValue {
        let entry = after.entries[index]
        return .array([.int(index), entry.key?.json ?? .null, .int(entry.count)])
    }

    /// Indices of entries that had another count before.
    private var changedEntries: [Int] {
        let counts = Dictionary(before.entries.map { ($0.key, $0.count) }) { $1 }
        return after.entries.indices.filter { index in
            counts[after.entries[index].key].map { $0 != after.entries[index].count } ?? false
        }
    }
}

/// Bounds the number of concurrent connections; a permit is returned when it is deallocated.
final class ConnectionLimiter: Sendable {
    private let free: Mutex<Int>

    init(_ count: Int) {
        free = Mutex(count)
    }

    /// Returns a permit; nil if all are in use.
    func acquire() -> Permit? {
        let isFree = free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
        return isFree ? Permit(of: self) : nil
    }

    final class Permit: Sendable {
        private let limiter: ConnectionLimiter

        fileprivate init(of limiter: ConnectionLimiter) { self.limiter = limiter }

        deinit { limiter.free.withLock { $0 += 1 } }
    }
}
#endif
