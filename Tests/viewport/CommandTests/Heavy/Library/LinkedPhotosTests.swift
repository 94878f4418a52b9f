import Foundation
import TestHarness
import TestSupport
import Testing

@Suite("Symbolic links in a library")
struct LinkedPhotosTests {
    private let scene: ImportScene

    init() throws { scene = try ImportScene() }

    /// Makes links of all kinds, and files as git-annex stores them: hidden, with links to them.
    private func makeLinks(in folder: String) throws {
        try scene.put("\(folder)/a.jpg", ImportScene.photo(1))
        try scene.put("outside/o.jpg", ImportScene.photo(2))
        try scene.put("\(folder)/.git/annex/objects/X1/k.jpg", ImportScene.photo(3))
        try scene.put("\(folder)/trip/b.jpg", ImportScene.photo(4))
        try scene.link("\(folder)/outside.jpg", to: "outside/o.jpg")
        try scene.link("\(folder)/trip/annexed.jpg", to: "\(folder)/.git/annex/objects/X1/k.jpg")
        try scene.link("\(folder)/again.jpg", to: "\(folder)/a.jpg")
        try scene.link("\(folder)/album", to: "\(folder)/trip")
        try scene.link("\(folder)/up", to: folder)
        try scene.link("\(folder)/nothing.txt", to: "nothing")
        try scene.link("\(folder)/lost.jpg", to: "lost")
        try scene.link("\(folder)/loop", to: "\(folder)/loop")
    }

    private func index() async throws -> (result: BuiltProgram.Result, report: [String: Any]) {
        let result = try await scene.run("index", "--json")
        return (result, result.json["index"] as? [String: Any] ?? [:])
    }

    private func paths() async throws -> Set<String> {
        Set(try await scene.run("list", "--json").lines.compactMap { $0["path"] as? String })
    }

    @Test("are followed to files that the library does not have otherwise; others are named")
    func indexed() async throws {
        try makeLinks(in: "library")
        #expect(try await scene.run("init").code == 0)
        let (result, report) = try await index()
        #expect(result.code == 3, "\(result.errors)")
        #expect(try await paths() == ["a.jpg", "outside.jpg", "trip/annexed.jpg", "trip/b.jpg"])
        let links = (report["links"] as? [[String: Any]] ?? []).compactMap { $0["path"] as? String }
        #expect(links == ["again.jpg", "album", "loop", "nothing.txt", "up"])
        let failures = (report["failures"] as? [[String: Any]] ?? []).compactMap { $0["path"] as? String }
        #expect(failures == ["lost.jpg"])
        try FileManager.default.removeItem(atPath: scene.folder.path("library/lost.jpg"))
        let text = try await scene.run("index")
        #expect(text.code == 0 && text.text.contains("4 unchanged, 5 links not followed"), "\(text.text)")
        #expect(text.errors.split(separator: "\n").count == 5, "\(text.errors)")
        #expect(text.errors.contains("album: is a link to a folder, and was not followed"))
        #expect(try await scene.run("verify").code == 0)
        #expect(try await scene.run("doctor").code == 0)
    }

    @Test("keep their photo and its albums while they lead nowhere")
    func broken() async throws {
        try makeLinks(in: "library")
        #expect(try await scene.run("init").code == 0)
        _ = try await index()
        let picks = ["library", "albums", "add", scene.library, "Picks", "trip/annexed.jpg"]
        #expect(try await scene.program.run(picks, environment: scene.environment).code == 0)
        // As by `git annex drop`.
        let object = scene.folder.path("library/.git/annex/objects/X1/k.jpg")
        try FileManager.default.moveItem(atPath: object, toPath: scene.folder.path("dropped"))
        let (result, report) = try await index()
        #expect(result.code == 3 && report["removed"] as? Int == 0)
        #expect(result.errors.contains("trip/annexed.jpg: is a link to nothing"), "\(result.errors)")
        let doctor = try await scene.run("doctor")
        #expect(doctor.code == 3 && doctor.text.contains("is a link to nothing"), "\(doctor.text)")
        #expect(!doctor.text.contains("gone"), "\(doctor.text)")
        try FileManager.default.moveItem(atPath: scene.folder.path("dropped"), toPath: object)
        #expect(try await index().report["unchanged"] as? Int == 4)
        let album = try await scene.run("list", "--json", "--album", "Picks").lines
        #expect(album.map { $0["path"] as? String } == ["trip/annexed.jpg"])
    }

    @Test("have the sidecars that are links, too, which edits refuse to replace")
    func sidecars() async throws {
        try scene.put("library/a.jpg", ImportScene.photo(1))
        let sidecar = Array(ForeignSidecar.darktable(1).utf8)
        try scene.put("library/.git/annex/objects/s.xmp", sidecar)
        try scene.link("library/a.jpg.xmp", to: "library/.git/annex/objects/s.xmp")
        for command in ["init", "index"] { #expect(try await scene.run(command).code == 0) }
        let edit = try await scene.run("edit", "a.jpg", "--rating", "2")
        #expect(edit.code == 3 && edit.errors.contains("a.jpg.xmp is a symbolic link"), "\(edit.errors)")
        #expect(try scene.folder.data("library/.git/annex/objects/s.xmp") == Data(sidecar))
    }

    @Test("are imported once, and those that are not followed are named and counted")
    func imported() async throws {
        try makeLinks(in: "card")
        let result = try await scene.run("import", scene.card, "--json")
        #expect(result.code == 3)
        let files = try scene.contents("library")
        #expect(Set(files.values).count == files.count && files.count == 4, "\(files.keys)")
        let named = result.json["files"] as? [[String: Any]] ?? []
        let sources = named.compactMap {
            ($0["source"] as? String)?.split(separator: "/").last.map(String.init)
        }
        for name in ["again.jpg", "album", "up", "nothing.txt", "lost.jpg", "loop", ".git"] {
            #expect(sources.contains(name), "\(name) of \(sources)")
        }
        // The same bytes under the name of their object are there already.
        let objects = scene.folder.path("card/.git/annex/objects")
        let again = try await scene.run("import", objects, scene.card, "--json")
        #expect(try scene.contents("library") == files, "\(again.errors)")
    }
}
