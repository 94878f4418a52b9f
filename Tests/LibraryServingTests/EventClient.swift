import Basics
import NIOCore
import NIOHTTP1
import NIOPosix
import TileServing

/// A client that follows a stream of server-sent events.
struct EventClient {
    typealias Parts = NIOAsyncChannelInboundStream<HTTPClientResponsePart>

    struct Event {
        var name: String
        var data: JSONValue
    }

    /// The events of a stream, one after the other; comments are left out.
    struct Events {
        fileprivate var iterator: AsyncThrowingStream<Event, any Error>.AsyncIterator
        /// Of the answer's head, once there was an event.
        private(set) var status = 0
        private(set) var mediaType: String?

        fileprivate init(_ events: AsyncThrowingStream<Event, any Error>) {
            iterator = events.makeAsyncIterator()
        }

        /// Nil at the end of the stream.
        mutating func next() async throws -> Event? {
            guard let event = try await iterator.next(isolation: #isolation) else { return nil }
            guard event.name == "head" else { return event }
            status = event.data["status"]?.int ?? 0
            mediaType = event.data["type"]?.string
            return try await next()
        }

        /// The next event of a name.
        mutating func next(named name: String) async throws -> JSONValue? {
            while let event = try await next() { if event.name == name { return event.data } }
            return nil
        }
    }

    let probe: HTTPProbe

    /// Follows a stream until `body` has seen enough of it.
    func follow<R: Sendable>(
        _ target: String, _ body: @Sendable (inout Events) async throws -> R
    ) async throws -> R {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: probe.host, port: probe.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
                        wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            let fields = HTTPHeaders([("Host", "\(probe.host):\(probe.port)")])
            try await outbound.write(
                .head(HTTPRequestHead(version: .http1_1, method: .GET, uri: target, headers: fields)))
            try await outbound.write(.end(nil))
            let (stream, events) = AsyncThrowingStream.makeStream(of: Event.self)
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    do {
                        try await Self.read(inbound, into: events)
                        events.finish()
                    } catch {
                        events.finish(throwing: error)
                    }
                }
                defer { group.cancelAll() }
                var all = Events(stream)
                return try await body(&all)
            }
        }
    }

    private static func read(
        _ parts: Parts, into events: AsyncThrowingStream<Event, any Error>.Continuation
    ) async throws {
        var text = ""
        for try await part in parts {
            switch part {
            case .head(let head):
                let type = head.headers.first(name: "Content-Type").map(JSONValue.string)
                events.yield(
                    Event(
                        name: "head",
                        data: .object([("status", .int(Int(head.status.code))), ("type", type)])))
            case .body(let bytes): text += String(buffer: bytes)
            case .end: return
            }
            while let end = text.firstRange(of: "\n\n") {
                let block = text[..<end.lowerBound].split(separator: "\n")
                text.removeSubrange(..<end.upperBound)
                func field(_ name: String) -> Substring? {
                    block.first { $0.hasPrefix(name) }?.dropFirst(name.count)
                }
                guard let name = field("event: "), let data = field("data: ") else { continue }
                events.yield(Event(name: String(name), data: try JSONValue(parsing: String(data))))
            }
        }
    }
}
