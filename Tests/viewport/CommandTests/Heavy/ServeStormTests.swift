#if Server
import Foundation
import TestSupport
import TestHarness
import Testing
import TileServing
import Vips

/// A short form of Benchmarks/peers/tiles/storm.py.
@Suite("viewport serve under stress", .inTurn)
struct ServeStormTests {
    typealias Serving = ServeCommandTests.Serving

    private static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let photo = try TestImages.photo(width: 700, height: 500)
        try photo.save(folder.path("photo.jpg"), with: "jpegsave")
        try photo.save(folder.path("drawing.png"), with: "pngsave")
        try TestImages.large(width: 1200, height: 900).save(folder.path("sheet.png"), with: "pngsave")
        return folder
    }

    /// Tiles, and images that are large enough for the cache.
    private static let requests: [String] =
        ["photo", "drawing"].flatMap { image in
            (0..<8).map { "/iiif/3/\(image)/\($0 * 40),\($0 * 30),200,150/100,75/0/default.jpg" }
        } + ["0", "90", "180", "!0"].map { "/iiif/3/sheet/full/max/\($0)/default.jpg" }

    /// Returns the number of responses of a server that is killed after the third.
    private static func answers(of killed: Serving) async throws -> Int {
        let probe = killed.probe
        return await withTaskGroup(of: Bool.self) { group in
            for request in Self.requests {
                group.addTask { (try? await probe.send(request))?.status == 200 }
            }
            var answers = 0
            for await isAnswered in group where isAnswered {
                answers += 1
                if answers == 3 { killed.program.kill() }
            }
            return answers
        }
    }

    @Test("leaves a valid cache when it is killed while rendering")
    func killed() async throws {
        let (folder, cache) = (try Self.folder(), try TemporaryFolder())
        // On a busy machine the server may finish before it is killed.
        var answers = Self.requests.count
        for _ in 0..<20 where answers == Self.requests.count {
            answers = try await Self.answers(of: Serving([folder.url.path], cache: cache))
        }
        #expect(answers < Self.requests.count)
        let again = try Serving([folder.url.path], cache: cache)
        let other = try Serving([folder.url.path])
        for request in Self.requests {
            let (answer, same) = (try await again.probe.send(request), try await other.probe.send(request))
            #expect(answer.status == 200 && answer.body == same.body, "\(request)")
        }
        #expect(again.program.end() == 0 && other.program.end() == 0)
    }

    @Test("serves others while clients disconnect, send nothing, or read nothing")
    func rude() async throws {
        let folder = try Self.folder()
        let serving = try Serving([folder.url.path])
        defer { _ = serving.program.end() }
        let probe = serving.probe
        var rude: [RawConnection] = []
        for number in 0..<40 {
            let silent = try RawConnection(port: probe.port)
            silent.send("GET /health HT")
            let deaf = try RawConnection(port: probe.port, roomToReceive: 4096)
            deaf.ask("/iiif/3/drawing/0,0,\(600 + number),500/max/0/default.tif")
            rude += [silent, deaf]
            // Disconnects before the response.
            try RawConnection(port: probe.port).ask(
                "/iiif/3/drawing/0,0,\(650 + number),500/max/0/default.tif")
        }
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<100 {
                group.addTask {
                    try await probe.send("/iiif/3/photo/\(number),0,256,256/256,256/0/default.jpg").status
                }
            }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(statuses == [200: 100])
        #expect(rude.count == 80)
        #if os(Linux)
        let status = try String(
            contentsOfFile: "/proc/\(serving.program.process.processIdentifier)/status", encoding: .utf8)
        let peak = status.firstMatch(of: /VmHWM:\s+(\d+) kB/).flatMap { Int($0.1) }
        #expect(try #require(peak) < 300 << 10)
        #endif
    }

    @Test("responds to every path, however malformed")
    func malformed() async throws {
        let folder = try Self.folder()
        let serving = try Serving([folder.url.path])
        defer { _ = serving.program.end() }
        let probe = serving.probe
        let pieces = [
            "..", "%2e%2e", "%00", "%", "full", "max", "0", "-1", "1e9", "pct:", "9999999999", "^", "!", ",",
            "/", "default.jpg", "default.exe", "info.json", "photo", "iiif", "3", "2", "dzi", "_files", ";9",
            "%252f", "nan", "é", "\u{1}", String(repeating: "a", count: 300),
        ]
        var random = SplitMix64(seed: 7)
        let targets = (0..<TestLength.repetitions(400, short: 150)).map { _ in
            "/iiif/3/"
                + (0...random.next() % 8).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }
                .joined(separator: "/")
        }
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for target in targets { group.addTask { try await probe.send(target).status } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(statuses.isSubset(of: [200, 303, 400, 404, 501]), "\(statuses)")
        #expect(try await probe.send("/health").status == 200)
    }
}
#endif
