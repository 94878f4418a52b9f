#if Server
import Foundation
import TestSupport
import Testing
import Vips

@testable import TileServing

@Suite("The pages of a server", .server)
struct PageTests {
    private func links(of page: String) async throws -> [String] {
        let probe = try #require(RunningServer.shared).probe
        let answer = try await probe.send(page)
        #expect(answer.status == 200)
        return answer.text.matches(of: /["\/](page\/[^"]+)"/).map { "/" + String($0.output.1) }
    }

    @Test(
        "load files whose names change with their content, so that clients keep them",
        arguments: ["/view/photo", "/"])
    func assets(_ page: String) async throws {
        let probe = try #require(RunningServer.shared).probe
        let links = try await links(of: page)
        #expect(links.count >= 2)
        for link in links {
            let plain = try await probe.send(link)
            #expect(plain.status == 200 && link.contains(/-[0-9a-f]{16}\./), "\(link)")
            #expect(plain.headers["cache-control"]?.hasSuffix("max-age=31536000, immutable") == true)
            #expect(plain.headers["content-encoding"] == nil)
            let again = try await probe.send(link, headers: [("If-None-Match", plain.headers["etag"] ?? "")])
            #expect(again.status == 304 && again.body.isEmpty)
        }
    }

    @Test(
        "connect while they are open where the server ends without clients",
        arguments: ["/", "/view/photo", "/compare/photo/deep%2Fa%20b"])
    func reporting(_ page: String) async throws {
        let photos = try RunningServer.photos()
        try await RunningServer.with(photos, { $0.idleLimit = .seconds(600) }) { probe in
            let html = try await probe.send(page).text
            let link = try #require(html.firstMatch(of: /src="([^"]*open-page[^"]*)"/)).output.1
            let script = try await probe.send("/" + link.drop { $0 == "." || $0 == "/" })
            #expect(script.status == 200 && script.text.contains("../health"))
        }
    }

    private static func health(_ ports: AsyncStream<Int>) async throws -> Int? {
        for await port in ports {
            return try await HTTPProbe(host: "127.0.0.1", port: port, timeout: 60).send("/health").status
        }
        return nil
    }

    @Test("end with their server when no client is connected for some time")
    func idle() async throws {
        let photos = try RunningServer.photos()
        defer { withExtendedLifetime(photos) {} }
        var configuration = TileServer.Configuration(roots: [photos.url.path])
        configuration.port = 0
        configuration.idleLimit = .seconds(10)
        let server = try TileServer(configuration)
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        async let status = Self.health(ports)
        try await server.run { port.yield($0) }
        #expect(try await status == 200)
    }

    @Test("compress their files for clients that accept gzip, under an entity tag of its own")
    func compressed() async throws {
        let probe = try #require(RunningServer.shared).probe
        let script = try #require(try await links(of: "/view/photo").first { $0.hasSuffix(".js") })
        let plain = try await probe.send(script)
        for accepted in ["gzip", "br, gzip;q=0.5", "*", "GZIP , identity"] {
            let packed = try await probe.send(script, headers: [("Accept-Encoding", accepted)])
            #expect(
                packed.headers["content-encoding"] == "gzip" && packed.headers["vary"] == "Accept-Encoding")
            #expect(packed.body.prefix(2) == [0x1F, 0x8B] && packed.body.count < plain.body.count / 2)
            #expect(packed.headers["etag"] != plain.headers["etag"])
        }
        for refused in ["", "br", "gzip;q=0", "gzip;q=0.0, br", "xgzip", "identity"] {
            let same = try await probe.send(script, headers: [("Accept-Encoding", refused)])
            #expect(same.headers["content-encoding"] == nil && same.body == plain.body, "\(refused)")
            #expect(same.headers["vary"] == "Accept-Encoding")
        }
        let folder = try TemporaryFolder()
        let packed = try await probe.send(script, headers: [("Accept-Encoding", "gzip")])
        try Data(packed.body).write(to: URL(filePath: folder.path("script.gz")))
        let unpacked = try await BuiltProgram(path: "/usr/bin/env").run([
            "gzip", "-dc", folder.path("script.gz"),
        ])
        #expect(unpacked.code == 0 && Array(unpacked.output) == Array(plain.body))
    }

    @Test(
        "are asked for each time, and sent only when they changed",
        arguments: ["/view/photo", "/", "/compare/photo/deep%2Fa%20b"])
    func pages(_ page: String) async throws {
        let probe = try #require(RunningServer.shared).probe
        let answer = try await probe.send(page)
        #expect(answer.status == 200 && answer.headers["cache-control"] == "no-cache")
        let tag = try #require(answer.headers["etag"])
        let again = try await probe.send(page, headers: [("If-None-Match", "\"x\", W/\(tag)")])
        #expect(again.status == 304 && again.body.isEmpty && again.headers["etag"] == tag)
        #expect(try await probe.send(page, headers: [("If-None-Match", "\"x\"")]).status == 200)
    }

    @Test("have an icon, also where browsers look for one")
    func icon() async throws {
        let probe = try #require(RunningServer.shared).probe
        for page in ["/view/photo", "/"] {
            let icon = try #require(try await links(of: page).first { $0.hasSuffix(".svg") })
            #expect(try await probe.send(icon).headers["content-type"] == "image/svg+xml")
        }
        let icon = try await probe.send("/favicon.ico")
        #expect(icon.status == 200 && icon.headers["content-type"] == "image/svg+xml")
        #expect(try await probe.send("/favicon.ico/x").status == 404)
    }

    @Test(
        "of images that cannot be shown have the status of the problem, and a way back",
        arguments: [("missing", 404), ("short", 422), ("text", 404), ("deep", 404)])
    func problems(_ name: String, _ status: Int) async throws {
        let folder = try RunningServer.photos()
        let whole = try folder.data("photo.jpg")
        try whole.prefix(300).write(to: URL(filePath: folder.path("short.jpg")))
        try Data("no image".utf8).write(to: URL(filePath: folder.path("text.jpg")))
        try await RunningServer.with(folder) { probe in
            let page = try await probe.send("/view/\(name)")
            #expect(page.status == status && page.headers["content-type"] == "text/html; charset=utf-8")
            #expect(page.text.contains("<a href=\"../\"") && page.text.contains("<title>\(name)</title>"))
            let answer = try await probe.send("/iiif/3/\(name)/full/max/0/default.jpg")
            #expect(answer.status == status && answer.text.split(separator: "\n").count == 1)
        }
    }

    @Test("show what is there of an image whose end is missing, and its description says what is not")
    func cut() async throws {
        let folder = try RunningServer.photos()
        let whole = try folder.data("photo.jpg")
        try whole.prefix(whole.count / 2).write(to: URL(filePath: folder.path("cut.jpg")))
        try await RunningServer.with(folder) { probe in
            #expect(try await probe.send("/view/cut").status == 200)
            let information = try await probe.send("/iiif/3/cut/info.json").text
            #expect(information.contains(/"damage": "rows \d+ to \d+ are missing"/), "\(information)")
            for size in ["max", "40,"] {
                #expect(try await probe.send("/iiif/3/cut/full/\(size)/0/default.jpg").status == 200)
            }
            #expect(try await !probe.send("/iiif/3/photo/info.json").text.contains("damage"))
        }
    }

    @Test("of errors are for people; programs get a sentence")
    func errors() async throws {
        let probe = try #require(RunningServer.shared).probe
        let html = [("Accept", "text/html,*/*;q=0.8")]
        for (path, status, base) in [
            ("/nothing", 404, "href=\"./\""), ("/nothing/%3Cscript%3E", 404, "href=\"../\""),
            ("/iiif/3/photo/full/0,/0/default.jpg", 400, "href=\"../../../../../../\""),
            ("/?page=9", 404, "href=\"./\""),
        ] {
            let page = try await probe.send(path, headers: html)
            #expect(
                page.status == status && page.text.contains(base) && page.text.contains("<h1>"),
                "\(path) \(page.text)")
            #expect(
                page.headers["content-type"] == "text/html; charset=utf-8"
                    && page.headers["cache-control"] == "no-store")
            #expect(page.headers["etag"] == nil && !page.text.contains("<script"))
            let sentence = try await probe.send(path)
            #expect(
                sentence.status == status && sentence.headers["content-type"]?.hasPrefix("text/plain") == true
            )
        }
        let script = try await probe.send("/nothing", headers: html + [("Sec-Fetch-Mode", "cors")])
        #expect(script.headers["content-type"]?.hasPrefix("text/plain") == true)
    }

    @Test(
        "escape what they show",
        arguments: ["/view/%3Cscript%3Ealert(1)%3C%2Fscript%3E\"'", "/view/{{base}}{{full}}"])
    func escaped(_ page: String) async throws {
        let probe = try #require(RunningServer.shared).probe
        let answer = try await probe.send(page)
        #expect(answer.status == 404 && !answer.text.contains("<script>alert"))
        #expect(answer.text.ranges(of: "<script").count <= 1)
    }

    @Test("know the images before and after one in its folder")
    func neighbors() async throws {
        let folder = try RunningServer.photos()
        for name in ["deep/b.png", "deep/c.png", "z.jpg"] {
            try TestImages.photo(width: 40, height: 30).save(
                folder.path(name), with: name.hasSuffix("png") ? "pngsave" : "jpegsave")
        }
        try await RunningServer.with(folder) { probe in
            func neighbors(_ name: String) async throws -> [String] {
                let answer = try await probe.send("/neighbors/\(name)")
                let json = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any] ?? [:]
                let page = { (key: String) in (json[key] as? [String: Any])?["page"] as? String ?? "-" }
                return ["\(json["number"] ?? "")/\(json["count"] ?? "")", page("previous"), page("next")]
            }
            #expect(try await neighbors("photo.jpg") == ["1/2", "-", "view/z.jpg"])
            #expect(try await neighbors("photo") == ["1/2", "-", "view/z.jpg"])
            #expect(
                try await neighbors("deep%2Fb.png") == ["2/3", "view/deep%2Fa%20b.png", "view/deep%2Fc.png"])
            #expect(try await neighbors("deep/c.png") == ["3/3", "view/deep%2Fb.png", "-"])
            for name in ["missing", "..%2Fphoto.jpg", ".hidden", "deep", "%00"] {
                let found = try await neighbors(name)
                #expect(found[0] == "0/0", "\(name)")
            }
        }
    }

    @Test("compare two images of one path component each")
    func comparison() async throws {
        let probe = try #require(RunningServer.shared).probe
        let page = try await probe.send("/compare/photo/deep%2Fa%20b.png?library=a%26b")
        #expect(page.text.contains("data-first=\"../../iiif/3/photo\""))
        #expect(page.text.contains("data-second=\"../../iiif/3/deep%2Fa%20b.png\""))
        #expect(page.text.contains("../../view/photo?library=a%26b"))
        for (path, status) in [
            ("photo", 400), ("photo/deep/a", 400), ("photo/missing", 404), ("%zz/photo", 400), ("", 400),
        ] {
            let answer = try await probe.send("/compare/\(path)")
            #expect(answer.status == status, "\(path)")
        }
    }

    @Test("show lossless and transparent images with lossless tiles, and others not")
    func formats() async throws {
        let folder = try RunningServer.photos()
        let photo = try TestImages.photo(width: 64, height: 48)
        try photo.save(folder.path("lossy.webp"), with: "webpsave", ["Q": .int(80)])
        try photo.save(folder.path("exact.webp"), with: "webpsave", ["lossless": .bool(true)])
        try photo.save(folder.path("scan.tif"), with: "tiffsave")
        try photo.save(
            folder.path("slide.tif"), with: "tiffsave",
            ["tile": .bool(true), "compression": .name("jpeg"), "pyramid": .bool(true)])
        try TestImages.photo(width: 64, height: 48, bands: 4).save(
            folder.path("clear.webp"), with: "webpsave", ["Q": .int(80)])
        try await RunningServer.with(folder) { probe in
            for (name, isExact) in [
                ("photo.jpg", false), ("deep%2Fa%20b.png", true), ("lossy.webp", false), ("exact.webp", true),
                ("scan.tif", true), ("slide.tif", false), ("clear.webp", true),
            ] {
                let three = try await probe.send("/iiif/3/\(name)/info.json").text
                #expect(three.contains(/"preferredFormats": \["png"/) == isExact, "\(name) \(three)")
                let two = try await probe.send("/iiif/2/\(name)/info.json").text
                #expect(!two.contains("preferredFormats"))
            }
        }
    }
}
#endif
