import Foundation
import TestHarness
import TestSupport
import Testing
import ViewportGeometry
import Vips

@Suite("viewport crops and stitch", .ownThread)
struct GridCommandTests {
    private let folder: TemporaryFolder
    private let program = BuiltProgram("viewport")

    init() throws {
        folder = try TemporaryFolder()
        for (name, size) in [("a", (230, 150)), ("b", (90, 40))] {
            try TestImages.photo(width: size.0, height: size.1, seed: UInt64(size.0)).save(
                folder.path("\(name).png"), with: "pngsave")
        }
    }

    private func run(_ arguments: String...) async throws -> BuiltProgram.Result {
        try await program.run(
            arguments, in: folder.url, environment: ["XDG_CACHE_HOME": folder.path("cache")])
    }

    private func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: folder.url.appendingPathComponent(name))
    }

    private func json(_ name: String) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: folder.data(name)) as? [String: Any])
    }

    /// The rectangles of an archive's crops, with their paths.
    private func places(_ archive: String) async throws -> [(path: String, rect: [Int], facts: [String: Any])]
    {
        let place = try await extracted(archive)
        return try place.names.filter { $0.hasSuffix("json") }.sorted().map { name in
            let facts = try #require(
                JSONSerialization.jsonObject(with: place.data(name)) as? [String: Any])
            return (try #require(facts["path"] as? String), try #require(facts["rect"] as? [Int]), facts)
        }
    }

    private func extracted(_ archive: String) async throws -> TemporaryFolder {
        let place = try TemporaryFolder()
        let tar = try #require(BuiltProgram(installed: "tar"))
        #expect(try await tar.run(["-xf", folder.path(archive)], in: place.url).code == 0)
        return place
    }

    private func pixels(_ name: String, _ loader: String = "pngload") throws -> [UInt8] {
        try VipsImage.load(folder.path(name), with: loader, [:]).pixels().copied()
    }

    @Test("join the tiles of images to the images, from archives, folders and several shards")
    func joined() async throws {
        let cut = try await run(
            "crops", "a.png", "b.png", "--grid", "-s", "64x48", "--overlap", "9", "--crop-format", "png",
            "-o",
            "t-{0..2}.tar")
        #expect(cut.code == 0, "\(cut.errors)")
        let grid = try json("t_grid.json")
        #expect(grid["count"] as? Int == 22 && (grid["images"] as? [Any])?.count == 2)
        #expect(try json("t-0_stats.json")["outside"] as? Int == 1)
        let facts = try await places("t-0.tar")
        #expect(facts[0].rect == [0, 0, 64, 48] && facts[0].facts["image"] as? [Int] == [230, 150])
        #expect(facts[0].facts["overlap"] as? Int == 9 && facts.count == 8)
        let whole = try await run(
            "stitch", "t_grid.json", "t-0.tar", "t-1.tar", "t-2.tar", "-o", "{stem}-again.png")
        #expect(whole.code == 0, "\(whole.errors)")
        #expect(whole.errors.contains("a-again.png: 230x150"), "\(whole.errors)")
        for name in ["a", "b"] { #expect(try pixels("\(name)-again.png") == pixels("\(name).png")) }
        // The same from a folder, as a pyramid.
        try FileManager.default.createDirectory(
            atPath: folder.path("tiles"), withIntermediateDirectories: true)
        for shard in 0..<3 {
            let place = try await extracted("t-\(shard).tar")
            for name in place.names {
                try place.data(name).write(to: folder.url.appendingPathComponent("tiles/\(name)"))
            }
        }
        let again = try await run("stitch", "t_grid.json", "tiles", "-o", "{stem}.tif", "--json")
        #expect(again.code == 0 && again.lines.count == 2, "\(again.errors)")
        #expect(again.lines.first?["tiles"] as? Int == 20)
        for name in ["a", "b"] { #expect(try pixels("\(name).tif", "tiffload") == pixels("\(name).png")) }
    }

    @Test("write a pyramid, whose levels have the numbers of classes with --nearest")
    func pyramid() async throws {
        try TestImages.flat([3], width: 300, height: 700).embedded(
            x: 0, y: 0, width: 600, height: 700, background: [200]
        ).save(folder.path("c.png"), with: "pngsave")
        let cut = try await run(
            "crops", "c.png", "--grid", "-s", "350", "--crop-format", "png", "--mode", "grey", "-o", "c.tar")
        #expect(cut.code == 0, "\(cut.errors)")
        let made = try await run("stitch", "c_grid.json", "c.tar", "--nearest", "-o", "c.tif")
        #expect(made.code == 0, "\(made.errors)")
        let levels = try await run("info", "c.tif", "--json").lines.first?["levels"] as? [[Int]]
        #expect(levels?.prefix(2) == [[600, 700], [300, 350]], "\(levels ?? [])")
        let half = try VipsImage.load(folder.path("c.tif"), with: "tiffload", ["page": .int(1)])
        #expect(Set(try half.pixels().copied()) == [3, 200])
        #expect(try pixels("c.tif", "tiffload") == pixels("c.png"))
    }

    @Test("say which tiles are missing, and leave no output")
    func missing() async throws {
        let made = try await run(
            "crops", "a.png", "--grid", "-s", "64", "--crop-format", "png", "--shard", "0/2", "-o",
            "t-{shard}.tar")
        #expect(made.code == 0, "\(made.errors)")
        let names = folder.names.count
        let result = try await run("stitch", "t_grid.json", "t-0.tar", "-o", "out.png")
        #expect(result.code == 65, "\(result.errors)")
        #expect(result.errors.contains("6 of 12 tiles are missing: 1, 3, 5, …; --fill"), "\(result.errors)")
        #expect(folder.names.count == names)
        let filled = try await run("stitch", "t_grid.json", "t-0.tar", "-o", "out.png", "--fill", "7")
        #expect(filled.code == 0 && filled.errors.contains("6 tiles were missing"), "\(filled.errors)")
        // An archive that was cut off is not taken for whole.
        try folder.data("t-0.tar").dropLast(1024).write(to: folder.url.appendingPathComponent("cut.tar"))
        let cut = try await run("stitch", "t_grid.json", "cut.tar", "-o", "other.png", "--fill", "7")
        #expect(cut.code == 65 && cut.errors.contains("cut.tar: the archive has no end"), "\(cut.errors)")
        let other = try await run("stitch", "t-0_stats.json", "t-0.tar", "-o", "other.png")
        #expect(other.code == 65 && other.errors.contains("is no description of a grid"), "\(other.errors)")
    }

    @Test("leave out what masks and rectangles exclude")
    func excluded() async throws {
        // The right half of a mask of a fifth of the size.
        let black = try TestImages.flat([0], width: 23, height: 30)
        try black.embedded(x: 0, y: 0, width: 46, height: 30, background: [1]).save(
            folder.path("a-mask.png"), with: "pngsave")
        let random = try await run(
            "crops", "a.png", "-s", "32", "-c", "200", "--exclude", "{stem}-mask.png", "-o", "out.tar")
        #expect(random.code == 0, "\(random.errors)")
        let all = try await places("out.tar")
        #expect(all.count == 200 && all.allSatisfy { $0.rect[0] <= 115 - 32 }, "\(all.map(\.rect))")
        #expect(Set(all.map(\.rect)).count == 200 && Set(all.map { $0.rect[0] }).contains(115 - 32))
        let tiles = try await run(
            "crops", "a.png", "--grid", "-s", "50", "--exclude", "{stem}-mask.png", "-o", "tiles.tar")
        // Tiles that begin at 150 and 180 are excluded as a whole.
        #expect(tiles.code == 0 && tiles.errors.contains("and 6 left out as excluded"), "\(tiles.errors)")
        #expect(try await places("tiles.tar").allSatisfy { $0.rect[0] <= 100 })
        #expect(try json("tiles_stats.json")["excluded"] as? Int == 6)

        try write("not.jsonl", #"{"path":"a.png","rect":[0,0,230,100.5]}"# + "\n")
        let below = try await run(
            "crops", "a.png", "b.png", "-s", "20", "-c", "50", "--exclude", "not.jsonl", "-o", "below.tar")
        #expect(below.code == 0, "\(below.errors)")
        #expect(try await places("below.tar").allSatisfy { $0.path == "b.png" || $0.rect[1] >= 101 })
        try write(
            "list.jsonl",
            #"{"path":"a.png","rect":[0,90,20,20]}"# + "\n" + #"{"path":"a.png","rect":[0,101,20,20]}"#)
        let listed = try await run(
            "crops", "--manifest", "list.jsonl", "-s", "20", "--exclude", "not.jsonl", "-o", "listed.tar")
        #expect(
            listed.code == 0 && listed.errors.contains("1 crop is in listed.tar, and 1 left out as excluded")
                || listed.errors.contains("1 crops are in listed.tar, and 1 left out as excluded"),
            "\(listed.errors)")
        // A mask of another shape is that of another image.
        try black.save(folder.path("b-mask.png"), with: "pngsave")
        let wrong = try await run(
            "crops", "a.png", "b.png", "-s", "20", "-c", "20", "--exclude", "{stem}-mask.png", "-o",
            "wrong.tar")
        #expect(
            wrong.code == 3 && wrong.errors.contains("b-mask.png: a mask of 23x30 does not fit b.png"),
            "\(wrong.errors)")
        #expect(try await places("wrong.tar").allSatisfy { $0.path == "a.png" })
    }

    @Test("balance classes")
    func perClass() async throws {
        try write(
            "list.jsonl",
            (0..<4).map {
                #"{"path":"\#($0 == 0 ? "b" : "a").png","label":"\#($0 == 0 ? "rare" : "usual")"}"#
            }
            .joined(separator: "\n"))
        let made = try await run(
            "crops", "--manifest", "list.jsonl", "-s", "16", "--class", "label", "--per-class", "30", "-o",
            "out.tar")
        #expect(made.code == 0, "\(made.errors)")
        let all = try await places("out.tar")
        #expect(all.count == 60 && all.count { $0.path == "b.png" } == 30)
    }

    @Test("keep stored values, upright, of one type", arguments: ["npy", "tif"])
    func values(_ format: String) async throws {
        let deep = try TestImages.photo(width: 120, height: 80, seed: 3).converted(to: "rgb16")
        try deep.withOrientation(.right).save(folder.path("deep.tif"), with: "tiffsave")
        let made = try await run(
            "crops", "deep.tif", "-s", "33x21", "-c", "5", "--crop-format", format, "-o", "out.tar")
        #expect(made.code == 0, "\(made.errors)")
        let place = try await extracted("out.tar")
        let upright = try VipsImage.load(folder.path("deep.tif"), with: "tiffload", [:]).turned(.right)
        for (number, crop) in try await places("out.tar").enumerated() {
            let rect = crop.rect
            let expected = try upright.cropped(
                to: .init(x: rect[0], y: rect[1], width: 33, height: 21)
            ).pixels().copied()
            let name = try #require(place.names.first { $0.hasPrefix("\(number)-") && $0.hasSuffix(format) })
            let bytes = Array(try place.data(name))
            if format == "npy" {
                #expect(bytes.count == 128 + 33 * 21 * 6 && Array(bytes[128...]) == expected)
                #expect(String(decoding: bytes[10..<128], as: UTF8.self).contains("'shape': (21, 33, 3)"))
            } else {
                #expect(
                    try VipsImage.load(place.path(name), with: "tiffload", [:]).pixels().copied() == expected)
            }
        }
        let mixed = try await run(
            "crops", "deep.tif", "a.png", "-s", "20", "-c", "5", "--crop-format", format, "-o", "mixed.tar")
        #expect(mixed.code == 64, "\(mixed.errors)")
        #expect(
            mixed.errors.contains("a.png: has 8 bits, 3 channels, and deep.tif 16 bits, 3 channels"),
            "\(mixed.errors)")
    }

    @Test(
        "refuse what they cannot do in one sentence",
        arguments: [
            (["crops", "a.png", "--grid", "-s", "64", "-c", "3", "-o", "a.tar"], "leave out --count"),
            (
                ["crops", "a.png", "--grid", "-s", "64", "--overlap", "64", "-o", "a.tar"],
                "share less than a side"
            ),
            (["crops", "a.png", "-c", "3", "-s", "64", "--overlap", "6", "-o", "a.tar"], "that of --grid"),
            (["crops", "a.png", "--grid", "-s", "64", "-o", "-"], "give -o a name"),
            (["crops", "a.png", "-s", "64", "--per-class", "3", "-o", "a.tar"], "--class label"),
            (
                ["crops", "a.png", "-s", "64", "-c", "3", "--exclude", "{what}.png", "-o", "a.tar"],
                "{what} is unknown"
            ),
            (
                [
                    "crops", "a.png", "-s", "64", "-c", "3", "--crop-format", "npy", "--mode", "grey", "-o",
                    "a.tar",
                ], "stored values"
            ),
            (["stitch", "g.json", "t", "-o", "a.jpg"], ".npy, .png or .tif"),
            (["stitch", "g.json", "-o", "a.png"], "tiles"),
        ])
    func refused(_ arguments: [String], _ words: String) async throws {
        let result = try await program.run(arguments, in: folder.url)
        #expect(result.code == 64 && result.errors.contains(words), "\(result.code) \(result.errors)")
        #expect(!folder.names.contains { $0.contains(".tar") })
    }
}
