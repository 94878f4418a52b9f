import Foundation
import Logging
import TestSupport
import TestTurns
import Testing
import Vips

@testable import TileServer

@Suite("The server's safety", .inTurn)
struct SafetyTests {
    @Test("does not let anybody out of the folder, however it is written")
    func traversal() async throws {
        let outside = try TemporaryFolder()
        try TestImages.photo(width: 64, height: 64).save(outside.path("secret.png"), with: "pngsave")
        let folder = try IIIFServingTests.folder()
        let secret = outside.path("secret.png")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link.png"), withDestinationPath: secret)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("way"), withDestinationPath: outside.url.path)
        try FileManager.default.copyItem(atPath: secret, toPath: folder.path(".hidden.png"))
        let up = "../" + outside.url.lastPathComponent + "/secret.png"
        let encoded = up.replacingOccurrences(of: "/", with: "%2F")
        let names = [
            up, encoded, encoded.replacingOccurrences(of: ".", with: "%2e"),
            encoded.replacingOccurrences(of: "%", with: "%25"), secret,
            secret.replacingOccurrences(of: "/", with: "%2F"), "link.png", "link", "way%2Fsecret.png",
            "way/secret",
            ".hidden.png", "deep%2F..%2F.hidden.png", "deep//a%20b.png", "./photo.jpg", "photo.jpg%00.png",
            "photo.jpg/", "%2Fphoto.jpg", String(repeating: "a", count: 300), "photo;99",
        ]
        try await RunningServer.with(folder) { probe in
            for name in names {
                for target in [
                    "/iiif/3/\(name)/info.json", "/iiif/3/\(name)/full/max/0/default.png", "/dzi/\(name).dzi",
                ] {
                    let answer = try await probe.ask(target)
                    #expect([400, 404].contains(answer.status), "\(target) \(answer.status)")
                    #expect(!answer.text.contains(outside.url.path) && !answer.text.contains(folder.url.path))
                }
            }
            #expect(try await probe.ask("/iiif/3/photo/info.json").status == 200)
        }
    }

    @Test(
        "answers malformed addresses with one sentence",
        arguments: [
            "/iiif/3/photo%2/info.json", "/iiif/3/photo%zz/info.json", "/iiif/3/photo%ff%fe/info.json",
            "/iiif/3/photo/full/max/0/x.jpg", "/iiif/3/photo/full/max/0/default.bmp",
            "/iiif/3/photo/full/max/0/default.pdf",
            "/iiif/3/photo/full/max/0/default.%00", "/iiif/3/photo/<script>/max/0/default.jpg",
            "/iiif/4/photo/info.json", "/nothing", "/iiif", "/iiif/", "/iiif/3", "/iiif/3/", "//", "*",
            "/iiif/3//info.json", "/dzi/", "/dzi/.dzi", "/dzi/_files/0/0_0.jpg",
            "/" + String(repeating: "a", count: 5000),
        ])
    func malformed(_ target: String) async throws {
        try await RunningServer.with(try IIIFServingTests.folder()) { probe in
            let answer = try await probe.ask(target)
            #expect([400, 404].contains(answer.status), "\(answer.status)")
            #expect(answer.headers["content-type"] == "text/plain; charset=utf-8")
            #expect(answer.text.split(separator: "\n").count == 1 && !answer.text.contains("<"))
        }
    }

    @Test("refuses to listen to others without being told so")
    func addresses() throws {
        var settings = TileServerSettings(paths: [FileManager.default.temporaryDirectory.path])
        settings.host = "0.0.0.0"
        #expect(throws: ServerError.notPublic(host: "0.0.0.0")) {
            try TileServer(settings, logger: .init(label: "test"))
        }
        settings.token = "secret"
        _ = try TileServer(settings, logger: .init(label: "test"))
    }

    @Test("asks for its token in the address, as a bearer, or as the cookie that it gave")
    func token() async throws {
        try await RunningServer.with(try IIIFServingTests.folder()) { settings in
            settings.token = "open sesame"
        } _: { probe in
            let target = "/iiif/3/photo/info.json"
            #expect(try await probe.ask(target).status == 401)
            #expect(try await probe.ask(target + "?token=wrong").status == 401)
            #expect(
                try await probe.ask(target, headers: [("Authorization", "Bearer open sesame")]).status == 200)
            let first = try await probe.ask(target + "?token=open%20sesame")
            #expect(first.status == 200)
            let cookie = try #require(first.headers["set-cookie"]?.split(separator: ";").first)
            #expect(try await probe.ask(target, headers: [("Cookie", String(cookie))]).status == 200)
        }
    }

    @Test("refuses an image that is too large before it decodes it")
    func bombs() async throws {
        let folder = try TemporaryFolder()
        try TestImages.large(width: 4000, height: 4000).save(folder.path("bomb.png"), with: "pngsave")
        try await RunningServer.with(folder) { settings in
            settings.limits.imagePixels = 1_000_000
        } _: { probe in
            let answer = try await probe.ask("/iiif/3/bomb/info.json")
            #expect(answer.status == 403)
        }
    }
}
