import ArgumentParser
import Foundation
import TestSupport
import Testing
import Vips

@testable import viewport

@Suite("Inputs and outputs of all commands")
struct InputTests {
    static let viewport = BuiltProgram("viewport")

    /// A folder with photo.jpg, b.png, and photos/a.jpg, photos/trip/c.jpg and photos/notes.txt.
    private static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 320, height: 240).save(folder.path("photo.jpg"), with: "jpegsave")
        try TestImages.photo(width: 64, height: 48).save(folder.path("b.png"), with: "pngsave")
        try FileManager.default.createDirectory(
            atPath: folder.path("photos/trip"), withIntermediateDirectories: true)
        try TestImages.photo(width: 320, height: 240).save(folder.path("photos/a.jpg"), with: "jpegsave")
        try TestImages.photo(width: 320, height: 240).save(folder.path("photos/trip/c.jpg"), with: "jpegsave")
        try Data("no picture".utf8).write(to: URL(fileURLWithPath: folder.path("photos/notes.txt")))
        return folder
    }

    /// What is typed, and files that exist then.
    static let commands: [(line: String, files: [String])] = [
        ("render photo.jpg b.png -o out/", ["out/photo.png", "out/b.png"]),
        ("render photo.jpg b.png out/", ["out/photo.png", "out/b.png"]),
        ("render photo.jpg b.png -s 32", ["photo.viewport.png", "b.viewport.png"]),
        ("render photo.jpg -o out/", ["out/photo.png"]),
        ("render photo.jpg small.webp -s 50%", ["small.webp"]),
        ("render photo.jpg 10,20,100,50 part.png", ["part.png"]),
        ("render --recursive photos -s 32 -o out/", ["out/photos/a.png", "out/photos/trip/c.png"]),
        (
            "render photos -r -s 32 -o out/{dir}/{stem}-{size}.{format} --format jpg",
            ["out/photos/a-32.jpg", "out/photos/trip/c-32.jpg"]
        ),
        (
            "render photo.jpg -s 64 -s 32 --format webp,jpg -o out/",
            ["out/photo-64.webp", "out/photo-32.webp", "out/photo-64.jpg", "out/photo-32.jpg"]
        ),
        ("thumbnail photo.jpg -s 32 -o out/{stem}-{size}.{format} --format webp", ["out/photo-32.webp"]),
        ("thumb photo.jpg -s 32", ["thumbnails/photo.jpg-32.jpg"]),
        ("convert photo.jpg photo.webp", ["photo.webp"]),
        ("convert photo.jpg b.png --format webp", ["photo.webp", "b.webp"]),
        ("crop photo.jpg 10,20,100,50 part.jpg", ["part.jpg"]),
        ("crop photo.jpg photos/a.jpg --crop-size 64x64 -o out/", ["out/photo.jpg", "out/a.jpg"]),
        ("resize photo.jpg 50%", ["photo.viewport.jpg"]),
        ("resize photo.jpg --width 100 small.jpg", ["small.jpg"]),
        ("resize photo.jpg 64x64 --content-mode scaleAspectFill filled.jpg", ["filled.jpg"]),
        ("pyramid photo.jpg", ["photo.dzi"]),
        ("pyramid photo.jpg big.dzi", ["big.dzi"]),
        ("tiles photo.jpg big.tif", ["big.tif"]),
        ("pyramid photo.jpg b.png -o out/", ["out/photo/info.json", "out/b/info.json"]),
        (
            "pyramid -r photos --layout dz -o out/",
            ["out/photos/a.dzi", "out/photos/trip/c.dzi"]
        ),
        ("index photo.jpg b.png -o out/", ["out/photo.jpg.vpi", "out/b.png.vpi"]),
        ("index -r photos -o out/", ["out/photos/a.jpg.vpi", "out/photos/trip/c.jpg.vpi"]),
        ("info -r photos --results infos.jsonl", ["infos.jsonl"]),
        ("site photo.jpg photos/a.jpg", ["site/index.html", "site/photo.jpg.html", "site/a.jpg.html"]),
    ]

    @Test("a line that people guess makes the files that they expect", arguments: commands)
    func guess(line: String, files: [String]) async throws {
        let folder = try Self.folder()
        let result = try await Self.viewport.run(line.split(separator: " ").map(String.init), in: folder.url)
        #expect(result.code == 0, "\(result.errors)")
        for file in files {
            #expect(FileManager.default.fileExists(atPath: folder.path(file)), "\(file) is missing")
        }
    }

    @Test(
        "several sizes and formats are what a run of each makes, bytes included",
        arguments: ["photo.jpg", "b.png"])
    func oneDecode(image: String) async throws {
        let folder = try Self.folder()
        let all = try await Self.viewport.run(
            ["render", image, "-s", "48", "--format", "webp,jpg,png", "-o", "all/"], in: folder.url)
        #expect(all.code == 0, "\(all.errors)")
        let stem = image.prefix { $0 != "." }
        for format in ["webp", "jpg", "png"] {
            let one = try await Self.viewport.run(
                ["render", image, "one.\(format)", "-s", "48"], in: folder.url)
            #expect(one.code == 0, "\(one.errors)")
            #expect(
                try folder.data("all/\(stem).\(format)") == folder.data("one.\(format)"),
                "\(format) differs")
        }
    }

    @Test("a transparent image is transparent in webp, and white in jpg, in one run")
    func transparency() async throws {
        let folder = try Self.folder()
        try TestImages.photo(width: 60, height: 40, bands: 4).save(folder.path("logo.png"), with: "pngsave")
        let result = try await Self.viewport.run(
            ["render", "logo.png", "--format", "jpg,webp", "-s", "30", "-o", "out/"], in: folder.url)
        #expect(result.code == 0, "\(result.errors)")
        let info = try await Self.viewport.run(
            ["info", "--json", "out/logo.webp", "out/logo.jpg"], in: folder.url)
        let alphas = try PhotoFolder.results(info.text).map { $0["alpha"] as? Bool }
        #expect(alphas == [true, false])
        let alone = try await Self.viewport.run(
            ["render", "logo.png", "alone.jpg", "-s", "30"], in: folder.url)
        #expect(alone.code == 0)
        #expect(try folder.data("out/logo.jpg") == folder.data("alone.jpg"))
    }

    @Test("--html offers all pictures, the newest format first and one that every browser knows last")
    func html() async throws {
        let folder = try Self.folder()
        let result = try await Self.viewport.run(
            [
                "render", "photo.jpg", "-s", "64", "-s", "160", "--format", "jpg,webp", "--html", "-o",
                "we b/",
            ],
            in: folder.url)
        #expect(
            result.text == """
                <picture>
                  <source type="image/webp" srcset="we%20b/photo-64.webp 64w, we%20b/photo-160.webp 160w" \
                sizes="(max-width: 160px) 100vw, 160px">
                  <img src="we%20b/photo-160.jpg" srcset="we%20b/photo-64.jpg 64w, we%20b/photo-160.jpg 160w" \
                sizes="(max-width: 160px) 100vw, 160px" width="160" height="120" alt="" loading="lazy">
                </picture>

                """)
    }

    @Test(
        "a batch of files continues where it stopped, in any command",
        arguments: ["render", "info", "index", "pyramid"])
    func resume(command: String) async throws {
        let folder = try Self.folder()
        let arguments = [command, "-r", "photos", "--results", "done.jsonl"]
        let first = try await Self.viewport.run(arguments, in: folder.url)
        #expect(first.code == 0 && first.errors == "viewport: 2 made\n", "\(first.errors)")
        let second = try await Self.viewport.run(arguments + ["--resume"], in: folder.url)
        #expect(second.errors == "viewport: 0 made, 2 kept from an earlier run\n")
        try TestImages.photo(width: 200, height: 100).save(folder.path("photos/a.jpg"), with: "jpegsave")
        let third = try await Self.viewport.run(arguments + ["--resume"], in: folder.url)
        #expect(third.errors == "viewport: 1 made, 1 kept from an earlier run\n")
    }

    @Test("shards of a folder have each image once")
    func shards() async throws {
        let folder = try Self.folder()
        var names: [String] = []
        for shard in ["0/2", "1/2"] {
            let result = try await Self.viewport.run(
                ["info", "-r", "photos", "--json", "--shard", shard], in: folder.url)
            #expect(result.code == 0, "\(result.errors)")
            names += try PhotoFolder.results(result.text).compactMap { $0["path"] as? String }
        }
        #expect(names.sorted() == ["photos/a.jpg", "photos/trip/c.jpg"])
    }

    @Test(
        "an input that is the only one gives the exit code of its error, and JSON where that was asked for",
        arguments: ["render", "thumbnail", "info", "index", "pyramid", "convert"])
    func missing(command: String) async throws {
        let folder = try Self.folder()
        var arguments = [command, "nope.jpg"]
        if command == "convert" { arguments += ["-o", "nope.png"] }
        let plain = try await Self.viewport.run(arguments, in: folder.url)
        #expect(plain.code == 66 && plain.text.isEmpty)
        #expect(plain.errors.hasPrefix("viewport: nope.jpg: there is no such file"))
        let json = try await Self.viewport.run(arguments + ["--json"], in: folder.url)
        #expect(json.code == 66)
        let error = json.json["error"] as? [String: Any]
        #expect(error?["code"] as? String == "missing")
        #expect((error?["message"] as? String)?.hasPrefix("nope.jpg: there is no such file") == true)
    }

    /// What is typed, and what the error names.
    static let advised: [(line: String, advice: String)] = [
        ("import card Photos", "viewport library import"), ("dedupe Photos", "viewport library duplicates"),
        ("rotate photo.jpg", "viewport render IMAGE --rotate 90"), ("srcset photo.jpg", "--html"),
        ("version", "viewport --version"), ("batch list.jsonl", "--manifest"),
        ("render photo.jpg --dpi 300", "--size in pixels"), ("render photo.jpg --gravity north", "--center"),
        ("info photo.jpg --rect 1,2,3,4", "`viewport render`"), ("resize photo.jpg", "WxH"),
        ("crop photo.jpg", "--crop-size"), ("convert photo.jpg", "--format"),
        ("render photos -o out/", "--recursive"), ("pyramid photos -o out.dzi", "--recursive"),
        ("render photo.jpg b.png -o one.png", "{stem}"),
        ("thumbnail photo.jpg --html", "`viewport render`"),
    ]

    @Test("a wrong guess names what does it", arguments: advised)
    func advice(line: String, advice: String) async throws {
        let folder = try Self.folder()
        let result = try await Self.viewport.run(line.split(separator: " ").map(String.init), in: folder.url)
        #expect([64, 66].contains(result.code), "\(result.text)")
        #expect(result.errors.contains(advice), "\(result.errors)")
        #expect(result.errors.filter { $0 == "\n" }.count == 1)
    }

    @Test("crops of one image that get the same name are told to use {id}")
    func collision() async throws {
        let folder = try Self.folder()
        let lines = (0..<2).map { #"{"path":"photo.jpg","id":"\#($0)","rect":[\#($0),0,9,9]}"# }
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: folder.path("list")))
        let result = try await Self.viewport.run(
            ["render", "--manifest", "list", "-o", "{stem}.png", "--results", "done"], in: folder.url)
        #expect(result.code == 3)
        #expect(
            result.errors.contains(
                "its picture photo.png is that of an earlier file; give each line an id, and add {id} to the template"
            ), "\(result.errors)")
    }

    @Test("`IN OUT` replaces an earlier output, and takes another file that exists for an input")
    func second() async throws {
        let folder = try Self.folder()
        for _ in 0..<2 {
            #expect(
                try await Self.viewport.run(["render", "photo.jpg", "own.png"], in: folder.url).code == 0)
        }
        let before = try folder.data("b.png")
        #expect(try await Self.viewport.run(["render", "photo.jpg", "b.png"], in: folder.url).code == 0)
        #expect(try folder.data("b.png") == before)
        #expect(folder.names.contains("b.viewport.png"))
    }

    @Test(
        "a crop and a smaller copy have the format of the image, whatever their name",
        arguments: [
            "crop photo.jpg 0,0,64,64 -o out/", "resize photo.jpg 50% -o out/", "resize photo.jpg 50%",
            "crop b.png 0,0,9,9 -o out/", "resize photo.jpg b.png 50% -o out/",
        ])
    func format(line: String) async throws {
        let folder = try Self.folder()
        let result = try await Self.viewport.run(line.split(separator: " ").map(String.init), in: folder.url)
        #expect(result.code == 0, "\(result.errors)")
        let made = folder.files(below: ".").filter { $0.hasPrefix("out/") || $0.contains(".viewport.") }
        #expect(!made.isEmpty)
        for name in made {
            let info = try await Self.viewport.run(["info", "--json", name], in: folder.url).json
            #expect(info["format"] as? String == (name.hasSuffix(".png") ? "png" : "jpeg"), "\(name)")
        }
    }

    @Test("what a wrong guess is told to type is a line that the program takes", arguments: OtherWords.advice)
    func advice(word: String, lines: String) throws {
        for line in lines.components(separatedBy: ", or ")
        where line.hasPrefix("viewport ") && word != "version" {
            let command = line.components(separatedBy: ", and ")[0].replacing("'", with: "")
            let words = command.split(separator: " ").dropFirst().map(String.init)
            #expect(throws: Never.self, "\(line)") { try ViewportCommand.parse(words) }
        }
    }

    @Test(
        "a command that is parsed without the others has the values, and the refusals, of the tree's parser",
        arguments: [
            "render a.jpg -o b.png --rect 1,2,3,4 --compression fast",
            "render a.jpg --rect=-1,2,3,4 -o b.png", "render -r photos -s 64 -o out/ --jobs 3",
            "render a.jpg -s 64", "thumbnail a.jpg --size 64 -o b.jpg",
            "show a.jpg", "library list photos --where is:video", "library import card photos --dry-run",
            "help query --json", "render -- --help -o b.png",
            "render", "render a.jpg --rect 1,2", "render a.jpg --jobs 0 -o out/",
            "render --help", "render a.jpg --version", "library list", "library", "help render",
            "--version",
            "render --generate-completion-script bash", "render a.jpg --experimental-dump-help",
        ])
    func alone(line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        func told(_ parse: () throws -> any ParsableCommand) -> String {
            do {
                var text = ""
                dump(try parse(), to: &text)
                return text
            } catch {
                return ViewportCommand.fullMessage(for: error)
            }
        }
        var prepared = ArgumentLine(words)
        let arguments = try prepared.prepared()
        let expected = told { try ViewportCommand.parseAsRoot(arguments) }
        #expect(told { try ViewportCommand.parse(words) } == expected)
    }

    @Test("a folder of outputs among the inputs is refused, and so is a folder without its slash")
    func folders() async throws {
        let folder = try Self.folder()
        for (line, words) in [
            ("render -r photos -s 32 -o photos", "among the inputs"),
            ("render -r . -s 32 -o ./", "choose another"),
            ("thumbnail -r photos -o photos/", "among the inputs"),
            ("render photo.jpg b.png -o crops", "for a folder write crops/"),
            ("convert photo.jpg b.png --format webp -o crops", "such as crops/"),
        ] {
            let result = try await Self.viewport.run(
                line.split(separator: " ").map(String.init), in: folder.url)
            #expect(result.code == 64 && result.errors.contains(words), "\(line): \(result.errors)")
        }
        #expect(Set(folder.names) == ["b.png", "photo.jpg", "photos"])
    }

    @Test(
        "a TIFF that exists is a second image of a pyramid, under each of its extensions",
        arguments: ["tif", "tiff", "TIFF"])
    func tiffs(ending: String) async throws {
        let folder = try Self.folder()
        try TestImages.photo(width: 64, height: 48).save(folder.path("scan.\(ending)"), with: "tiffsave")
        let before = try folder.data("scan.\(ending)")
        let result = try await Self.viewport.run(["pyramid", "photo.jpg", "scan.\(ending)"], in: folder.url)
        #expect(result.code == 0, "\(result.errors)")
        #expect(folder.names.contains("photo.dzi") && folder.names.contains("scan.dzi"))
        #expect(try folder.data("scan.\(ending)") == before)
    }

    @Test("two outputs of earlier runs are two images, and both stay")
    func outputs() async throws {
        let folder = try Self.folder()
        for name in ["one.jpg", "two.jpg"] {
            #expect(try await Self.viewport.run(["convert", "photo.jpg", name], in: folder.url).code == 0)
        }
        let before = try ["one.jpg", "two.jpg"].map(folder.data)
        let result = try await Self.viewport.run(
            ["resize", "one.jpg", "two.jpg", "-s", "50%"], in: folder.url)
        #expect(result.code == 0, "\(result.errors)")
        #expect(try ["one.jpg", "two.jpg"].map(folder.data) == before)
        #expect(folder.names.contains("two.viewport.jpg"))
    }

    @Test("a conversion keeps 16 bits, and crops keep the words of a photo")
    func keeps() async throws {
        let folder = try Self.folder()
        let deep = try await Self.viewport.run(
            ["render", "photo.jpg", "deep.png", "--depth", "16", "--zoom", "1"], in: folder.url)
        #expect(deep.code == 0)
        let converted = try await Self.viewport.run(["convert", "deep.png", "deep.tif"], in: folder.url)
        #expect(converted.code == 0, "\(converted.errors)")
        let info = try await Self.viewport.run(["info", "--json", "deep.tif"], in: folder.url)
        #expect(info.json["colors"] as? String == "rgb16")
    }
}
