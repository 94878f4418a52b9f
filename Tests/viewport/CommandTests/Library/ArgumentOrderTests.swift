import Foundation
import TestSupport
import Testing

@Suite("Sources and a library in the order of cp")
struct ArgumentOrderTests {
    private let scene: ImportScene

    init() throws { scene = try ImportScene() }

    private func run(_ arguments: [String]) async throws -> BuiltProgram.Result {
        try await scene.program.run(["library"] + arguments, environment: scene.environment)
    }

    private func makeLibrary() async throws {
        try scene.put("library/own.jpg", ImportScene.photo(9))
        _ = try await scene.run("init")
        try #require(try await scene.run("index").code == 0)
    }

    @Test(
        "are refused, and the command in the right order is printed; nothing is written",
        arguments: ["import", "has"], [[], ["--dry-run"], ["--move"]])
    func refused(_ command: String, _ options: [String]) async throws {
        guard command == "import" || options.isEmpty else { return }
        try scene.put("card/A.JPG", ImportScene.photo(1))
        try await makeLibrary()
        let before = (scene.folder.files(below: "card"), try scene.contents("library"))
        let result = try await run([command, scene.card, scene.library] + options)
        #expect(result.code == 64, "\(result.text)\(result.errors)")
        #expect(
            result.errors.contains("`viewport library \(command) \(scene.library) \(scene.card)`"),
            "\(result.errors)")
        #expect(scene.folder.files(below: "card") == before.0)
        #expect(try scene.contents("library") == before.1)
        if command == "import" {
            try scene.put("second/B.JPG", ImportScene.photo(2))
            let several = try await run([command, scene.card, scene.folder.path("second"), scene.library])
            #expect(several.code == 64)
            #expect(
                several.errors.contains(
                    "`viewport library import \(scene.library) \(scene.card) \(scene.folder.path("second"))`"),
                "\(several.errors)")
        }
    }

    @Test(
        "are refused for cards also where neither is a library yet",
        arguments: ["DCIM/100CANON/A.JPG", "PRIVATE/M4ROOT/CLIP/A.JPG", "AVCHD/A.JPG"])
    func cards(_ photo: String) async throws {
        let root = photo.hasPrefix("PRIVATE") ? "card/PRIVATE" : "card"
        try scene.put("card/\(photo)", ImportScene.photo(1))
        try scene.put("photos/B.JPG", ImportScene.photo(2))
        let (card, photos) = (scene.folder.path(root), scene.folder.path("photos"))
        let result = try await run(["import", card, photos])
        #expect(result.code == 64 && result.errors.contains("`viewport library import \(photos) \(card)`"))
        #expect(scene.folder.files(below: "card") == [photo])
        #expect(try await run(["import", photos, scene.card]).code == 0)
        #expect(scene.folder.files(below: "card") == [photo])
        // Who wants that makes the card a library first.
        #expect(try await run(["init", card]).code == 0)
        #expect(try await run(["import", card, scene.folder.path("photos/B.JPG")]).code == 0)
    }

    @Test("are no mistake where a new library gets the photos of another one")
    func fromLibrary() async throws {
        try await makeLibrary()
        let new = scene.folder.path("new")
        #expect(try await run(["import", new, scene.library]).code == 0)
        #expect(scene.folder.files(below: "new").contains { $0.hasSuffix("own.jpg") })
    }
}
