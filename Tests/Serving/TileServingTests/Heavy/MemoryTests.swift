#if Server
import Foundation
import MemoryWatching
import Synchronization
import TestSupport
import TestHarness
import Testing
import Vips

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
        "divides its memory: by default an eighth of what it may use, at least 256 MiB",
        arguments: [
            (given: nil, available: 16 << 30, memory: 2 << 30), (nil, 1 << 30, 256 << 20),
            (nil, 100 << 20, 100 << 20), (nil, 0, 0), (512 << 20, 64 << 30, 512 << 20),
            (64 << 30, 8 << 30, 8 << 30), (128 << 20, 8 << 30, 128 << 20),
        ] as [(given: Int?, available: Int, memory: Int)])
    func fitted(_ given: Int?, _ available: Int, _ memory: Int) throws {
        let usual = TileServer.Limits()
        var limits = usual
        limits.memoryBytes = given
        limits.fit(memory: MemoryLimit(byteCount: available, origin: .controlGroup))
        #expect(limits.memoryBytes == memory)
        let caches =
            limits.overviewCacheBytes + limits.tileCacheBytes + 2 * limits.responseCacheBytes
            + limits.outboundBytes
        #expect(caches + limits.workBytes <= max(memory, 6))
        #expect(limits.workBytes >= max(1, caches - 6))
        #expect(limits.maximumOutputArea <= max(1, limits.workBytes / 20))
        // All caches are reduced by the same share.
        let share = Double(limits.tileCacheBytes) / Double(usual.tileCacheBytes)
        #expect(share <= 1)
        #expect(abs(Double(limits.responseCacheBytes) / Double(usual.responseCacheBytes) - share) < 0.001)
        #expect(abs(Double(limits.overviewCacheBytes) / Double(usual.overviewCacheBytes) - share) < 0.001)
    }

    @Test("repeats responses from memory until the file changes, with the headers of each host")
    func hot() async throws {
        let folder = try RunningServer.photos()
        try await RunningServer.with(folder, { $0.isPublic = true }) { probe in
            let tile = "/iiif/3/photo/0,0,256,256/128,/0/default.png"
            let first = try await probe.send(tile)
            let again = try await probe.send(tile)
            #expect(first.status == 200 && again.body == first.body)
            #expect(again.headers["etag"] == first.headers["etag"])
            let metrics = try await probe.send("/metrics").text
            #expect(metrics.contains("viewport_pictures_total{origin=\"memory\"} 1"))
            #expect(metrics.contains("viewport_memory_bytes{part=\"responses\"}"))
            #expect(metrics.contains("viewport_memory_limit_bytes "))
            let tag = try #require(first.headers["etag"])
            #expect(try await probe.send(tile, headers: [("If-None-Match", tag)]).status == 304)
            let other = try await probe.send(tile, headers: [("Host", "other.example")])
            #expect(other.body == first.body && other.headers["link"]?.contains("other.example") == true)
            try TestImages.photo(width: 700, height: 500, seed: 9).save(
                folder.path("photo.jpg"), with: "jpegsave")
            let changed = try await probe.send(tile)
            #expect(changed.status == 200 && changed.body != first.body)
            #expect(changed.headers["etag"] != tag)
        }
    }

    @Test("keeps limits of a program that mean none from overflowing")
    func boundless() throws {
        var limits = TileServer.Limits()
        limits.memoryBytes = .max
        (limits.responseCacheBytes, limits.tileCacheBytes, limits.maximumOutputArea) = (.max, .max, .max)
        limits.fit(memory: nil)
        #expect(limits.workBytes > 0 && limits.maximumOutputArea > 0)
        limits.memoryBytes = 1 << 30
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
