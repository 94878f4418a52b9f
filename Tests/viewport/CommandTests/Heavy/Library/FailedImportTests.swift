import Foundation
import TestSupport
import Testing

@Suite("An import that brings nothing")
struct FailedImportTests {
    let scene: ImportScene

    init() throws { scene = try ImportScene() }

    private func isThere(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: scene.folder.path(path))
    }

    /// The arguments after the library; CARD is the folder of a card without photos.
    static let failing: [(arguments: [String], code: Int32)] = [
        (["nowhere"], 66), (["CARD"], 0), (["CARD", "--json"], 0), (["CARD", "--layout", "{nothing}"], 64),
        (["CARD", "--gpx", "nowhere.gpx"], 66), (["CARD/notes.txt"], 0), (["CARD/torn.zip"], 65),
        (["CARD", "--sidecars", "SIDECARS/a/b"], 0), (["CARD", "--catalog", "SIDECARS/c/catalog"], 0),
        (["CARD", "--dry-run"], 0), (["CARD", "CARD/torn.jpg"], 3),
    ]

    @Test("makes no library and no folder", arguments: failing)
    func nothing(_ arguments: [String], _ code: Int32) async throws {
        try scene.put("card/notes.txt", Array("words".utf8))
        for name in ["torn.zip", "torn.jpg"] where arguments.contains("CARD/\(name)") {
            try scene.put("card/\(name)", [0x50, 0x4B, 3])
        }
        let arguments = arguments.map {
            $0.replacing("CARD", with: scene.card).replacing("SIDECARS", with: scene.folder.path("other"))
        }
        let root = scene.folder.path("a/b/library")
        let result = try await scene.program.run(
            ["library", "import", root] + arguments, environment: scene.environment)
        #expect(result.code == code, "\(result.text) \(result.errors)")
        #expect(!isThere("a") && !isThere("other"), "\(result.text)")
        #expect(!result.text.contains("made a library"))
    }

    @Test("leaves files beside a catalog whose names begin with its name")
    func neighbors() async throws {
        try scene.put("card/notes.txt", Array("words".utf8))
        let names = ["cat.txt", "cat-video.mp4", "catalogs/list.csv", "cat-walnut", "cat.lock"]
        for name in names { try scene.put("shelf/\(name)", Array(name.utf8)) }
        let result = try await scene.program.run(
            [
                "library", "import", scene.folder.path("library"), scene.card, "--catalog",
                scene.folder.path("shelf/cat"),
            ], environment: scene.environment)
        #expect(result.code == 0 && result.text.contains("no library was made"), "\(result.errors)")
        #expect(scene.folder.files(below: "shelf") == names.sorted())
        for name in names {
            #expect(try scene.folder.data("shelf/\(name)") == Data(name.utf8))
        }
    }

    @Test("leaves a folder and a library as they were")
    func existing() async throws {
        try scene.put("library/mine.jpg", ImportScene.photo(1))
        try scene.put("card/notes.txt", Array("words".utf8))
        try FileManager.default.createDirectory(
            atPath: scene.folder.path("library/2014/empty"), withIntermediateDirectories: true)
        let first = try await scene.run("import", scene.card)
        #expect(first.code == 0 && first.text.contains("no library was made"), "\(first.text)")
        #expect(scene.folder.files(below: "library") == ["mine.jpg"] && !isThere("library/.viewport-library"))
        #expect(isThere("library/2014/empty"))
        try await #expect(scene.run("init").code == 0)
        let second = try await scene.run("import", scene.card)
        #expect(second.code == 0 && !second.text.contains("library was made"))
        #expect(isThere("library/.viewport-library/catalogue.sqlite"))
    }
}
