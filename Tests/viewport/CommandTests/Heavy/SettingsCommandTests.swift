import Foundation
import TestSupport
import Testing
import Vips

/// The program with a settings file of its own.
@Suite("viewport settings")
struct SettingsCommandTests {
    let viewport = BuiltProgram("viewport")
    let folder: TemporaryFolder
    var file: String { folder.path("config/viewport/settings.json") }
    var environment: [String: String] {
        ["XDG_CONFIG_HOME": folder.path("config"), "XDG_CACHE_HOME": folder.path("cache")]
    }

    init() throws {
        folder = try TemporaryFolder()
        try TestImages.photo(width: 300, height: 200).save(folder.path("photo.jpg"), with: "jpegsave")
    }

    func run(_ arguments: String..., with more: [String: String] = [:]) async throws -> BuiltProgram.Result {
        try await viewport.run(arguments, in: folder.url, environment: environment.merging(more) { $1 })
    }

    func write(_ text: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder.path("config/viewport"), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    }

    /// The value and the source of a setting.
    func entry(_ name: String, with more: [String: String] = [:]) async throws -> [String] {
        let report = try await run("settings", "--json", with: more)
        let all = report.json["settings"] as? [[String: Any]] ?? []
        let entry = all.first { $0["name"] as? String == name }
        return ["value", "source"].compactMap { entry?[$0] as? String }
    }

    @Test("lists each setting with its value and what sets it")
    func list() async throws {
        #expect(try await entry("cacheSize") == ["10G", "initial"])
        #expect(try await run("settings", "set", "cacheSize", "1500000").code == 0)
        #expect(try await entry("cacheSize") == ["1500000", "file"])
        #expect(
            try await entry("cacheSize", with: ["VIEWPORT_CACHE_BYTES": "2GB"]) == [
                "2GB", "environment",
            ])
        #expect(try await run("settings", "unset", "cacheSize").code == 0)
        #expect(try await entry("cacheSize") == ["10G", "initial"])
        let table = try await run("settings")
        #expect(table.code == 0 && table.errors.isEmpty)
        #expect(table.text.split(separator: "\n").count == 5)
    }

    @Test("replaces the defaults of options, and an option wins")
    func options() async throws {
        #expect(try await run("settings", "set", "size", "60x").code == 0)
        #expect(try await run("settings", "set", "background", "red").code == 0)
        func size(_ arguments: String..., with more: [String: String] = [:]) async throws -> [Int] {
            let result = try await viewport.run(
                ["render", "photo.jpg", "-o", "out.png", "--overwrite", "--json"] + arguments, in: folder.url,
                environment: environment.merging(more) { $1 })
            #expect(result.code == 0, "\(result.errors)")
            return ["width", "height"].compactMap { result.json[$0] as? Int }
        }
        #expect(try await size() == [60, 40])
        #expect(try await size(with: ["VIEWPORT_SIZE": "90"]) == [90, 60])
        #expect(try await size("--size", "30", with: ["VIEWPORT_SIZE": "90"]) == [30, 20])
        // The setting has no effect where other options give the size.
        #expect(try await size("--zoom", "0.5") == [150, 100])
        let red = try await run(
            "render", "photo.jpg", "--size", "400x300", "--content-mode", "center", "-o", "a.png")
        let same = try await run(
            "render", "photo.jpg", "--size", "400x300", "--content-mode", "center", "--background", "red",
            "-o", "b.png")
        let navy = try await run(
            "render", "photo.jpg", "--size", "400x300", "--content-mode", "center", "-o", "c.png",
            with: ["VIEWPORT_BACKGROUND": "navy"])
        #expect([red.code, same.code, navy.code] == [0, 0, 0])
        #expect(try folder.data("a.png") == folder.data("b.png"))
        #expect(try folder.data("a.png") != folder.data("c.png"))
    }

    @Test("limits the cache")
    func cache() async throws {
        try write(#"{"cacheSize": 123456}"#)
        #expect(try await run("cache", "--json").json["capacity"] as? Int == 123_456)
        let other = try await run("cache", "--json", with: ["VIEWPORT_CACHE_BYTES": "77k"])
        #expect(other.json["capacity"] as? Int == 77 << 10)
    }

    @Test("notes unknown names and goes on")
    func unknown() async throws {
        try write("{\n\"cachSize\": 5,\n\"cacheSize\": 1000}")
        let result = try await run("cache", "--json")
        #expect(result.code == 0 && result.json["capacity"] as? Int == 1000)
        #expect(
            result.errors.contains(
                "settings.json:2: there is no setting 'cachSize' (did you mean cacheSize?)"))
        #expect(result.errors.split(separator: "\n").count == 1)
        #expect(try await run("settings", "unset", "cachSize").code == 0)
        #expect(try await run("cache").errors.isEmpty)
    }

    @Test("gives one sentence for a wrong value, the line and the remedy included")
    func wrong() async throws {
        try write("{\n\n\"cacheSize\": true}")
        let result = try await run("cache")
        #expect(result.code == 65)
        #expect(result.errors.split(separator: "\n").count == 1)
        for part in ["settings.json:3:", "cacheSize is true", "viewport settings set cacheSize"] {
            #expect(result.errors.contains(part))
        }
        let list = try await run("settings")
        #expect(list.code == 65 && list.errors.contains("settings.json:3:"))
        let set = try await run("settings", "set", "cacheSize", "lots")
        #expect(set.code == 64 && set.errors.contains("a number of bytes"))
        #expect(
            try await run("settings", "set", "chacheSize", "1").errors.contains("did you mean cacheSize?"))
        #expect(try await run("settings", "set", "cacheSize", "5M").code == 0)
        #expect(try await entry("cacheSize") == ["5M", "file"])
    }

    @Test("mends a broken file without losing it")
    func broken() async throws {
        try write("{\"size\": 5")
        let result = try await run("render", "photo.jpg", "-o", "out.png")
        #expect(result.code == 65 && result.errors.split(separator: "\n").count == 1)
        #expect(result.errors.contains("settings.json:1:"))
        #expect(!folder.names.contains("out.png"))
        let list = try await run("settings", "--json")
        #expect(list.code == 65 && (list.json["problems"] as? [String])?.count == 1)
        let set = try await run("settings", "set", "size", "50")
        #expect(set.code == 0 && set.errors.contains("settings.json.broken"))
        #expect(try await run("settings").code == 0)
        #expect(try String(contentsOfFile: file + ".broken", encoding: .utf8) == "{\"size\": 5")
    }

    @Test("reports a file that cannot be written")
    func unwritable() async throws {
        let result = try await run("settings", "set", "size", "50", with: ["XDG_CONFIG_HOME": "/dev/null"])
        #expect(result.code == 73 && result.errors.contains("XDG_CONFIG_HOME"))
    }
}
