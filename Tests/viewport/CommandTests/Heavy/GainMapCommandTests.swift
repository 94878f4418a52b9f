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

    /// Edits with their outputs, and the width of the map that is kept; nil for those that cannot hold it.
    static let edits: [(arguments: [String], width: Int?)] = [
        (["crop", "hdr.jpg", "0,0,80,60", "o.jpg"], 20), (["convert", "hdr.jpg", "o.jpg"], 40),
        (["resize", "hdr.jpg", "-s", "50%", "-o", "o.jpg"], 20),
        (["crop", "hdr.jpg", "0,0,80,64", "o.jpg", "--lossless"], 20),
        (["convert", "hdr.jpg", "o.png"], nil), (["resize", "hdr.jpg", "-s", "50%", "-o", "o.webp"], nil),
    ]

    @Test("is kept by edits where the output can hold it, and else named once", arguments: edits.indices)
    func keptByEdits(_ index: Int) async throws {
        let folder = try Self.folder()
        let (arguments, width) = Self.edits[index]
        let made = try await Self.viewport.run(arguments + ["--json"], in: folder.url)
        #expect(made.code == 0, "\(made.errors)")
        #expect((made.json["gainMap"] as? [String: Any])?["kept"] as? Bool == (width != nil))
        let output = try #require(folder.names.first { $0.hasPrefix("o.") })
        let kept = try await map(output, in: folder)
        #expect(kept?["width"] as? Int == width)
        if width != nil { #expect(kept?["headroom"] as? Double == 8) }
        let lines = made.errors.split(separator: "\n").filter {
            $0.contains("gain map is left out: only jpg")
        }
        #expect(lines.count == (width == nil ? 1 : 0), "\(made.errors)")
    }

    @Test("that several files lose is named once, with a count")
    func several() async throws {
        let folder = try Self.folder()
        for name in ["a.jpg", "b.jpg"] {
            try folder.data("hdr.jpg").write(to: folder.url.appendingPathComponent(name))
        }
        let made = try await Self.viewport.run(
            ["convert", "hdr.jpg", "a.jpg", "b.jpg", "plain.jpg", "--format", "png", "-o", "out/"],
            in: folder.url)
        #expect(made.code == 0)
        #expect(
            made.errors.components(separatedBy: "its HDR gain map is left out").count == 2, "\(made.errors)")
        #expect(made.errors.contains("also of 2 other files"), "\(made.errors)")
    }

    @Test("that cannot be kept does not stop an edit, unless it was asked for")
    func unusable() async throws {
        let folder = try Self.folder()
        // The headroom is 1, so that the map changes nothing.
        let file = try folder.data("hdr.jpg")
        let text = Data("hdrgm:HDRCapacityMax=\"3\"".utf8)
        let place = try #require(file.firstRange(of: text))
        var broken = file
        broken.replaceSubrange(place, with: Data("hdrgm:HDRCapacityMax=\"0\"".utf8))
        try broken.write(to: folder.url.appendingPathComponent("flat.jpg"))
        let made = try await Self.viewport.run(["convert", "flat.jpg", "o.jpg"], in: folder.url)
        #expect(
            made.code == 0 && made.errors.contains("gain map is left out: its headroom is 1"),
            "\(made.errors)")
        let asked = try await Self.viewport.run(
            ["convert", "flat.jpg", "-o", "p.jpg", "--keep-gain-map"], in: folder.url)
        #expect(asked.code == 65, "\(asked.errors)")
    }

    @Test(
        "is kept by exports of a library",
        arguments: [
            ["--strip-location"], ["--size", "80"], ["--keep-metadata", "none"],
            ["--size", "80", "--strip-location"],
        ])
    func export(_ options: [String]) async throws {
        let folder = try Self.folder()
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("photos"), withIntermediateDirectories: true)
        let file = try folder.data("hdr.jpg")
        try file.write(to: folder.url.appendingPathComponent("photos/hdr.jpg"))
        _ = try await Self.viewport.run(["library", "init", "photos"], in: folder.url)
        let indexed = try await Self.viewport.run(["library", "index", "photos"], in: folder.url)
        #expect(indexed.code == 0, "\(indexed.errors)")
        let made = try await Self.viewport.run(
            ["library", "export", "photos", "-o", "out", "--layout", "{name}"] + options, in: folder.url)
        #expect(made.code == 0, "\(made.errors)")
        let kept = try #require(try await map("out/hdr.jpg", in: folder), "\(made.errors)")
        let isSmall = options.contains("--size")
        #expect(kept["width"] as? Int == (isSmall ? 20 : 40) && kept["headroom"] as? Double == 8)
        // Without other pixels, the map is copied.
        let copy = try folder.data("out/hdr.jpg")
        let tail = file.suffix(200)
        #expect((copy.suffix(200) == tail) == !isSmall)
        #expect(!made.errors.contains("left out"), "\(made.errors)")
    }

    @Test("is named by exports in formats that cannot hold it")
    func exportWithout() async throws {
        let folder = try Self.folder()
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("photos"), withIntermediateDirectories: true)
        try folder.data("hdr.jpg").write(to: folder.url.appendingPathComponent("photos/hdr.jpg"))
        _ = try await Self.viewport.run(["library", "init", "photos"], in: folder.url)
        _ = try await Self.viewport.run(["library", "index", "photos"], in: folder.url)
        let made = try await Self.viewport.run(
            ["library", "export", "photos", "-o", "out", "--format", "webp"], in: folder.url)
        #expect(
            made.code == 0 && made.errors.contains("its HDR gain map is left out: only jpeg"),
            "\(made.errors)")
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
