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

    /// The members of archives, by their names.
    private func members(_ archives: String...) async throws -> [String: Data] {
        var members: [String: Data] = [:]
        let tar = try #require(BuiltProgram(installed: "tar"))
        for archive in archives {
            let place = try TemporaryFolder()
            let result = try await tar.run(["-xf", folder.path(archive)], in: place.url)
            #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
            for name in place.names {
                #expect(members.updateValue(try place.data(name), forKey: name) == nil)
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
        let there = try await run(random + ["-o", "out.tar"])
        #expect(there.code == 73 && there.errors.contains("out.tar: is there already"), "\(there.errors)")
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
        "refuses what it cannot do in one sentence",
        arguments: [
            (["--size", "64", "--count", "3", "-o", "a.tar"], "give images"),
            (["scans/0.jpg", "--size", "64", "-o", "a.tar"], "--count"),
            (["scans/0.jpg", "--size", "64", "--count", "3", "--shard", "0/2", "-o", "a.tar"], "{shard}"),
            (["scans/0.jpg", "--size", "50%", "--count", "3", "-o", "a.tar"], "--size"),
            (
                ["scans/0.jpg", "--size", "64", "--count", "3", "--crop-format", "tif", "-o", "a.tar"],
                "jpg, png or webp"
            ),
            (["scans/0.jpg", "--size", "64", "--count", "0", "-o", "a.tar"], "--count"),
        ])
    func refused(_ arguments: [String], _ words: String) async throws {
        let result = try await run(arguments)
        #expect(result.code == 64 && result.errors.contains(words), "\(result.code) \(result.errors)")
        #expect(!folder.names.contains { $0.contains(".tar") })
    }
}
