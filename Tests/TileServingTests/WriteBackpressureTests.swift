import Foundation
import Synchronization
import TestSupport
import TestTurns
import Testing
import Vips

@testable import TileServing

@Suite("Answers on their way")
struct DeliveriesTests {
    /// Connections that note when they are given up.
    final class Given: Sendable {
        private let names = Mutex<[String]>([])

        var up: [String] { names.withLock { $0 } }

        func connection(_ name: String, to deliveries: OutboundByteBudget) -> OutboundByteBudget.Number {
            deliveries.enter { self.names.withLock { $0.append(name) } }
        }
    }

    @Test("make room for others: who has taken nothing for longest goes first")
    func slowest() {
        let (deliveries, given) = (OutboundByteBudget(budget: 100), Given())
        let first = given.connection("first", to: deliveries)
        let second = given.connection("second", to: deliveries)
        let third = given.connection("third", to: deliveries)
        deliveries.add(40, to: first)
        deliveries.add(40, to: second)
        deliveries.noteTaken(first)
        deliveries.add(20, to: third)
        #expect(given.up.isEmpty && deliveries.bytes == 100)
        deliveries.add(1, to: third)
        #expect(given.up == ["second"] && deliveries.bytes == 61)
        deliveries.add(60, to: third)
        #expect(given.up == ["second", "first"] && deliveries.bytes == 81)
    }

    @Test("may be larger than all room there is, but then alone")
    func alone() {
        let (deliveries, given) = (OutboundByteBudget(budget: 100), Given())
        let idle = given.connection("idle", to: deliveries)
        let large = given.connection("large", to: deliveries)
        deliveries.add(1000, to: large)
        #expect(given.up.isEmpty && deliveries.bytes == 1000)
        deliveries.add(10, to: idle)
        #expect(given.up == ["large"] && deliveries.bytes == 10)
    }

    @Test("hold nothing any more when they are over, however that came")
    func over() {
        let (deliveries, given) = (OutboundByteBudget(budget: 100), Given())
        let patient = given.connection("patient", to: deliveries)
        let gone = given.connection("gone", to: deliveries)
        deliveries.add(30, to: patient)
        deliveries.add(30, to: gone)
        #expect(deliveries.idleTime(of: patient) != nil)
        deliveries.finish(30, of: patient)
        #expect(deliveries.idleTime(of: patient) == nil)
        deliveries.leave(gone)
        deliveries.add(30, to: gone)
        deliveries.finish(30, of: gone)
        #expect(deliveries.bytes == 0 && given.up.isEmpty)
    }
}

@Suite("Clients that read slowly", .inTurn)
struct SlowReaderTests {
    /// A picture that no format makes smaller: 8 MB, more than the system itself holds for a connection.
    private static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        var random = SplitMix64(seed: 5)
        let bytes = (0..<(1664 * 1664 * 3)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        try VipsImage.pixels(
            bytes, width: 1664, height: 1664, bands: 3, format: .uint8, interpretation: "srgb"
        ).save(folder.path("noise.png"), with: "pngsave", ["compression": .int(0)])
        return folder
    }

    /// Asks for the picture, and takes only the first bytes of the answer.
    private static func slowReader(_ probe: HTTPProbe) async throws -> RawConnection {
        let reader = try RawConnection(port: probe.port, roomToReceive: 4096)
        reader.ask("/iiif/3/noise/full/max/0/default.tif")
        _ = try await reader.receive(atMost: 16)
        return reader
    }

    @Test("make room for those who read")
    func room() async throws {
        try await RunningServer.with(try Self.folder()) { settings in
            settings.limits.outboundBytes = 10 << 20
        } _: { probe in
            let reader = try await Self.slowReader(probe)
            let other = try await probe.send("/iiif/3/noise/full/max/!0/default.tif")
            #expect(other.status == 200 && other.body.count > 8_000_000)
            #expect(try await reader.receiveAll().count < 8_000_000)
        }
    }

    @Test("are not waited for when they take nothing at all")
    func timeout() async throws {
        try await RunningServer.with(try Self.folder()) { settings in
            settings.limits.writeTimeout = .seconds(1)
        } _: { probe in
            let reader = try await Self.slowReader(probe)
            let waiting = "viewport_answer_bytes 0\n"
            while try await !probe.send("/metrics").text.contains(waiting) {
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(try await reader.receiveAll().count < 8_000_000)
        }
    }
}
