import Foundation
import TestSupport
import Testing

@Suite("viewport library import counts")
struct ImportCountTests {
    let scene: ImportScene

    init() throws { scene = try ImportScene() }

    private func `import`(_ options: String...) async throws -> BuiltProgram.Result {
        try await scene.program.run(
            ["library", "import", scene.library, scene.card] + options, environment: scene.environment)
    }

    /// The numbers in the first line of a report that has all counts, by their words.
    private func counts(_ text: String) throws -> [String: Int] {
        let line = try #require(text.split(separator: "\n").first { $0.contains(" found: ") })
        let plain = line.replacing(/\([^)]*\)/, with: "").replacing(" found: ", with: " found, ")
        return plain.split(separator: ",").reduce(into: [:]) { counts, part in
            let words = part.split(separator: " ")
            counts[words.dropFirst().joined(separator: " ")] = words.first.flatMap { Int($0) }
        }
    }

    @Test("each file once, and the sum is that of all files", arguments: [[], ["--move"]])
    func sum(_ options: [String]) async throws {
        try scene.put("card/A.JPG", ImportScene.photo(1))
        try scene.put("card/A.xmp", Array("<x:xmpmeta/>".utf8))
        try scene.put("card/B.JPG", ImportScene.photo(1))
        try scene.put("card/C.JPG", [1, 2, 3])
        try scene.put("card/notes.txt", Array("words".utf8))
        try scene.put("card/.hidden", [1])
        try scene.link("card/L.JPG", to: "card/notes.txt")
        for round in 0..<2 {
            let plan = try await scene.program.run(
                ["library", "import", scene.library, scene.card, "--dry-run"] + options,
                environment: scene.environment)
            // The hidden file and the link are no visible regular files.
            let before = scene.files("card").count + 2
            let planned = try counts(plan.text)
            #expect(planned["files found"] == before, "\(plan.text)")
            #expect(planned.values.reduce(0, +) == 2 * before, "\(planned)")
            let result = try await scene.program.run(
                ["library", "import", scene.library, scene.card] + options, environment: scene.environment)
            #expect(result.code == 3)
            let done = try counts(result.text)
            #expect(done["files found"] == before && done.values.reduce(0, +) == 2 * before, "\(result.text)")
            if round == 0 { #expect(result.text.contains("/card/A.xmp -> 2014/2014-05-25/A.xmp\n")) }
            #expect(result.text.contains("/card/.hidden: is hidden"))
        }
    }

    @Test("originals on a read-only card as copied, not as moved", .enabled(if: ImportScene.mounts))
    func readOnlyCard() async throws {
        try scene.put("card/A.JPG", ImportScene.photo(1))
        try scene.put("card/B.JPG", ImportScene.photo(2))
        let before = try scene.contents("card")
        let script = """
            mount --bind "$3/card" "$3/card" && mount -o remount,bind,ro "$3/card" || exit 99
            "$1" library import "$2" "$3/card" --move
            """
        let result = try await scene.runMounting(script)
        #expect(result.code == 3, "\(result.errors)")
        #expect(result.text.contains("2 files found: 0 moved, 2 copied ("), "\(result.text)")
        #expect(result.text.contains(" 0 failed\n2 originals could not be removed\n"))
        #expect(result.text.contains("still in the sources: 2 (2 in the library, but not removed)"))
        let reason = "is in the library, but the original cannot be removed ("
        #expect(result.errors.contains("A.JPG: \(reason)") && result.errors.contains("B.JPG: \(reason)"))
        #expect(Set(try scene.contents("library").values) == Set(before.values))
        #expect(try scene.contents("card") == before)
        // The same command on a writable card removes them.
        let again = try await `import`("--move", "--json")
        #expect(
            again.code == 0 && again.json["present"] as? Int == 2 && again.json["notRemoved"] as? Int == 0)
        #expect(try scene.contents("card").isEmpty && scene.contents("library").count == 2)
    }

    /// A photo, and one that states another size than it has.
    private func bomb(_ stated: (_ packed: Int) -> Int?) -> [UInt8] {
        let bytes = ImportScene.photo(2) + [UInt8](repeating: 0, count: 1 << 20)
        var large = ZipMaker.Entry("large.jpg", bytes)
        large.statedSize = stated(ZipMaker.deflate(bytes).count)
        return ZipMaker([ZipMaker.Entry("small.jpg", ImportScene.photo(1)), large]).bytes()
    }

    @Test("entries that grow too much as failed, and writes nothing of them")
    func growth() async throws {
        try scene.put("card/takeout-1.zip", bomb { $0 * 1_001 })
        let plan = try await `import`("--dry-run")
        #expect(plan.text.contains("/takeout-1.zip/large.jpg: would grow from "), "\(plan.text)")
        let result = try await `import`("--json")
        #expect(result.code == 3 && result.json["discovered"] as? Int == 2, "\(result.text)")
        #expect(result.json["taken"] as? Int == 1 && result.json["failed"] as? Int == 1)
        #expect(result.errors.contains("large.jpg: would grow from "), "\(result.errors)")
        #expect(try scene.contents("library").values.map { Array($0) } == [ImportScene.photo(1)])
        try scene.put("card/takeout-1.zip", bomb { _ in nil })
        let allowed = try await `import`("--max-entry", "32M")
        #expect(allowed.code == 0 && scene.files("library").count == 2, "\(allowed.errors)")
    }

    @Test("entries above --max-entry as failed, also if they state less than they have")
    func limit() async throws {
        try scene.put("card/takeout-1.zip", bomb { _ in 4000 })
        let result = try await `import`("--max-entry", "1M")
        #expect(
            result.code == 3 && result.errors.contains("does not have the stated size"), "\(result.errors)")
        #expect(scene.files("library").count == 1)
        let none = try await `import`("--max-entry", "100", "--json")
        #expect(none.json["failed"] as? Int == 2 && none.errors.contains("has more than 100 bytes"))
        #expect(scene.files("library").count == 1)
        let wrong = try await `import`("--max-entry", "0")
        #expect(wrong.code == 64 && wrong.errors.contains("--max-entry"))
    }
}
