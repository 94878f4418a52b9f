import Foundation
import TestSupport
import Testing

@Suite("viewport library export")
struct LibraryExportTests {
    private let scene: ImportScene
    private let photo = ImportScene.photo(1)

    init() throws { scene = try ImportScene() }

    private func export(_ arguments: String...) async throws -> BuiltProgram.Result {
        try await scene.program.run(
            ["library", "export", scene.library, "-o", scene.folder.path("out"), "--layout", "{name}"]
                + arguments,
            environment: scene.environment)
    }

    private func index() async throws {
        _ = try await scene.run("init")
        #expect(try await scene.run("index").code == 0)
    }

    @Test("copies XMP and AAE files under the new name of the photo")
    func sidecars() async throws {
        try scene.put("library/a/A.JPG", photo)
        try scene.put("library/a/A.AAE", Array("edits".utf8))
        try scene.put("library/a/A.JPG.xmp", Array("<x:xmpmeta/>".utf8))
        try scene.put("library/a/B.AAE", Array("of another".utf8))
        try scene.put("out/A.JPG", Array("a user's".utf8))
        try await index()
        let result = try await export("--json")
        #expect(result.code == 0)
        #expect(result.lines.map { $0["sidecar"] as? Bool } == [false, true, true])
        let names = ["A (2).AAE", "A (2).JPG", "A (2).JPG.xmp", "A.JPG"]
        #expect(scene.folder.names.contains("out") && scene.folder.files(below: "out") == names)
        #expect(try scene.folder.data("out/A.JPG") == Data("a user's".utf8))
        #expect(try scene.folder.data("out/A (2).AAE") == Data("edits".utf8))
        // Nothing is copied twice.
        #expect(try await export().code == 0)
        #expect(scene.folder.files(below: "out") == names)
    }

    @Test("does not copy a file whose bytes were lost since it was indexed")
    func damaged() async throws {
        try scene.put("library/A.JPG", photo, modified: 1_400_000_000)
        try await index()
        try scene.put("library/A.JPG", [UInt8](repeating: 0, count: photo.count), modified: 1_400_000_000)
        let result = try await export()
        #expect(result.code == 3 && result.errors.contains("other bytes than when it was indexed"))
        #expect(scene.folder.files(below: "out").isEmpty)
    }

    @Test("replaces no files of the library, no link targets and no folders")
    func attacked() async throws {
        try scene.put("library/A.JPG", photo)
        try scene.put("precious", Array("words".utf8))
        try await index()
        try FileManager.default.createDirectory(
            atPath: scene.folder.path("out/A (2).JPG"), withIntermediateDirectories: true)
        try scene.link("out/A.JPG", to: "precious")
        #expect(try await export().code == 0)
        #expect(try scene.folder.data("precious") == Data("words".utf8))
        #expect(try scene.folder.data("out/A (3).JPG") == Data(photo))
        // An export into the library itself finds every file present.
        let itself = try await scene.run("export", "-o", scene.library, "--layout", "{name}")
        #expect(itself.code == 0)
        #expect(try scene.contents("library").keys.sorted() == ["A.JPG"])
    }
}

@Suite("viewport library index")
struct LibraryIndexTests {
    @Test(
        "counts other files by extension, names them on request, and fails for photo extensions")
    func others() async throws {
        let scene = try ImportScene()
        try scene.put("library/A.JPG", ImportScene.photo(1))
        for name in ["a.txt", "b.TXT", "c.pdf", "README"] {
            try scene.put("library/x/\(name)", Array("words".utf8))
        }
        _ = try await scene.run("init")
        let first = try await scene.run("index")
        #expect(first.code == 0 && first.text.contains("4 others (2 txt, 1 without ending, 1 pdf)"))
        try scene.put("library/C.CR2", Array("no raw file".utf8))
        for _ in 0..<2 {
            // The second run knows the file from the first.
            let result = try await scene.run("index", "--show-others", "--json")
            #expect(result.code == 3 && result.errors.contains("C.CR2: has the ending of a photo"))
            #expect(
                (result.json["others"] as? [String])?.sorted() == [
                    "x/README", "x/a.txt", "x/b.TXT", "x/c.pdf",
                ])
        }
        #expect(try await scene.run("index", "--show-others").text.contains("\nother x/a.txt"))
    }
}
