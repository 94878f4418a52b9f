import Foundation
import TestHarness
import TestSupport
import Testing
import Vips

#if Server
import TileServing
#endif

/// A library in a folder that is mounted read-only for each command.
struct ReadOnlyScene {
    let scene: ImportScene

    init() throws { scene = try ImportScene() }

    /// Makes a library of three photos, two of them equal, with an edit and an album.
    func make() async throws {
        for (name, seed) in [("library/a.jpg", 1), ("library/trip/b.jpg", 2), ("library/trip/c.jpg", 2)] {
            let photo = try TestImages.photo(width: 80, height: 60, seed: UInt64(seed))
            try scene.put(name, photo.saved(with: "jpegsave_buffer", [:]))
        }
        for arguments in [
            ["init"], ["index"], ["edit", "a.jpg", "--title", "The lake", "--rating", "5"],
            ["albums", "create", "Summer"],
        ] {
            let result = try await run(arguments)
            try #require(result.code == 0, "\(arguments) \(result.errors)")
        }
    }

    /// Returns a command of `library` with the library's folder behind its name.
    private func words(_ arguments: [String]) -> [String] {
        let isNested = ["albums create", "sidecars write"].contains(
            arguments.prefix(2).joined(separator: " "))
        let name = arguments.prefix(isNested ? 2 : 1)
        return ["library"] + name + [scene.library] + arguments.dropFirst(name.count)
    }

    /// Runs a command of `library` on the folder as it is.
    func run(_ arguments: [String]) async throws -> BuiltProgram.Result {
        try await scene.program.run(words(arguments), in: scene.folder.url, environment: environment)
    }

    /// Runs a command of `library` with the folder mounted read-only.
    func runReadOnly(_ arguments: [String]) async throws -> BuiltProgram.Result {
        try await #require(BuiltProgram(installed: "unshare")).run(
            Self.mounting(scene.library, scene.program, words(arguments)), in: scene.folder.url,
            environment: environment)
    }

    /// The arguments of `unshare` that mount a folder read-only and then become a program.
    static func mounting(_ folder: String, _ program: BuiltProgram, _ arguments: [String]) -> [String] {
        let script = """
            mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" || exit 99
            exec "$@"
            """
        return ["-rm", "sh", "-c", script, folder, program.url.path] + arguments
    }

    var environment: [String: String] {
        try? FileManager.default.createDirectory(
            atPath: scene.folder.path("tmp"), withIntermediateDirectories: true)
        return scene.environment.merging(["TMPDIR": scene.folder.path("tmp")]) { $1 }
    }

    /// The names of what commands have left in the folder for temporary files.
    var temporary: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: scene.folder.path("tmp"))) ?? []
    }

    /// All files of the library, with those of the catalog.
    func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: scene.library) {
            files[path] = FileManager.default.contents(atPath: "\(scene.library)/\(path)")
        }
        return files
    }

    /// Runs a script of Python on the catalog; the test is skipped without Python.
    func python(_ script: String) async throws {
        let python = try #require(BuiltProgram(installed: "python3"))
        let catalog = "\(scene.library)/.viewport-library/catalogue.sqlite"
        let result = try await python.run(["-c", "import sqlite3, os, sys\n" + script, catalog])
        try #require(result.code == 0, "\(result.errors)")
    }

    static let hasPython = BuiltProgram(installed: "python3") != nil
}

@Suite(
    "A library on read-only storage",
    .enabled(if: ImportScene.mounts, "file systems cannot be mounted here"))
struct ReadOnlyLibraryTests {
    private let test: ReadOnlyScene

    init() throws { test = try ReadOnlyScene() }

    static let readers: [[String]] = [
        ["list", "--json"], ["list", "--where", "rating:5"], ["groups"], ["stats"], ["show", "a.jpg"],
        ["albums"], ["find", "lake"], ["places"], ["verify"], ["verify", "--catalog-only", "--json"],
        ["doctor"], ["doctor", "--checksums", "--json"], ["duplicates"], ["duplicates", "--dry-run"],
        ["duplicates", "--by", "pixels", "--json"], ["undo", "--list", "--json"], ["trash"],
        ["export", "-o", "out", "--layout", "{name}"], ["sheet", "-o", "sheet.png", "--json"],
        ["import", "card", "--dry-run"], ["has", "card", "--all"],
    ]

    @Test("is read as on other storage", arguments: readers)
    func reads(_ arguments: [String]) async throws {
        try await test.make()
        try test.scene.put("card/new.jpg", ImportScene.photo(7))
        let output = test.scene.folder.path(arguments.contains("export") ? "out" : "sheet.png")
        let usual = try await test.run(arguments)
        try? FileManager.default.removeItem(atPath: output)
        let files = try test.files()
        let result = try await test.runReadOnly(arguments)
        #expect(usual.code == 0 || usual.code == 3, "\(usual.errors)")
        #expect(result.code == usual.code && result.errors == usual.errors, "\(result.errors)")
        #expect(result.text == usual.text && !result.text.isEmpty)
        #expect(try test.files() == files)
        #expect(test.temporary.isEmpty)
        if arguments[0] == "export" {
            #expect(test.scene.folder.files(below: "out") == ["a.jpg", "a.jpg.xmp", "b.jpg", "c.jpg"])
        }
    }

    static let writers: [[String]] = [
        ["index"], ["edit", "a.jpg", "--rating", "1"], ["albums", "create", "Winter"], ["undo"],
        ["trash", "--empty", "--yes"], ["sidecars", "write"], ["import", "card"], ["verify", "--repair"],
        ["duplicates", "--resolve", "plan.jsonl"], ["index", "--thumbnails"],
    ]

    @Test("is not written, and one sentence says why", arguments: writers)
    func writes(_ arguments: [String]) async throws {
        try await test.make()
        try test.scene.put("card/new.jpg", ImportScene.photo(7))
        let plan = try await test.run(["duplicates", "--dry-run"])
        try test.scene.put("plan.jsonl", Array(plan.output))
        let files = try test.files()
        let result = try await test.runReadOnly(arguments)
        #expect(result.code == 73, "\(result.text)\(result.errors)")
        #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
        #expect(result.errors.contains("storage is read-only"), "\(result.errors)")
        #expect(!result.errors.contains("free some space"), "\(result.errors)")
        #expect(try test.files() == files)
        #expect(test.temporary.isEmpty)
    }

    @Test("is read with the log that a killed program has left")
    func log() async throws {
        try await test.make()
        // While this program has the catalog open, the changes of others stay in the log.
        let watch = test.scene.program.process(
            ["library", "watch", test.scene.library], environment: test.environment)
        let pipe = Pipe()
        watch.standardOutput = pipe
        try watch.start()
        #expect(!pipe.fileHandleForReading.availableData.isEmpty)
        #expect(try await test.run(["edit", "trip/b.jpg", "--rating", "4"]).code == 0)
        kill(watch.processIdentifier, SIGKILL)
        await watch.end()
        let files = try test.files()
        #expect((files[".viewport-library/catalogue.sqlite-wal"]?.count ?? 0) > 0)
        for _ in 0..<2 {
            let result = try await test.runReadOnly(["list", "--json", "--where", "rating:4"])
            #expect(result.lines.map { $0["path"] as? String } == ["trip/b.jpg"], "\(result.errors)")
        }
        #expect(try await test.runReadOnly(["doctor"]).code == 0)
        // The copy is not the catalog: what would be lost with it is refused.
        let result = try await test.runReadOnly(["albums", "create", "Winter"])
        #expect(result.code == 73 && result.errors.contains("storage is read-only"), "\(result.errors)")
        #expect(try test.files() == files)
        #expect(test.temporary.isEmpty)
    }

    @Test(
        "is read without the half of a transaction that a journal takes back",
        .enabled(if: ReadOnlyScene.hasPython, "python3 is not installed"))
    func journal() async throws {
        try await test.make()
        try await test.python(
            """
            c = sqlite3.connect(sys.argv[1], isolation_level=None)
            c.execute('PRAGMA journal_mode = DELETE')
            c.execute('PRAGMA cache_size = 1')
            c.execute('BEGIN')
            c.execute('DELETE FROM asset')
            c.execute("INSERT INTO setting SELECT 'filler', zeroblob(1000000)")
            os._exit(0)
            """)
        #expect((try test.files()[".viewport-library/catalogue.sqlite-journal"]?.count ?? 0) > 0)
        let result = try await test.runReadOnly(["list", "--json"])
        #expect(result.lines.count == 3, "\(result.errors)")
        #expect(try await test.runReadOnly(["verify"]).code == 0)
        #expect(test.temporary.isEmpty)
    }

    @Test(
        "is read if its catalog is one of an earlier version",
        .enabled(if: ReadOnlyScene.hasPython, "python3 is not installed"))
    func earlier() async throws {
        try await test.make()
        try await test.python(
            """
            c = sqlite3.connect(sys.argv[1])
            c.executescript('''
                DROP TABLE keptTogether; ALTER TABLE operation DROP COLUMN finished;
                DROP INDEX assetByLivePartner; DROP INDEX assetByLiveIdentifier;
                DELETE FROM grdb_migrations WHERE identifier = 'duplicates that are kept, unfinished operations';
                ''')
            c.commit()
            c.close()
            """)
        let files = try test.files()
        #expect(try await test.runReadOnly(["list", "--json"]).lines.count == 3)
        let operations = try await test.runReadOnly(["undo", "--list", "--json"])
        #expect(operations.lines.first?["name"] as? String == "edit 1 asset", "\(operations.errors)")
        #expect(try test.files() == files)
        #expect(test.temporary.isEmpty)
    }

    @Test("says that there is no room for the copy that its log needs")
    func noRoom() async throws {
        try await test.make()
        try test.scene.put("library/.viewport-library/catalogue.sqlite-wal", Array(repeating: 1, count: 4096))
        let result = try await test.scene.runMounting(
            """
            mount --bind "$2" "$2" && mount -o remount,ro,bind "$2" || exit 99
            mount -t tmpfs -o size=64k x "$3/tmp" || exit 98
            TMPDIR="$3/tmp" "$1" library list "$2"; code=$?
            ls -A "$3/tmp"
            exit $code
            """)
        #expect(result.code == 73 && result.text.isEmpty, "\(result.text)")
        #expect(
            result.errors.contains("needs") && result.errors.contains("free some space"), "\(result.errors)")
    }

    #if Server
    @Test("is served")
    func serves() async throws {
        try await test.make()
        let unshare = try #require(BuiltProgram(installed: "unshare"))
        let files = try test.files()
        let server = try ServingProgram { environment in
            unshare.process(
                ReadOnlyScene.mounting(
                    test.scene.library, test.scene.program,
                    ["serve", "--port", "0", "--json", test.scene.library]), environment: environment)
        }
        let probe = HTTPProbe(host: "127.0.0.1", port: server.port, timeout: 600)
        for path in ["/", "/group/all", "/cover/all"] {
            #expect(try await probe.send("/library/library" + path).status == 200, "\(path)")
        }
        #expect(server.end() == 0)
        #expect(try test.files() == files)
    }
    #endif
}
