#if Server
import Foundation
import Synchronization
import TestSupport
import TestHarness
import Testing
import Vips

@testable import TileServing

@Suite("Pending responses")
struct DeliveriesTests {
    /// Records the connections that the budget closes.
    final class Given: Sendable {
        private let names = Mutex<[String]>([])

        var up: [String] { names.withLock { $0 } }

        func connection(_ name: String, to budget: OutboundByteBudget) -> OutboundByteBudget.ConnectionID {
            budget.register { self.names.withLock { $0.append(name) } }
        }
    }

    @Test("exceeding the budget close the connections without progress for the longest time")
    func slowest() {
        let (budget, given) = (OutboundByteBudget(budget: 100, patience: .zero), Given())
        let first = given.connection("first", to: budget)
        let second = given.connection("second", to: budget)
        let third = given.connection("third", to: budget)
        budget.add(40, to: first)
        budget.add(40, to: second)
        budget.noteProgress(of: first)
        budget.add(20, to: third)
        #expect(given.up.isEmpty && budget.bytes == 100)
        budget.add(1, to: third)
        #expect(given.up == ["second"] && budget.bytes == 61)
        budget.add(60, to: third)
        #expect(given.up == ["second", "first"] && budget.bytes == 81)
    }

    @Test("that clients are reading are not closed for others; large images wait for them")
    func patient() {
        let (budget, given) = (OutboundByteBudget(budget: 100, patience: .seconds(9999)), Given())
        let large = given.connection("large", to: budget)
        let small = given.connection("small", to: budget)
        let calls = Atomic(0)
        budget.whenRoom { calls.add(1, ordering: .relaxed) }
        #expect(budget.hasRoom)
        budget.add(1000, to: large)
        budget.add(10, to: small)
        #expect(given.up.isEmpty && budget.bytes == 1010)
        budget.closeSlowConnections()
        #expect(given.up.isEmpty && !budget.hasRoom)
        budget.finish(10, of: small)
        #expect(calls.load(ordering: .relaxed) == 0)
        budget.finish(1000, of: large)
        #expect(calls.load(ordering: .relaxed) == 1 && budget.hasRoom)
    }

    @Test("that take too long are closed for others although they make progress")
    func long() {
        let budget = OutboundByteBudget(budget: 100, patience: .seconds(9999), longest: .zero)
        let given = Given()
        budget.add(1000, to: given.connection("large", to: budget))
        #expect(given.up.isEmpty)
        budget.closeSlowConnections()
        #expect(given.up == ["large"] && budget.hasRoom)
    }

    @Test("release the budget when they end, however they end")
    func over() {
        let (budget, given) = (OutboundByteBudget(budget: 100), Given())
        let patient = given.connection("patient", to: budget)
        let gone = given.connection("gone", to: budget)
        budget.add(30, to: patient)
        budget.add(30, to: gone)
        #expect(budget.idleTime(of: patient) != nil)
        budget.finish(30, of: patient)
        #expect(budget.idleTime(of: patient) == nil)
        budget.unregister(gone)
        budget.add(30, to: gone)
        budget.finish(30, of: gone)
        #expect(budget.bytes == 0 && given.up.isEmpty)
    }
}

@Suite("Clients that read slowly", .inTurn)
struct SlowReaderTests {
    /// An incompressible image of 8 MB, more than the system buffers for a connection.
    private static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        var random = SplitMix64(seed: 5)
        // The period is too long for compression.
        let noise = (0..<(1664 * 3 * 64)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        var bytes: [UInt8] = []
        for _ in 0..<(1664 / 64) { bytes += noise }
        try VipsImage.pixels(
            bytes, width: 1664, height: 1664, bands: 3, format: .uint8, interpretation: "srgb"
        ).save(folder.path("noise.png"), with: "pngsave", ["compression": .int(0)])
        return folder
    }

    /// Requests the image, and reads only the first bytes of the response.
    private static func slowReader(_ probe: HTTPProbe) async throws -> RawConnection {
        let reader = try RawConnection(port: probe.port, roomToReceive: 4096)
        reader.ask("/iiif/3/noise/full/max/0/default.tif")
        _ = try await reader.receive(atMost: 16)
        return reader
    }

    @Test("are disconnected in favor of clients that read")
    func room() async throws {
        try await RunningServer.with(try Self.folder()) { settings in
            settings.limits.outboundBytes = 10 << 20
        } _: { probe in
            let reader = try await Self.slowReader(probe)
            // Each of these exceeds the limit; after two seconds without progress, the reader makes room.
            repeat {
                let other = try await probe.send("/iiif/3/noise/full/max/!0/default.tif")
                #expect(other.status == 200 && other.body.count > 8_000_000)
            } while try await !probe.send("/metrics").text.contains("viewport_answer_bytes 0\n")
            #expect(try await reader.receiveAll().count < 8_000_000)
        }
    }

    @Test("are disconnected after the timeout")
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
#endif
