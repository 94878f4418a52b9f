#if Server
import Foundation
import TestSupport
import Testing

@testable import TileServing

/// Source: RFC 9110, sections 8.6 and 9.3.2.
@Suite("HEAD")
struct HeadTests {
    private static func folder() throws -> TemporaryFolder {
        let folder = try RunningServer.photos()
        try Data(PhotoMaker.gif(frames: 3)).write(to: URL(fileURLWithPath: folder.path("moving.gif")))
        try Data("no pixels".utf8).write(to: URL(fileURLWithPath: folder.path("text.jpg")))
        let damaged = PhotoMaker.png(width: 60, height: 40)
        try Data(damaged).write(to: URL(fileURLWithPath: folder.path("damaged.png")))
        return folder
    }

    /// Addresses of all routes, with the status of each.
    static let targets: [(target: String, status: Int)] = [
        ("/iiif/3/photo/full/max/0/default.png", 200), ("/iiif/3/photo/0,0,256,256/128,/0/default.jpg", 200),
        ("/iiif/3/photo/full/300,/0/default.webp", 200), ("/iiif/3/photo/full/300,/0/default.pdf", 200),
        ("/iiif/2/photo/full/full/0/default.jpg", 200), ("/iiif/2/deep%2Fa%20b/full/90,/90/gray.png", 200),
        ("/iiif/3/photo/info.json", 200), ("/iiif/2/photo/info.json", 200),
        ("/iiif/3/moving/animation", 200),
        ("/dzi/photo.dzi", 200), ("/dzi/photo_files/9/0_0.jpg", 200), ("/dzi/photo_files/10/1_1.png", 200),
        ("/", 200), ("/?folder=deep", 200), ("/cover/deep", 303), ("/view/photo", 200),
        ("/compare/photo/deep%2Fa%20b", 200), ("/neighbors/photo", 200), ("/favicon.ico", 200),
        ("/health", 200), ("/presentation/deep/manifest.json", 200), ("/presentation/collection.json", 200),
        ("/presentation/deep/canvas/", 303), ("/iiif/3/photo", 303),
        ("/iiif/3/none/full/max/0/default.jpg", 404), ("/dzi/photo_files/9/9_9.jpg", 404), ("/none", 404),
        ("/iiif/3/photo/full/max/0/default.bmp", 400), ("/iiif/3/photo/full/0,/0/default.jpg", 400),
        ("/iiif/3/text/full/max/0/default.jpg", 404), ("/iiif/3/damaged/full/max/0/default.jpg", 422),
        ("/?folder=%00", 400), ("/?page=99", 404),
    ]

    @Test("states the length of what GET sends, and sends nothing")
    func lengths() async throws {
        try await RunningServer.with(try Self.folder()) { probe in
            for (target, status) in Self.targets {
                for headers in [[], [("Accept-Encoding", "gzip"), ("Sec-Fetch-Mode", "navigate")]] {
                    let head = try await probe.send(target, method: "HEAD", headers: headers)
                    let get = try await probe.send(target, headers: headers)
                    #expect(
                        get.status == status && head.status == status, "\(target): \(get.status) \(get.text)")
                    #expect(head.body.isEmpty, "\(target)")
                    #expect(head.headers["content-length"] == "\(get.body.count)", "\(target)")
                    for name in ["content-type", "content-encoding", "etag", "location", "cache-control"] {
                        #expect(head.headers[name] == get.headers[name], "\(target): \(name)")
                    }
                }
            }
        }
    }

    @Test("states no length for what the client has")
    func known() async throws {
        try await RunningServer.with(try Self.folder()) { probe in
            for (target, status) in Self.targets where status == 200 && target != "/health" {
                let first = try await probe.send(target, method: "HEAD")
                guard let tag = first.headers["etag"] else { continue }
                let again = try await probe.send(target, method: "HEAD", headers: [("If-None-Match", tag)])
                #expect(again.status == 304 && again.headers["content-length"] == nil, "\(target)")
            }
        }
    }
}
#endif
