#if Server
import Foundation
import TestSupport
import TestHarness
import Testing
import TileServing
import Vips

@Suite("viewport serve with few descriptors", .inTurn)
struct ServeDescriptorsTests {
    /// Runs the server with a limit of descriptors.
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

    @Test("serves more clients than it has descriptors")
    func crowd() async throws {
        let folder = try TemporaryFolder()
        let names = ["a.jpg", "b.png", "c.tif", "d.webp"]
        for (name, saver) in zip(names, ["jpegsave", "pngsave", "tiffsave", "webpsave"]) {
            try TestImages.photo(width: 300, height: 200).save(folder.path(name), with: saver)
        }
        let limit = 64 + 4 * ProcessInfo.processInfo.processorCount + 32
        let server = try Self.serve(folder, limit: limit)
        let probe = HTTPProbe(host: "127.0.0.1", port: server.port, timeout: 600)
        // All clients connect before the first request.
        var crowd = try (0..<(2 * limit)).map { _ in try RawConnection(port: probe.port) }
        var statuses: [String: Int] = [:]
        for (number, client) in crowd.enumerated() {
            client.ask(
                "/iiif/3/\(names[number % 4])/\(number % 3),0,200,200/50,/0/default.jpg")
        }
        let count = crowd.count
        crowd.reverse()
        // Each client closes after its response, as browsers do.
        while let client = crowd.popLast() {
            let answer = try await client.receiveAll()
            statuses[String(decoding: answer.prefix(12), as: UTF8.self), default: 0] += 1
        }
        #expect(statuses == ["HTTP/1.1 200": count])
        #expect(try await probe.send("/health").status == 200)
        #expect(server.end() == 0 && server.process.terminationReason == .exit)
    }

    @Test("reports too few descriptors")
    func few() async throws {
        let folder = try TemporaryFolder()
        let shell = try #require(BuiltProgram(installed: "bash"))
        let program = ServeCommandTests.viewport.url.path
        let result = try await shell.run([
            "-c", "ulimit -n 40; exec \"$@\"", "serve", program, "serve", "--port", "0", folder.url.path,
        ])
        #expect(result.code == 75 && result.errors.contains("only 40 files"))
        #expect(result.errors.split(separator: "\n").count == 1)
    }
}
#endif
