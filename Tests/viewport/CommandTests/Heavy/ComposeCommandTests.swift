import Foundation
import TestHarness
import TestSupport
import Testing
import ViewportGeometry
import Vips

/// Tests of pages without texts run everywhere; the others need fonts.
private let hasFonts = (try? VipsText.hasFonts) ?? false

@Suite("viewport compose")
struct ComposeCommandTests {
    static let viewport = BuiltProgram("viewport")

    /// A folder with a photo of 300 x 400 points, stored sideways.
    static func folder(_ layouts: [String: String] = [:]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 400, height: 300).save(folder.path("photo.jpg"), oriented: .right)
        for (name, json) in layouts { try Data(json.utf8).write(to: folder.url.appendingPathComponent(name)) }
        return folder
    }

    /// A title of 21 points, a picture of 240 and two labels of at most 150 and exactly 21.
    static let design = """
        {
          "views": {
            "photo": {"image": "photo.jpg", "contentMode": "scaleAspectFill"},
            "title": {"text": "A quiet morning", "align": "center"},
            "date": {"text": "21 September, a Saturday with little wind", "font": "Sans 12", "lines": 1},
            "place": {"text": "Lakeside", "font": "Sans 12", "lines": 1}
          },
          "metrics": {"gap": 15},
          "formats": [
            "V:|-25-[title(21)]-gap-[photo(240)]", "H:|-20-[title]-20-|",
            "V:[date(21)]", "V:[place(21)]", "H:[date(<=150)]", "H:[place(<=150)]"
          ],
          "constraints": ["photo.width <= 0.5 * superview.width + 10 @750", "photo.width >= 160"],
          "portrait": {
            "formats": ["V:[photo]-gap-[date]"],
            "constraints": [
              "photo.centerX == superview.centerX", "date.leading == title.leading",
              "place.trailing == title.trailing", "place.top == date.top"
            ]
          },
          "landscape": {
            "formats": [
              "H:|-20-[photo]-gap-[date]", {"format": "V:[date]-8-[place]", "options": ["alignAllLeading"]}
            ],
            "constraints": ["date.top == photo.top"]
          }
        }
        """

    @Test(
        "gives the seed page the numbers of its constraints in both orientations", .enabled(if: hasFonts),
        arguments: [
            (
                "320x480", "portrait",
                ["title": [20, 25, 280, 21], "photo": [75, 61, 170, 240], "date": [20, 316, 150, 21]]
            ),
            (
                "480x320", "landscape",
                ["title": [20, 25, 440, 21], "photo": [20, 61, 180, 240], "date": [215, 61, 150, 21]]
            ),
        ])
    func seed(_ size: String, _ orientation: String, _ expected: [String: [Double]]) async throws {
        let folder = try Self.folder(["page.json": Self.design])
        let result = try await Self.viewport.run(
            ["compose", "page.json", "--size", size, "--json"], in: folder.url)
        #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
        let json = result.json
        #expect(Set(json.keys) == ["size", "orientation", "frames", "ambiguous", "broken"])
        #expect(json["orientation"] as? String == orientation)
        #expect(
            (json["ambiguous"] as? [String])?.isEmpty == true
                && (json["broken"] as? [String])?.isEmpty == true)
        let frames = try #require(json["frames"] as? [String: [Double]])
        for (name, numbers) in expected {
            let frame = try #require(frames[name])
            #expect(zip(frame, numbers).allSatisfy { abs($0 - $1) <= 0.5 }, "\(name) \(frame)")
        }
        let place = try #require(frames["place"])
        #expect(place[2] > 20 && place[2] <= 150 && abs(place[3] - 21) <= 0.5)
        if orientation == "portrait" {
            #expect(abs(place[0] + place[2] - 300) <= 0.5 && abs(place[1] - 316) <= 0.5)
        } else {
            #expect(abs(place[0] - 215) <= 0.5 && abs(place[1] - 90) <= 0.5)
        }
        #expect(folder.names == ["page.json", "photo.jpg"])
    }

    /// The view of a frame of 90 x 70 points, and the options of a render that gives its pixels at a place in the frame.
    static let renders: [(view: String, scale: String, options: [String], x: Int, y: Int)] = [
        ("", "1", ["--size", "90x70", "--content-mode", "scaleAspectFit"], 0, 0),
        (
            #", "contentMode": "scaleAspectFill""#, "2",
            ["--size", "90x70", "--content-mode", "scaleAspectFill"], 0, 0
        ),
        (
            #", "contentMode": "scaleToFill""#, "1", ["--size", "90x70", "--content-mode", "scaleToFill"], 0,
            0
        ),
        (
            #", "contentMode": "bottomRight""#, "2", ["--size", "90x70", "--content-mode", "bottomRight"], 0,
            0
        ),
        (
            #", "contentMode": "scaleAspectFill", "rect": [30, 40, 200, 100]"#, "1",
            ["--rect", "30,40,200,100", "--size", "90x70", "--content-mode", "scaleAspectFill"], 0, 0
        ),
        (
            #", "contentMode": "scaleToFill", "rect": [30, 40, 200, 100]"#, "2",
            ["--rect", "30,40,200,100", "--size", "90x70", "--content-mode", "scaleToFill"], 0, 0
        ),
        (
            #", "rect": [30, 40, 200, 100]"#, "1", ["--rect", "30,40,200,100", "--size", "90x70", "--crop"],
            0, 12
        ),
        (
            #", "contentMode": "topLeft", "rect": [30, 40, 50, 200]"#, "1", ["--rect", "30,40,50,70"], 0, 0
        ),
    ]

    @Test(
        "gives a picture the pixels of a render of the same size, byte for byte", arguments: renders.indices)
    func equal(_ index: Int) async throws {
        let (view, scale, options, left, top) = Self.renders[index]
        let folder = try Self.folder([
            "page.json": """
            {"views": {"photo": {"image": "photo.jpg"\(view)}},
             "formats": ["H:|-7-[photo(90)]", "V:|-5-[photo(70)]"]}
            """
        ])
        let composed = try await Self.viewport.run(
            ["compose", "page.json", "--size", "100x80", "--scale", scale, "-o", "page.png"], in: folder.url)
        #expect(composed.code == 0, "\(composed.errors)")
        let rendered = try await Self.viewport.run(
            ["render", "photo.jpg", "--scale", scale, "--background", "white", "-o", "render.png"] + options,
            in: folder.url)
        #expect(rendered.code == 0, "\(rendered.errors)")
        let page = try VipsImage.load(folder.path("page.png"), with: "pngload", [:])
        let picture = try VipsImage.load(folder.path("render.png"), with: "pngload", [:])
        let factor = try #require(Int(scale))
        #expect(page.width == 100 * factor && page.bands == 3 && picture.bands == 3)
        let part = try page.cropped(
            to: .init(
                x: 7 * factor + left, y: 5 * factor + top, width: picture.width, height: picture.height))
        #expect(try part.pixels().copied() == picture.pixels().copied())
    }

    @Test("writes a PDF of the size in points that other programs read", arguments: [[], ["--lossless"]])
    func pdf(_ options: [String]) async throws {
        let folder = try Self.folder([
            "page.json": """
            {"views": {"paper": {"color": "#ffd70080"}, "photo": {"image": "photo.jpg"}},
             "formats": ["H:|[paper]|", "V:|[paper]|", "H:|-20-[photo(60)]", "V:|-20-[photo(80)]"]}
            """
        ])
        let result = try await Self.viewport.run(
            ["compose", "page.json", "--size", "100x120", "-o", "page.pdf"] + options, in: folder.url)
        #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
        let text = String(try folder.data("page.pdf").map { Character(Unicode.Scalar($0)) })
        #expect(text.contains("/MediaBox [0 0 100 120]") && text.contains("/Width 240 /Height 320"))
        #expect(text.contains(options.isEmpty ? "/DCTDecode" : "/FlateDecode"))
        // Replaces its own file, and nobody else's.
        let again = ["compose", "page.json", "--size", "100x120", "-o", "page.pdf"]
        #expect(try await Self.viewport.run(again, in: folder.url).code == 0)
        try Data("%PDF-1.4 of another program".utf8).write(to: folder.url.appendingPathComponent("page.pdf"))
        #expect(try await Self.viewport.run(again, in: folder.url).code == 73)
        #expect(try await Self.viewport.run(again + ["--overwrite"], in: folder.url).code == 0)
        guard let poppler = BuiltProgram(installed: "pdftoppm") else { return }
        let drawn = try await poppler.run(["-r", "72", "page.pdf", "out"], in: folder.url)
        #expect(drawn.code == 0 && drawn.errors.isEmpty, "\(drawn.errors)")
        let name = try #require(folder.names.first { $0.hasPrefix("out") })
        let pixels = [UInt8](try folder.data(name)).suffix(100 * 120 * 3)
        let corner = Array(pixels.prefix(3))
        #expect(
            abs(Int(corner[0]) - 255) < 3 && abs(Int(corner[1]) - 235) < 3 && abs(Int(corner[2]) - 127) < 3)
    }

    /// A layout, options, the exit code, and words of the one sentence.
    static let refusals: [(String, [String], Int32, [String])] = [
        ("{", [], 65, ["page.json, line 1", "not JSON"]),
        (#"{"views": {"a": {"image": "none.jpg"}}}"#, [], 66, ["line 1", "view a", "image", "none.jpg"]),
        (#"{"views": {"a": {"image": "page.json"}}}"#, [], 65, ["view a", "not an image"]),
        (
            #"{"views": {"a": {"image": "photo.jpg", "rect": [900, 0, 5, 5]}}}"#, [], 64,
            ["view a", "lies outside the image"]
        ),
        (#"{"views": {"a": {"image": "{path}"}}}"#, [], 65, ["{path} has no value"]),
        (#"{"views": {}, "formats": ["H:|[b]|"]}"#, [], 65, ["formats[0]", "character"]),
        (#"{"views": {}}"#, ["--size", "65000x65000"], 64, ["exceeds the limit"]),
        (
            #"{"views": {"a": {"image": "photo.jpg"}}}"#, ["-o", "photo.jpg", "--overwrite"], 73,
            ["is the input itself"]
        ),
        (#"{"views": {}}"#, ["-o", "page.json", "--format", "png", "--overwrite"], 73, ["page.json"]),
        (#"{"views": {"t": {"text": "x", "font": "Sans 100000"}}}"#, [], 65, ["view t: font"]),
        (#"{"views": {}}"#, ["--scale", "1000"], 64, ["--scale"]),
        (#"{"views": {}}"#, ["--lossless"], 64, ["--lossless"]),
        (#"{"views": {}}"#, ["--size", "nan"], 64, ["--size"]),
        (#"{"views": {}}"#, ["--size", "-3x4"], 64, ["--size"]),
        (#"{"views": {}}"#, ["--size", "320x"], 64, ["--size"]),
        (#"{"views": {}}"#, ["-o", "page.xyz"], 64, ["page.xyz"]),
    ]

    @Test("ends with one sentence and no output where it cannot make a page", arguments: refusals.indices)
    func refusal(_ index: Int) async throws {
        let (json, options, code, words) = Self.refusals[index]
        guard hasFonts || !json.contains("text") else { return }
        let folder = try Self.folder(["page.json": json])
        let before = try folder.data("photo.jpg")
        let size = options.contains("--size") ? [] : ["--size", "100x80"]
        let output = options.contains("-o") ? [] : ["-o", "page.png"]
        let result = try await Self.viewport.run(
            ["compose", "page.json"] + size + output + options, in: folder.url)
        #expect(result.code == code, "\(result.errors)")
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("viewport: ") && result.errors.split(separator: "\n").count == 1)
        for word in words { #expect(result.errors.contains(word), "\(result.errors)") }
        #expect(folder.names == ["page.json", "photo.jpg"])
        #expect(try folder.data("photo.jpg") == before)
    }

    @Test("says that the machine has no fonts instead of drawing boxes")
    func noFonts() async throws {
        let folder = try Self.folder([
            "page.json": #"{"views": {"t": {"text": "Hello"}}}"#,
            "fonts.conf": #"<?xml version="1.0"?><fontconfig></fontconfig>"#,
        ])
        let result = try await Self.viewport.run(
            ["compose", "page.json", "--size", "100x80", "-o", "page.png"], in: folder.url,
            environment: ["FONTCONFIG_FILE": folder.path("fonts.conf")])
        #expect(result.code == 69 && result.errors.contains("no fonts"), "\(result.errors)")
        #expect(!folder.names.contains("page.png"))
    }

    // MARK: Many pages

    static let card = #"{"views": {"a": {"image": "{path}"}}, "formats": ["H:|[a]|", "V:|[a]|"]}"#

    @Test("makes a page for every line of a manifest, and keeps the unchanged ones of an earlier run")
    func manifest() async throws {
        let folder = try Self.folder(["card.json": Self.card])
        func write(_ lines: [String]) throws {
            try Data(lines.joined(separator: "\n").utf8).write(to: folder.url.appendingPathComponent("list"))
        }
        func run(_ more: String...) async throws -> BuiltProgram.Result {
            try await Self.viewport.run(
                [
                    "compose", "card.json", "--size", "30x40", "--manifest", "list", "-o", "out/{id}.png",
                    "--results", "done",
                ] + more, in: folder.url)
        }
        try write([
            #"{"path":"photo.jpg","id":"x","title":"A"}"#, #"{"path":"photo.jpg","id":"y"}"#,
            #"{"path":"photo.jpg","id":"x"}"#, #"{"path":"none.jpg","id":"z"}"#, "nonsense",
        ])
        let first = try await run("--jobs", "2")
        #expect(
            first.code == 3 && first.errors.contains("2 made, 1 listed twice, 2 failed"), "\(first.errors)")
        #expect(folder.files(below: "out") == ["x.png", "y.png"])
        let results = try folder.data("done").split(separator: 0x0A).map {
            try JSONSerialization.jsonObject(with: $0) as? [String: Any] ?? [:]
        }
        let x = try #require(results.first { $0["id"] as? String == "x" && $0["status"] as? String == "ok" })
        #expect(x["title"] as? String == "A")
        let output = try #require((x["outputs"] as? [[String: Any]])?.first)
        #expect(output["width"] as? Int == 30 && output["size"] as? String == "30x40")
        // Another title is another page.
        try write([
            #"{"path":"photo.jpg","id":"x","title":"B"}"#, #"{"path":"photo.jpg","id":"y"}"#,
        ])
        let second = try await run("--resume")
        #expect(second.code == 0 && second.errors.contains("1 made"), "\(second.errors)")
        let third = try await run("--resume")
        #expect(third.errors.contains("0 made"), "\(third.errors)")
        let verified = try await Self.viewport.run(["thumbnail", "verify", "done"], in: folder.url)
        #expect(verified.code == 0, "\(verified.errors)")
    }

    @Test("makes each page once in the shards of a list, also of layouts")
    func shards() async throws {
        let plain = #"{"views": {"a": {"image": "../photo.jpg"}}, "formats": ["H:|[a]|", "V:|[a]|"]}"#
        let folder = try Self.folder()
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("pages"), withIntermediateDirectories: false)
        var lines = ""
        for index in 0..<6 {
            try Data(plain.utf8).write(to: folder.url.appendingPathComponent("pages/\(index).json"))
            lines += "{\"path\":\"pages/\(index).json\"}\n"
        }
        try Data(lines.utf8).write(to: folder.url.appendingPathComponent("list"))
        var made = 0
        for shard in ["0/2", "1/2"] {
            let result = try await Self.viewport.run(
                [
                    "compose", "--size", "12x16", "--manifest", "list", "--shard", shard, "-o",
                    "out/{stem}.pdf",
                ],
                in: folder.url)
            #expect(result.code == 0, "\(result.errors)")
            made += result.text.split(separator: "\n").count
        }
        #expect(made == 6)
        #expect(folder.files(below: "out") == (0..<6).map { "\($0).pdf" })
    }
}
