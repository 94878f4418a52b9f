import Foundation
import TestHarness
import TestSupport
import Testing
import Vips

@Suite("viewport library duplicates and trash", .ownThread)
struct LibraryDuplicatesTests {
    private let scene: ImportScene

    init() throws { scene = try ImportScene() }

    private func index() async throws {
        _ = try await scene.run("init")
        #expect(try await scene.run("index").code == 0)
    }

    private func resolve(_ plan: String, _ arguments: String...) async throws -> BuiltProgram.Result {
        try scene.put("plan.jsonl", Array(plan.utf8))
        return try await scene.program.run(
            ["library", "duplicates", scene.library, "--resolve", scene.folder.path("plan.jsonl")]
                + arguments,
            environment: scene.environment)
    }

    @Test("plans, resolves, lists the trash, undoes, and empties the trash after a confirmation")
    func wholeWay() async throws {
        for name in ["a.jpg", "b/a copy.jpg", "b/other.jpg"] {
            try scene.put("library/\(name)", ImportScene.photo(name == "b/other.jpg" ? 2 : 1))
        }
        try await index()
        let before = try scene.contents("library")
        let planned = try await scene.run("duplicates", "--dry-run")
        #expect(planned.code == 0 && planned.lines.count == 2)
        #expect(try scene.contents("library") == before)
        let resolved = try await resolve(planned.text, "--json")
        #expect(resolved.code == 0 && resolved.json["trashed"] as? Int == 1, "\(resolved.errors)")
        #expect(try scene.contents("library").keys.sorted() == ["a.jpg", "b/other.jpg"])
        let trash = try await scene.run("trash", "--json")
        #expect(trash.lines.map { $0["path"] as? String } == ["b/a copy.jpg"])
        #expect(try await scene.run("undo").text.contains("move duplicates to the trash"))
        #expect(try scene.contents("library") == before)
        #expect(try await resolve(planned.text).code == 0)
        let refused = try await scene.run("trash", "--empty")
        #expect(refused.code == 64 && refused.errors.contains("add --yes"))
        let emptied = try await scene.run("trash", "--empty", "--yes", "--json")
        #expect(emptied.code == 0 && emptied.json["removed"] as? Int == 1)
        #expect(try await scene.run("trash", "--json").lines.isEmpty)
        #expect(try await scene.run("undo").text.contains("nothing to undo"))
    }

    @Test("--keep-all remembers a group, --show-kept shows it, and a wrong plan has its line named")
    func keepAll() async throws {
        for name in ["a.jpg", "b.jpg"] { try scene.put("library/\(name)", ImportScene.photo(1)) }
        try scene.put("library/c.jpg", ImportScene.photo(2))
        try await index()
        let lone = try await scene.run("duplicates", "--keep-all", "c.jpg")
        #expect(lone.code == 64 && lone.errors.contains("c.jpg is in no group of duplicates by bytes"))
        #expect(try await scene.run("duplicates", "--keep-all", "b.jpg", "--json").json["kept"] as? Int == 1)
        #expect(try await scene.run("duplicates", "--json").lines.isEmpty)
        #expect(try await scene.run("duplicates", "--show-kept", "--json").lines.count == 1)
        let wrong = try await resolve("{\"plan\":\"viewport library duplicates\",\"version\":1}\n{}\n")
        #expect(
            wrong.code == 65 && wrong.errors.contains("plan.jsonl: line 2 needs \"by\""), "\(wrong.errors)")
        #expect(try await scene.run("duplicates", "--resolve", "nothing").code == 66)
        #expect(try await scene.run("duplicates", "--dry-run", "--keep-all", "a.jpg").code == 64)
    }

    @Test("by looks keeps the frames of bursts and moves smaller copies")
    func bursts() async throws {
        // Frames of one scene: bright spots move by a pixel.
        for frame in 0..<5 {
            let photo = try TestImages.photo(width: 640, height: 480, seed: 7)
            let path = scene.folder.path("frame.jpg")
            try photo.save(path, with: "jpegsave", ["Q": .int(90 - frame)])
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            let exif = TinyPhoto.jpeg(date: "2014:05:25 10:00:0\(frame)", make: "Camera", salt: UInt64(frame))
            // The EXIF segment of the small photo goes before the segments of the large one.
            let length = 2 + Int(exif[4]) << 8 + Int(exif[5])
            try scene.put(
                "library/IMG_\(frame).jpg", Array(bytes[..<2] + exif[2..<(2 + length)] + bytes[2...]))
        }
        let frame = scene.folder.path("frame.jpg")
        let small = try await BuiltProgram("viewport").run([
            "render", frame, "--size", "320x240", "-o", scene.folder.path("library/small.png"),
        ])
        #expect(small.code == 0, "\(small.errors)")
        try await index()
        let planned = try await scene.run("duplicates", "--by", "looks", "--distance", "8", "--dry-run")
        #expect(planned.code == 0 && planned.lines.count == 2, "\(planned.text) \(planned.errors)")
        let files = planned.lines.last?["files"] as? [[String: Any]] ?? []
        #expect(files.count == 2 && files.last?["path"] as? String == "small.png", "\(files)")
        #expect(try await resolve(planned.text).code == 0)
        #expect(try scene.contents("library").count == 5)
    }

    @Test("loses nothing when it is killed at any point; a second run or undo repairs it")
    func killed() async throws {
        for group in 0..<60 {
            for copy in 0..<3 {
                let bytes = TinyPhoto.jpeg(
                    date: "2014:05:25 10:00:00", salt: UInt64(group), count: 20_000)
                try scene.put("library/\(copy)/IMG_\(group).jpg", bytes)
                if copy == 1 { try scene.put("library/1/IMG_\(group).aae", Array("edits of \(group)".utf8)) }
            }
        }
        try await index()
        _ = try await scene.run("edit", "2/IMG_3.jpg", "--rating", "5")
        let add = ["library", "albums", "add", scene.library, "Picks", "1/IMG_4.jpg", "2/IMG_5.jpg"]
        #expect(try await scene.program.run(add, environment: scene.environment).code == 0)
        let before = try scene.contents("library")
        func listed() async throws -> String { try await scene.run("list", "--json").text }
        let rows = try await listed()
        let plan = try await scene.run("duplicates", "--dry-run").text
        try scene.put("plan.jsonl", Array(plan.utf8))
        let arguments = [
            "library", "duplicates", scene.library, "--resolve", scene.folder.path("plan.jsonl"), "--quiet",
        ]
        func everything() throws -> Set<Data> {
            let trash = "library/.viewport-library/trash"
            let trashed = try scene.folder.files(below: trash).map { try scene.folder.data("\(trash)/\($0)") }
            return Set(try scene.contents("library").values).union(trashed)
        }
        let all = try everything()
        var random = SplitMix64(seed: 3)
        var (kills, partial) = (0, 0)
        for round in 0..<TestLength.repetitions(60, short: 8) {
            let process = scene.program.process(arguments, environment: scene.environment)
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.start()
            let trash = scene.folder.path("library/.viewport-library/trash")
            // Killed when the first files are in the trash, or at once.
            while round % 2 == 0, process.isRunning, !FileManager.default.fileExists(atPath: trash) {
                try await Task.sleep(for: .microseconds(200))
            }
            try await Task.sleep(for: .microseconds(Int(random.next() % 150_000)))
            kill(process.processIdentifier, SIGKILL)
            await process.end()
            if process.terminationReason == .uncaughtSignal { kills += 1 }
            #expect(all.isSubset(of: try everything()), "round \(round)")
            let visible = try scene.contents("library")
            if visible.count < before.count, visible.keys.contains(where: { $0.hasPrefix("2/") }) {
                partial += 1
            }
            #expect(
                (0..<60).allSatisfy { group in (0..<3).contains { visible["\($0)/IMG_\(group).jpg"] != nil } }
            )
            switch round % 3 {
            case 0: _ = try await scene.run("index")
            case 1:
                // A second run does the rest.
                let again = try await scene.program.run(arguments, environment: scene.environment)
                #expect(again.code == 0, "\(again.errors)")
                #expect(try scene.contents("library").keys.count { $0.hasSuffix(".jpg") } == 60)
            default: break
            }
            while try await scene.run("undo", "--list").text.contains("move duplicates") {
                #expect(try await scene.run("undo").code == 0)
            }
            #expect(try scene.contents("library") == before, "round \(round)")
            #expect(try await listed() == rows, "round \(round)")
        }
        #expect(kills > 0 && partial > 0, "\(partial) of \(kills) were killed in their midst")
        #expect(try await scene.run("verify").code == 0)
        #expect(try await scene.run("doctor").code == 0)
    }

    @Test("changes nothing on a full disk")
    func fullDisk() async throws {
        for copy in 0..<3 { try scene.put("library/\(copy)/a.jpg", ImportScene.photo(1)) }
        try await index()
        let before = try scene.contents("library")
        let plan = try await scene.run("duplicates", "--dry-run").text
        try scene.put("plan.jsonl", Array(plan.utf8))
        // With a limit of file sizes, writes fail like on a full disk.
        let shell = try #require(BuiltProgram(installed: "sh"))
        let result = try await shell.run(
            [
                "-c", "ulimit -f 1; exec \"$0\" \"$@\"", scene.program.url.path, "library", "duplicates",
                scene.library, "--resolve", scene.folder.path("plan.jsonl"),
            ], environment: scene.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 })
        #expect(result.code == 73, "\(result.code) \(result.errors)")
        #expect(try scene.contents("library") == before)
        #expect(try await resolve(plan).code == 0)
        #expect(try await scene.run("undo").code == 0)
        #expect(try scene.contents("library") == before)
    }
}

@Suite("viewport library doctor")
struct LibraryDoctorTests {
    @Test("finds each fault, names the command that helps, and changes nothing")
    func findings() async throws {
        let scene = try ImportScene()
        for (number, name) in ["good", "gone", "changed", "rotten"].enumerated() {
            try scene.put("library/\(name).jpg", ImportScene.photo(UInt64(number)), modified: 1_400_000_000)
        }
        try scene.put("library/undated.jpg", TinyPhoto.jpeg(salt: 9))
        try scene.put("library/broken.cr2", Array("no raw file".utf8))
        try scene.put("library/folder/lone.xmp", Array("<x/>".utf8))
        try scene.put("library/good.jpg.xmp", Array("<x/>".utf8))
        _ = try await scene.run("init")
        #expect(try await scene.run("index").code == 3)
        try FileManager.default.removeItem(atPath: scene.folder.path("library/gone.jpg"))
        try scene.put("library/changed.jpg", ImportScene.photo(7))
        var rotten = ImportScene.photo(3)
        rotten[rotten.count - 3] ^= 1
        try scene.put("library/rotten.jpg", rotten, modified: 1_400_000_000)
        try scene.put("library/new.jpg", ImportScene.photo(8))
        try scene.put("library/.viewport-library/trash/7/lost.jpg", ImportScene.photo(1))
        let before = try scene.contents("library")
        let result = try await scene.run("doctor", "--checksums", "--json")
        #expect(result.code == 3, "\(result.errors)")
        let found = Dictionary(
            result.lines.map { ($0["kind"] as? String ?? "", $0["paths"] as? [String] ?? []) }
        ) { $1 }
        #expect(
            found == [
                "missing": ["gone.jpg"], "changed": ["changed.jpg"], "new": ["new.jpg"],
                "unreadable": ["broken.cr2"], "damaged": ["rotten.jpg"],
                "brokenSidecars": ["good.jpg"], "sidecars": ["folder/lone.xmp"],
                "trash": [".viewport-library/trash/7/lost.jpg"], "undated": [], "unlocated": [],
            ])
        #expect(result.lines.allSatisfy { ($0["command"] as? String)?.hasPrefix("viewport library") == true })
        #expect(try scene.contents("library") == before)
        let text = try await scene.run("doctor").text
        #expect(
            text.contains(
                "FAIL  1 file is gone; restore them, or remove them from the catalog with `viewport library index"
            ))
    }

    @Test("is content with a library that is well, and ends with 65 for a damaged catalog")
    func wellAndDamaged() async throws {
        let scene = try ImportScene()
        try scene.put("library/a.jpg", ImportScene.photo(1))
        _ = try await scene.run("init")
        #expect(try await scene.run("index").code == 0)
        let well = try await scene.run("doctor", "--json")
        #expect(well.code == 0 && well.lines.map { $0["good"] as? Bool } == [true], "\(well.text)")
        try scene.put("library/.viewport-library/catalogue.sqlite", [UInt8](repeating: 7, count: 50_000))
        let damaged = try await scene.run("doctor")
        #expect(damaged.code == 65 && damaged.errors.contains("verify --repair"))
        #expect(try await scene.run("verify", "--repair").code == 0)
        #expect(try await scene.run("doctor").code == 0)
    }
}
