#if Server
import Foundation
import RenderCaching
import TestSupport
import TestHarness
import Testing
import Vips

@testable import TileServing

@Suite("A storm of requests for slow images", .inTurn)
struct StormTests {
    /// Returns a folder with equal PNGs of 640 x 480 pixels.
    private static func folder(_ count: Int) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let photo = try TestImages.photo(width: 640, height: 480)
        for number in 0..<count { try photo.save(folder.path("\(number).png"), with: "pngsave") }
        return folder
    }

    /// Makes images of 640 x 480 pixels slow ones, whose small levels have at most 160 x 120.
    private static func makeSlow(_ configuration: inout TileServer.Configuration) {
        configuration.limits.pyramids.minimumPixels = 640 * 480
        configuration.limits.pyramids.averagedPixels = 160 * 120
    }

    private static func builds(_ probe: HTTPProbe) async throws -> [String: Int] {
        let text = try await probe.send("/metrics").text
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("viewport_builds_total{kind=") }
        return Dictionary(
            uniqueKeysWithValues: lines.map { line in
                let parts = line.split(separator: "\"")
                return (String(parts[1]), Int(parts[2].drop { !$0.isNumber }) ?? -1)
            })
    }

    @Test(
        "reads each image once for all of its small pictures, and makes levels when a close look needs them")
    func once() async throws {
        let count = 6
        let folder = try Self.folder(count)
        try await RunningServer.with(folder, Self.makeSlow) { probe in
            let bodies = try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
                for request in 0..<(4 * count) {
                    group.addTask {
                        let answer = try await probe.send(
                            "/iiif/3/\(request % count)/full/\(40 + request / count),/0/default.png")
                        #expect(answer.status == 200, "\(answer.text)")
                        return (request / count, answer.body)
                    }
                }
                return try await group.reduce(into: [Int: Set<[UInt8]>]()) {
                    $0[$1.0, default: []].insert($1.1)
                }
            }
            // The images are equal.
            #expect(bodies.count == 4 && bodies.values.allSatisfy { $0.count == 1 })
            var builds = try await Self.builds(probe)
            #expect(builds == ["overview": count, "pyramid": 0], "\(builds)")
            let tile = try await probe.send("/iiif/3/1/0,0,128,128/128,128/0/default.png")
            #expect(tile.status == 200)
            builds = try await Self.builds(probe)
            #expect(builds == ["overview": count, "pyramid": 1])
            // A reduced tile comes from the levels that the small pictures have made.
            let reduced = try await probe.send("/iiif/3/2/0,0,320,320/40,40/0/default.png")
            #expect(reduced.status == 200)
            builds = try await Self.builds(probe)
            #expect(builds == ["overview": count, "pyramid": 1])
        }
    }

    @Test("refuses an image at once that needs more memory than the server may use")
    func refused() async throws {
        let folder = try TemporaryFolder()
        try TestImages.large(width: 4608, height: 4096).save(
            folder.path("wide.png"), with: "pngsave",
            ["compression": VipsArgument.int(1), "interlace": .bool(true)])
        try await RunningServer.with(folder, { $0.limits.memoryBytes = 100 << 20 }) { probe in
            let answer = try await probe.send("/iiif/3/wide/full/100,/0/default.png")
            #expect(answer.status == 403 && answer.text.contains("memory"), "\(answer.status) \(answer.text)")
        }
    }
}
#endif
