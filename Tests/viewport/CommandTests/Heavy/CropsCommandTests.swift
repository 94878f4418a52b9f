import Foundation
import TestHarness
import TestSupport
import Testing
import ViewportGeometry
import Vips

@Suite("viewport crops", .ownThread)
struct CropsCommandTests {
    private let folder: TemporaryFolder
    private let program = BuiltProgram("viewport")

    init() throws {
        folder = try TemporaryFolder()
        for (number, size) in [(700, 500), (900, 400), (120, 90)].enumerated() {
            let path = folder.path("scans/\(number).jpg")
            try FileManager.default.createDirectory(
                atPath: folder.path("scans"), withIntermediateDirectories: true)
            try TestImages.photo(width: size.0, height: size.1, seed: UInt64(number)).save(
                path, oriented: .up)
        }
        try Data("no image".utf8).write(to: folder.url.appendingPathComponent("scans/text.jpg"))
    }

    private func run(_ arguments: [String]) async throws -> BuiltProgram.Result {
        try await program.run(
            ["crops"] + arguments, in: folder.url, environment: ["XDG_CACHE_HOME": folder.path("cache")])
    }

    private let random = ["--recursive", "scans", "--size", "128", "--count", "40", "--seed", "5"]

    /// The members of archives, by their names without the recipe.
    private func members(_ archives: String...) async throws -> [String: Data] {
        var members: [String: Data] = [:]
        let tar = try #require(BuiltProgram(installed: "tar"))
        for archive in archives {
            let place = try TemporaryFolder()
            let result = try await tar.run(["-xf", folder.path(archive)], in: place.url)
            #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
            for name in place.names {
                let short = name.replacing(/-[0-9a-f]{8}/, with: "")
                #expect(short.utf8.count == name.utf8.count - 9)
                #expect(members.updateValue(try place.data(name), forKey: short) == nil)
            }
        }
        return members
    }

    private func json(_ data: Data?) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: data ?? Data())
        return try #require(object as? [String: Any])
    }

    @Test("writes the same crops however the work is sharded, each as render cuts it")
    func shards() async throws {
        let whole = try await run(random + ["--crop-format", "png", "-o", "all.tar", "--json"])
        // The text is no image, and one is too small.
        #expect(whole.code == 3, "\(whole.errors)")
        let lines = whole.errors.split(separator: "\n")
        #expect(lines.count == 2 && lines.contains { $0.contains("2.jpg: has 120x90 pixels") })
        #expect(lines.contains { $0.contains("text.jpg") })
        #expect(whole.lines.first?["crops"] as? Int == 40 && whole.lines.first?["unusable"] as? Int == 2)
        let all = try await members("all.tar")
        #expect(all.count == 80)
        for shard in 0..<3 {
            let part = random + ["--crop-format", "png", "--shard", "\(shard)/3", "-o", "part-{shard}.tar"]
            #expect(try await run(part).code == 3)
        }
        #expect(try await members("part-0.tar", "part-1.tar", "part-2.tar") == all)
        var places: Set<String> = []
        for number in [0, 17, 39] {
            let name = number < 10 ? "0\(number)" : "\(number)"
            let facts = try json(all["\(name).json"])
            let rect = try #require(facts["rect"] as? [Int]).map { "\($0)" }.joined(separator: ",")
            let path = try #require(facts["path"] as? String)
            #expect(facts["seed"] as? Int == 5 && facts["number"] as? Int == number)
            places.insert(path + rect)
            let render = try await program.run(
                ["render", path, "--rect", rect, "-o", "crop.png", "--overwrite"], in: folder.url)
            #expect(render.code == 0, "\(render.errors)")
            let crop = folder.path("\(name).png")
            try #require(all["\(name).png"]).write(to: URL(fileURLWithPath: crop))
            let (own, rendered) = try (
                VipsImage.load(crop, with: "pngload", [:]).pixels().copied(),
                VipsImage.load(folder.path("crop.png"), with: "pngload", [:]).pixels().copied()
            )
            #expect(own == rendered)
        }
        #expect(places.count == 3)
    }

    @Test("continues an archive that ended anywhere, with the same bytes")
    func resumed() async throws {
        #expect(try await run(random + ["-o", "all.tar"]).code == 3)
        let whole = try folder.data("all.tar")
        let part = folder.url.appendingPathComponent("out.tar.part")
        var seeded = SplitMix64(seed: 3)
        let ends =
            [0, 1, 512, whole.count - 1024]
            + (0..<5).map { _ in Int.random(in: 0..<whole.count, using: &seeded) }
        for end in ends {
            try? FileManager.default.removeItem(atPath: folder.path("out.tar"))
            try whole.prefix(end).write(to: part)
            if end > 0 {
                let refused = try await run(random + ["-o", "out.tar"])
                #expect(
                    refused.code == 73 && refused.errors.contains("--resume continues it"),
                    "\(refused.errors)")
            }
            let result = try await run(random + ["-o", "out.tar", "--resume"])
            #expect([0, 3].contains(result.code), "\(end): \(result.errors)")
            #expect(try folder.data("out.tar") == whole, "\(end)")
            #expect(!folder.names.contains("out.tar.part"))
        }
        // What is complete is left, and what is of others is refused.
        #expect(try await run(random + ["-o", "out.tar", "--resume"]).code == 0)
        // Its own archives are replaced, those of others are not.
        #expect(try await run(random + ["-o", "out.tar"]).code == 3)
        #expect(try folder.data("out.tar") == whole)
        let archiver = try #require(BuiltProgram(installed: "tar"))
        #expect(try await archiver.run(["-cf", "other.tar", "scans"], in: folder.url).code == 0)
        let there = try await run(random + ["-o", "other.tar"])
        #expect(there.code == 73 && there.errors.contains("other.tar: is there already"), "\(there.errors)")
        #expect(try await run(random + ["-o", "other.tar", "--overwrite"]).code == 3)
        try whole.prefix(whole.count / 2).write(to: part)
        let other = try await run(random + ["--min-detail", "3", "-o", "out.tar", "--resume", "--overwrite"])
        #expect(other.code == 3, "\(other.errors)")
        try whole.prefix(whole.count / 2).write(to: folder.url.appendingPathComponent("new.tar.part"))
        let recipe = try await run(random + ["--min-detail", "3", "-o", "new.tar", "--resume"])
        #expect(recipe.code == 64 && recipe.errors.contains("other images or options"), "\(recipe.errors)")
        #expect(try folder.data("new.tar.part").count == whole.count / 2)
        // Files of others that happen to have the name are kept.
        let tar = try #require(BuiltProgram(installed: "tar"))
        #expect(try await tar.run(["-cf", "theirs.tar.part", "scans"], in: folder.url).code == 0)
        try Data(repeating: 65, count: 2000).write(to: folder.url.appendingPathComponent("text.tar.part"))
        try Data("a note".utf8).write(to: folder.url.appendingPathComponent("note.tar.part"))
        for name in ["theirs.tar", "text.tar", "note.tar"] {
            let before = try folder.data("\(name).part")
            for option in ["--resume", "--overwrite"] {
                let kept = try await run(random + ["-o", name, option])
                #expect(kept.code == 73 && kept.errors.contains("\(name).part: is no archive of crops"))
                #expect(try folder.data("\(name).part") == before)
            }
        }
    }

    @Test("continues after a full disk, with single pixels of images of any name")
    func limited() async throws {
        let shell = try #require(BuiltProgram(installed: "sh"))
        let copy = "cp scans/0.jpg \"$(printf 'scans/\\377.jpg')\""
        #expect(try await shell.run(["-c", copy], in: folder.url).code == 0)
        let crops = [
            "--recursive", "scans", "--size", "1", "--count", "60", "--crop-format", "png", "-o", "out.tar",
        ]
        // With a limit of file sizes, writes fail like on a full disk.
        let full = try await shell.run(
            ["-c", "ulimit -f 20; exec \"$0\" crops \"$@\"", program.url.path] + crops, in: folder.url,
            environment: ["SWIFT_BACKTRACE": "enable=no", "XDG_CACHE_HOME": folder.path("cache")])
        #expect(full.code == 73 && full.errors.contains("out.tar.part: cannot be written"), "\(full.errors)")
        #expect(try await run(crops + ["--resume"]).code == 3)
        let resumed = try folder.data("out.tar")
        #expect(try await run(crops + ["--overwrite"]).code == 3)
        #expect(try folder.data("out.tar") == resumed)
        let facts = try await members("out.tar").filter { $0.key.hasSuffix("json") }.map {
            try json($0.value)
        }
        #expect(facts.count == 60 && facts.allSatisfy { ($0["rect"] as? [Int])?.suffix(2) == [1, 1] })
        let paths = Set(facts.compactMap { $0["path"] as? String })
        #expect(paths.count == 4 && paths.contains("scans/\u{F7FF}.jpg"), "\(paths)")
    }

    @Test("cuts the rectangles of a list, with its labels")
    func listed() async throws {
        let lines = """
            {"path":"scans/0.jpg","rect":[10,20,256,256],"label":"tissue","score":0.5}
            {"path":"scans/1.jpg","rect":[0,0,64,64],"id":"b"}
            {"path":"scans/none.jpg","rect":[0,0,64,64]}
            """
        try Data(lines.utf8).write(to: folder.url.appendingPathComponent("list.jsonl"))
        let result = try await run(["--manifest", "list.jsonl", "--size", "64x32", "-o", "out.tar"])
        #expect(result.code == 3 && result.errors.contains("none.jpg"), "\(result.errors)")
        let all = try await members("out.tar")
        #expect(Set(all.keys) == ["0.jpg", "0.json", "1.jpg", "1.json"])
        let first = try json(all["0.json"])
        let labels = try #require(first["labels"] as? [String: Any])
        #expect(labels["label"] as? String == "tissue" && labels["score"] as? Double == 0.5)
        #expect(first["rect"] as? [Int] == [10, 20, 256, 256] && first["seed"] == nil)
        #expect(try json(all["1.json"])["id"] as? String == "b")
        try #require(all["0.jpg"]).write(to: folder.url.appendingPathComponent("0.jpg"))
        let size = try VipsImage.load(folder.path("0.jpg"), with: "jpegload", [:])
        #expect(size.width == 64 && size.height == 32)
    }

    @Test("leaves blank places out")
    func detail() async throws {
        // A scan of mostly white paper: what is there to see is in the left eighth.
        let photo = try TestImages.photo(width: 150, height: 600, seed: 4)
        try photo.embedded(x: 0, y: 0, width: 1200, height: 600, background: [250, 250, 250])
            .save(folder.path("page.png"), with: "pngsave")
        for (least, isLeft) in [("0", false), ("12", true)] {
            let result = try await run([
                "page.png", "--size", "64", "--count", "12", "--min-detail", least, "-o", "out-\(least).tar",
            ])
            #expect(result.code == 0, "\(result.errors)")
            let all = try await members("out-\(least).tar")
            let columns = try all.filter { $0.key.hasSuffix("json") }.map {
                (try json($0.value)["rect"] as? [Int])?.first ?? -1
            }
            #expect(
                columns.count == 12 && columns.allSatisfy { (0..<150).contains($0) } == isLeft, "\(columns)")
        }
    }

    @Test(
        "has one number of channels in an archive, whatever the images are",
        arguments: [
            ("jpg", "rgb", 3), ("png", "rgb", 3), ("webp", "rgb", 3), ("png", "rgba", 4), ("png", "grey", 1),
        ])
    func channels(_ format: String, _ mode: String, _ bands: Int) async throws {
        let photo = try TestImages.photo(width: 90, height: 90, seed: 8)
        try FileManager.default.createDirectory(
            atPath: folder.path("mixed"), withIntermediateDirectories: true)
        func save(_ name: String, _ image: VipsImage) throws {
            try image.save(folder.path("mixed/\(name).png"), with: "pngsave")
        }
        try save("color", photo)
        try save("gray", photo.converted(to: "b-w"))
        try save("deep", photo.converted(to: "rgb16"))
        try save("clear", TestImages.photo(width: 90, height: 90, bands: 4, seed: 9))
        // Of few colors: a palette.
        try save("sky", TestImages.flat([120, 170, 230], width: 90, height: 90))
        let result = try await run([
            "-r", "mixed", "-s", "64", "-c", "25", "--crop-format", format, "--mode", mode, "-o", "out.tar",
        ])
        #expect(result.code == 0, "\(result.errors)")
        #expect(
            result.errors.contains("clear.png: has transparent pixels") == (mode != "rgba"),
            "\(result.errors)")
        let all = try await members("out.tar").filter { !$0.key.hasSuffix("json") }
        #expect(all.count == 25)
        for (name, bytes) in all {
            try bytes.write(to: folder.url.appendingPathComponent(name))
            let image = try VipsImage.load(
                folder.path(name), with: "\(format == "jpg" ? "jpeg" : format)load", [:])
            #expect(image.bands == bands, "\(name)")
            // Neither a palette nor 16 bits.
            if format == "png" {
                #expect(bytes[24] == 8 && bytes[25] == [1: 0, 3: 2, 4: 6][bands], "\(name)")
            }
        }
    }

    @Test("says what of a rectangle is outside of its image, magnified or stretched, or leaves it out")
    func outside() async throws {
        let lines = """
            {"path":"scans/0.jpg","rect":[660,400,80,200]}
            {"path":"scans/0.jpg","rect":[0.5,0,64,64]}
            {"path":"scans/0.jpg","rect":[10,10,20,20]}
            {"path":"scans/1.jpg","rect":[2000,0,64,64]}
            """
        try Data(lines.utf8).write(to: folder.url.appendingPathComponent("list.jsonl"))
        let given = ["--manifest", "list.jsonl", "-s", "64"]
        let result = try await run(given + ["-o", "out.tar"])
        #expect(result.code == 3, "\(result.errors)")
        let words =
            "3 crops are in out.tar, of which 1 reaches beyond its image, 1 is magnified"
        #expect(
            result.errors.contains(words + ", 1 is stretched, and 1 without a place"), "\(result.errors)")
        let all = try await members("out.tar")
        let first = String(decoding: all["0.json"] ?? Data(), as: UTF8.self)
        #expect(first.contains(#""rect":[660.0,400.0,80.0,200.0]"#) && first.contains(#""outside":0.75,"#))
        #expect(first.contains(#""scale":[0.8,0.32]"#), "\(first)")
        let stats = try json(try folder.data("out_stats.json"))
        #expect(
            stats["outside"] as? Int == 1 && stats["crops"] as? Int == 3 && stats["stretched"] as? Int == 1)
        #expect(stats["bytes"] as? Int == (try folder.data("out.tar").count))
        let inside = try await run(given + ["-o", "in.tar", "--inside"])
        #expect(inside.code == 3 && inside.errors.contains("line 1: "), "\(inside.errors)")
        #expect(inside.errors.contains("75 % of the rectangle is outside of the image"))
        #expect(Set(try await members("in.tar").keys) == ["1.jpg", "1.json", "2.jpg", "2.json"])
    }

    @Test("writes all archives in one run, with the bytes of one run for each")
    func severalArchives() async throws {
        #expect(try await run(random + ["-o", "a-{00..02}.tar", "--json"]).lines.count == 3)
        for shard in 0..<3 {
            #expect(try await run(random + ["--shard", "\(shard)/3", "-o", "b-{shard}.tar"]).code == 3)
            #expect(try folder.data("a-0\(shard).tar") == folder.data("b-\(shard).tar"))
        }
        #expect(try await run(random + ["--samples-per-archive", "14", "-o", "c-{shard}.tar"]).code == 3)
        #expect(try folder.data("c-2.tar") == folder.data("b-2.tar") && !folder.names.contains("c-3.tar"))
        let counts = try (0..<3).map { try json(try folder.data("c-\($0)_stats.json"))["crops"] as? Int }
        #expect(counts == [14, 13, 13])
        // What is complete is left, the rest is made.
        try FileManager.default.removeItem(atPath: folder.path("a-01.tar"))
        let again = try await run(random + ["-o", "a-{00..02}.tar", "--resume"])
        #expect(again.errors.contains("a-00.tar is complete already"), "\(again.errors)")
        #expect(try folder.data("a-01.tar") == folder.data("b-1.tar"))
    }

    @Test("writes classes and texts of labels, with a table")
    func classes() async throws {
        let lines = """
            {"path":"scans/0.jpg","rect":[0,0,64,64],"label":"tissue","caption":"a — b"}
            {"path":"scans/0.jpg","rect":[9,0,64,64],"label":"fat"}
            """
        try Data(lines.utf8).write(to: folder.url.appendingPathComponent("list.jsonl"))
        let made = try await run([
            "--manifest", "list.jsonl", "-s", "64", "--class", "label", "--text", "caption", "-o", "out.tar",
        ])
        #expect(made.code == 0, "\(made.errors)")
        let all = try await members("out.tar")
        #expect(all["0.cls"] == Data("1".utf8) && all["1.cls"] == Data("0".utf8))
        #expect(all["0.txt"] == Data("a — b".utf8) && all["1.txt"] == Data())
        let table = try json(try folder.data("out_classes.json"))
        #expect(table["classes"] as? [String] == ["fat", "tissue"])
        // Complete crops are found behind more members, too.
        let whole = try folder.data("out.tar")
        try FileManager.default.removeItem(atPath: folder.path("out.tar"))
        try whole.prefix(whole.count / 2 + 700).write(to: folder.url.appendingPathComponent("out.tar.part"))
        let resumed = try await run([
            "--manifest", "list.jsonl", "-s", "64", "--class", "label", "--text", "caption", "-o", "out.tar",
            "--resume",
        ])
        let joined = try folder.data("out.tar")
        #expect(resumed.code == 0 && joined == whole, "\(resumed.errors)")
    }

    @Test("ends with a sentence where the reader of standard output has ended")
    func closedPipe() async throws {
        let shell = try #require(BuiltProgram(installed: "sh"))
        let result = try await shell.run(
            [
                "-c", "\"$0\" crops scans/0.jpg -s 128 -c 5000 -o - | head -c 1000 >/dev/null",
                program.url.path,
            ],
            in: folder.url, environment: ["XDG_CACHE_HOME": folder.path("cache")])
        #expect(
            result.errors == "viewport: standard output was closed before the archive was complete\n",
            "\(result.errors)")
    }

    @Test("names photos below --root as the root does")
    func root() async throws {
        let made = try await run(["scans/0.jpg", "-s", "64", "-c", "2", "--root", "scans", "-o", "out.tar"])
        #expect(made.code == 0, "\(made.errors)")
        #expect(try json(try await members("out.tar")["0.json"])["path"] as? String == "0.jpg")
    }

    @Test(
        "refuses what it cannot do in one sentence",
        arguments: [
            (["--size", "64", "--count", "3", "-o", "a.tar"], "give images"),
            (["scans/0.jpg", "--size", "64", "-o", "a.tar"], "--count"),
            (["scans/0.jpg", "--size", "64", "--count", "3", "--shard", "0/2", "-o", "a.tar"], "{shard}"),
            (["scans/0.jpg", "--size", "50%", "--count", "3", "-o", "a.tar"], "--size"),
            (
                ["scans/0.jpg", "--size", "64", "--count", "3", "--crop-format", "bmp", "-o", "a.tar"],
                "webp"
            ),
            (["scans/0.jpg", "--size", "64", "--count", "0", "-o", "a.tar"], "--count"),
            (["scans/0.jpg", "-s", "64", "-c", "3", "--mode", "rgba", "-o", "a.tar"], "choose png"),
            (
                ["scans/0.jpg", "-s", "64", "-c", "3", "--shard", "0/2", "-o", "a{0..3}.tar"],
                "4 names for 2 shards"
            ),
            (["scans/0.jpg", "-s", "64", "-c", "3", "--samples-per-archive", "2", "-o", "a.tar"], "{shard}"),
            (
                ["scans/0.jpg", "-s", "64", "-c", "3", "--text", "x", "-o", "a.tar"],
                "no line has this member"
            ),
        ])
    func refused(_ arguments: [String], _ words: String) async throws {
        let result = try await run(arguments)
        #expect(result.code == 64 && result.errors.contains(words), "\(result.code) \(result.errors)")
        #expect(!folder.names.contains { $0.contains(".tar") })
    }
}
