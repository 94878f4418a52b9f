import Foundation
import TestSupport
import Testing

@Suite("viewport library stacks")
struct LibraryStacksTests {
    private let scene: ImportScene

    init() throws { scene = try ImportScene() }

    /// A stack of an original and its edited copy, one photo alone, and one in another folder.
    private func index() async throws {
        try scene.put("library/a/IMG_1.JPG", ImportScene.photo(1))
        try scene.put("library/a/IMG_E1.JPG", ImportScene.photo(2))
        try scene.put("library/a/IMG_2.JPG", ImportScene.photo(3, day: 26))
        try scene.put("library/b/IMG_1.jpg", ImportScene.photo(4))
        #expect(try await scene.run("init").code == 0)
        #expect(try await scene.run("index").code == 0)
    }

    /// The paths of a list, with their badges.
    private func list(_ options: String...) async throws -> [String] {
        let result = try await scene.program.run(
            ["library", "list", scene.library] + options, environment: scene.environment)
        return result.text.split(separator: "\n").dropFirst().map { line in
            line.components(separatedBy: "  ").last ?? ""
        }
    }

    @Test("are one line of a list, and their covers can be chosen")
    func lists() async throws {
        try await index()
        #expect(try await list() == ["a/IMG_E1.JPG [+1]", "b/IMG_1.jpg", "a/IMG_2.JPG"])
        let line = try #require(try await scene.run("list", "--json").lines.first)
        let id = try #require(line["id"] as? Int)
        #expect((line["stack"] as? [String: Int]) == ["cover": id, "files": 2])
        let other = "a/IMG_1.JPG [of \(id)]"
        #expect(try await list("--stack", "all", "--limit", "1") == ["a/IMG_E1.JPG [+1]", other])
        #expect(try await list("--stack", "none").count == 4)
        #expect(try await list("--where", "stack:other") == [other])
        #expect(try await scene.run("stacks").text == "a/IMG_E1.JPG  + a/IMG_1.JPG\n")
        #expect(try await scene.run("stacks", "--cover", "a/IMG_1.JPG").code == 0)
        #expect(try await list("--limit", "1") == ["a/IMG_1.JPG [+1]"])
        // Indexing again keeps the choice.
        try scene.put("library/a/IMG_3.JPG", ImportScene.photo(5))
        #expect(try await scene.run("index").code == 0)
        #expect(try await list("--where", "stack:cover") == ["a/IMG_1.JPG [+1]"])
        #expect(try await scene.run("stacks", "--across-folders", "yes").code == 0)
        let joined = try await scene.run("stacks", "--json").lines
        #expect(joined.count == 1 && (joined[0]["files"] as? [Any])?.count == 3)
        #expect(try await scene.run("stacks", "--across-folders", "no").code == 0)
        let wrong = try await scene.run("stacks", "--cover", "a/IMG_2.JPG")
        #expect(wrong.code == 64 && wrong.errors.contains("a/IMG_2.JPG is in no stack"))
    }

    @Test("are exported whole as originals, and by their covers where pictures are changed")
    func exports() async throws {
        try await index()
        func exported(_ name: String, _ options: String...) async throws -> Int {
            let result = try await scene.program.run(
                ["library", "export", scene.library, "-o", scene.folder.path(name), "--json"] + options,
                environment: scene.environment)
            return result.lines.count
        }
        #expect(try await exported("all") == 4)
        #expect(try await exported("covers", "--stack", "cover") == 3)
        #expect(try await exported("stripped", "--keep-metadata", "none") == 3)
        #expect(try await exported("lossless", "--layout", "lossless") == 4)
        #expect(try await exported("found", "--where", "type:jpeg", "--from", "2014-05-26") == 1)
    }
}
