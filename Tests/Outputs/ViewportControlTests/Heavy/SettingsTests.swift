import Files
import Foundation
import ScrollModel
import Synchronization
import TestSupport
import Testing
import ViewportControl
import ViewportGeometry

extension SettingKey<Int> {
    fileprivate static var columns: Self { Self("columns", initial: 4, summary: "Photos in a row.") }
}
extension SettingKey<String> {
    fileprivate static var cacheFolder: Self { Self("cacheFolder", initial: "/tmp", summary: "Folder.") }
}
extension SettingKey<Bool> {
    fileprivate static var isDark: Self { Self("isDark", initial: false, summary: "Dark.", variable: "DARK") }
}
extension SettingKey<Double> {
    fileprivate static var scale: Self { Self("scale", initial: 1, summary: "Scale.") }
}

@Suite("Settings")
struct SettingsTests {
    let folder: TemporaryFolder
    var path: String { folder.path("config/viewport/settings.json") }

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path("config/viewport"), withIntermediateDirectories: true)
    }

    func settings(_ text: String?, _ environment: [String: String] = [:]) throws -> Settings {
        if let text { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
        var settings = Settings(file: path) { environment[$0] }
        settings.register(.columns)
        settings.register(.cacheFolder)
        settings.register(.isDark)
        settings.register(.scale)
        return settings
    }

    @Test("come from the command line, else the environment, else the file, else have their initial value")
    func order() throws {
        let file = #"{"columns": 5, "isDark": true}"#
        let all = try settings(file, ["VIEWPORT_COLUMNS": "6"])
        #expect(try all.value(.columns, option: 7) == 7)
        #expect(try all.value(.columns) == 6)
        #expect(try settings(file).value(.columns) == 5)
        #expect(try settings("{}").value(.columns) == 4)
        #expect(try Settings(file: nil) { _ in nil }.value(.columns) == 4)
        #expect(try all.source(of: .columns, option: 7) == .commandLine)
        #expect(try all.source(of: .columns) == .environment)
        #expect(try all.source(of: .isDark) == .file && all.source(of: .scale) == .initial)
        #expect(try settings(nil, ["DARK": "false"]).value(.isDark) == false)
        #expect(try settings(nil, ["VIEWPORT_CACHE_FOLDER": "/x"]).value(.cacheFolder) == "/x")
        #expect(all.problems.isEmpty)
    }

    @Test("do not need a file", arguments: [nil, ""])
    func noFile(_ text: String?) throws {
        let settings = try settings(text)
        #expect(try settings.value(.columns) == 4)
        #expect(settings.problems.isEmpty)
        #expect(settings.entries.map(\.source) == [.initial, .initial, .initial, .initial])
    }

    static let wrong: [(text: String, message: String)] = [
        ("{\n  \"columns\": \"5\"\n}", ":2: columns is \"5\", not a whole number"),
        ("{\"columns\": 5.5}", ":1: columns is 5.5, not a whole number"),
        ("{\n\n\"isDark\": 1}", ":3: isDark is 1, not true or false"),
        ("{\"isDark\": \"true\"}", ":1: isDark is \"true\", not true or false"),
        ("{\"cacheFolder\": 5}", ":1: cacheFolder is 5, not text"),
        ("{\"cacheFolder\": null}", ":1: cacheFolder is null, not text"),
        ("{\"cacheFolder\": [\"a\"]}", ":1: cacheFolder is [\"a\"], not text"),
        ("{\"scale\": 1e999}", ":1: scale is 1e999, not a number"),
        // The first "scale" is a value.
        ("{\"cacheFolder\": \"scale\",\n\"scale\": {}}", ":2: scale is {}, not a number"),
        ("{\n\"colums\": 5}", ":2: there is no setting 'colums' (did you mean columns?)"),
        ("{\"something else\": 5}", ":1: there is no setting 'something else'"),
        ("{\"c\\u006flumn\": 5}", ": there is no setting 'column' (did you mean columns?)"),
        ("{\n\"columns\": 5,\n}", ":3: the settings are not one JSON object"),
        ("[1]", ":1: the settings are not one JSON object"),
        ("{\"columns\": 5} x", ":1: the settings are not one JSON object"),
        ("{\"columns\": 5, \"columns\": 6}", ":1: the settings are not one JSON object"),
    ]

    @Test("report what is wrong with the line", arguments: wrong.indices)
    func problems(_ index: Int) throws {
        let (text, message) = Self.wrong[index]
        #expect(try settings(text).problems.map(\.description) == [path + message])
    }

    @Test("report a wrong value when it is used, and not when an option replaces it")
    func wrongWhenUsed() throws {
        let wrong = try settings(#"{"columns": "many", "scale": 2}"#, ["VIEWPORT_SCALE": "big"])
        #expect(throws: SettingsError.self) { try wrong.value(.columns) }
        #expect(throws: SettingsError.wrongText(name: "VIEWPORT_SCALE", value: "big", expected: "a number")) {
            try wrong.value(.scale)
        }
        #expect(try wrong.value(.scale, option: 3) == 3 && wrong.value(.isDark) == false)
        #expect(wrong.problems.count == 2)
        let broken = try settings("{", ["DARK": "true"])
        #expect(throws: SettingsError.syntax(file: path, line: 1)) { try broken.value(.columns) }
        // The environment wins, so the file is not needed.
        #expect(try broken.value(.isDark))
        #expect(throws: SettingsError.self) { try Settings(file: folder.url.path).value(.columns) }
    }

    @Test("are set and removed in the file, and the rest of it stays")
    func writing() throws {
        var changed = try settings(#"{"unknown": [1], "columns": 5}"#)
        try changed.set("columns", to: "6")
        try changed.set("isDark", to: "true")
        try changed.set("cacheFolder", to: "12")
        #expect(try changed.value(.columns) == 6 && changed.value(.isDark))
        #expect(
            try String(contentsOfFile: path, encoding: .utf8) == """
                {
                  "unknown": [1],
                  "columns": 6,
                  "isDark": true,
                  "cacheFolder": "12"
                }

                """)
        try changed.unset("unknown")
        for name in ["columns", "isDark", "cacheFolder", "scale"] { try changed.unset(name) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "{}\n")
        #expect(throws: SettingsError.self) { try changed.set("columns", to: "5.5") }
        #expect(throws: SettingsError.self) { try changed.set("colums", to: "5") }
        #expect(throws: SettingsError.self) { try changed.unset("unknown") }
    }

    @Test("can be set in a folder that is missing, and not in one that is a file")
    func folders() throws {
        var settings = Settings(file: folder.path("a/b/settings.json")) { _ in nil }
        settings.register(.columns)
        try settings.set("columns", to: "9")
        #expect(try settings.value(.columns) == 9)
        var blocked = Settings(file: folder.path("a/b/settings.json/x.json")) { _ in nil }
        blocked.register(.columns)
        #expect(throws: SettingsError.self) { try blocked.set("columns", to: "9") }
    }

    @Test("keep a broken file under another name when a value is set")
    func mending() throws {
        for number in 0..<2 {
            var broken = try settings("{\"columns\": \(number)")
            let moved = try #require(try broken.set("columns", to: "8"))
            #expect(try String(contentsOfFile: moved, encoding: .utf8) == "{\"columns\": \(number)")
            #expect(moved.hasSuffix(number == 0 ? ".broken" : ".broken-1"))
            #expect(try broken.value(.columns) == 8 && broken.problems.isEmpty)
        }
    }

    @Test("follow a link to the file instead of replacing it")
    func links() throws {
        let target = folder.path("dotfiles.json")
        try Data("{}".utf8).write(to: URL(fileURLWithPath: target))
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        var linked = try settings(nil)
        try linked.set("columns", to: "3")
        #expect(try String(contentsOfFile: target, encoding: .utf8).contains("3"))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == target)
    }
}

@Suite("An archive of a value")
struct ValueArchiveTests {
    struct Place: Codable, Equatable, Sendable {
        var name: String
        var zoom: Double
    }
    private struct OldPlace: Codable { var title: String }

    @Test("returns what was stored, in another run and a folder that was missing")
    func roundTrip() throws {
        let folder = try TemporaryFolder()
        let store = StateStore(folder: folder.path("state/viewport"))
        let names = ["a", "../a", "a b/c", "", "ä", String(repeating: "long", count: 200), "A"]
        for name in names {
            let place = Place(name: "\"\n\(name)", zoom: 0.1)
            #expect(try store.archive(name, of: Place.self).value() == nil)
            try store.archive(name).store(place)
            #expect(try StateStore(folder: store.folder).archive(name, of: Place.self).value() == place)
        }
        #expect(folder.files(below: "state").count == names.count)
        #expect(folder.names == ["state"])
    }

    @Test("keeps places in images and selections of libraries")
    func states() throws {
        let folder = try TemporaryFolder()
        let store = StateStore(folder: folder.url.path)
        var view = ScrollView(bounds: Size(width: 100, height: 80), viewSize: Size(width: 4000, height: 3000))
        view.setZoomScale(0.5)
        view.setContentOffset(Point(x: 700, y: 300))
        try store.archive("image").store(ImagePlace(image: "lake.jpg", scroll: view.archive))
        try store.archive("library").store(
            LibrarySelection(library: "photos", group: "2024", assets: [3, 1]))
        var other = ScrollView(
            bounds: Size(width: 100, height: 80), viewSize: Size(width: 4000, height: 3000))
        let place = try #require(try store.archive("image", of: ImagePlace.self).value())
        other.restore(place.scroll)
        #expect(abs(other.contentOffset.x - 700) < 1e-9 && abs(other.contentOffset.y - 300) < 1e-9)
        #expect(try store.archive("library", of: LibrarySelection.self).value()?.assets == [3, 1])
        // Names that are equal only after Unicode normalization are two images.
        let names = ["caf\u{E9}", "cafe\u{301}"]
        #expect(
            ImagePlace(image: names[0], scroll: view.archive)
                != ImagePlace(image: names[1], scroll: view.archive))
        #expect(LibrarySelection(library: names[0]) != LibrarySelection(library: names[1]))
        let earlier = Data(#"{"library": "photos", "assets": [2]}"#.utf8)
        #expect(
            try JSONDecoder().decode(LibrarySelection.self, from: earlier)
                == LibrarySelection(library: "photos", assets: [2]))
    }

    @Test("reads older versions by their migrations, and refuses others")
    func migrations() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("place.json")
        try ValueArchive<OldPlace>(path: path, version: 1).store(OldPlace(title: "lake"))
        var archive = ValueArchive<Place>(path: path, version: 3)
        #expect(throws: ArchiveError.self) { try archive.value() }
        archive.migrate(from: 1) { json in
            Place(name: try JSONDecoder().decode(OldPlace.self, from: json).title, zoom: 1)
        }
        #expect(try archive.value() == Place(name: "lake", zoom: 1))
        try archive.store(Place(name: "hill", zoom: 2))
        #expect(try archive.value() == Place(name: "hill", zoom: 2))
        // A newer program wrote it.
        #expect {
            try ValueArchive<Place>(path: path, version: 2).value()
        } throws: {
            ($0 as? ArchiveError)?.cause == .version(3)
        }
    }

    @Test(
        "gives the default and the error for a file that cannot be read, and does not lose it",
        arguments: [
            "{", "[]", "{\"version\":1}", "{\"version\":1,\"value\":{\"name\":5}}",
            "{\"version\":7,\"value\":0}",
        ])
    func broken(_ text: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("place.json")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let archive = ValueArchive<Place>(path: path)
        var errors: [ArchiveError] = []
        #expect(
            archive.value(default: Place(name: "default", zoom: 0)) { errors.append($0) }.name == "default")
        #expect(errors.count == 1 && errors[0].description.hasPrefix(path + ": "))
        try archive.store(Place(name: "new", zoom: 1))
        #expect(try archive.value()?.name == "new")
        #expect(try String(contentsOfFile: path + ".broken", encoding: .utf8) == text)
    }

    @Test("refuses values that JSON cannot express, and keeps the old one")
    func impossible() throws {
        let folder = try TemporaryFolder()
        let archive = ValueArchive<Place>(path: folder.path("place.json"))
        try archive.store(Place(name: "old", zoom: 1))
        #expect(throws: ArchiveError.self) { try archive.store(Place(name: "new", zoom: .nan)) }
        #expect(try archive.value()?.name == "old")
        archive.remove()
        #expect(try archive.value() == nil && folder.names.isEmpty)
    }
}
