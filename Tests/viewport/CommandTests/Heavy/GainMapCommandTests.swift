import Foundation
import TestHarness
import TestSupport
import Testing
import Vips

@Suite("A gain map")
struct GainMapCommandTests {
    static let viewport = BuiltProgram("viewport")

    /// Returns a folder with "hdr.jpg" of 160x120 with a map of 40x30, and "plain.jpg" without one.
    static func folder() throws -> TemporaryFolder {
        func jpeg(_ image: VipsImage, xmp: String?) throws -> [UInt8] {
            var file = try image.saved(with: "jpegsave_buffer", ["strip": .bool(true)])
            guard let xmp else { return file }
            let body = Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(xmp.utf8)
            let length = body.count + 2
            file.insert(contentsOf: [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + body, at: 2)
            return file
        }
        let folder = try TemporaryFolder()
        let map = try jpeg(
            TestImages.photo(width: 40, height: 30, bands: 1), xmp: GainMapMaker.packet(GainMapMaker.values))
        let photo = try TestImages.photo(width: 160, height: 120)
        let picture = try jpeg(photo, xmp: GainMapMaker.announcement(map.count))
        try Data(picture + map).write(to: folder.url.appendingPathComponent("hdr.jpg"))
        try Data(jpeg(photo, xmp: nil)).write(to: folder.url.appendingPathComponent("plain.jpg"))
        return folder
    }

    private func map(_ name: String, in folder: TemporaryFolder) async throws -> [String: Any]? {
        try await Self.viewport.run(["info", "--json", name], in: folder.url).json["gainMap"]
            as? [String: Any]
    }

    @Test("is named by info, kept by render on request, and else stated as left out")
    func render() async throws {
        let folder = try Self.folder()
        let source = try #require(try await map("hdr.jpg", in: folder))
        #expect(source["kind"] as? String == "ultra-hdr")
        #expect(source["width"] as? Int == 40 && source["headroom"] as? Double == 8)
        #expect(try await Self.viewport.run(["info", "hdr.jpg"], in: folder.url).text.contains("headroom 8"))
        for isKept in [true, false] {
            let made = try await Self.viewport.run(
                ["render", "hdr.jpg", "--rect", "0,0,80,60", "-o", "\(isKept).jpg", "--json"]
                    + (isKept ? ["--keep-gain-map"] : []), in: folder.url)
            #expect(made.code == 0, "\(made.errors)")
            let report = try #require(made.json["gainMap"] as? [String: Any])
            #expect(report["kept"] as? Bool == isKept)
            let written = try await map("\(isKept).jpg", in: folder)
            #expect(written?["width"] as? Int == (isKept ? 20 : nil))
            #expect(written?["height"] as? Int == (isKept ? 15 : nil))
        }
        let plain = try await Self.viewport.run(
            ["render", "plain.jpg", "-o", "none.jpg", "--json", "--keep-gain-map"], in: folder.url)
        #expect(plain.code == 0 && plain.json["gainMap"] is NSNull)
    }

    @Test("is kept by thumbnails on request, and else stated as left out", arguments: [true, false])
    func thumbnail(_ isKept: Bool) async throws {
        let folder = try Self.folder()
        let made = try await Self.viewport.run(
            ["thumbnail", "hdr.jpg", "-s", "80", "-o", "small.jpg", "--json"]
                + (isKept ? ["--keep-gain-map"] : []), in: folder.url)
        #expect(made.code == 0, "\(made.errors)")
        #expect(made.json["gainMap"] as? String == (isKept ? "kept" : "left-out"))
        #expect(try await map("small.jpg", in: folder)?["width"] as? Int == (isKept ? 20 : nil))
    }

    @Test(
        "is refused for other formats and lossless crops in one sentence",
        arguments: [
            (["render", "hdr.jpg", "--keep-gain-map", "-o", "a.png"], "choose jpg"),
            (["thumbnail", "hdr.jpg", "--keep-gain-map", "-o", "a.webp"], "choose jpg"),
            (
                ["render", "hdr.jpg", "--keep-gain-map", "--lossless", "--rect", "0,0,16,16", "-o", "a.jpg"],
                "leave out --lossless"
            ),
        ])
    func refused(_ arguments: [String], _ remedy: String) async throws {
        let folder = try Self.folder()
        let made = try await Self.viewport.run(arguments, in: folder.url)
        #expect(made.code == 64)
        #expect(made.errors.contains(remedy), "\(made.errors)")
    }

    @Test("that another program removed, but not its description, does not exist")
    func removed() async throws {
        let folder = try Self.folder()
        let url = folder.url.appendingPathComponent("hdr.jpg")
        try Data(contentsOf: url).dropLast(200).write(to: url)
        let made = try await Self.viewport.run(
            ["render", "hdr.jpg", "-o", "a.jpg", "--keep-gain-map", "--json"], in: folder.url)
        #expect(made.code == 0 && made.json["gainMap"] is NSNull)
    }
}

@Suite("A raw file on the command line")
struct RawCommandTests {
    static let viewport = BuiltProgram("viewport")

    @Test("is named as one by info, and rendered and reduced upright by its preview")
    func preview() async throws {
        let folder = try TemporaryFolder()
        let jpeg = try TestImages.photo(width: 160, height: 120).saved(
            with: "jpegsave_buffer", ["strip": .bool(true)])
        try Data(RawMaker.nef(jpeg)).write(to: folder.url.appendingPathComponent("a.nef"))
        let text = try await Self.viewport.run(["info", "a.nef"], in: folder.url).text
        #expect(text.contains("nef, preview of a raw file of 6000 x 4000"))
        let json = try await Self.viewport.run(["info", "--json", "a.nef"], in: folder.url).json
        #expect(json["format"] as? String == "nef")
        #expect(json["width"] as? Int == 120 && json["storedWidth"] as? Int == 160)
        let raw = try #require(json["raw"] as? [String: Any])
        #expect(raw["preview"] as? String == "jpeg" && raw["sensorWidth"] as? Int == 6000)
        let made = try await Self.viewport.run(
            ["thumbnail", "a.nef", "-s", "60", "-o", "a.jpg", "--json"], in: folder.url)
        let output = (made.json["outputs"] as? [[String: Any]])?.first
        #expect(output?["width"] as? Int == 45 && output?["height"] as? Int == 60)
    }
}
