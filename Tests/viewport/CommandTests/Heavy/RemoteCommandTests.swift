import Foundation
import Synchronization
import TestHarness
import TestSupport
import Testing
import TileServing
import ViewportGeometry
import Vips

@Suite("Commands with a URL")
struct RemoteCommandTests {
    private static let viewport = BuiltProgram("viewport")

    static func run(
        _ arguments: [String], _ folder: TemporaryFolder, _ environment: [String: String] = [:]
    ) async throws -> BuiltProgram.Result {
        let cache = ["XDG_CACHE_HOME": folder.path("cache")]
        return try await viewport.run(arguments, environment: cache.merging(environment) { $1 })
    }

    static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// A server with the files of a folder.
    static func server(_ folder: TemporaryFolder, severalRanges: Bool = true) throws -> HTTPTestServer {
        let path = folder.path("")
        return try HTTPTestServer { request in
            let name = String(request.path.prefix { $0 != "?" })
            guard let bytes = FileManager.default.contents(atPath: path + name) else {
                return HTTPTestResponse(404)
            }
            return .file(Array(bytes), request, etag: "\"\(name)\"", severalRanges: severalRanges)
        }
    }

    @Test("render the same bytes as from a file", arguments: [true, false])
    func render(severalRanges: Bool) async throws {
        let folder = try TemporaryFolder()
        let photo = folder.path("photo.jpg")
        try TestImages.photo(width: 900, height: 700).save(photo, oriented: .right)
        let server = try Self.server(folder, severalRanges: severalRanges)
        let request = ["render", "--rect", "200,250,50,40", "--json", "-o"]
        let local = try await Self.run(request + [folder.path("local.png"), photo], folder)
        let remote = try await Self.run(
            request + [folder.path("remote.png"), server.url("/photo.jpg")], folder)
        #expect(local.code == 0 && remote.code == 0, "\(remote.errors)")
        #expect(try Self.bytes(folder.path("local.png")) == Self.bytes(folder.path("remote.png")))
        let report = try #require(remote.json["remote"] as? [String: Any])
        #expect(report["ranges"] as? Bool == true)
        #expect(report["requests"] as? Int == server.requests.count { $0.path == "/photo.jpg" })
    }

    @Test("read the tiles of a part of a TIFF, together", arguments: [true, false])
    func tiles(severalRanges: Bool) async throws {
        let folder = try TemporaryFolder()
        let photo = folder.path("photo.tif")
        try TestImages.clouds(width: 3000, height: 2000).save(
            photo, with: "tiffsave",
            ["tile": .bool(true), "compression": .name("jpeg"), "pyramid": .bool(true)])
        let server = try Self.server(folder, severalRanges: severalRanges)
        let request = ["render", "--rect", "1500,900,500,400", "--json", "--no-cache", "-o"]
        let local = try await Self.run(request + [folder.path("local.png"), photo], folder)
        let remote = try await Self.run(
            request + [folder.path("remote.png"), server.url("/photo.tif")], folder)
        #expect(local.code == 0 && remote.code == 0, "\(remote.errors)")
        #expect(remote.errors.isEmpty, "\(remote.errors)")
        #expect(try Self.bytes(folder.path("local.png")) == Self.bytes(folder.path("remote.png")))
        let report = try #require(remote.json["remote"] as? [String: Any])
        let (received, size) = (report["bytes"] as? Int ?? 0, report["fileBytes"] as? Int ?? 0)
        #expect(report["copy"] as? Bool == false && received * 3 < size, "\(report)")
        #expect(server.requests.count <= (severalRanges ? 8 : 14), "\(server.requests.count) requests")
    }

    @Test("tell the size of an image that has no parts before they copy it", arguments: ["webp", "tif"])
    func copied(_ ending: String) async throws {
        let folder = try TemporaryFolder()
        let saver = ending == "tif" ? "tiffsave" : "webpsave"
        try TestImages.photo(width: 200, height: 100).save(folder.path("photo.\(ending)"), with: saver)
        let server = try Self.server(folder)
        let request = [
            "render", server.url("/photo.\(ending)"), "--size", "64", "--json", "--overwrite", "-o",
            folder.path("small.png"),
        ]
        let result = try await Self.run(request, folder)
        #expect(result.code == 0 && result.errors.contains(": is copied first, "), "\(result.errors)")
        #expect((result.json["remote"] as? [String: Any])?["copy"] as? Bool == true)
        #expect(try await Self.run(request + ["--quiet"], folder).errors.isEmpty)
        #expect(server.requests.count >= 2)
    }

    @Test("use a sidecar of the image, and no other")
    func sidecar() async throws {
        let folder = try TemporaryFolder()
        let photo = folder.path("photo.jpg")
        try TestImages.photo(width: 2400, height: 1600).save(photo, with: "jpegsave")
        let made = try await Self.run(["index", photo, "-o", photo + ".vpi", "--levels"], folder)
        #expect(made.code == 0, "\(made.errors)")
        let server = try Self.server(folder)
        let url = server.url("/photo.jpg")
        let part = ["render", "--rect", "1800,1200,300,200", "--no-cache", "--overwrite", "--json", "-o"]
        #expect(try await Self.run(part + [folder.path("local.png"), photo], folder).code == 0)
        let remote = try await Self.run(part + [folder.path("remote.png"), url], folder)
        #expect((remote.json["reading"] as? String)?.contains("index") == true, "\(remote.errors)")
        #expect((remote.json["remote"] as? [String: Any])?["sidecar"] as? String == url + ".vpi")
        #expect(server.requests.count <= 6)
        let expected = try Self.bytes(folder.path("local.png"))
        #expect(try Self.bytes(folder.path("remote.png")) == expected)
        let before = server.requests.count
        let small = try await Self.run(
            ["render", url, "--size", "200x200", "--no-cache", "--json", "-o", folder.path("small.png")],
            folder)
        #expect(
            (small.json["reading"] as? String)?.contains("levels of a sidecar") == true, "\(small.errors)")
        // The second one is for the index and the level.
        #expect(server.requests[before...].count { $0.path == "/photo.jpg.vpi" } <= 2)
        let size = try Self.bytes(photo).count
        let received = (small.json["remote"] as? [String: Any])?["bytes"] as? Int
        #expect(received ?? .max < size / 2)
        // The sidecar of another image.
        try TestImages.photo(width: 2400, height: 1601).save(photo, with: "jpegsave")
        #expect(try await Self.run(part + [folder.path("local.png"), photo], folder).code == 0)
        let other = try await Self.run(part + [folder.path("remote.png"), url], folder)
        let report = try #require(other.json["remote"] as? [String: Any])
        #expect(report["sidecar"] as? String == nil)
        #expect(try Self.bytes(folder.path("remote.png")) == Self.bytes(folder.path("local.png")))
    }

    @Test(
        "use the sidecar that a header Link names",
        arguments: [
            "</side/1.vpi>; rel=\"viewport-index\"", "<side/1.vpi>;rel=viewport-index", "</a>; rel=next",
        ])
    func linkedSidecar(link: String) async throws {
        let folder = try TemporaryFolder()
        let photo = folder.path("photo.jpg")
        try TestImages.photo(width: 2400, height: 1600).save(photo, with: "jpegsave")
        let made = try await Self.run(["index", photo, "-o", folder.path("1.vpi")], folder)
        #expect(made.code == 0, "\(made.errors)")
        let (bytes, sidecar) = (try Self.bytes(photo), try Self.bytes(folder.path("1.vpi")))
        let server = try HTTPTestServer { request in
            switch request.path {
            case "/photo.jpg":
                var response = HTTPTestResponse.file(bytes, request)
                response.fields.append(("Link", link))
                return response
            case "/side/1.vpi": return .file(sidecar, request)
            default: return HTTPTestResponse(404)
            }
        }
        let request = ["render", "--rect", "1800,1200,300,200", "--no-cache", "--overwrite", "--json", "-o"]
        #expect(try await Self.run(request + [folder.path("local.png"), photo], folder).code == 0)
        let remote = try await Self.run(
            request + [folder.path("remote.png"), server.url("/photo.jpg")], folder)
        #expect(remote.code == 0, "\(remote.errors)")
        let found = (remote.json["remote"] as? [String: Any])?["sidecar"] as? String
        #expect(found == (link.contains("viewport-index") ? server.url("/side/1.vpi") : nil))
        #expect(try Self.bytes(folder.path("remote.png")) == Self.bytes(folder.path("local.png")))
    }

    @Test("read a file that has changed meanwhile once more, and then give up", arguments: [1, 100])
    func changes(count: Int) async throws {
        let folder = try TemporaryFolder()
        let photo = folder.path("photo.jpg")
        try TestImages.photo(width: 1500, height: 1200).save(photo, with: "jpegsave")
        let bytes = try Self.bytes(photo)
        let version = Atomic(0)
        let server = try HTTPTestServer { request in
            guard request.path == "/photo.jpg" else { return HTTPTestResponse(404) }
            let isFirst = request.fields["range"]?.hasPrefix("bytes=0-") == true
            // The file is new after each first request.
            let number = version.load(ordering: .relaxed)
            if isFirst, number < count { version.store(number + 1, ordering: .relaxed) }
            return .file(bytes, request, etag: "\"\(number)\"")
        }
        let result = try await Self.run(
            ["render", server.url("/photo.jpg"), "--rect", "1000,1000,100,100", "-o", folder.path("a.png")],
            folder)
        #expect(result.code == (count == 1 ? 0 : 75), "\(result.errors)")
        #expect(result.errors.contains("was changed while it was read") == (count > 1))
        #expect(FileManager.default.fileExists(atPath: folder.path("a.png")) == (count == 1))
        let kept = FileManager.default.enumerator(atPath: folder.path("cache"))?.allObjects as? [String] ?? []
        if count > 1 { #expect(!kept.contains { $0.contains("index") }) }
    }

    @Test("say that a later attempt can succeed if the server is busy", arguments: ["Retry-After", "X"])
    func busy(_ field: String) async throws {
        let folder = try TemporaryFolder()
        let server = try HTTPTestServer { _ in HTTPTestResponse(503, [(field, "3600")]) }
        let result = try await Self.run(["info", server.url("/photo.jpg")], folder)
        #expect(result.code == 75, "\(result.errors)")
        #expect(result.errors.contains("the server answers 503 Service Unavailable"))
        #expect(result.errors.hasSuffix("; try again later\n"))
    }

    @Test("never show credentials")
    func credentials() async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 200, height: 100).save(folder.path("photo.jpg"), with: "jpegsave")
        let server = try Self.server(folder)
        let place = server.url("/").replacingOccurrences(of: "//", with: "//me:topsecret@")
        for name in ["photo.jpg", "none.jpg"] {
            let url = place + name + "?X-Amz-Signature=topsecret"
            for command in [
                ["info"], ["info", "--json"], ["render", "--json", "-o", folder.path("a.png")],
                ["site", "--json", "--overwrite", "-o", folder.path("site")],
            ] {
                let result = try await Self.run(command + [url], folder)
                #expect(result.code == (name == "photo.jpg" ? 0 : 66), "\(command): \(result.errors)")
                #expect(!(result.text + result.errors).contains("topsecret"))
            }
        }
        #expect(server.requests.contains { $0.fields["authorization"]?.hasPrefix("Basic ") == true })
        let cached =
            FileManager.default.enumerator(atPath: folder.path("cache"))?.allObjects as? [String] ?? []
        for path in cached {
            let bytes = FileManager.default.contents(atPath: folder.path("cache/\(path)")) ?? Data()
            #expect(bytes.range(of: Data("topsecret".utf8)) == nil, "\(path)")
        }
    }

    @Test("make thumbnails of lists, and continue them without reading the images again")
    func thumbnails() async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 200, height: 100).save(folder.path("photo.jpg"), with: "jpegsave")
        try TestImages.photo(width: 200, height: 100).save(folder.path("photo.webp"), with: "webpsave")
        let server = try Self.server(folder)
        let lines = ["photo.jpg", "photo.webp", "none.jpg"].map {
            "{\"path\":\"\(server.url("/" + $0))\",\"id\":\"\($0)\"}\n"
        }
        try lines.joined().write(toFile: folder.path("list"), atomically: true, encoding: .utf8)
        let command = [
            "thumbnail", "--manifest", folder.path("list"), "--results", folder.path("results"), "--resume",
            "--size", "64", "-o", folder.path("{id}.png"),
        ]
        let first = try await Self.run(command, folder)
        #expect(first.code == 3 && first.errors.contains("2 made, 1 failed"), "\(first.errors)")
        let second = try await Self.run(command, folder)
        #expect(second.errors.contains("2 kept from an earlier run"), "\(second.errors)")
    }

    @Test("sign requests to object stores")
    func objectStore() async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 200, height: 100).save(folder.path("photo.jpg"), with: "jpegsave")
        let photo = try Self.bytes(folder.path("photo.jpg"))
        let server = try HTTPTestServer { request in
            request.path == "/bucket/a%20folder/photo.jpg" ? .file(photo, request) : HTTPTestResponse(404)
        }
        let environment = [
            "AWS_ENDPOINT_URL_S3": server.url("/"), "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "s",
            "AWS_SESSION_TOKEN": "token", "AWS_REGION": "eu-central-1",
        ]
        let result = try await Self.run(["info", "s3://bucket/a folder/photo.jpg"], folder, environment)
        #expect(result.code == 0, "\(result.errors)")
        let request = try #require(server.requests.first)
        #expect(request.fields["authorization"]?.contains("Credential=key/") == true)
        #expect(request.fields["authorization"]?.contains("/eu-central-1/s3/aws4_request") == true)
        #expect(request.fields["x-amz-security-token"] == "token")
        #expect(request.fields["x-amz-content-sha256"]?.count == 64)
    }

    #if Server
    @Test("are served below a prefix, from private addresses on request only", arguments: [true, false])
    func serving(isAllowed: Bool) async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 600, height: 400).save(folder.path("photo.jpg"), with: "jpegsave")
        let server = try Self.server(folder)
        let option = isAllowed ? ["--allow-private-addresses"] : []
        let serving = try ServingProgram(Self.viewport, ["--remote", server.url("/")] + option)
        let probe = HTTPProbe(host: "127.0.0.1", port: serving.port)
        let info = try await probe.send("/iiif/3/photo.jpg/info.json")
        let part = try await probe.send("/iiif/3/photo.jpg/100,100,200,100/max/0/default.png")
        if isAllowed {
            #expect(info.status == 200 && info.text.contains("600"))
            #expect(part.status == 200 && part.body.first == 0x89)
            #expect(try await probe.send("/iiif/3/none.jpg/info.json").status == 404)
            #expect(try await probe.send("/iiif/3/..%2F..%2Fphoto.jpg/info.json").status == 404)
        } else {
            #expect(info.status == 502 && part.status == 502)
            #expect(server.requests.isEmpty)
        }
        #expect(serving.end() == 0)
    }
    #endif
}
