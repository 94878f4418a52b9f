#if Server && Library
import Basics
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import PhotoCatalog
import TestSupport
import TestHarness
import Testing
import TileServing

@Suite("The stream of a collection's changes", .inTurn)
struct CollectionEventsTests {
    @Test("contains an added and a removed file, with index paths")
    func changes() async throws {
        try await RunningLibrary.with { running in
            let target = running.address + "events?by=day&order=ascending&show=jpeg"
            try await EventClient(probe: running.probe).follow(target) { events in
                let begin = try #require(try await events.next(named: "begin"))
                #expect(events.status == 200 && events.mediaType == "text/event-stream")
                // Seven days and an entry without a date; 1 + 2 + … + 7 photos and one undated photo.
                #expect(begin["entries"] == .int(8) && begin["assets"] == .int(29))

                try RunningLibrary.write(
                    TinyPhoto.jpeg(date: "2014:05:20 10:00:00", salt: 99), "new.jpg", running.folder)
                try await running.library.index()
                let came = try #require(try await events.next(named: "change"))
                #expect(came["since"] == begin["sequence"] && came["reload"] == .bool(false))
                #expect(came["entries"] == .int(9) && came["assets"] == .int(30))
                #expect(came["insertedEntries"] == .array([.array([.int(3), .int(20_140_520), .int(1)])]))
                #expect(came["inserted"] == .array([.array([.int(3), .int(0)])]))
                #expect(came["removed"] == .array([]) && came["changedEntries"] == .array([]))

                try FileManager.default.removeItem(atPath: running.folder.path("odd/IMG_1_0.jpg"))
                try await running.library.index()
                let went = try #require(try await events.next(named: "change"))
                #expect(went["since"] == came["sequence"])
                #expect(went["removed"] == .array([.array([.int(1), .int(0)])]))
                #expect(
                    went["changedEntries"] == .array([.array([.int(1), .int(20_140_101), .int(1)])]))
                #expect(went["inserted"] == .array([]) && went["entries"] == .int(9))
            }
        }
    }

    @Test("reports no change if only assets outside of the filter changed")
    func same() async throws {
        try await RunningLibrary.with { running in
            let target = running.address + "events?by=day&show=video"
            try await EventClient(probe: running.probe).follow(target) { events in
                let begin = try #require(try await events.next(named: "begin"))
                try RunningLibrary.write(TinyPhoto.jpeg(salt: 99), "new.jpg", running.folder)
                try await running.library.index()
                let event = try #require(try await events.next())
                #expect(event.name == "same" && event.data["since"] == begin["sequence"])
                #expect(event.data["sequence"]?.int ?? 0 > begin["sequence"]?.int ?? .max)
            }
        }
    }

    @Test("is limited in its number of clients")
    func limit() async throws {
        try await RunningLibrary.with(settings: { $0.limits.eventStreams = 1 }) { running in
            let client = EventClient(probe: running.probe)
            let target = running.address + "events"
            try await client.follow(target) { events in
                _ = try await events.next(named: "begin")
                let refused = try await running.probe.send(target)
                #expect(refused.status == 503 && refused.headers["retry-after"] == "30")
            }
            // The first client has disconnected. The server accepts another as soon as it detects that.
            while try await client.follow(target, { try await $0.next(named: "begin") }) == nil {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    @Test("ends with the server")
    func ending() async throws {
        let (streams, told) = AsyncStream.makeStream(of: Bool.self)
        try await RunningLibrary.with { running in
            let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
            // The client outlives the server, which ends as soon as the client receives events.
            Task.detached {
                let client = EventClient(probe: running.probe)
                let isAtEnd = try? await client.follow(running.address + "events") { events in
                    _ = try await events.next(named: "begin")
                    beginning.yield()
                    return try await events.next() == nil
                }
                told.yield(isAtEnd ?? true)
                told.finish()
            }
            for await _ in begun { break }
        }
        for await isAtEnd in streams { #expect(isAtEnd) }
    }
}

/// A client that follows a stream of server-sent events.
struct EventClient {
    typealias Parts = NIOAsyncChannelInboundStream<HTTPClientResponsePart>

    struct Event {
        var name: String
        var data: JSONValue
    }

    /// The events of a stream, without comments.
    struct Events {
        fileprivate var iterator: AsyncThrowingStream<Event, any Error>.AsyncIterator
        /// The status code, available after the first event.
        private(set) var status = 0
        private(set) var mediaType: String?

        fileprivate init(_ events: AsyncThrowingStream<Event, any Error>) {
            iterator = events.makeAsyncIterator()
        }

        /// Returns the next event; nil at the end of the stream.
        mutating func next() async throws -> Event? {
            guard let event = try await iterator.next(isolation: #isolation) else { return nil }
            guard event.name == "head" else { return event }
            status = event.data["status"]?.int ?? 0
            mediaType = event.data["type"]?.string
            return try await next()
        }

        /// Returns the data of the next event with a name.
        mutating func next(named name: String) async throws -> JSONValue? {
            while let event = try await next() { if event.name == name { return event.data } }
            return nil
        }
    }

    let probe: HTTPProbe

    /// Reads a stream until `body` returns.
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
#endif
