#if Server
import Foundation
import Logging
import TestSupport
import Testing
import Vips

@testable import TileServing

@Suite("The server's safety", .server)
struct SafetyTests {
    @Test("serves nothing outside the folder, however the path is written")
    func traversal() async throws {
        let outside = try TemporaryFolder()
        try TestImages.photo(width: 64, height: 64).save(outside.path("secret.png"), with: "pngsave")
        let shared = try #require(RunningServer.shared)
        let (folder, probe) = (shared.folder, shared.probe)
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
        for name in names {
            for target in [
                "/iiif/3/\(name)/info.json", "/iiif/3/\(name)/full/max/0/default.png", "/dzi/\(name).dzi",
            ] {
                let answer = try await probe.send(target)
                #expect([400, 404].contains(answer.status), "\(target) \(answer.status)")
                #expect(!answer.text.contains(outside.url.path) && !answer.text.contains(folder.url.path))
            }
        }
        #expect(try await probe.send("/iiif/3/photo/info.json").status == 200)
    }

    @Test(
        "returns one sentence for malformed paths",
        arguments: [
            "/iiif/3/photo%2/info.json", "/iiif/3/photo%zz/info.json", "/iiif/3/photo%ff%fe/info.json",
            "/iiif/3/photo/full/max/0/x.jpg", "/iiif/3/photo/full/max/0/default.bmp",
            "/iiif/3/photo/full/max/0/default.ps",
            "/iiif/3/photo/full/max/0/default.%00", "/iiif/3/photo/<script>/max/0/default.jpg",
            "/iiif/4/photo/info.json", "/nothing", "/iiif", "/iiif/", "/iiif/3", "/iiif/3/", "//", "*",
            "/iiif/3//info.json", "/dzi/", "/dzi/.dzi", "/dzi/_files/0/0_0.jpg",
            "/" + String(repeating: "a", count: 5000),
        ])
    func malformed(_ target: String) async throws {
        let probe = try #require(RunningServer.shared).probe
        let answer = try await probe.send(target)
        #expect([400, 404].contains(answer.status), "\(answer.status)")
        #expect(answer.headers["content-type"] == "text/plain; charset=utf-8")
        #expect(answer.text.split(separator: "\n").count == 1 && !answer.text.contains("<"))
    }

    @Test("refuses to listen to other machines without a token")
    func addresses() throws {
        var settings = TileServer.Configuration(roots: [FileManager.default.temporaryDirectory.path])
        settings.host = "0.0.0.0"
        #expect(throws: ServerError.notPublic(host: "0.0.0.0")) {
            try TileServer(settings, logger: .init(label: "test"))
        }
        settings.token = "secret"
        _ = try TileServer(settings, logger: .init(label: "test"))
    }

    @Test(
        "accepts its own host name in every form of a request, and no other",
        arguments: [
            ("GET / HTTP/1.1\r\nHost: localhost\r\n", 200), ("GET / HTTP/1.1\r\nHost: LOCALHOST.:9\r\n", 200),
            ("GET / HTTP/1.1\r\nHost: [::1]:80\r\n", 200), ("GET / HTTP/1.0\r\n", 200),
            ("GET / HTTP/1.1\r\nHost: evil.example\r\n", 421), ("HEAD / HTTP/1.1\r\nHost: 10.0.0.1\r\n", 421),
            ("OPTIONS / HTTP/1.1\r\nHost: evil.example\r\n", 421),
            ("GET / HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: localhost\r\n", 421),
            ("GET / HTTP/1.1\r\nHost: me@localhost\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: localhost:x\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: localhost\r\nhost: evil.example\r\n", 400),
            ("GET http://localhost/health HTTP/1.1\r\nHost: localhost\r\n", 200),
            ("GET HTTP://LOCALHOST:80?x=1 HTTP/1.1\r\nHost: localhost\r\n", 200),
            ("GET http://localhost/ HTTP/1.1\r\nHost: evil.example\r\n", 421),
            ("CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n", 200),
        ])
    func names(_ head: String, _ status: Int) async throws {
        let probe = try #require(RunningServer.shared).probe
        let connection = try RawConnection(port: probe.port)
        connection.send(head + "Connection: close\r\n\r\n")
        let answer = String(decoding: try await connection.receiveAll(), as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        let body = answer.components(separatedBy: "\r\n\r\n").last ?? ""
        #expect(status < 400 || body.filter(\.isNewline).count <= 1)
    }

    @Test("closes connections that request another protocol")
    func upgrades() async throws {
        let probe = try #require(RunningServer.shared).probe
        for wish in ["websocket", "h2c"] {
            let connection = try RawConnection(port: probe.port)
            let upgrade = "Connection: Upgrade\r\nUpgrade: \(wish)\r\n\r\n"
            connection.send("GET /health HTTP/1.1\r\nHost: localhost\r\n" + upgrade)
            let answer = String(decoding: try await connection.receiveAll(), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 200") && answer.contains("Connection: close"))
        }
    }

    @Test("refuses an image that is too large before decoding")
    func bombs() async throws {
        let folder = try TemporaryFolder()
        try TestImages.large(width: 4000, height: 4000).save(folder.path("bomb.png"), with: "pngsave")
        try await RunningServer.with(folder) { settings in
            settings.limits.maximumSourcePixels = 1_000_000
        } _: { probe in
            let answer = try await probe.send("/iiif/3/bomb/info.json")
            #expect(answer.status == 403)
        }
    }
}

@Suite("A server with a token", .server { $0.token = "open sesame" })
struct TokenTests {
    @Test("accepts its token in the URL, as a bearer token, and as its cookie")
    func token() async throws {
        let probe = try #require(RunningServer.shared).probe
        let target = "/iiif/3/photo/info.json"
        #expect(try await probe.send(target).status == 401)
        #expect(try await probe.send(target + "?token=wrong").status == 401)
        #expect(
            try await probe.send(target, headers: [("Authorization", "Bearer open sesame")]).status == 200
        )
        let tool = try await probe.send(target + "?token=open%20sesame", headers: [("Accept", "*/*")])
        #expect(tool.status == 200 && tool.headers["set-cookie"] == nil)
        #expect(tool.headers["cache-control"] == "private, max-age=3600")
        for scheme in ["bearer", "BEARER", "bEaReR "] {
            let bearer = [("Authorization", "\(scheme) open sesame")]
            #expect(try await probe.send(target, headers: bearer).status == 200)
        }
        for wrong in [
            "Bearer", "Bearer ", "Bearer open sesamf", "Basic open sesame",
        ] {
            let answer = try await probe.send(target, headers: [("Authorization", wrong)])
            #expect(
                answer.status == 401 && answer.headers["www-authenticate"]?.hasPrefix("Bearer") == true)
        }
    }

    @Test("redirects browsers from the URL with the token to the one without, with a cookie")
    func cookie() async throws {
        let probe = try #require(RunningServer.shared).probe
        let page = [("Accept", "text/html,*/*;q=0.8")]
        for (target, place) in [
            ("/?token=open%20sesame", "./"), ("/?a=1&token=open%20sesame&b=2", "./?a=1&b=2"),
            ("/iiif/3/photo/info.json?token=open%20sesame", "./info.json"),
            ("//evil.example/%2F?token=open%20sesame", "./%2F"),
            ("//evil.example?token=open%20sesame", "./evil.example"),
        ] {
            let first = try await probe.send(target, headers: page)
            #expect(first.status == 303 && first.headers["location"] == place, "\(target)")
            #expect(first.headers["cache-control"] == "no-store")
            let parts = (first.headers["set-cookie"] ?? "").components(separatedBy: "; ")
            #expect(Set(parts.dropFirst()) == ["Path=/", "HttpOnly", "SameSite=Strict"])
            #expect(parts[0].hasPrefix("viewport-\(probe.port)=") && !parts[0].contains("sesame"))
            let cookies = [("Cookie", "other=1; \(parts[0]); last=2")]
            #expect(try await probe.send("/", headers: cookies).status == 200)
            let elsewhere = [
                ("Cookie", parts[0].replacingOccurrences(of: "viewport-", with: "viewport-1"))
            ]
            #expect(try await probe.send("/", headers: elsewhere).status == 401)
        }
        // After a link from another site, browsers would not send the cookie in a redirect.
        let linked = [
            ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"),
            ("Sec-Fetch-Dest", "document"),
        ]
        let onwards = try await probe.send("/?a=1&token=open%20sesame&b=%22%3E'", headers: linked)
        #expect(onwards.status == 200 && onwards.headers["set-cookie"]?.hasPrefix("viewport-") == true)
        #expect(
            onwards.text.contains("content=\"0;url=./?a=1&amp;b=%22%3E&#39;\"")
                && !onwards.text.contains("sesame"))
        let script = [("Accept", "text/html"), ("Sec-Fetch-Mode", "cors")]
        #expect(try await probe.send("/?token=open%20sesame", headers: script).status == 200)
        #expect(try await probe.send("/?token=wrong", headers: page).status == 401)
    }

    @Test("answers preflight requests without the token, and shares only images with other origins")
    func preflight() async throws {
        let probe = try #require(RunningServer.shared).probe
        let foreign = [("Origin", "https://viewer.example"), ("Sec-Fetch-Site", "cross-site")]
        for path in ["/iiif/3/photo/info.json", "/dzi/photo.dzi"] {
            let asked = foreign + [("Access-Control-Request-Headers", "authorization")]
            let before = try await probe.send(path, method: "OPTIONS", headers: asked)
            #expect(before.status == 204 && before.headers["access-control-allow-origin"] == "*")
            #expect(before.headers["access-control-allow-headers"]?.contains("Authorization") == true)
            let proof = foreign + [("Authorization", "Bearer open sesame")]
            let answer = try await probe.send(path, headers: proof)
            #expect(answer.status == 200 && answer.headers["access-control-allow-origin"] == "*")
            #expect(answer.headers["cross-origin-resource-policy"] == "cross-origin")
        }
        for path in ["/", "/health", "/metrics"] {
            let before = try await probe.send(path, method: "OPTIONS", headers: foreign)
            #expect(before.status == 204 && before.headers["access-control-allow-origin"] == nil)
            let proof = foreign + [("Authorization", "Bearer open sesame")]
            let answer = try await probe.send(path, headers: proof)
            #expect(answer.status == 403 && answer.headers["access-control-allow-origin"] == nil)
            let own = try await probe.send(path + "?token=open%20sesame")
            #expect(own.status == 200 && own.headers["access-control-allow-origin"] == nil)
            #expect(own.headers["cross-origin-resource-policy"] == "same-origin")
        }
        #expect(try await probe.send("*", method: "OPTIONS").status == 204)
    }
}
#endif
