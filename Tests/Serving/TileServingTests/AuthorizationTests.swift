#if Server
import Synchronization
import TestSupport
import Testing

@testable import TileServing

@Suite("An application decides who may see an image")
struct AuthorizationTests {
    /// Who has the key may see everything; nobody else sees "photo", and "a b" is hidden from them.
    private static func decide(_ request: TileServer.AccessRequest) throws -> TileServer.AccessDecision {
        if request.header("x-BROKEN") != nil { throw RouteError.busy.asOther }
        if request.header("X-Key") == "open" { return .allow }
        if request.isFolder { return .deny }
        return request.path.hasSuffix("photo.jpg") ? .deny : .hide
    }

    private static let image = [
        "/iiif/3/NAME/info.json", "/iiif/2/NAME/info.json", "/iiif/3/NAME",
        "/iiif/3/NAME/0,0,64,64/32,/0/default.jpg", "/iiif/2/NAME/full/40,/0/default.png",
        "/iiif/3/NAME/full/40,/0/default.pdf", "/dzi/NAME.dzi", "/dzi/NAME_files/7/0_0.jpg", "/view/NAME",
        "/compare/NAME/NAME",
    ]

    @Test("and 403 or 404 is the response to everything else, also after the picture was cached")
    func decided() async throws {
        let folder = try RunningServer.photos()
        try await RunningServer.with(folder) {
            $0.authorize = { try Self.decide($0) }
        } _: { probe in
            for (name, status) in [
                ("photo", 403), ("photo.jpg", 403), ("photo;0", 403), ("deep%2Fa%20b", 404),
            ] {
                for path in Self.image {
                    let path = path.replacing("NAME", with: name)
                    let key = [("X-Key", "open")]
                    #expect(try await probe.send(path).status == status, "\(path)")
                    let shown = try await probe.send(path, headers: key)
                    #expect([200, 303].contains(shown.status), "\(path)")
                    let cache = shown.headers["cache-control"] ?? "no-store"
                    #expect(!cache.hasPrefix("public") && !cache.contains("max-age"), "\(path): \(cache)")
                    // From the caches of the server.
                    #expect(try await probe.send(path, headers: key).status == shown.status)
                    let refused = try await probe.send(path)
                    #expect(refused.status == status, "\(path)")
                    #expect(!refused.body.starts(with: [0xFF, 0xD8]))
                    if let tag = shown.headers["etag"] {
                        let again = try await probe.send(path, headers: [("If-None-Match", tag)])
                        #expect(again.status == status, "\(path)")
                    }
                }
            }
        }
    }

    @Test("and lists ask for their folder")
    func lists() async throws {
        let folder = try RunningServer.photos()
        let asked = Asked()
        try await RunningServer.with(folder) { configuration in
            configuration.authorize = { request in
                asked.texts.withLock { $0.append("\(request.method) \(request.isFolder) \(request.address)") }
                return try Self.decide(request)
            }
        } _: { (probe: HTTPProbe) async throws in
            for path in ["/", "/?folder=deep", "/?name=a", "/neighbors/photo.jpg"] {
                #expect(try await probe.send(path).status == 403, "\(path)")
                #expect(try await probe.send(path, headers: [("X-Key", "open")]).status == 200, "\(path)")
            }
            for path in ["/health", "/metrics", "/page/viewer.js"] {
                #expect(try await probe.send(path).status == 200, "\(path)")
            }
            #expect(try await probe.send("/view/none").status == 404)
        }
        #expect(asked.texts.withLock(\.first) == "GET true ")
        #expect(asked.texts.withLock(\.last) == "GET true neighbors/photo.jpg")
    }

    @Test("and an error of the closure is an internal error")
    func broken() async throws {
        let folder = try RunningServer.photos()
        try await RunningServer.with(folder) {
            $0.authorize = { try Self.decide($0) }
        } _: { probe in
            let response = try await probe.send("/iiif/3/photo/info.json", headers: [("X-Broken", "1")])
            #expect(response.status == 500)
        }
    }
}

/// What the closure was asked.
private final class Asked: Sendable {
    let texts = Mutex<[String]>([])
}

extension RouteError {
    /// An error that the server does not know.
    fileprivate var asOther: any Error {
        struct Other: Error {}
        return Other()
    }
}
#endif
