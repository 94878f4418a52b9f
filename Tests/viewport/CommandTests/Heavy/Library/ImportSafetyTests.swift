import Foundation
import TestSupport
import Testing

extension BuiltProgram.Result {
    /// The outcome of each file of an import, by its name.
    fileprivate var outcomes: [String: String] {
        let files = json["files"] as? [[String: Any]] ?? []
        return Dictionary(
            files.compactMap { file -> (String, String)? in
                guard let source = file["source"] as? String, let outcome = file["outcome"] as? String else {
                    return nil
                }
                return (source.split(separator: "/").last.map(String.init) ?? "", outcome)
            }
        ) { first, _ in first + " twice" }
    }
}

@Suite("viewport library import keeps every photo")
struct ImportSafetyTests {
    let scene: ImportScene
    static let day = "2014/2014-05-25"

    init() throws { scene = try ImportScene() }

    private func photo(_ salt: UInt64, day: Int = 25) -> [UInt8] { ImportScene.photo(salt, day: day) }

    private func `import`(_ options: String...) async throws -> BuiltProgram.Result {
        try await scene.program.run(
            ["library", "import", scene.library, scene.card, "--json"] + options,
            environment: scene.environment)
    }

    @Test("accepts file times out of the range of nanoseconds", arguments: ["2400-01-01", "1901-12-20"])
    func times(_ date: String) async throws {
        let touch = try #require(BuiltProgram(installed: "touch"))
        try scene.put("card/A.JPG", photo(1))
        #expect(try await touch.run(["-d", date, "\(scene.card)/A.JPG"]).code == 0)
        let result = try await scene.run("import", scene.card, "--move")
        #expect(result.code == 0 && result.text.contains("1 moved"), "\(result.errors)")
    }

    @Test("reports files as present by path, size and time, and compares bytes before it moves them")
    func secondCard() async throws {
        try scene.put("card/A.JPG", photo(1), modified: 1_400_000_000)
        #expect(try await `import`().code == 0)
        // Another photo of the same name, size and time.
        try scene.put("card/A.JPG", photo(2), modified: 1_400_000_000)
        let trusting = try await `import`()
        #expect(trusting.outcomes == ["A.JPG": "present"])
        #expect((trusting.json["files"] as? [[String: Any]])?.first?["by"] as? String == "record")
        let plan = try await scene.run("import", scene.card, "-n")
        #expect(plan.text.contains("(by path, size and time)"))
        #expect(try await scene.run("import", scene.card, "-n", "--compare").text.contains("A (2).JPG"))
        let moved = try await `import`("--move")
        #expect(moved.code == 0 && moved.outcomes == ["A.JPG": "imported"])
        #expect(Set(try scene.contents("library").values) == [Data(photo(1)), Data(photo(2))])
        #expect(try scene.contents("card").isEmpty)
    }

    @Test("removes the source of a present file only after it has compared both", arguments: [false, true])
    func present(_ isRotten: Bool) async throws {
        try scene.put("card/A.JPG", photo(1), modified: 1_400_000_000)
        _ = try await `import`()
        let copy = "library/\(Self.day)/A.JPG"
        if isRotten {
            try scene.put(copy, [UInt8](repeating: 0, count: photo(1).count), modified: 1_400_000_000)
        }
        let result = try await `import`("--move")
        #expect(result.code == 0)
        #expect(result.outcomes == ["A.JPG": isRotten ? "repaired" : "present"])
        #expect(Array(try scene.folder.data(copy)) == photo(1))
        #expect(try scene.contents("card").isEmpty)
        #expect(try await scene.run("verify").code == 0)
    }

    @Test(
        "imports files again that the library has lost or truncated since indexing",
        arguments: [true, false],
        [[], ["--move"]])
    func lost(_ isGone: Bool, _ options: [String]) async throws {
        try scene.put("card/A.JPG", photo(1))
        try scene.put("library/mine/B.JPG", photo(2))
        _ = try await `import`()
        try scene.put("card/B.JPG", photo(2))
        for path in ["library/\(Self.day)/A.JPG", "library/mine/B.JPG"] {
            if isGone {
                try FileManager.default.removeItem(atPath: scene.folder.path(path))
            } else {
                try scene.put(path, Array(photo(1).prefix(50)))
            }
        }
        let result =
            options.isEmpty ? try await `import`() : try await `import`(options[0])
        #expect(result.outcomes == ["A.JPG": "imported", "B.JPG": "imported"])
        let bytes = Set(try scene.contents("library").values)
        #expect(bytes.isSuperset(of: [Data(photo(1)), Data(photo(2))]))
        #expect(try scene.contents("card").isEmpty == !options.isEmpty)
    }

    @Test("imports sidecars that differ from those in the library under numbered names")
    func sidecars() async throws {
        try scene.put("card/A.JPG", photo(1))
        try scene.put("card/A.JPG.xmp", Array("<x:xmpmeta/>".utf8))
        try scene.put("card/A.AAE", Array("first".utf8))
        _ = try await `import`("--move")
        try scene.put("card/A.JPG", photo(1))
        try scene.put("card/A.JPG.xmp", Array("<x:xmpmeta>edited</x:xmpmeta>".utf8))
        try scene.put("card/A.AAE", Array("second".utf8))
        let result = try await `import`("--move")
        #expect(result.outcomes == ["A.JPG": "present", "A.JPG.xmp": "imported", "A.AAE": "imported"])
        let files = try scene.contents("library").keys.map {
            $0.replacingOccurrences(of: Self.day + "/", with: "")
        }
        #expect(
            files.sorted() == ["A.AAE", "A.JPG", "A.JPG (2).AAE", "A.JPG (2).xmp", "A.JPG.xmp"])
        #expect(try scene.contents("card").isEmpty)
    }

    @Test("follows links to files, and removes neither the links nor their targets")
    func links() async throws {
        try scene.put("elsewhere/L.JPG", photo(1))
        try scene.put("card/A.JPG", photo(2))
        try scene.link("card/L.JPG", to: "elsewhere/L.JPG")
        try scene.link("card/folder", to: "elsewhere")
        try scene.link("card/again.JPG", to: "card/A.JPG")
        try scene.link("card/nothing.JPG", to: "nothing")
        let result = try await `import`("--move")
        #expect(
            result.outcomes == [
                "A.JPG": "imported", "L.JPG": "imported", "folder": "left", "again.JPG": "left",
                "nothing.JPG": "left",
            ])
        #expect(result.code == 3 && result.errors.contains("nothing.JPG"))
        #expect(Set(try scene.contents("library").values) == [Data(photo(1)), Data(photo(2))])
        #expect(Array(try scene.folder.data("elsewhere/L.JPG")) == photo(1))
        #expect(scene.folder.names.contains("card") && result.json["remaining"] as? Int == 4)
        // A link that is an argument is not removed either.
        let named = try await scene.run("import", scene.folder.path("card/L.JPG"), "--move", "--json")
        #expect(named.outcomes == ["L.JPG": "present"])
        #expect(Array(try scene.folder.data("card/L.JPG")) == photo(1))
    }

    @Test("does not remove hard links to files of the library")
    func hardLinks() async throws {
        try scene.put("card/A.JPG", photo(1))
        _ = try await `import`()
        try FileManager.default.removeItem(atPath: scene.folder.path("card/A.JPG"))
        for name in ["A.JPG", "B.JPG"] {
            try FileManager.default.linkItem(
                atPath: scene.folder.path("library/\(Self.day)/A.JPG"),
                toPath: scene.folder.path("card/\(name)"))
        }
        let result = try await `import`("--move")
        #expect(result.outcomes == ["A.JPG": "present", "B.JPG": "duplicate"])
        #expect(scene.folder.files(below: "card") == ["A.JPG", "B.JPG"])
        #expect(try scene.contents("library").count == 1)
    }

    @Test("treats names that differ only in case as equal")
    func cases() async throws {
        for (number, name) in ["a/IMG.JPG", "a/img.jpg", "b/Img.Jpg"].enumerated() {
            try scene.put("card/\(name)", photo(UInt64(number)))
        }
        _ = try await `import`()
        try scene.put("card/c/iMG.JPG", photo(7))
        _ = try await `import`()
        let names = scene.folder.files(below: "library/\(Self.day)")
        #expect(names == ["IMG.JPG", "Img (3).Jpg", "iMG (4).JPG", "img (2).jpg"])
        #expect(try await `import`().json["taken"] as? Int == 0)
    }

    @Test("reports one outcome per file, and names the files that it leaves", arguments: [false, true])
    func outcomes(_ isCopied: Bool) async throws {
        try scene.put("card/A.JPG", photo(1))
        try scene.put("card/A.xmp", Array("<x:xmpmeta/>".utf8))
        try scene.put("card/B.JPG", [UInt8](repeating: 0, count: 100) + photo(2).dropFirst(100))
        try scene.put("card/C.CR2", Array("no raw file".utf8))
        try scene.put("card/D.AVI", Array("no film".utf8))
        try scene.put("card/E.JPG", [])
        try scene.put("card/alone.xmp", Array("<x:xmpmeta/>".utf8))
        try scene.put("card/notes.txt", Array("words".utf8))
        try scene.put("card/.hidden", [1])
        try scene.put("card/twin/A2.JPG", photo(1))
        let plan = try await scene.run("import", scene.card, "-n")
        #expect(!FileManager.default.fileExists(atPath: scene.library))
        #expect(plan.text.contains("would make a library") && plan.text.contains("A.xmp, sidecar of A.JPG"))
        #expect(
            plan.text.contains("leave      \(scene.folder.url.resolvingSymlinksInPath().path)/card/notes.txt")
        )
        let result = try await `import`("--move", "--unreadable", isCopied ? "copy" : "leave")
        let broken = isCopied ? "imported" : "left"
        #expect(
            result.outcomes == [
                "A.JPG": "imported", "A.xmp": "imported", "B.JPG": broken, "C.CR2": broken, "D.AVI": broken,
                "E.JPG": broken, "alone.xmp": "left", "notes.txt": "left", ".hidden": "left",
                "A2.JPG": "duplicate",
            ])
        #expect(result.code == (isCopied ? 0 : 3) && result.json["made"] is [String: Any])
        for name in ["B.JPG", "C.CR2", "D.AVI", "E.JPG"] {
            #expect(result.errors.contains(name) == !isCopied)
            #expect(FileManager.default.fileExists(atPath: scene.folder.path("card/\(name)")) == !isCopied)
        }
        let again = try await scene.run("import", scene.card, "--move")
        let left = isCopied ? "still in the sources: 4 (" : "still in the sources: 8 (4 not imported, "
        #expect(
            again.text.contains("\n\(left)") && again.text.contains("card/notes.txt: is no photo or film"))
    }

    @Test("creates a library in a folder with photos, and recognizes them")
    func newLibrary() async throws {
        try scene.put("library/mine/holiday.jpg", photo(1))
        try scene.put("card/A.JPG", photo(1))
        let missing = try await scene.run("import", "/none")
        #expect(
            missing.code == 66
                && !FileManager.default.fileExists(atPath: scene.library + "/.viewport-library"))
        let result = try await scene.run("import", scene.card)
        #expect(result.code == 0 && result.text.hasPrefix("made a library of "))
        #expect(try scene.contents("library").count == 1)
        #expect(try await scene.run("import", scene.card, "--json").json["made"] is NSNull)
    }

    @Test("moves from another disk", .enabled(if: FileManager.default.isWritableFile(atPath: "/dev/shm")))
    func otherDisk() async throws {
        let card = "/dev/shm/viewport-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: card) }
        try FileManager.default.createDirectory(atPath: card, withIntermediateDirectories: true)
        try Data(photo(1)).write(to: URL(fileURLWithPath: card + "/A.JPG"))
        try Data("<x:xmpmeta/>".utf8).write(to: URL(fileURLWithPath: card + "/A.JPG.xmp"))
        let result = try await scene.run("import", card, "--move")
        #expect(result.code == 0 && result.text.contains("nothing is left in the sources"))
        #expect(Set(try scene.contents("library").values) == [Data(photo(1)), Data("<x:xmpmeta/>".utf8)])
        #expect(try FileManager.default.contentsOfDirectory(atPath: card).isEmpty)
    }

    @Test(
        "loses nothing on a disk that becomes full while it copies", .enabled(if: ImportScene.mounts),
        arguments: [60_000, 160_000, 220_000])
    func fullDisk(_ spare: Int) async throws {
        var photos: Set<Data> = []
        for number in 0..<30 {
            let bytes = TinyPhoto.jpeg(date: "2014:05:25 10:00:00", salt: UInt64(number), count: 60_000)
            photos.insert(Data(bytes))
            try scene.put("card/\(number).JPG", bytes)
        }
        let bytes = photos.reduce(0) { $0 + ($1.count + 4095) / 4096 * 4096 }
        // Room for the files, but not also for the catalog.
        let script = """
            mount -t tmpfs -o size=6m x "$2" && "$1" library init "$2" || exit 99
            head -c $(($(df --output=avail -B1 "$2" | tail -n 1) - \(bytes) - \(spare))) /dev/zero > "$2/filler"
            "$1" library import "$2" "$3" --move; code=$?
            rm "$2/filler"; mkdir "$4"; find "$2" -name '*.JPG' -exec cp {} "$4" ';' || exit 98
            exit $code
            """
        try FileManager.default.createDirectory(atPath: scene.library, withIntermediateDirectories: true)
        let unshare = try #require(BuiltProgram(installed: "unshare"))
        let result = try await unshare.run(
            [
                "-rm", "sh", "-c", script, "-", scene.program.url.path, scene.library, scene.card,
                scene.folder.path("saved"),
            ],
            environment: scene.environment)
        #expect([0, 73].contains(result.code), "\(result.errors)")
        let saved = try scene.contents("saved")
        let left = try scene.contents("card")
        #expect(Set(saved.values).union(left.values) == photos)
        #expect(result.code == 73 ? !left.isEmpty && result.errors.contains("full") : left.isEmpty)
    }

    @Test("continues with other files if one is not readable", .enabled(if: getuid() != 0))
    func forbidden() async throws {
        for name in ["A.JPG", "B.JPG"] { try scene.put("card/\(name)", photo(UInt64(name.utf8.first ?? 0))) }
        try FileManager.default.setAttributes(
            [.posixPermissions: 0], ofItemAtPath: scene.folder.path("card/A.JPG"))
        let result = try await `import`("--move")
        #expect(result.code == 3 && result.outcomes == ["A.JPG": "left", "B.JPG": "imported"])
        #expect(scene.folder.files(below: "card") == ["A.JPG"])
    }
}
