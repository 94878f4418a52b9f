#if Server
import Foundation
import MemoryWatching
import Synchronization
import TestSupport
import TestTurns
import Testing

@testable import TileServing

@Suite("A server under memory pressure", .inTurn)
struct MemoryTests {
    @Test("releases what it keeps, and serves the same bytes afterwards")
    func released() async throws {
        let folder = try RunningServer.photos()
        let memory = MemoryWatch()
        let tile = "/iiif/3/photo/128,64,256,256/256,256/0/default.png"
        let other = "/iiif/3/deep%2Fa%20b/0,0,100,100/50,50/0/default.png"
        try await RunningServer.with(folder, { _ in }, listeningTo: memory) { probe in
            let first = try await probe.send(tile)
            _ = try await probe.send(other)
            #expect(first.status == 200)
            let full = memory.releasableByteCount
            #expect(full > 0)
            memory.report(.normal)
            #expect(memory.releasableByteCount == full)
            memory.report(.warning)
            #expect(memory.releasableByteCount < full)
            #expect(try await probe.send(tile).body == first.body)
            memory.report(.critical)
            #expect(memory.releasableByteCount == 0)
            #expect(try await probe.send(tile).body == first.body)
        }
    }

    @Test(
        "reduces its caches to a quarter of the memory that it may use",
        arguments: [(1_048_576, 1.0), (1024, 0.941), (256, 0.235), (0, 0.0)] as [(Int, Double)])
    func fitted(_ megabytes: Int, _ share: Double) throws {
        let bytes = megabytes << 20
        let usual = TileServer.Limits()
        var limits = usual
        limits.fit(memory: MemoryLimit(byteCount: bytes, origin: .controlGroup))
        for (reduced, whole) in [
            (limits.overviewCacheBytes, usual.overviewCacheBytes),
            (limits.tileCacheBytes, usual.tileCacheBytes),
            (limits.responseCacheBytes, usual.responseCacheBytes),
        ] {
            #expect(reduced >= 1 && abs(Double(reduced) / Double(whole) - share) < 0.001)
        }
        try limits.validate()
        // Limits of a program that mean "none" do not overflow.
        limits.responseCacheBytes = .max
        limits.tileCacheBytes = .max
        limits.fit(memory: MemoryLimit(byteCount: bytes, origin: .machine))
        try limits.validate()
    }

    @Test("reports the pages that people open")
    func visits() async throws {
        let folder = try RunningServer.photos()
        let visits = Mutex([String]())
        try await RunningServer.with(
            folder, { $0.onVisit = { visit in visits.withLock { $0.append(visit) } } }
        ) {
            probe in
            let person = [("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Site", "none")]
            let page = [("Sec-Fetch-Mode", "cors"), ("Sec-Fetch-Site", "same-origin")]
            _ = try await probe.send("/", headers: person)
            _ = try await probe.send("/view/photo?token=secret&a=b", headers: person)
            _ = try await probe.send("/view/photo", headers: page)
            _ = try await probe.send("/view/nothing", headers: person)
            _ = try await probe.send("/page/viewer.js", headers: person)
        }
        #expect(visits.withLock { $0 } == ["", "view/photo?a=b"])
    }
}
#endif
