import Foundation
import TestHarness
import TestSupport
import Testing

#if Server
import TileServing
#endif

/// A library whose photos are on read-only storage: its catalog and its sidecars lie elsewhere.
@Suite("Sidecars in a folder of their own")
struct SidecarFolderTests {
    private let scene: ImportScene

    init() throws { scene = try ImportScene() }

    private var catalog: String { scene.folder.path("home/catalog.sqlite") }
    private var sidecars: String { scene.folder.path("home/sidecars") }

    private func words(_ command: String, _ arguments: [String]) -> [String] {
        ["library", command, scene.library, "--catalog", catalog] + arguments
    }

    private func run(_ command: String, _ arguments: [String] = []) async throws -> BuiltProgram.Result {
        try await scene.program.run(
            words(command, arguments), in: scene.folder.url, environment: scene.environment)
    }

    /// Runs a command with the photos mounted read-only.
    private func runReadOnly(
        _ command: String, arguments: [String] = []
    ) async throws -> BuiltProgram.Result {
        try await #require(BuiltProgram(installed: "unshare")).run(
            ReadOnlyScene.mounting(scene.library, scene.program, words(command, arguments)),
            in: scene.folder.url, environment: scene.environment)
    }

    private func make() async throws {
        try scene.put("library/a.jpg", ImportScene.photo(1))
        try scene.put("library/trip/b.jpg", ImportScene.photo(2))
        try FileManager.default.createDirectory(
            atPath: scene.folder.path("home"), withIntermediateDirectories: true)
    }

    @Test(
        "are written, read, undone and exported while the photos cannot be written",
        .enabled(if: ImportScene.mounts, "file systems cannot be mounted here"))
    func readOnly() async throws {
        try await make()
        try scene.put("library/trip/b.jpg.xmp", Array(ForeignSidecar.digiKam(1).utf8))
        let photos = try scene.contents("library")
        #expect(try await runReadOnly("init").code == 0)
        #expect(try await runReadOnly("index").code == 0)
        let refused = try await runReadOnly("edit", arguments: ["a.jpg", "--rating", "4"])
        #expect(refused.code == 73 && refused.errors.contains("--sidecars"), "\(refused.errors)")
        #expect(refused.errors.split(separator: "\n").count == 1, "\(refused.errors)")
        let edit = try await runReadOnly(
            "edit", arguments: ["a.jpg", "trip/b.jpg", "--rating", "4", "--sidecars", "home/sidecars"])
        #expect(edit.code == 0, "\(edit.errors)")
        #expect(scene.folder.files(below: "home/sidecars") == ["a.jpg.xmp", "trip/b.jpg.xmp"])
        // What another program wrote beside the photo stays in the new sidecar.
        let second = String(decoding: try scene.folder.data("home/sidecars/trip/b.jpg.xmp"), as: UTF8.self)
        #expect(second.contains("A face") && second.contains("PickLabel"))
        // The folder is remembered.
        #expect(try await runReadOnly("edit", arguments: ["a.jpg", "--title", "The lake"]).code == 0)
        #expect(try await runReadOnly("index").code == 0)
        let rated = try await runReadOnly("list", arguments: ["--json", "--where", "rating:4"])
        #expect(rated.lines.count == 2 && rated.text.contains("The lake"), "\(rated.text)")
        #expect(try await runReadOnly("doctor").code == 0)
        #expect(try await runReadOnly("verify").code == 0)
        let export = try await runReadOnly("export", arguments: ["-o", "out", "--layout", "{name}"])
        #expect(export.code == 0, "\(export.errors)")
        #expect(
            try scene.folder.data("out/a.jpg.xmp") == scene.folder.data("home/sidecars/a.jpg.xmp"))
        #expect(
            try scene.folder.data("out/b.jpg.xmp") == scene.folder.data("home/sidecars/trip/b.jpg.xmp"))
        for _ in 0..<2 { #expect(try await runReadOnly("undo").code == 0) }
        #expect(scene.folder.files(below: "home/sidecars").isEmpty)
        #expect(!FileManager.default.fileExists(atPath: sidecars + "/trip"))
        #expect(try await runReadOnly("list", arguments: ["--json", "--where", "rating:4"]).lines.isEmpty)
        #expect(try scene.contents("library") == photos)
    }

    @Test("are found before those beside the photos, under names that are equal to Unicode only")
    func twins() async throws {
        try await make()
        let names = ["caf\u{E9}.jpg", "cafe\u{301}.jpg"]
        for (number, name) in names.enumerated() {
            try scene.put("library/\(name)", ImportScene.photo(UInt64(10 + number)))
        }
        #expect(try await run("init").code == 0)
        #expect(try await run("index", ["--sidecars", sidecars]).code == 0)
        for (name, rating) in zip(names, ["2", "3"]) {
            #expect(try await run("edit", [name, "--rating", rating]).code == 0)
        }
        #expect(scene.folder.files(below: "home/sidecars").count == 2)
        #expect(try await run("index").code == 0)
        for (name, rating) in zip(names, ["2", "3"]) {
            let found = try await run("list", ["--json", "--where", "rating:\(rating)"]).lines
            #expect(found.count == 1)
            #expect((found.first?["path"] as? String).map { Array($0.utf8) } == Array(name.utf8))
        }
    }

    @Test("are found under names that are not UTF-8")
    func rawNames() async throws {
        try await make()
        let shell = try #require(BuiltProgram(installed: "sh"))
        let script = """
            cp a.jpg "$(printf 'b\\377.jpg')" && mkdir "$(printf 'd\\376')" && cp a.jpg "$(printf 'd\\376/c.jpg')"
            """
        #expect(
            try await shell.run(["-c", script], in: URL(fileURLWithPath: scene.library)).code == 0)
        #expect(try await run("init").code == 0)
        #expect(try await run("index").code == 0)
        let edit = try await run("edit", ["--where", "is:photo", "--rating", "3", "--sidecars", sidecars])
        #expect(edit.code == 0, "\(edit.errors)")
        #expect(try await run("index").code == 0)
        #expect(try await run("list", ["--json", "--where", "rating:3"]).lines.count == 4)
        let check = """
            test -f "$(printf 'b\\377.jpg.xmp')" && test -f "$(printf 'd\\376/c.jpg.xmp')"
            """
        #expect(try await shell.run(["-c", check], in: URL(fileURLWithPath: sidecars)).code == 0)
    }

    @Test("are watched, and read when another program writes them")
    func watched() async throws {
        try await make()
        #expect(try await run("init", ["--sidecars", sidecars]).code == 0)
        let watch = scene.program.process(words("watch", []), environment: scene.environment)
        let pipe = Pipe()
        watch.standardOutput = pipe
        try watch.start()
        #expect(!pipe.fileHandleForReading.availableData.isEmpty)
        // A folder that appears together with its file, and a file in a folder that is there.
        for (name, rating) in [("trip/b.jpg", 4), ("a.jpg", 3)] {
            try scene.put("home/sidecars/\(name).xmp", Array(ForeignSidecar.darktable(rating).utf8))
            let search = ["--json", "--where", "rating:\(rating)"]
            while try await run("list", search).lines.first?["path"] as? String != name {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        watch.interrupt()
        await watch.end()
    }

    #if Server
    @Test("are read by a server whose catalog lies elsewhere, and photos stay as they are")
    func served() async throws {
        try await make()
        #expect(try await run("init", ["--sidecars", sidecars]).code == 0)
        #expect(try await run("index").code == 0)
        #expect(try await run("edit", ["a.jpg", "--rating", "4"]).code == 0)
        let photos = try scene.contents("library")
        let server = try ServingProgram { environment in
            scene.program.process(
                ["serve", "--port", "0", "--json", scene.library, "--catalog", catalog],
                environment: environment)
        }
        let probe = HTTPProbe(host: "127.0.0.1", port: server.port, timeout: 600)
        let found = try await probe.send("/library/library/ids?group=all&where=rating:4")
        #expect(found.status == 200)
        let json = try JSONSerialization.jsonObject(with: Data(found.body)) as? [String: Any]
        #expect((json?["ids"] as? [Int])?.count == 1, "\(found)")
        #expect(server.end() == 0)
        #expect(try scene.contents("library") == photos)
        #expect(!FileManager.default.fileExists(atPath: scene.library + "/.viewport-library"))
    }
    #endif

    @Test("follow the folder when it is moved, and nothing is forgotten while it is gone")
    func moved() async throws {
        try await make()
        #expect(try await run("init", ["--sidecars", sidecars]).code == 0)
        #expect(try await run("index").code == 0)
        #expect(try await run("edit", ["a.jpg", "--rating", "5"]).code == 0)
        let moved = scene.folder.path("home/moved")
        try FileManager.default.moveItem(atPath: sidecars, toPath: moved)
        // An empty folder is that of a disk that is not mounted.
        try FileManager.default.createDirectory(atPath: sidecars, withIntermediateDirectories: true)
        for command in [["index"], ["doctor"], ["undo"], ["edit", "a.jpg", "--rating", "1"]] {
            let result = try await run(command[0], Array(command.dropFirst()))
            #expect(result.code == 66, "\(command) \(result.errors)")
            #expect(result.errors.contains("sidecars is not there"), "\(result.errors)")
        }
        #expect(try await run("list", ["--json", "--where", "rating:5"]).lines.count == 1)
        try FileManager.default.removeItem(atPath: sidecars)
        #expect(try await run("index", ["--sidecars", moved]).code == 0)
        #expect(try await run("list", ["--json", "--where", "rating:5"]).lines.count == 1)
        // Another folder would leave the sidecars behind.
        let other = try await run("index", ["--sidecars", sidecars])
        #expect(
            other.code == 64 && other.errors.contains("has the sidecars of this library"), "\(other.errors)")
        #expect(try await run("undo").code == 0)
        #expect(scene.folder.files(below: "home/moved").isEmpty)
    }

    @Test("of two libraries are never in one folder, and not in the library")
    func twoLibraries() async throws {
        try await make()
        #expect(try await run("init", ["--sidecars", sidecars]).code == 0)
        try scene.put("second/a.jpg", ImportScene.photo(5))
        let second = scene.folder.path("second")
        #expect(try await scene.program.run(["library", "init", second]).code == 0)
        let result = try await scene.program.run(["library", "index", second, "--sidecars", sidecars])
        let root = URL(fileURLWithPath: scene.library).resolvingSymlinksInPath().path
        #expect(
            result.code == 64 && result.errors.contains("of the library \(root)"), "\(result.errors)")
        let inside = try await scene.program.run(
            ["library", "index", second, "--sidecars", second + "/sidecars"])
        #expect(inside.code == 64 && inside.errors.contains("is in the library"), "\(inside.errors)")
        // A catalog that was lost has left its mark.
        try FileManager.default.removeItem(atPath: catalog)
        let lost = try await run("init", ["--sidecars", sidecars])
        #expect(lost.code == 64 && lost.errors.contains("remove \(sidecars)"), "\(lost.errors)")
        try FileManager.default.removeItem(atPath: sidecars + "/.viewport-sidecars")
        #expect(try await run("index", ["--sidecars", sidecars]).code == 0)
    }

    @Test("are kept by a repair, and doctor finds those without a photo")
    func repaired() async throws {
        try await make()
        #expect(try await run("init", ["--sidecars", sidecars]).code == 0)
        #expect(try await run("index").code == 0)
        #expect(try await run("edit", ["trip/b.jpg", "--rating", "5"]).code == 0)
        #expect(try await run("verify", ["--repair"]).code == 0)
        #expect(try await run("list", ["--json", "--where", "rating:5"]).lines.count == 1)
        #expect(try await run("doctor").code == 0)
        try FileManager.default.removeItem(atPath: scene.folder.path("library/trip"))
        #expect(try await run("index").code == 0)
        let doctor = try await run("doctor")
        #expect(doctor.code == 3 && doctor.text.contains("sidecars/trip/b.jpg.xmp"), "\(doctor.text)")
    }

    @Test("are complete or not there after kills and with a full disk", .enabled(if: ImportScene.mounts))
    func full() async throws {
        for number in 0..<30 { try scene.put("library/\(number).jpg", ImportScene.photo(UInt64(number))) }
        try await make()
        #expect(try await run("init").code == 0)
        #expect(try await run("index").code == 0)
        let result = try await scene.runMounting(
            """
            cd "$3"; mkdir disk; mount -t tmpfs -o size=64k x disk || exit 99
            "$1" library edit "$2" --catalog home/catalog.sqlite --sidecars disk/s --where is:photo --rating 3 --quiet
            code=$?; cp -a disk/s part; exit $code
            """)
        #expect(result.code == 73 && result.errors.contains("full"), "\(result.code) \(result.errors)")
        #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
        let written = try scene.contents("part")
        #expect(written.count < 32 && written.count > 0)
        for (name, bytes) in written {
            #expect(String(decoding: bytes, as: UTF8.self).contains("</x:xmpmeta>"), "\(name)")
        }
        #expect(scene.hiddenFiles("part") == [".viewport-sidecars"], "\(scene.hiddenFiles("part"))")
        // On another disk the same command completes.
        try FileManager.default.copyItem(
            atPath: scene.folder.path("part"), toPath: scene.folder.path("home/part"))
        let again = try await run(
            "edit", ["--sidecars", "home/part", "--where", "is:photo", "--rating", "3"])
        #expect(again.code == 0, "\(again.errors)")
        #expect(try scene.contents("home/part").count == 32)
    }
}
