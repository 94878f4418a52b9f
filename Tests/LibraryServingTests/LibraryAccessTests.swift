import Foundation
import PhotoCatalog
import TestSupport
import Testing
import TileServing
import Vips

@Suite("Who may read a library")
struct LibraryAccessTests {
    /// As a page of another website asks, and as one of another server of this machine does.
    private static let foreign: [[(String, String)]] = [
        [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "cors"), ("Origin", "https://evil.example")],
        [("Sec-Fetch-Site", "same-site"), ("Sec-Fetch-Mode", "no-cors"), ("Sec-Fetch-Dest", "image")],
        [("Origin", "http://127.0.0.1:1")], [("Origin", "null")],
    ]

    /// A library with a folder beside it that has an image, too.
    private static func with(_ body: @escaping @Sendable (RunningLibrary) async throws -> Void) async throws {
        let other = try TemporaryFolder()
        try TestImages.photo(width: 60, height: 40).save(other.path("other.png"), with: "pngsave")
        try await RunningLibrary.with(settings: { $0.paths.append(other.url.path) }) { running in
            try await body(running)
            // Beside the library all is as open as it was.
            let name = other.url.lastPathComponent
            for path in ["/iiif/3/\(name)%2Fother/info.json", "/dzi/\(name)/other.dzi"] {
                let answer = try await running.probe.ask(path, headers: Self.foreign[0])
                #expect(answer.status == 200 && answer.headers["access-control-allow-origin"] == "*")
                #expect(answer.headers["cache-control"]?.hasPrefix("public") == true)
            }
        }
    }

    private static func paths(_ running: RunningLibrary) async throws -> (here: [String], missing: [String]) {
        let asset = try #require(try await running.library.asset(path: "even/IMG_0_0.jpg"))
        let name = running.folder.url.lastPathComponent
        let pages = [
            "", "groups", "entries", "assets", "neighbors?asset=\(asset.id)", "asset/\(asset.id)",
            "group/all",
            "film/\(asset.id)", "cover/all", "thumbnail/\(asset.id)/\(asset.sha256.prefix(32))/128",
            "thumbnail/\(asset.id)/x/whole",
        ].map { running.address + $0 }
        let images = ["even%2FIMG_0_0.jpg", "even/IMG_0_0"].flatMap { photo in
            [
                "/iiif/3/\(name)/\(photo)/info.json", "/iiif/2/\(name)%2F\(photo)/info.json",
                "/iiif/3/\(name)/\(photo)/full/max/0/default.jpg", "/iiif/3/\(name)/\(photo)",
                "/dzi/\(name)/\(photo).dzi", "/dzi/\(name)/\(photo)_files/0/0_0.jpg",
            ]
        }
        let missing = ["even%2FNONE.jpg", "none%2F..%2FIMG", "even/IMG_0_0;9", "undated%2F"].flatMap {
            photo in
            ["/iiif/3/\(name)/\(photo)/info.json", "/dzi/\(name)/\(photo).dzi"]
        }
        return (["/", "/health"] + pages + images, missing)
    }

    @Test("its own pages, and people who follow a link")
    func own() async throws {
        try await Self.with { running in
            let asking: [[(String, String)]] = [
                [], [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "cors")],
                [("Sec-Fetch-Site", "none"), ("Sec-Fetch-Mode", "navigate")],
                [
                    ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"),
                    ("Sec-Fetch-Dest", "document"),
                ],
                [("Origin", "http://127.0.0.1:\(running.probe.port)")],
            ]
            let (here, missing) = try await Self.paths(running)
            for headers in asking {
                for path in here + missing {
                    let answer = try await running.probe.ask(path, headers: headers)
                    // The photos are too small to be decoded: what is said of them is private, too.
                    let isLetIn = ![401, 403, 421].contains(answer.status)
                    #expect(missing.contains(path) ? answer.status == 404 : isLetIn, "\(path)")
                    #expect(answer.headers["access-control-allow-origin"] == nil, "\(path)")
                    #expect(answer.headers["cross-origin-resource-policy"] == "same-origin", "\(path)")
                    #expect(answer.headers["cache-control"]?.hasPrefix("public") != true, "\(path)")
                }
            }
        }
    }

    @Test("no pages of others, which are not told either what there is")
    func others() async throws {
        try await Self.with { running in
            let (here, missing) = try await Self.paths(running)
            for headers in Self.foreign {
                var texts: Set<String> = []
                for path in here + missing + [running.address + "events"] {
                    for method in ["GET", "HEAD"] {
                        let answer = try await running.probe.ask(path, method: method, headers: headers)
                        #expect(answer.status == 403, "\(path)")
                        #expect(answer.headers["access-control-allow-origin"] == nil, "\(path)")
                        texts.insert(answer.text)
                    }
                }
                #expect(texts.count == 2)
            }
        }
    }

    @Test("nobody else where it lies in a folder that is served")
    func nested() async throws {
        try await RunningLibrary.with({ folder in
            try TestImages.photo(width: 60, height: 40).save(folder.path("a.png"), with: "pngsave")
            let inner = folder.url.appending(path: "deep/inner")
            try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
            try TestImages.photo(width: 60, height: 40).save(folder.path("deep/inner/b.png"), with: "pngsave")
            // A library by its catalog's place; it is not served as one.
            try FileManager.default.createDirectory(
                at: inner.appending(path: LibraryFolder.name), withIntermediateDirectories: true)
            try Data("x".utf8).write(
                to: inner.appending(path: "\(LibraryFolder.name)/\(LibraryFolder.catalog)"))
            try FileManager.default.createSymbolicLink(
                atPath: folder.path("link"), withDestinationPath: inner.path)
        }) { running in
            try FileManager.default.removeItem(
                atPath: running.folder.path("\(LibraryFolder.name)/\(LibraryFolder.catalog)"))
            for (image, status) in [
                ("a", 200), ("none", 404), ("deep%2Finner%2Fb", 403), ("link%2Fb", 403), ("link%2Fnone", 403),
                ("deep%2Finner%2Fnone", 403), ("deep%2F%2Finner%2Fnone", 403), ("deep%2Fnone", 404),
            ] {
                let path = "/iiif/3/\(image)/info.json"
                let answer = try await running.probe.ask(path, headers: Self.foreign[0])
                #expect(answer.status == status, "\(image)")
                #expect((answer.headers["access-control-allow-origin"] == "*") == (status != 403), "\(image)")
            }
        }
    }
}
