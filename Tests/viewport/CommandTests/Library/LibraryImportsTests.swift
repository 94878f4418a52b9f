import Foundation
import TestSupport
import Testing

@Suite("viewport library imports")
struct LibraryImportsTests {
    private let scene: ImportScene

    init() throws { scene = try ImportScene() }

    @discardableResult
    private func `import`(_ options: String..., source: String? = nil) async throws -> BuiltProgram.Result {
        try await scene.program.run(
            ["library", "import", scene.library, source ?? scene.card] + options,
            environment: scene.environment)
    }

    /// The outcomes of the files of an import by their names.
    private func outcomes(_ number: Int) async throws -> [String: String] {
        try await scene.run("imports", "\(number)", "--json").lines.reduce(into: [:]) { outcomes, line in
            let name = (line["source"] as? String)?.split(separator: "/").last.map(String.init) ?? ""
            outcomes[name] =
                (line["outcome"] as? String ?? "") + (line["removed"] as? Bool == true ? " removed" : "")
        }
    }

    @Test("lists each import with its sources, and what became of each file")
    func list() async throws {
        try scene.put("card/A.JPG", ImportScene.photo(1))
        try scene.put("card/A.xmp", Array("<x:xmpmeta/>".utf8))
        try scene.put("card/B.JPG", ImportScene.photo(1))
        try scene.put("card/C.JPG", [1, 2, 3])
        try scene.put("card/notes.txt", Array("words".utf8))
        let first = try await `import`("--json")
        #expect(first.code == 3 && first.json["import"] as? Int == 1)
        #expect(
            try await outcomes(1) == [
                "A.JPG": "imported", "A.xmp": "imported", "B.JPG": "duplicate", "C.JPG": "left",
                "notes.txt": "left",
            ])
        try scene.put("card/D.JPG", ImportScene.photo(4))
        #expect(try await `import`("--move").code == 3)
        #expect(
            try await outcomes(2) == [
                "A.JPG": "present removed", "A.xmp": "present removed", "B.JPG": "duplicate", "C.JPG": "left",
                "D.JPG": "imported removed", "notes.txt": "left",
            ])
        // Nothing is left to import, which is an import, too.
        try await `import`()
        let list = try await scene.run("imports", "--json").lines
        #expect(
            list.map { $0["import"] as? Int } == [1, 2, 3]
                && list.map { $0["discovered"] as? Int } == [5, 6, 3])
        #expect(list.map { $0["moves"] as? Bool } == [false, true, false])
        #expect(
            list.allSatisfy {
                $0["sources"] as? [String] == [scene.card] && $0["end"] as? String == "finished"
            })
        for line in list {
            let counts = try #require(line["counts"] as? [String: Int])
            #expect(counts.values.reduce(0, +) == line["discovered"] as? Int)
        }
        let text = try await scene.run("imports").text
        #expect(
            text.contains("5 files found: 2 imported, 1 duplicate, 2 left; from \(scene.card)\n"), "\(text)")
        let detail = try await scene.run("imports", "2").text
        #expect(detail.contains("moved \(scene.card)/D.JPG -> 2014/2014-05-25/D.JPG\n"), "\(detail)")
        let none = try await scene.run("imports", "9")
        #expect(none.code == 66 && none.errors.contains("there is no import 9"), "\(none.errors)")
        // A plan is no import.
        try await `import`("--dry-run")
        #expect(try await scene.run("imports", "--json").lines.count == 3)
    }

    @Test(
        "tell where a damaged or missing file came from, also after it was moved and the catalog was rebuilt")
    func origins() async throws {
        try scene.put("card/A.JPG", ImportScene.photo(1))
        try scene.put("card/B.JPG", ImportScene.photo(2))
        try await `import`()
        try scene.put("card/C.JPG", ImportScene.photo(3), modified: 1_400_000_000)
        try await `import`("--move")
        let folder = "library/2014/2014-05-25"
        try FileManager.default.moveItem(
            atPath: scene.folder.path("\(folder)/C.JPG"), toPath: scene.folder.path("library/moved.jpg"))
        #expect(try await scene.run("index").code == 0)
        let repaired = try await scene.run("verify", "--repair")
        #expect(repaired.code == 0, "\(repaired.errors)")
        try FileManager.default.removeItem(atPath: scene.folder.path("\(folder)/A.JPG"))
        var bytes = ImportScene.photo(3)
        bytes[bytes.count - 5] ^= 1
        try scene.put("library/moved.jpg", bytes, modified: 1_400_000_000)
        let result = try await scene.run("verify")
        #expect(result.code == 3)
        let lines = result.errors.split(separator: "\n")
        let gone = try #require(
            lines.first { $0.contains("A.JPG: is gone; import 1 of ") }, "\(result.errors)")
        #expect(gone.contains(" copied it from \(scene.card)/A.JPG"), "\(gone)")
        let damaged = try #require(
            lines.first { $0.contains("moved.jpg: has other bytes ") }, "\(result.errors)")
        #expect(damaged.contains("; import 2 of ") && damaged.contains(" moved it from \(scene.card)/C.JPG"))
        let origins = try #require(
            try await scene.run("verify", "--json").json["origins"] as? [[String: Any]])
        #expect(
            Dictionary(uniqueKeysWithValues: origins.map { ($0["path"] as? String, $0["import"] as? Int) })
                == ["2014/2014-05-25/A.JPG": 1, "moved.jpg": 2])
    }

    @Test("keep what a killed import has done")
    func killed() async throws {
        // The system ends the import where it writes more than the limit: in the middle, however busy the machine is.
        for (number, name) in (0..<800).map({ "\($0).JPG" }).sorted().enumerated() {
            let photo = TinyPhoto.jpeg(
                date: "2014:05:25 10:00:00", salt: UInt64(number), count: number == 400 ? 9_000_000 : 20_000)
            try scene.put("card/\(name)", photo)
        }
        let limited = BuiltProgram(path: "/bin/bash")
        let ended = try await limited.run(
            ["-c", "ulimit -c 0 -f 8000; exec \"$@\"", "bash", scene.program.url.path]
                + ["library", "import", scene.library, scene.card], environment: scene.environment)
        #expect(ended.code == 128 + SIGXFSZ, "\(ended.errors)")
        let list = try await scene.run("imports", "--json").lines
        #expect(
            list.count == 1 && list[0]["end"] as? String == "unfinished"
                && list[0]["discovered"] as? Int == 800)
        let done = try await scene.run("imports", "1", "--json").lines
        #expect(done.count >= 64 && done.count < 800, "\(done.count)")
        for line in done {
            let path = try #require(line["path"] as? String)
            #expect(FileManager.default.fileExists(atPath: scene.folder.path("library/\(path)")))
        }
        #expect(try await scene.run("imports").text.contains(" not reached, unfinished; from "))
        // The next import accounts for all of them.
        #expect(try await `import`().code == 0)
        #expect(try await scene.run("imports", "2", "--json").lines.count == 800)
        #expect(try await scene.run("verify").code == 0)
    }
}
