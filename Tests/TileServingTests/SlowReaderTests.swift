import Foundation
import TestSupport
import TestTurns
import Testing
import Vips

@testable import TileServing

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
            settings.limits.answerBytes = 10 << 20
        } _: { probe in
            let reader = try await Self.slowReader(probe)
            let other = try await probe.ask("/iiif/3/noise/full/max/!0/default.tif")
            #expect(other.status == 200 && other.body.count > 8_000_000)
            #expect(try await reader.receiveAll().count < 8_000_000)
        }
    }

    @Test("are not waited for when they take nothing at all")
    func timeout() async throws {
        try await RunningServer.with(try Self.folder()) { settings in
            settings.limits.receivingSeconds = 1
        } _: { probe in
            let reader = try await Self.slowReader(probe)
            let waiting = "viewport_answer_bytes 0\n"
            while try await !probe.ask("/metrics").text.contains(waiting) {
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(try await reader.receiveAll().count < 8_000_000)
        }
    }
}
