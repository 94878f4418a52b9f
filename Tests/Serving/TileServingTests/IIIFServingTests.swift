#if Server
import Foundation
import TestSupport
import Testing
import TilePyramid
import ViewportGeometry
import ViewportRendering
import Vips

@testable import TileServing

@Suite("The image server", .server)
struct IIIFServingTests {
    private static func probe() throws -> HTTPProbe { try #require(RunningServer.shared).probe }

    @Test("describes an image in both versions, with the URL of the request")
    func information() async throws {
        let probe = try Self.probe()
        for (version, media) in [
            (3, "application/ld+json;profile=\"http://iiif.io/api/image/3/context.json\""),
            (2, "application/json"),
        ] {
            let answer = try await probe.send(
                "/iiif/\(version)/deep%2Fa%20b.png/info.json",
                headers: [("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "images.example.org")])
            #expect(answer.status == 200 && answer.headers["content-type"] == media)
            #expect(answer.headers["access-control-allow-origin"] == "*")
            let information = try IIIFInformation(parsing: answer.text)
            #expect(information.id == "https://images.example.org/iiif/\(version)/deep%2Fa%20b.png")
            #expect(information.size == PixelSize(width: 300, height: 200) && information.level == 2)
            #expect(information.sizes.last == information.size)
            #expect(information.tiles.map(\.scaleFactors) == [[1]])
        }
        let bare = try await probe.send("/iiif/3/deep/a%20b")
        #expect(
            bare.status == 303
                && bare.headers["location"]?.hasSuffix("/iiif/3/deep%2Fa%20b/info.json") == true)
        let plain = try await probe.send(
            "/iiif/3/photo/info.json", headers: [("Accept", "application/json")])
        #expect(plain.headers["content-type"] == "application/json")
    }

    @Test(
        "serves a PDF of one page that holds the JPEG",
        arguments: [
            (3, "full/max/0/default", "0 0 700 500", "/DeviceRGB"),
            (2, "0,0,300,200/150,/90/gray", "0 0 100 150", "/DeviceGray"),
        ])
    func pdf(_ version: Int, _ request: String, _ box: String, _ space: String) async throws {
        let probe = try Self.probe()
        let answer = try await probe.send("/iiif/\(version)/photo/\(request).pdf")
        #expect(answer.status == 200 && answer.headers["content-type"] == "application/pdf")
        let jpeg = try await probe.send("/iiif/\(version)/photo/\(request).jpg")
        #expect(answer.body.starts(with: "%PDF-1.7".utf8))
        #expect(answer.body.firstRange(of: jpeg.body) != nil)
        #expect(answer.body.firstRange(of: Array("/MediaBox [\(box)]".utf8)) != nil)
        #expect(answer.body.firstRange(of: Array(space.utf8)) != nil)
        #expect(answer.headers["etag"] != jpeg.headers["etag"])
        let information = try IIIFInformation(
            parsing: try await probe.send("/iiif/\(version)/photo/info.json").text)
        #expect(information.extraFormats.contains("pdf"))
    }

    @Test(
        "serves images of the requested size",
        arguments: [
            ("full/max/0/default.jpg", 700, 500), ("square/100,/0/default.png", 100, 100),
            ("0,0,512,512/256,/90/gray.jpg", 250, 256), ("full/200,/!180/bitonal.png", 200, 143),
            ("full/^1400,/0/color.webp", 1400, 1000), ("full/100,100/45/default.png", 141, 141),
        ])
    func sizes(_ request: String, _ width: Int, _ height: Int) async throws {
        let probe = try Self.probe()
        let answer = try await probe.send("/iiif/3/photo/\(request)")
        #expect(answer.status == 200, "\(answer.text)")
        let loaders = [
            "image/jpeg": "jpegload_buffer", "image/png": "pngload_buffer",
            "image/webp": "webpload_buffer",
        ]
        let loader = try #require(loaders[answer.headers["content-type"] ?? ""])
        let image = try VipsImage.load(bytes: answer.body, with: loader)
        #expect(abs(image.width - width) <= 1 && abs(image.height - height) <= 1)
        #expect(answer.headers["link"]?.contains("rel=\"canonical\"") == true)
    }

    @Test("mirrors, then rotates, as the specification defines")
    func turning() async throws {
        let probe = try Self.probe()
        func pixels(_ request: String) async throws -> VipsImage {
            try VipsImage.load(
                bytes: try await probe.send("/iiif/3/photo/\(request)").body, with: "pngload_buffer")
        }
        let plain = try await pixels("10,20,64,48/max/0/default.png")
        for (rotation, orientation) in [
            ("90", Orientation.right), ("180", .down), ("270", .left), ("!0", .upMirrored),
        ] {
            let turned = try await pixels("10,20,64,48/max/\(rotation)/default.png").pixels().copied()
            let expected = try plain.turned(orientation).pixels().copied()
            #expect(turned == expected, "\(rotation)")
        }
        let both = try await pixels("10,20,64,48/max/!90/default.png").pixels().copied()
        let expected = try plain.turned(.upMirrored).turned(.right).pixels().copied()
        #expect(both == expected)
    }

    @Test("returns 304 for cached responses, supports HEAD, and refuses other methods with 405")
    func caching() async throws {
        let probe = try Self.probe()
        for target in [
            "/iiif/3/photo/info.json", "/iiif/3/photo/full/100,/0/default.jpg", "/dzi/photo.dzi",
        ] {
            let first = try await probe.send(target)
            let tag = try #require(first.headers["etag"])
            let again = try await probe.send(target, headers: [("If-None-Match", "\"x\", \(tag)")])
            #expect(again.status == 304 && again.body.isEmpty && again.headers["etag"] == tag)
            let since = try await probe.send(
                target, headers: [("If-Modified-Since", first.headers["last-modified"] ?? "")])
            #expect(since.status == 304)
            let head = try await probe.send(target, method: "HEAD")
            #expect(head.status == 200 && head.headers["etag"] == tag && head.body.isEmpty)
            #expect(try await probe.send(target, method: "DELETE").status == 405)
            #expect(try await probe.send(target, method: "OPTIONS").status == 204)
        }
    }

    @Test("equivalent requests have the same entity tag and canonical URL")
    func canonical() async throws {
        let probe = try Self.probe()
        let one = try await probe.send("/iiif/3/photo/full/350,/0/default.jpg")
        let other = try await probe.send("/iiif/3/photo/0,0,700,500/pct:50/360/default.jpg")
        #expect(one.headers["etag"] == other.headers["etag"] && one.body == other.body)
        #expect(one.headers["link"]?.contains("/iiif/3/photo/full/350,250/0/default.jpg>") == true)
    }

    @Test("serves the new content of a changed file")
    func changed() async throws {
        let (folder, probe) = (try #require(RunningServer.shared).folder, try Self.probe())
        try FileManager.default.copyItem(
            atPath: folder.path("photo.jpg"), toPath: folder.path("changing.jpg"))
        let before = try await probe.send("/iiif/3/changing/full/max/0/default.png")
        try TestImages.photo(width: 320, height: 240, seed: 7).save(
            folder.path("changing.jpg"), with: "jpegsave")
        let after = try await probe.send("/iiif/3/changing/full/max/0/default.png")
        #expect(before.headers["etag"] != after.headers["etag"])
        #expect(try VipsImage.load(bytes: after.body, with: "pngload_buffer").width == 320)
    }

    @Test("serves the tiles of its Deep Zoom descriptor and no others")
    func deepZoom() async throws {
        let probe = try Self.probe()
        let text = try await probe.send("/dzi/photo.jpg.dzi").text
        let descriptor = try #require(DeepZoomDescriptor(reading: text))
        for (level, grid) in descriptor.pyramid.levels.enumerated() {
            let key = TilePosition(level: level, column: grid.columns - 1, row: grid.rows - 1)
            let answer = try await probe.send("/dzi/photo.jpg_files/\(descriptor.path(key))")
            let tile = try VipsImage.load(bytes: answer.body, with: "jpegload_buffer")
            let rect = try #require(descriptor.pyramid.rect(key))
            #expect((tile.width, tile.height) == (rect.width, rect.height))
        }
        for wrong in ["10/3_0.jpg", "11/0_0.jpg", "10/0_0.bmp", "x/0_0.jpg", "10/-1_0.jpg"] {
            #expect(try await probe.send("/dzi/photo.jpg_files/\(wrong)").status == 404, "\(wrong)")
        }
    }
}
#endif
