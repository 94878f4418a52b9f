import Foundation
import Synchronization
import TestHarness
import TestSupport
import Testing
import Vips

/// `viewport-tiles.js` in Node.js, on the kinds of servers on which the program is tested, too.
@Suite("A page on a kind of server", .ownThread)
struct PageRangesTests {
    /// Reads a part of an image, and prints how many requests that took and the bytes of the part.
    private static let script = """
        const { ViewportImage } = await import(process.argv[2]);
        try {
          const image = await ViewportImage.open(process.argv[3]);
          const { bytes } = await image.part({ x: 400, y: 300, width: 500, height: 1400 });
          console.log(JSON.stringify({ requests: image.traffic.requests, part: Buffer.from(bytes).toString("base64") }));
        } catch (problem) {
          console.log(JSON.stringify({ problem: problem.message ?? String(problem.status) }));
        }
        process.exit(0);
        """

    private static func node() throws -> BuiltProgram {
        guard let node = BuiltProgram(installed: "node") else { try Test.cancel("node is not installed") }
        return node
    }

    /// An image with a sidecar, made once for all tests.
    private static let made = Task { () throws -> TemporaryFolder in
        let folder = try TemporaryFolder()
        let photo = folder.path("photo.jpg")
        try TestImages.photo(width: 2000, height: 2000).save(photo, with: "jpegsave", ["Q": .int(92)])
        let result = try await BuiltProgram("viewport").run(["index", photo, "-o", photo + ".vpi"])
        guard result.code == 0 else { throw CocoaError(.executableLoad) }
        try Data(script.utf8).write(to: URL(filePath: folder.path("read.mjs")))
        return folder
    }

    /// Reads the part from a server, which gets the number of its request.
    private static func read(
        _ folder: TemporaryFolder,
        _ answer: @escaping @Sendable ([UInt8], HTTPTestRequest, Int) -> HTTPTestResponse
    ) async throws -> [String: Any] {
        let files = try ["photo.jpg", "photo.jpg.vpi"].map { Array(try folder.data($0)) }
        let count = Atomic(0)
        let server = try HTTPTestServer {
            answer(
                files[$0.path.hasSuffix(".vpi") ? 1 : 0], $0,
                count.wrappingAdd(1, ordering: .relaxed).oldValue)
        }
        return try await read(folder, server.url("/photo.jpg"))
    }

    private static func read(_ folder: TemporaryFolder, _ url: String) async throws -> [String: Any] {
        let assets = try PackageFolder.sources(of: "ViewerPages").appending(path: "Assets/viewport-tiles.js")
        return try await node().run([folder.path("read.mjs"), assets.path, url]).json
    }

    @Test(
        "and the program show the same on real servers, with few requests",
        arguments: StaticServer.Kind.allCases)
    func realServer(_ kind: StaticServer.Kind) async throws {
        let folder = try await Self.made.value
        let server = try await StaticServer.start(kind, folder.path(""))
        let url = "\(server.address)/photo.jpg"
        let plain = try await Self.read(folder) { bytes, request, _ in .file(bytes, request) }
        let seen = try await Self.read(folder, url)
        #expect(seen["part"] as? String == plain["part"] as? String && plain["part"] != nil, "\(seen)")
        let hasMany = kind != .s3 && kind != .rangeHTTPServer
        #expect(seen["requests"] as? Int ?? .max <= (kind == .lighttpd ? 22 : hasMany ? 6 : 40))
        let out = try TemporaryFolder()
        func render(_ image: String, _ name: String) async throws -> BuiltProgram.Result {
            try await BuiltProgram("viewport").run(
                ["render", image, "--rect", "400,300,500,1400", "--no-cache", "--json", "-o", out.path(name)])
        }
        let local = try await render(folder.path("photo.jpg"), "local.png")
        let remote = try await render(url, "remote.png")
        #expect(local.code == 0 && remote.code == 0, "\(remote.errors)")
        #expect(try out.data("local.png") == out.data("remote.png"))
        let report = try #require(remote.json["remote"] as? [String: Any])
        #expect(report["requests"] as? Int ?? .max <= (kind == .lighttpd ? 22 : hasMany ? 6 : 16))
    }

    @Test("shows the same, with few requests", arguments: ServerKind.all)
    func parts(_ kind: ServerKind) async throws {
        let folder = try await Self.made.value
        let plain = try await Self.read(folder) { bytes, request, _ in .file(bytes, request) }
        let seen = try await Self.read(folder) { kind.answer($0, $1, number: $2) }
        #expect(seen["problem"] == nil, "\(seen)")
        #expect(seen["part"] as? String == plain["part"] as? String && plain["part"] != nil)
        #expect(seen["requests"] as? Int ?? .max <= kind.pageRequests, "\(seen["requests"] ?? "")")
    }

    @Test("reports a file that was replaced, whichever field shows it", arguments: ["ETag", "Last-Modified"])
    func replaced(_ field: String) async throws {
        let folder = try await Self.made.value
        let seen = try await Self.read(folder) { bytes, request, number in
            var answer = HTTPTestResponse.file(bytes, request, etag: nil)
            let fields = ["ETag": "\"a\"", "Last-Modified": "Tue, 14 Nov 2023 22:13:20 GMT"]
            for (name, value) in fields {
                answer.fields.append(
                    (
                        name,
                        name == field && number > 2
                            ? value.replacing("2023", with: "2024").replacing("a\"", with: "b\"") : value
                    ))
            }
            return answer
        }
        #expect((seen["problem"] as? String)?.contains("do not belong together") == true, "\(seen)")
    }
}
