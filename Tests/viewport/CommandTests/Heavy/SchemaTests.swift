import Foundation
import TestSupport
import Testing
import ViewportGeometry
import Vips

@Suite("JSON of all commands")
struct SchemaTests {
    /// Names with the same meaning in all commands, and checks of their values.
    private static let words: [String: @Sendable (Any) -> Bool] = [
        "path": { $0 is NSNull || ($0 as? String)?.isEmpty == false },
        "output": { ($0 as? String)?.isEmpty == false },
        "width": { $0 is NSNull || ($0 as? Int ?? 0) > 0 },
        "height": { $0 is NSNull || ($0 as? Int ?? 0) > 0 },
        "outputs": { ($0 as? [[String: Any]])?.allSatisfy { $0["path"] is String } == true },
        "failures": {
            ($0 as? [[String: Any]])?.allSatisfy { $0["path"] is String && $0["error"] is [String: Any] }
                == true
        },
        "error": {
            $0 is NSNull
                || ($0 as? [String: Any]).map { $0["code"] is String && $0["message"] is String } == true
        },
        "bytes": { ($0 as? Int ?? -1) >= 0 },
        "date": {
            $0 is NSNull
                || ($0 as? String)?.wholeMatch(of: /\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?)?/) != nil
        },
        "offset": { $0 is NSNull || ($0 as? String)?.wholeMatch(of: /[+-]\d\d:\d\d/) != nil },
        "latitude": { $0 is Double }, "longitude": { $0 is Double },
    ]

    /// Synonyms of those names, and names of numbers that lack a unit.
    private static let synonyms: Set = [
        "input", "file", "fileName", "filename", "localDate", "dateTime", "w", "h", "length", "fileSize",
        "time",
        "elapsed", "dimensions",
    ]

    /// Checks a value and its members, except those of `requested`, whose names are the user's.
    private static func check(_ value: Any, _ command: String) {
        if let list = value as? [Any] { return list.forEach { check($0, command) } }
        guard let members = value as? [String: Any] else { return }
        for (name, member) in members {
            #expect(!synonyms.contains(name), "\(command): \(name) has another name in other commands")
            if let isRight = words[name] { #expect(isRight(member), "\(command): \(name) is \(member)") }
            if name != "requested" { check(member, command) }
        }
    }

    /// Every command that prints JSON, run in a folder with a library, and the names that its lines must contain.
    static let commands: [(arguments: [String], words: [String])] = [
        (["render", "photo.jpg", "-o", "view.png"], ["path", "outputs", "width", "height"]),
        (["render", "photo.jpg", "-s", "40", "-s", "20", "-o", "sizes/"], ["path", "outputs"]),
        (["convert", "photo.jpg", "photo.webp"], ["path", "outputs"]), (["formats"], []),
        (["exit-codes"], []),
        (
            ["render", "photo.jpg", "--iiif", "full/max/0/default.png", "-o", "iiif.png"],
            ["path", "outputs"]
        ),
        (
            ["fly", "photo.jpg", "--ken-burns", "-s", "32x24", "--fps", "1", "-o", "film.gif"],
            ["path", "outputs", "width", "height"]
        ),
        (["info", "photo.jpg"], ["path", "width", "height", "date"]),
        (["pyramid", "photo.jpg", "-o", "photo.dzi"], ["path", "outputs", "bytes"]),
        (["index", "photo.jpg"], ["path", "bytes"]),
        (["index", "photo.jpg", "-o", "photo.jpg.vpi", "--levels"], ["path", "outputs", "bytes"]),
        (["site", "photo.jpg", "-o", "site"], ["path", "outputs", "bytes"]),
        (["manifest", ".", "--base-url", "https://example.org"], ["path", "outputs"]),
        (["thumbnail", "photo.jpg"], ["path"]), (["thumbnail", "photo.jpg", "-o", "small.jpg"], ["path"]),
        (["cache"], ["path", "bytes"]), (["cache", "clear"], ["bytes"]),
        (["library", "import", "library", "card", "--dry-run"], ["path", "bytes"]),
        (["library", "import", "library", "card"], ["bytes"]),
        (["library", "has", "library", "card"], []), (["library", "imports", "library"], []),
        (["library", "imports", "library", "1"], ["path", "bytes"]),
        (["library", "index", "library"], []),
        (["library", "list", "library"], ["path", "width", "height", "bytes", "date", "offset"]),
        (["library", "list", "library", "--group-by", "day", "--entries"], ["count"]),
        (["library", "find", "library", "photo"], ["path", "width", "height", "bytes", "date"]),
        (["library", "show", "library", "1"], ["path", "width", "height", "bytes", "date"]),
        (["library", "groups", "library"], ["count", "bytes"]), (["library", "stacks", "library"], []),
        (["library", "albums", "library"], ["count", "bytes"]),
        (["library", "init", "fresh"], ["path"]),
        (["library", "albums", "create", "library", "A"], ["name", "count"]),
        (["library", "albums", "add", "library", "A", "1"], ["name", "count"]),
        (["library", "albums", "remove", "library", "A", "1"], ["name", "count"]),
        (["library", "albums", "rename", "library", "A", "B"], ["name", "count"]),
        (["library", "albums", "delete", "library", "B"], ["name"]),
        (["library", "edit", "library", "1", "--rating", "4"], []), (["library", "undo", "library"], []),
        (["library", "places", "install", "towns.csv"], ["path", "outputs", "count"]),
        (["library", "sidecars", "write", "library", "--all", "--dry-run"], []),
        (["library", "trash", "library"], []), (["library", "duplicates", "library", "--dry-run"], []),
        (["library", "doctor", "library"], ["kind", "count"]),
        (["library", "duplicates", "library"], []), (["library", "stats", "library"], ["bytes"]),
        (["library", "verify", "library"], []), (["library", "places", "library"], []),
        (["extract-video", "motion.jpg", "-o", "films/"], ["path", "outputs", "bytes"]),
        (["library", "export", "library", "-o", "out"], ["path"]),
        (["library", "sheet", "library", "-o", "sheet.png"], ["output"]),
        (["doctor"], []), (["settings"], ["path"]),
    ]

    /// Returns a folder in which the commands can run, one after the other, with an empty library.
    static func folder() async throws -> (TemporaryFolder, environment: [String: String]) {
        let program = try LibraryProgram()
        let folder = program.folder
        try TestImages.photo(width: 400, height: 300).save(folder.path("photo.jpg"), oriented: .right)
        try program.write("card/photo.jpg", [UInt8](folder.data("photo.jpg")))
        try program.write("card/picture.jpg", [UInt8](folder.data("photo.jpg")))
        let film = FilmMaker.film(brand: "mp42")
        let packet = XMPMaker.packet([("GCamera:MicroVideoOffset", "\(film.count)")])
        try program.write("motion.jpg", PhotoMaker.jpeg(xmp: packet) + film)
        try program.write(
            "towns.csv", Array("lat,lon,name,admin1,admin2,cc\n46.2,6.1,Geneva,Geneva,,CH\n".utf8))
        let environment = ["XDG_DATA_HOME": folder.path("data"), "XDG_CACHE_HOME": folder.path("cache")]
        let made = try await BuiltProgram("viewport").run(
            ["library", "init", "library"], in: folder.url, environment: environment)
        #expect(made.code == 0, "\(made.errors)")
        return (folder, environment)
    }

    @Test("uses the same names for paths, dates and sizes")
    func vocabulary() async throws {
        let viewport = BuiltProgram("viewport")
        let (folder, environment) = try await Self.folder()
        for (arguments, words) in Self.commands {
            let result = try await viewport.run(
                arguments + ["--json"], in: folder.url, environment: environment)
            let command = arguments.joined(separator: " ")
            #expect(result.code == 0, "\(command): \(result.errors)")
            let lines = result.text.split(separator: "\n")
            #expect(
                lines.count == result.lines.count, "\(command) prints lines that are no JSON: \(result.text)")
            for word in words {
                #expect(
                    !result.lines.isEmpty && result.lines.allSatisfy { $0[word] != nil },
                    "\(command) has no \(word): \(result.text)")
            }
            Self.check(result.lines, command)
        }
    }

    @Test("is all that --quiet prints")
    func quiet() async throws {
        let program = try LibraryProgram()
        let folder = program.folder
        try TestImages.photo(width: 40, height: 30).save(folder.path("library/photo.jpg"), oriented: .up)
        let viewport = BuiltProgram("viewport")
        let environment = ["XDG_DATA_HOME": folder.path("data"), "XDG_CACHE_HOME": folder.path("cache")]
        for arguments in [
            ["library", "init", "library"], ["library", "index", "library"],
            ["library", "verify", "library"],
            ["library", "export", "library", "-o", "out"], ["index", "library/photo.jpg"],
            ["cache", "clear"],
            ["thumbnail", "--recursive", "library", "-o", "t/{name}-{size}.jpg"],
        ] {
            let result = try await viewport.run(
                arguments + ["--quiet"], in: folder.url, environment: environment)
            #expect(
                result.code == 0 && result.output.isEmpty && result.errors.isEmpty, "\(arguments): \(result)")
        }
    }
}
