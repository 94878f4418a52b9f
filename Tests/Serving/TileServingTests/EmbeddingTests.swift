#if Server
import Foundation
import Hummingbird
import Logging
import NIOCore
import TestSupport
import Testing

@testable import TileServing

@Suite("A tile server in a Hummingbird application")
struct EmbeddingTests {
    /// Runs an application on a free port, with a client.
    private static func with<Context: RequestContext>(
        _ router: Router<Context>, _ body: @escaping @Sendable (HTTPProbe) async throws -> Void
    ) async throws where Context.Source == ApplicationRequestContextSource {
        let (ports, ready) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { ready.yield($0.localAddress?.port ?? 0) },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.runService(gracefulShutdownSignals: []) }
            for await port in ports {
                try await body(HTTPProbe(host: "127.0.0.1", port: port, timeout: 600))
                break
            }
            group.cancelAll()
            while true {
                do { guard try await group.next() != nil else { break } } catch is CancellationError {}
            }
        }
    }

    @Test("serves everything below its path, and passes on other requests")
    func mounted() async throws {
        let folder = try RunningServer.photos()
        // As in the documentation of `TileServer`.
        let tiles = try TileServer(roots: [folder.url.path])
        let router = Router()
        router.get("hello") { _, _ in "hello" }
        router.addTileServer(tiles, at: "/images")
        router.get("images/hello") { _, _ in "never" }
        router.get("imagesque") { _, _ in "other" }
        try await Self.with(router) { probe in
            #expect(try await probe.send("/hello").text == "hello")
            #expect(try await probe.send("/imagesque").text == "other")
            #expect(try await probe.send("/nothing").status == 404)
            #expect(try await probe.send("/images/hello").status == 404)
            let bare = try await probe.send("/images?x=1")
            #expect(bare.status == 303 && bare.headers["location"] == "./images/?x=1")
            let index = try await probe.send("/images/")
            #expect(index.status == 200 && index.text.contains("./view/photo.jpg"))
            #expect(try await probe.send("/images/view/photo").text.contains("<title>photo"))
            #expect(try await probe.send("/images/page/viewer.js").status == 200)
            let bareImage = try await probe.send("/images/iiif/3/deep%2Fa%20b")
            #expect(
                bareImage.headers["location"]
                    == "http://127.0.0.1:\(probe.port)/images/iiif/3/deep%2Fa%20b/info.json")
            let tile = try await probe.send("/images/iiif/3/photo/0,0,256,256/128,/0/default.jpg")
            #expect(tile.status == 200 && tile.body.starts(with: [0xFF, 0xD8]))
            let tag = try #require(tile.headers["etag"])
            let again = try await probe.send(
                "/images/iiif/3/photo/0,0,256,256/128,/0/default.jpg", headers: [("If-None-Match", tag)])
            #expect(again.status == 304)
            #expect(try await probe.send("/images/dzi/photo.dzi").status == 200)
            #expect(try await probe.send("/images/health", method: "POST").status == 405)
            #expect(try await probe.send("/images/iiif/3/..%2F..%2Fetc%2Fpasswd/info.json").status == 404)
            #expect(
                try await probe.send("/images/health", headers: [("Host", "evil.example")]).status == 421)
        }
    }

    /// A context with its connection.
    private struct Context: ChannelRequestContext {
        var coreContext: CoreRequestContextStorage
        let channel: any Channel

        init(source: ApplicationRequestContextSource) {
            coreContext = CoreRequestContextStorage(source: source)
            channel = source.channel
        }
    }

    @Test("can be mounted at the root, and accepts forwarded hosts from this machine")
    func root() async throws {
        let folder = try RunningServer.photos()
        var configuration = TileServer.Configuration(roots: [folder.url.path])
        configuration.servesPages = false
        configuration.isPublic = true
        let tiles = try TileServer(configuration)
        let router = Router(context: Context.self)
        router.get("hello") { _, _ in "hello" }
        router.addTileServer(tiles, at: "/")
        try await Self.with(router) { probe in
            #expect(try await probe.send("/hello").text == "hello")
            #expect(try await probe.send("/").status == 404)
            #expect(try await probe.send("/view/photo").status == 404)
            let info = try await probe.send(
                "/iiif/3/photo/info.json",
                headers: [("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "images.example.org")])
            #expect(info.text.contains("\"https://images.example.org/iiif/3/photo\""))
        }
    }

    @Test("is documented with the code of the test")
    func documentation() throws {
        let folder = try PackageFolder.sources(of: "TileServing")
        let source = try String(contentsOf: folder.appending(path: "TileServer.swift"), encoding: .utf8)
        let test = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        for line in [
            "try TileServer(roots: [", "let router = Router()",
            "router.addTileServer(tiles, at: \"/images\")",
            "Application(", "router: router", "try await application.runService(",
        ] {
            #expect(source.contains(line) && test.contains(line), "\(line)")
        }
    }
}
#endif
