import Foundation
import TestSupport
import Testing
import ViewportGeometry

/// One file and a batch of one are the same job.
@Suite("viewport render of one file and of a batch")
struct OneAndManyTests {
    static let viewport = BuiltProgram("viewport")

    static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 400, height: 300).save(folder.path("photo.jpg"), oriented: .right)
        try TestImages.photo(width: 256, height: 128).save(folder.path("pano.png"), oriented: .up)
        return folder
    }

    /// A line of a manifest without its path, and the same options on the command line.
    static let lines: [(file: String, line: [String: any Sendable], options: [String], format: String)] = [
        ("photo.jpg", [:], [], "png"),
        ("photo.jpg", ["rect": [10, 20, 100, 50]], ["--rect", "10,20,100,50"], "png"),
        (
            "photo.jpg", ["rect": [10, 20, 100, 50], "zoom": 2],
            ["--rect", "10,20,100,50", "--zoom", "2"], "webp"
        ),
        ("photo.jpg", ["size": "120x90"], ["--size", "120x90"], "jpg"),
        (
            "photo.jpg", ["size": "100x100", "rect": [50, 50, 50, 25]],
            ["--size", "100x100", "--rect", "50,50,50,25"], "png"
        ),
        (
            "photo.jpg", ["size": "100x100", "rect": [50, 50, 50, 25], "crop": true],
            ["--size", "100x100", "--rect", "50,50,50,25", "--crop"], "png"
        ),
        ("photo.jpg", ["size": "100x100", "fit": true], ["--size", "100x100", "--fit"], "png"),
        ("photo.jpg", ["crop-size": "64x48"], ["--crop-size", "64x48"], "png"),
        (
            "photo.jpg", ["size": "100x80", "zoom": 0.5, "center": [150, 200]],
            ["--size", "100x80", "--zoom", "0.5", "--center", "150,200"], "png"
        ),
        (
            "photo.jpg", ["size": "100x80", "zoom": 1, "offset": [-20, -10], "background": "navy"],
            ["--size", "100x80", "--zoom", "1", "--offset", "-20,-10", "--background", "navy"], "jpg"
        ),
        (
            "photo.jpg", ["size": "120x120", "content-mode": "scaleAspectFill", "scale": 2],
            ["--size", "120x120", "--content-mode", "scaleAspectFill", "--scale", "2"], "png"
        ),
        (
            "photo.jpg", ["zoom": 0.5, "min-zoom": 0.75, "max-zoom": 2],
            ["--zoom", "0.5", "--min-zoom", "0.75", "--max-zoom", "2"], "png"
        ),
        (
            "photo.jpg", ["zoom": 0.3, "subpixel": true, "kernel": "linear", "linear": true],
            ["--zoom", "0.3", "--subpixel", "--kernel", "linear", "--linear"], "png"
        ),
        ("photo.jpg", ["rotate": 30], ["--rotate", "30"], "png"),
        ("photo.jpg", ["rotate": 90, "flip": true], ["--rotate", "90", "--flip"], "png"),
        ("photo.jpg", ["color": "p3", "depth": "16"], ["--color", "p3", "--depth", "16"], "png"),
        ("photo.jpg", ["compression": "small"], ["--compression", "small"], "png"),
        (
            "photo.jpg", ["quality": 50, "keep-metadata": "all"],
            ["--quality", "50", "--keep-metadata", "all"], "jpg"
        ),
        ("photo.jpg", ["keep-metadata": "all"], ["--keep-metadata", "all"], "gif"),
        ("photo.jpg", ["keep-gain-map": true], ["--keep-gain-map"], "jpg"),
        ("photo.jpg", ["format": "tif", "depth": "keep"], ["--format", "tif", "--depth", "keep"], "tif"),
        (
            "photo.jpg", ["lossless": true, "rect": [20, 37, 60, 50]],
            ["--lossless", "--rect", "20,37,60,50"], "jpg"
        ),
        ("photo.jpg", ["no-orient": true, "page": 0], ["--no-orient", "--page", "0"], "png"),
        ("photo.jpg", ["max-pixels": 5], ["--max-pixels", "5"], "png"),
        ("photo.jpg", ["allow-damaged": true], ["--allow-damaged"], "png"),
        ("photo.jpg", ["rect": [9000, 9000, 5, 5]], ["--rect", "9000,9000,5,5"], "png"),
        ("photo.jpg", ["page": 7], ["--page", "7"], "png"),
        ("photo.jpg", ["iiif": "full/200,/22.5/gray.png"], ["--iiif", "full/200,/22.5/gray.png"], "png"),
        (
            "photo.jpg", ["iiif": "square/max/!90/default.jpg"], ["--iiif", "square/max/!90/default.jpg"],
            "jpg"
        ),
        (
            "pano.png", ["look": [30, -10], "fov": 80, "projection": "stereographic", "panorama": true],
            ["--look", "30,-10", "--fov", "80", "--projection", "stereographic", "--panorama"], "png"
        ),
        ("photo.jpg", ["look": [30, -10]], ["--look", "30,-10"], "png"),
        ("missing.jpg", [:], [], "png"),
    ]

    @Test("gives the same file, and the same notes and errors, for each option of a line", arguments: lines)
    func options(
        _ file: String, _ line: [String: any Sendable], _ options: [String], _ format: String
    ) async throws {
        let folder = try Self.folder()
        func made(_ arguments: [String], _ name: String) async throws -> (code: Int32, text: String, Data?) {
            let result = try await Self.viewport.run(["render"] + arguments, in: folder.url)
            let data = FileManager.default.contents(atPath: folder.path(name))
            return (result.code, result.errors.replacing(name, with: "OUT"), data)
        }
        let one = try await made([file, "-o", "one.\(format)"] + options, "one.\(format)")
        let many = try await made(
            [file, "-o", "many.\(format)", "--results", "many.jsonl"] + options, "many.\(format)")
        #expect(one == many)
        // Results have what is otherwise on standard error.
        let members = ["path": file, "output": "line.\(format)"].merging(line) { $1 }
        try JSONSerialization.data(withJSONObject: members, options: .sortedKeys)
            .write(to: URL(fileURLWithPath: folder.path("list.jsonl")))
        let manifest = try await Self.viewport.run(["render", "--manifest", "list.jsonl"], in: folder.url)
        #expect(FileManager.default.contents(atPath: folder.path("line.\(format)")) == one.2)
        let result = manifest.json
        #expect((result["status"] as? String == "ok") == (one.code == 0), "\(manifest.errors)")
        let notes = (result["notes"] as? [String] ?? []).sorted()
        let error = ((result["error"] as? [String: Any])?["message"] as? String).map { [$0] } ?? []
        let said = one.text.split(separator: "\n").map {
            String($0.replacing("viewport: ", with: "").replacing("\(file): its", with: "its"))
        }.sorted()
        #expect(said.count == notes.count + error.count)
        // A command adds what helps.
        for (sentence, start) in zip(said, notes + error) { #expect(sentence.hasPrefix(start)) }
    }

    @Test("covers every option that a line may set")
    func coverage() throws {
        let source = try String(
            contentsOf: PackageFolder.url("Sources/viewport/Commands/RenderWork.swift"), encoding: .utf8)
        let rest = try #require(source.components(separatedBy: "static let lineOptions").last)
        let table = try #require(rest.components(separatedBy: "\n    ]").first)
        let names = Set(table.matches(of: /"([a-z-]+)": \./).map { String($0.output.1) })
        #expect(names.count > 30)
        #expect(names.subtracting(Self.lines.flatMap(\.line.keys)).isEmpty)
    }

    @Test(
        "--cache stores a pyramid of one file, of two, and of each line of a manifest",
        arguments: [["a.webp"], ["a.webp", "b.webp"], ["--manifest", "list.jsonl"]])
    func cache(_ inputs: [String]) async throws {
        let folder = try TemporaryFolder()
        for name in ["a.webp", "b.webp"] {
            try TestImages.photo(width: 700, height: 500).save(folder.path(name), oriented: .up)
        }
        try #"{"path":"a.webp"}"#.write(toFile: folder.path("list.jsonl"), atomically: true, encoding: .utf8)
        let home = ["XDG_CACHE_HOME": folder.path("cache")]
        let made = try await Self.viewport.run(
            ["render"] + inputs + ["-s", "200", "--cache", "-o", "out/{stem}.png"], in: folder.url,
            environment: home)
        #expect(made.code == 0, "\(made.errors)")
        let info = try await Self.viewport.run(["cache", "info", "--json"], environment: home).json
        #expect((info["entries"] as? [Any])?.isEmpty == false, "\(info)")
        let again = try await Self.viewport.run(
            ["render", "a.webp", "-s", "200", "-o", "again.png", "--json"], in: folder.url, environment: home)
        #expect((again.json["reading"] as? String)?.contains("pyramid in the cache") == true)
    }

    @Test("says what is lost where --html takes the place of results")
    func html() async throws {
        let folder = try Self.folder()
        try #"{"path":"photo.jpg","keep-metadata":"all"}"#.write(
            toFile: folder.path("list.jsonl"), atomically: true, encoding: .utf8)
        let made = try await Self.viewport.run(
            ["render", "--manifest", "list.jsonl", "-s", "40", "--format", "gif", "--html", "-o", "web/"],
            in: folder.url)
        #expect(made.code == 0 && made.text.contains("<img"), "\(made.text)")
        #expect(made.errors.contains("photo.jpg: its EXIF cannot be kept in gif\n"), "\(made.errors)")
    }

    @Test("says once what several files lose, with their number; each result says it")
    func losses() async throws {
        let folder = try TemporaryFolder()
        for name in ["a.jpg", "b.jpg", "c.jpg"] {
            try TestImages.photo(width: 40, height: 30).save(folder.path(name), oriented: .right)
        }
        let said = try await Self.viewport.run(
            [
                "resize", "a.jpg", "b.jpg", "c.jpg", "-s", "20", "--format", "gif", "-o", "out/", "--jobs",
                "1",
            ],
            in: folder.url)
        #expect(said.code == 0)
        #expect(said.errors.contains("viewport: a.jpg: its EXIF cannot be kept in gif\n"), "\(said.errors)")
        #expect(said.errors.contains("EXIF cannot be kept in gif, also of 2 other files\n"), "\(said.errors)")
        let results = try await Self.viewport.run(
            [
                "resize", "a.jpg", "b.jpg", "c.jpg", "-s", "20", "--format", "gif", "-o", "more/", "--json",
            ], in: folder.url)
        let lines = results.text.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.allSatisfy { $0.contains(#""notes":["its EXIF cannot be kept in gif"]"#) })
    }
}
