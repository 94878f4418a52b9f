import Foundation
import TestHarness
import TestSupport
import Testing
import ViewportGeometry
import Vips

@Suite("viewport index")
struct IndexCommandTests {
    static let viewport = BuiltProgram("viewport")

    static func run(_ arguments: [String], cache folder: TemporaryFolder) async throws -> BuiltProgram.Result
    {
        try await viewport.run(arguments, environment: ["XDG_CACHE_HOME": folder.path("cache")])
    }

    @Test("makes render read through the index, with the same bytes")
    func render() async throws {
        let folder = try TemporaryFolder()
        let photo = folder.path("photo.jpg")
        try TestImages.photo(width: 400, height: 300).save(photo, oriented: .right)
        let request = ["render", photo, "--rect", "200,250,50,40", "--json", "-o"]
        let before = try await Self.run(request + [folder.path("before.png")], cache: folder)
        #expect((before.json["reading"] as? String)?.contains("scan") == true)
        let index = try await Self.run(["index", photo, "--json"], cache: folder)
        #expect(index.code == 0, "\(index.errors)")
        #expect(index.json["kept"] as? Bool == false)
        #expect(try await Self.run(["index", photo, "--json"], cache: folder).json["kept"] as? Bool == true)
        let after = try await Self.run(request + [folder.path("after.png")], cache: folder)
        #expect((after.json["reading"] as? String)?.contains("index") == true)
        let pictures = try ["before.png", "after.png"].map {
            try Data(contentsOf: URL(fileURLWithPath: folder.path($0)))
        }
        #expect(pictures[0] == pictures[1])
    }

    @Test("reports files that it cannot index and continues; exits with 3 for some, 65 for a single one")
    func failures() async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 40, height: 30).save(folder.path("photo.jpg"), with: "jpegsave")
        try TestImages.photo(width: 40, height: 30).save(folder.path("photo.webp"), with: "webpsave")
        let alone = try await Self.run(["index", folder.path("photo.webp")], cache: folder)
        #expect(alone.code == 65 && alone.errors.contains("photo.webp"))
        let both = try await Self.run(
            ["index", folder.path("photo.webp"), folder.path("photo.jpg")], cache: folder)
        #expect(both.code == 3, "\(both.errors)")
        #expect(both.text.contains("photo.jpg"))
    }
}

@Suite("Sidecars and sites of the command line")
struct SidecarCommandTests {
    @Test("writes sidecars that replace earlier ones, but no other file")
    func sidecar() async throws {
        let folder = try TemporaryFolder()
        let photo = folder.path("photo.jpg")
        try TestImages.clouds(width: 900, height: 700).save(photo, with: "jpegsave", ["Q": .int(95)])
        let request = ["index", photo, "--levels", "--json", "-o"]
        for _ in 0..<2 {
            let made = try await IndexCommandTests.run(
                request + [folder.path("photo.jpg.vpi")], cache: folder)
            #expect(made.code == 0, "\(made.errors)")
            #expect(made.json["levels"] as? [[Int]] == [[450, 350]])
            #expect((made.json["share"] as? Double ?? 1) <= 0.1)
        }
        let refused = try await IndexCommandTests.run(request + [photo], cache: folder)
        #expect(refused.code != 0 && refused.errors.contains("is the input itself"))
        let alone = try await IndexCommandTests.run(["index", photo, "--levels"], cache: folder)
        #expect(alone.code == 64 && alone.errors.contains("--levels needs -o"))
        let both = try await IndexCommandTests.run(
            ["index", photo, photo, "-o", folder.path("one.vpi")], cache: folder)
        #expect(both.code == 64 && both.errors.contains("give a folder"))
    }

    @Test("makes a site of a folder, with escaped names, and leaves out what it cannot show")
    func gallery() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path("in"), withIntermediateDirectories: true)
        let name = "a & 'b' {{title}}.jpg"
        try TestImages.photo(width: 300, height: 200).save(
            folder.path("in/\(name)"), with: "jpegsave", ["Q": .int(90)])
        try TestImages.photo(width: 100, height: 80, bands: 4).save(
            folder.path("in/clear.png"), with: "pngsave")
        try TestImages.photo(width: 100, height: 80, bands: 4).save(
            folder.path("in/clear.webp"), with: "webpsave")
        try Data("no image".utf8).write(to: folder.url.appending(path: "in/broken.jpg"))
        let request = ["site", folder.path("in"), "--json", "-o", folder.path("out")]
        for _ in 0..<2 {
            let made = try await IndexCommandTests.run(request, cache: folder)
            #expect(made.code == 3 && made.errors.contains("broken.jpg"), "\(made.errors)")
            let images = made.json["images"] as? [[String: Any]] ?? []
            #expect(images.map { $0["converted"] as? Bool } == [false, false, true])
            #expect((made.json["errors"] as? [[String: Any]])?.count == 1)
        }
        let index = String(decoding: try folder.data("out/index.html"), as: UTF8.self)
        #expect(index.contains("a &amp; &#39;b&#39; {{title}}.jpg"))
        #expect(index.contains("./a%20%26%20%27b%27%20%7B%7Btitle%7D%7D.jpg.html"))
        for name in [name, "clear.png"] {
            #expect(try folder.data("out/images/\(name)") == folder.data("in/\(name)"))
        }
        for name in ["clear.png", "clear.webp.jpg"] {
            #expect(try folder.data("out/images/\(name).vpi").starts(with: Data("VPIX".utf8)), "\(name)")
        }
    }

    @Test("refuses to replace what is no site, or a changed one, and invalid links")
    func refusals() async throws {
        let folder = try TemporaryFolder()
        let photo = folder.path("photo.jpg")
        try TestImages.photo(width: 60, height: 40).save(photo, with: "jpegsave")
        func site(_ arguments: String...) async throws -> BuiltProgram.Result {
            try await IndexCommandTests.run(["site", photo] + arguments, cache: folder)
        }
        let inputs = try await site("-o", folder.url.path)
        #expect(inputs.code != 0 && inputs.errors.contains("holds the input"))
        let link = try await site("-o", folder.path("out"), "--link", "ftp://example.org/a.jpg")
        #expect(link.code == 64 && link.errors.contains("https"))
        #expect(try await site("-o", folder.path("out"), "--link", "https://example.org/a.jpg").code == 0)
        #expect(!FileManager.default.fileExists(atPath: folder.path("out/images/photo.jpg")))
        let page = String(decoding: try folder.data("out/index.html"), as: UTF8.self)
        #expect(page.contains("data-service=\"https://example.org/a.jpg\""))
        try Data("mine".utf8).write(to: folder.url.appending(path: "out/mine.txt"))
        let changed = try await site("-o", folder.path("out"))
        #expect(changed.code != 0 && changed.errors.contains("--overwrite"))
        #expect(try await site("-o", folder.path("out"), "--overwrite").code == 0)
    }
}

@Suite("The indexes of viewport render", .heavy)
struct RenderedIndexTests {
    /// Returns the indexes in the cache.
    private static func stored(_ folder: TemporaryFolder) -> [String] {
        let files = FileManager.default.enumerator(atPath: folder.path("cache"))
        return (files?.allObjects as? [String] ?? []).filter {
            $0.contains("index") && !$0.hasSuffix(".stamp")
        }
    }

    /// Noise, so that its JPEG has more than the 4 MB from which on a scan is worth keeping.
    private static func noise() throws -> VipsImage {
        var random = SplitMix64(seed: 4)
        let bytes = (0..<(1600 * 1600 * 3)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        return try VipsImage.pixels(
            bytes, width: 1600, height: 1600, bands: 3, format: .uint8, interpretation: "srgb")
    }

    @Test("are kept by default and with --cache, never with --no-cache")
    func noCache() async throws {
        let folder = try TemporaryFolder()
        let noise = try Self.noise()
        try noise.save(folder.path("noise.jpg"), with: "jpegsave", ["Q": .int(98)])
        try noise.save(folder.path("noise.png"), with: "pngsave")
        for (name, options, count) in [
            ("noise.jpg", ["--no-cache"], 0), ("noise.png", ["--no-cache"], 0), ("noise.jpg", [], 1),
            ("noise.png", [], 1), ("noise.png", ["--cache"], 2),
        ] {
            let result = try await IndexCommandTests.run(
                ["render", folder.path(name), "--rect", "50,1500,40,30", "--overwrite", "-o"]
                    + [folder.path("part.png")] + options, cache: folder)
            #expect(result.code == 0, "\(result.errors)")
            #expect(Self.stored(folder).count == count, "\(name) \(options): \(Self.stored(folder))")
        }
    }

    @Test("of files of equal name, size and time stay apart, also when made at once")
    func twins() async throws {
        let folder = try TemporaryFolder()
        var expected: [String: Data] = [:]
        for (name, angle) in [("a", 0), ("b", 180)] {
            try FileManager.default.createDirectory(
                atPath: folder.path(name), withIntermediateDirectories: true)
            // Without compression both files have the same size.
            let photo = try TestImages.photo(width: 400, height: 300)
            let turned = angle == 0 ? photo : try photo.turned(.down)
            try turned.save(folder.path("\(name)/photo.png"), with: "pngsave", ["compression": .int(0)])
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)],
                ofItemAtPath: folder.path("\(name)/photo.png"))
            expected[name] = try await Self.part(name, ["--no-cache"], folder, "\(name).png")
        }
        #expect(expected["a"] != expected["b"])
        try await withThrowingTaskGroup(of: (String, Data).self) { group in
            for number in 0..<6 {
                let name = ["a", "b"][number % 2]
                group.addTask {
                    (name, try await Self.part(name, ["--cache"], folder, "\(number).png"))
                }
            }
            for try await (name, bytes) in group {
                let isEqual = bytes == expected[name]
                #expect(isEqual, "\(name)")
            }
        }
        for (name, bytes) in expected {
            let isEqual = try await Self.part(name, [], folder, "again-\(name).png") == bytes
            #expect(isEqual, "\(name)")
        }
    }

    private static func part(
        _ name: String, _ options: [String], _ folder: TemporaryFolder, _ output: String
    ) async throws -> Data {
        let result = try await IndexCommandTests.run(
            ["render", folder.path("\(name)/photo.png"), "--rect", "100,200,90,60", "-o"]
                + [folder.path(output)] + options, cache: folder)
        #expect(result.code == 0, "\(result.errors)")
        return try Data(contentsOf: URL(fileURLWithPath: folder.path(output)))
    }
}
