import Foundation
import TestSupport
import Testing
import Vips

@Suite("A library with photos whose names are equal as text")
struct TwinLibraryTests {
    let scene: ImportScene

    init() throws { scene = try ImportScene() }

    /// Two photos in one folder, and two of one name in folders of equal names.
    private static let paths = Twins.names.map { "\($0).jpg" } + Twins.folders.map { "\($0)/a.jpg" }

    /// Makes a library of photos, and returns their bytes by path.
    private func fill() async throws -> [[UInt8]: [UInt8]] {
        for (salt, path) in Self.paths.enumerated() { try scene.write("library/\(path)", Twins.photo(salt)) }
        #expect(try await scene.run("init").code == 0)
        let index = try await scene.run("index", "--json")
        #expect(index.code == 0, "\(index.errors)")
        return scene.files("library")
    }

    /// The bytes of a member of all lines of JSON.
    private func texts(_ result: BuiltProgram.Result, _ key: String) -> Set<[UInt8]> {
        Set(result.lines.compactMap { ($0[key] as? String).map { Array($0.utf8) } })
    }

    @Test("lists, shows, counts, verifies and draws all of them")
    func read() async throws {
        for (number, path) in Self.paths.enumerated() {
            try scene.write("library/\(path)", [])
            try TestImages.photo(width: 60 + 10 * number, height: 40)
                .save("\(scene.folder.url.path)/library/\(path)", with: "jpegsave")
        }
        #expect(try await scene.run("init").code == 0)
        let index = try await scene.run("index", "--thumbnails", "--json")
        #expect(index.code == 0 && (index.json["thumbnails"] as? [String: Any])?["made"] as? Int == 4)
        let files = scene.files("library")
        let list = try await scene.run("list", "--json")
        #expect(files.count == 4 && texts(list, "path") == Set(files.keys))
        for (path, bytes) in files {
            let shown = try await scene.run("show", String(decoding: path, as: UTF8.self), "--json")
            #expect(texts(shown, "path") == [path] && shown.json["bytes"] as? Int == bytes.count)
        }
        let folders = Set(Twins.folders.map { Array($0.utf8) })
        let groups = try await scene.run("groups", "--json")
        #expect(folders.isSubset(of: texts(groups, "name")))
        #expect(try await scene.run("stats", "--json").json["assets"] as? Int == 4)
        for command in ["verify", "doctor"] { #expect(try await scene.run(command).code == 0) }
        let sheet = try await scene.run("sheet", "-o", scene.folder.path("sheet.png"), "--json")
        #expect(sheet.code == 0, "\(sheet.errors)")
        let again = try await scene.run("index", "--thumbnails", "--json")
        #expect((again.json["index"] as? [String: Any])?["unchanged"] as? Int == 4, "\(again.text)")
        #expect((again.json["thumbnails"] as? [String: Any])?["kept"] as? Int == 4)
    }

    @Test("edits one of them, and undoes it", arguments: Array(paths.indices))
    func edit(_ number: Int) async throws {
        let before = try await fill()
        let path = Self.paths[number]
        #expect(try await scene.run("edit", path, "--title", "mine").code == 0)
        let added = scene.files("library").filter { before[$0.key] == nil }
        #expect(Set(added.keys) == [Array("\(path).xmp".utf8)])
        for other in Self.paths {
            let title = try await scene.run("show", other, "--json").json["title"] as? String
            #expect(title == (other.utf8.elementsEqual(path.utf8) ? "mine" : nil))
        }
        #expect(try await scene.run("undo").code == 0)
        #expect(scene.files("library") == before)
        // All sidecars at once.
        let written = try await scene.program.run(
            ["library", "sidecars", "write", scene.library, "--all"], environment: scene.environment)
        #expect(written.code == 0, "\(written.errors)")
        let sidecars = Set(Self.paths.map { Array("\($0).xmp".utf8) })
        #expect(Set(scene.files("library").keys) == sidecars.union(before.keys))
    }

    @Test("keeps albums of equal names apart")
    func albums() async throws {
        _ = try await fill()
        for (album, path) in zip(Twins.names, Self.paths) {
            let create = try await scene.program.run(
                ["library", "albums", "create", scene.library, album], environment: scene.environment)
            #expect(create.code == 0, "\(create.errors)")
            let add = try await scene.program.run(
                ["library", "albums", "add", scene.library, album, path], environment: scene.environment)
            #expect(add.code == 0, "\(add.errors)")
        }
        for (album, path) in zip(Twins.names, Self.paths) {
            let list = try await scene.run("list", "--album", album, "--json")
            #expect(texts(list, "path") == [Array(path.utf8)])
        }
    }

    @Test(
        "exports all of them in every layout",
        arguments: [
            "{year}/{year}-{month}-{day}/{name}", "{original}", "{make}/{name}", "{hour}{minute}/{ext}",
        ])
    func export(_ layout: String) async throws {
        let files = try await fill()
        for _ in 0..<2 {
            let export = try await scene.run(
                "export", "-o", scene.folder.path("out"), "--layout", layout, "--json")
            #expect(export.code == 0 && export.lines.count == 4, "\(export.errors)")
            let out = scene.files("out")
            #expect(Set(out.values) == Set(files.values) && out.count == 4)
            #expect(texts(export, "path") == Set(out.keys))
        }
    }

    @Test("moves one of two equal photos to the trash, and back")
    func duplicates() async throws {
        for path in Self.paths { try scene.write("library/\(path)", Twins.photo(0)) }
        #expect(try await scene.run("init").code == 0)
        #expect(try await scene.run("index").code == 0)
        let before = scene.files("library")
        let plan = try await scene.run("duplicates", "--dry-run")
        #expect(plan.lines.count == 2, "a header and one group: \(plan.text)")
        try plan.output.write(to: scene.folder.url.appendingPathComponent("plan"))
        let resolved = try await scene.run("duplicates", "--resolve", scene.folder.path("plan"), "--json")
        #expect(resolved.code == 0 && resolved.json["trashed"] as? Int == 3, "\(resolved.errors)")
        let trash = try await scene.run("trash", "--json")
        let left = scene.files("library")
        #expect(left.count == 1 && texts(trash, "path") == Set(before.keys).subtracting(left.keys))
        #expect(scene.files("library/.viewport-library/trash/1").count == 3)
        let undo = try await scene.run("undo")
        #expect(undo.code == 0, "\(undo.errors)")
        #expect(scene.files("library") == before)
        let list = try await scene.run("list", "--json")
        #expect(texts(list, "path") == Set(before.keys))
        for command in ["verify", "doctor"] { #expect(try await scene.run(command).code == 0) }
    }

    @Test("notices that one of them is gone, and rebuilds a damaged catalog with all")
    func repair() async throws {
        let files = try await fill()
        try FileManager.default.removeItem(atPath: "\(scene.library)/\(Self.paths[1])")
        #expect(try await scene.run("doctor").code == 3)
        #expect(try await scene.run("index", "--json").json["index"] is [String: Any])
        try scene.write("library/\(Self.paths[1])", Twins.photo(1))
        try Data("damaged".utf8).write(
            to: URL(fileURLWithPath: "\(scene.library)/.viewport-library/catalogue.sqlite"))
        let repair = try await scene.run("verify", "--repair")
        #expect([0, 3].contains(repair.code), "\(repair.errors)")
        let list = try await scene.run("list", "--json")
        #expect(texts(list, "path") == Set(files.keys))
    }
}
