internal import Basics
internal import NIOCore
internal import PhotoCatalog
internal import ServiceLifecycle
internal import Synchronization
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
        private func arrangement() async throws -> Arrangement {
            let collection = source.collection
            guard let presence = source.presence else { return try await collection.arrangement() }
            return try await presence.whileThere { try await collection.arrangement() }
        }

        private mutating func text() async throws -> String? {
            guard var changes else {
                let now = try await arrangement()
                changes = source.collection.changes(since: now).makeAsyncIterator()
                return "retry: 3000\n\n" + CollectionEvent.begin(now).text
            }
            defer { self.changes = changes }
            try await Task.sleep(for: Swift.min(.seconds(5), rest))
            while !Task.isCancelled, !Task.isShuttingDownGracefully, source.presence?.isGone != true {
                let start = ContinuousClock.now
                let before = changes.known?.sequence
                let change = try await changes.look()
                rest = (ContinuousClock.now - start) * 2
                if let change { return CollectionEvent.change(change).text }
                if let before, let now = changes.known?.sequence, now != before {
                    return CollectionEvent.same(since: before, now).text
                }
                if ContinuousClock.now - lastSent > CollectionEvents.longestSilence { return ":\n\n" }
                try await Task.sleep(for: PhotoLibrary.pause)
            }
            return nil
        }
    }
}

/// One event of a collection's stream.
enum CollectionEvent {
    case begin(Arrangement)
    case change(CollectionChange)
    /// What happened between two changes of the library is not shown.
    case same(since: Int, Int)

    /// The event as it is sent.
    var text: String { "event: \(name)\ndata: \(data.line)\n\n" }

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
                ("sequence", .int(now.sequence)), ("entries", .int(now.entries.count)),
                ("assets", .int(now.count)),
            ])
        case .same(let since, let sequence):
            .object([("since", .int(since)), ("sequence", .int(sequence))])
        case .change(let change): change.json
        }
    }
}

extension CollectionChange {
    /// What a page needs to follow: index paths are [entry, asset], entries [index, key, count].
    ///
    /// With `reload` all of it has to be loaded again.
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

    /// Places in the new list of entries that were there before with another count.
    private var changedEntries: [Int] {
        let counts = Dictionary(before.entries.map { ($0.key, $0.count) }) { $1 }
        return after.entries.indices.filter { index in
            counts[after.entries[index].key].map { $0 != after.entries[index].count } ?? false
        }
    }
}

/// Places of which there are only so many; one is free again when nobody holds its seat any more.
final class ConnectionLimiter: Sendable {
    private let free: Mutex<Int>

    init(_ count: Int) {
        free = Mutex(count)
    }

    /// Nil where all are taken.
    func take() -> Permit? {
        let isFree = free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
        return isFree ? Permit(of: self) : nil
    }

    final class Permit: Sendable {
        private let seats: ConnectionLimiter

        fileprivate init(of seats: ConnectionLimiter) { self.seats = seats }

        deinit { seats.free.withLock { $0 += 1 } }
    }
}
