#if Server
import Foundation
import TestSupport
import TestTurns
import Testing
import TileServing
import Vips

@Suite("viewport serve with few descriptors", .inTurn, .heavy)
struct ServeDescriptorsTests {
    /// The server, with so many descriptors and no more.
    private static func serve(_ folder: TemporaryFolder, limit: Int) throws -> ServingProgram {
        let bash = try #require(BuiltProgram(installed: "bash"))
        return try ServingProgram { environment in
            bash.process(
                [
                    "-c", "ulimit -n \(limit); exec \"$@\"", "serve", ServeCommandTests.viewport.url.path,
                    "serve", "--port", "0", "--json", folder.url.path,
                ], environment: environment)
        }
    }

    @Test("gives everybody what they ask for, though more come than it can take in")
    func crowd() async throws {
        let folder = try TemporaryFolder()
        let names = ["a.jpg", "b.png", "c.tif", "d.webp"]
        for (name, saver) in zip(names, ["jpegsave", "pngsave", "tiffsave", "webpsave"]) {
            try TestImages.photo(width: 300, height: 200).save(folder.path(name), with: saver)
        }
        let limit = 64 + 4 * ProcessInfo.processInfo.processorCount + 32
        let server = try Self.serve(folder, limit: limit)
        let probe = HTTPProbe(host: "127.0.0.1", port: server.port, timeout: 600)
        // More than all descriptors, and all there before the first of them asks.
        var crowd = try (0..<(2 * limit)).map { _ in try RawConnection(port: probe.port) }
        var statuses: [String: Int] = [:]
        for (number, client) in crowd.enumerated() {
            client.ask(
                "/iiif/3/\(names[number % 4])/\(number % 3),0,200,200/50,/0/default.jpg")
        }
        let count = crowd.count
        crowd.reverse()
        // Each closes when it has its answer, as browsers do; the server would wait for those that do not.
        while let client = crowd.popLast() {
            let answer = try await client.receiveAll()
            statuses[String(decoding: answer.prefix(12), as: UTF8.self), default: 0] += 1
        }
        #expect(statuses == ["HTTP/1.1 200": count])
        #expect(try await probe.send("/health").status == 200)
        #expect(server.end() == 0 && server.process.terminationReason == .exit)
    }

    @Test("says so where there are too few to serve anybody")
    func few() async throws {
        let folder = try TemporaryFolder()
        let shell = try #require(BuiltProgram(installed: "bash"))
        let program = ServeCommandTests.viewport.url.path
        let result = try await shell.run([
            "-c", "ulimit -n 40; exec \"$@\"", "serve", program, "serve", "--port", "0", folder.url.path,
        ])
        #expect(result.code == 75 && result.errors.contains("only 40 files open"))
        #expect(result.errors.split(separator: "\n").count == 1)
    }
}
#endif
