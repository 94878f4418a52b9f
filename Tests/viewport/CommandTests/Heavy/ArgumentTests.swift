import Foundation
import TestSupport
import Testing
import ViewportGeometry
import Vips

@Suite("Arguments")
struct ArgumentTests {
    static let viewport = BuiltProgram("viewport")

    /// Commands, their options, values that are refused, and a part of the reason.
    static let refused: [(command: String, option: String, value: String, reason: String)] = [
        ("render a.jpg", "--rect", "1,2,3", "has 3 numbers"),
        ("render a.jpg", "--rect", "1,2,x,4", "'x' is not a number"),
        ("render a.jpg", "--rect", "1,2,,4", "missing"),
        ("render a.jpg", "--rect", "0,0,-5,5", "above 0"),
        ("render a.jpg", "--size", "10x10x10", "WIDTHxHEIGHT"),
        ("render a.jpg", "--zoom", "0", "factor"),
        ("render a.jpg", "--zoom", "-50%", "factor"),
        ("render a.jpg", "--scale", "big", "factor"),
        ("render a.jpg", "--center", "7", "has 1 number"),
        ("render a.jpg", "--offset", "-7,8,9", "has 3 numbers"),
        ("render a.jpg", "--content-mode", "scaleAspectFitt", "did you mean scaleAspectFit?"),
        ("render a.jpg", "--rotate", "left", "degrees"),
        ("render a.jpg", "--rotate", "nan", "degrees"),
        ("render a.jpg", "--background", "reddish", "CSS"),
        ("render a.jpg", "--kernel", "lanzcos3", "did you mean lanczos3?"),
        ("render a.jpg", "--color", "cmyk", "srgb"),
        ("render a.jpg", "--depth", "12", "8, 16 or keep"),
        ("render a.jpg", "--depth", "deep", "8, 16 or keep"),
        ("render a.jpg", "--format", "bmp", "png"),
        ("render a.jpg", "--quality", "0", "from 1 to 100"),
        ("render a.jpg", "--page", "-1", "from 0"),
        ("info a.jpg", "--max-pixels", "0", "from 1"),
        ("pyramid a.jpg -o a.dzi", "--tile-size", "0", "from 1 to 8192"),
        ("pyramid a.jpg -o a.dzi", "--overlap", "-1", "from 0"),
        ("pyramid a.jpg -o a", "--layout", "iif", "did you mean iiif?"),
        ("replay a.jsonl", "--fps", "nan", "out of range"),
        ("fly a.jpg --ken-burns", "--fps", "0", "out of range"),
        ("fly a.jpg --ken-burns", "--fps", "29.9700001", "six digits"),
        ("fly a.jpg --ken-burns", "--easing", "bounce", "ease-in-out"),
        ("fly a.jpg --ken-burns", "--duration", "0", "out of range"),
        ("fly a.jpg --ken-burns -o f/", "--shard", "1/1", "counts from 0"),
        ("thumbnail a.jpg", "--size", "0x10", "WxH"),
        ("thumbnail a.jpg", "--crop", "middle", "center"),
        ("thumbnail a.jpg", "--frames", "some", "first, all"),
        ("thumbnail a.jpg", "--jobs", "0", "from 1 to 1024"),
        ("thumbnail a.jpg", "--max-errors", "-1", "from 0"),
        ("thumbnail --manifest a", "--shard", "3/3", "counts from 0"),
        ("library list a", "--filter", "jpg", "did you mean jpeg?"),
        ("library list a", "--sort", "up", "asc or desc"),
        ("library list a", "--group-by", "decade", "year"),
        ("library list a", "--from", "2024-13", "months go from 01 to 12"),
        ("library list a", "--to", "2023-02-29", "2023-02 has the days 01 to 28"),
        ("library list a", "--to", "2023-02-28T24", "hours go from 00 to 23"),
        ("library list a", "--near", "-33.8,151", "has 2 numbers"),
        ("library list a", "--near", "91,0,1", "latitudes"),
        ("library list a", "--assume-zone", "Europe/Pari", "did you mean Europe/Paris?"),
        ("library list a", "--limit", "-5", "from 0"),
        ("library import a b", "--layout", "{yaer}/{name}", "there is no {yaer}"),
        ("library import a b", "--max-gap", "-1", "out of range"),
        ("library index a", "--clock-offset", "soon", "number"),
        ("library duplicates a", "--by", "look", "did you mean looks?"),
        ("library duplicates a", "--distance", "65", "from 0 to 64"),
        ("library sheet a -o a.png", "--columns", "0", "from 1 to 100"),
        ("library sheet a -o a.png", "--size", "5000", "from 16 to 1024"),
        ("cache clear", "--older-than", "-1", "out of range"),
    ]

    /// Commands that give an option with one value twice.
    static let repeated = [
        "render a.jpg -o a.png -o b.png", "render a.jpg -o a.png --output b.png",
        "render a.jpg --output=a -o b",
        "render a.jpg --rect 1,2,3,4 --rect=1,2,3,4",
        "render a.jpg -Q 1 --quality 2",
        "thumbnail a.jpg -o a.png -o b.png", "pyramid a.jpg -o a.dzi -o b.dzi", "index a.jpg -o a -o b",
        "fly a.jpg --ken-burns -o a.gif -o b.gif", "compose a.json -o a.png -o b.png", "site a.jpg -o a -o b",
        "extract-video a.jpg -o a -o b", "replay a --fps 1 --fps 2", "thumbnail --manifest a --manifest b",
        "thumbnail merge a --missing b --missing c",
    ]

    @Test("with one value are refused a second time", arguments: repeated)
    func twice(_ command: String) async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 40, height: 30).save(folder.path("a.jpg"), oriented: .up)
        let result = try await Self.viewport.run(
            command.split(separator: " ").map(String.init), in: folder.url)
        #expect(result.code == 64 && result.errors.hasSuffix("give it once\n"), "\(result.errors)")
        #expect(
            result.errors.split(separator: "\n").count == 1 && folder.names == ["a.jpg"], "\(result.errors)")
    }

    #if Library
    @Test(
        "with one value are refused a second time in commands of libraries",
        arguments: [
            "sheet a -o a.png -o b.png", "export a -o a -o b", "list a --sort asc --sort desc",
            "import a b --layout {name} --layout {name}",
        ])
    func twiceInLibraries(_ command: String) async throws {
        let result = try await Self.viewport.run(["library"] + command.split(separator: " ").map(String.init))
        #expect(result.code == 64 && result.errors.hasSuffix("give it once\n"), "\(result.errors)")
    }
    #endif

    @Test("with several values are given as often as there are values")
    func several() async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 40, height: 30).save(folder.path("a.jpg"), oriented: .up)
        // Flags may be repeated, too, and nothing after -- is an option.
        let result = try await Self.viewport.run(
            [
                "thumbnail", "-s", "10", "--size", "20", "-o", "{size}.png", "--quiet", "--quiet", "--",
                "a.jpg",
            ],
            in: folder.url)
        #expect(result.code == 0 && folder.names == ["10.png", "20.png", "a.jpg"], "\(result.errors)")
    }

    #if Server
    static let refusedByServers: [(String, String, String, String)] = [
        ("serve .", "--port", "99999", "from 0 to 65535"),
        ("serve .", "--max-area", "1", "from 65536"),
        ("serve .", "--memory", "1M", "from 128M"),
        ("serve .", "--memory", "lots", "number of bytes"),
        ("serve .", "--log-level", "loud", "warning"),
        ("serve .", "--token", "a b", "without spaces"),
        ("doctor", "<url>", "nowhere", "http://"),
    ]
    #else
    static let refusedByServers: [(String, String, String, String)] = []
    #endif

    @Test(
        "that are refused report the value, the accepted values and an example",
        arguments: refused + refusedByServers)
    func refusal(_ command: String, _ option: String, _ value: String, _ reason: String) async throws {
        let named = option.hasPrefix("-") ? [option, value] : [value]
        let result = try await Self.viewport.run(command.split(separator: " ").map(String.init) + named)
        #expect(result.code == 64 && result.output.isEmpty, "\(result.errors)")
        #expect(
            result.errors.hasPrefix("viewport: \(option) '\(value)': "), "\(result.errors)")
        #expect(result.errors.contains(reason), "\(result.errors)")
        #expect(result.errors.contains("; give "), "\(result.errors)")
        let start = option.hasPrefix("-") ? "\(option) " : ""
        #expect(result.errors.contains(", for example \(start)"), "\(result.errors)")
        #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    }

    @Test("of the cache size accept units, and are refused with the same wording")
    func bytes() async throws {
        let folder = try TemporaryFolder()
        for (text, capacity) in [
            ("300000", 300_000), ("10GiB", 10 << 30), ("2G", 2 << 30), ("1.5 MB", 1_500_000),
        ] {
            let environment = ["VIEWPORT_CACHE_BYTES": text, "XDG_CACHE_HOME": folder.url.path]
            let json = try await Self.viewport.run(["cache", "--json"], environment: environment).json
            #expect(json["capacity"] as? Int == capacity, "\(text)")
        }
        let wrong = try await Self.viewport.run(["cache"], environment: ["VIEWPORT_CACHE_BYTES": "lots"])
        #expect(wrong.code == 64 && wrong.errors.contains("'lots'") && wrong.errors.contains("for example"))
    }

    /// Arguments with accepted values that begin with a dash; the error is the missing library.
    static let negatives: [[String]] = [
        ["list", "none", "--near", "-33.8,151,5"], ["list", "none", "--near", "-33.8,", "151,", "5"],
        ["list", "none", "--near=-33.8,151,5"], ["list", "none", "--assume-zone", "-05:00"],
        ["index", "none", "--clock-offset", "-3600"],
        ["index", "none", "--clock-offset", "-.5", "--json"],
    ]

    @Test("that are negative can follow their option after a space", arguments: negatives)
    func negative(_ arguments: [String]) async throws {
        let result = try await Self.viewport.run(["library"] + arguments)
        #expect(result.code == 66 && result.errors.contains("library init"), "\(result.errors)")
    }

    @Test(
        "that are missing are not replaced by the next option", arguments: ["--near", "--from", "--limit"])
    func missing(_ option: String) async throws {
        let result = try await Self.viewport.run(["library", "list", "none", option, "--json"])
        #expect(
            result.code == 64 && result.errors.contains("Missing value for '\(option)"), "\(result.errors)")
        let rect = try await Self.viewport.run(["render", "none", "--rect", "--json"])
        #expect(rect.code == 64 && rect.errors.contains("Missing value for '--rect"), "\(rect.errors)")
    }

    /// Mistyped commands and the suggestions.
    static let mistyped: [([String], String)] = [
        (["rendr", "a.jpg"], "`viewport render`"), (["library", "lst"], "`viewport library list`"),
        (["library", "albums", "creat", "x"], "`viewport library albums create`"),
        (["thumbnail", "mrge"], "`viewport thumbnail merge`"), (["help", "rendr"], "`viewport render`"),
        (["help", "nosuch"], "'nosuch' is not a command"),
        (["library", "help", "lst"], "`viewport library list`"),
        (["help", "library", "places", "instal"], "`viewport library places install`"),
        (["render", "a.jpg", "--qualty", "3"], "did you mean --quality?"),
        (["render", "a.jpg", "-size", "800"], "--size"),
        (["library", "list", "a", "--fitler", "jpeg"], "did you mean --filter?"),
        // The parser takes their values for files.
        (
            ["crop", "a.jpg", "--gravity", "center", "-o", "x.jpg"],
            "--gravity is not an option of `viewport crop`"
        ),
        (["resize", "a.jpg", "--gravity", "center", "-s", "9", "-o", "x.jpg"], "--gravity is not an option"),
        (
            ["thumbnail", "a.jpg", "--page", "2", "-o", "x.jpg"],
            "--page is not an option of `viewport thumbnail make`"
        ),
        (["info", "a.svs", "--associated", "label"], "--associated is not an option of `viewport info`"),
        (
            ["render", "a.tif", "--windw", "0,4000", "-o", "x.png"],
            "--windw is not an option of `viewport render`"
        ),
        (["render", "--windw=0,4000", "a.tif", "b.tif", "-o", "x.png"], "--windw is not an option"),
        (["library", "edit", "none", "--stars", "5"], "--stars is not an option of `viewport library edit`"),
        (["crops", "a.jpg", "--format", "png", "--size", "9", "-o", "x.tar"], "did you mean --crop-format?"),
        (["render", "a.jpg", "b.jpg", "-Z", "5", "-o", "x.png"], "-Z is not an option of `viewport render`"),
    ]

    @Test("that are mistyped end with 64 and a suggestion", arguments: mistyped)
    func suggestion(_ arguments: [String], _ meant: String) async throws {
        let result = try await Self.viewport.run(arguments)
        #expect(result.code == 64 && result.output.isEmpty, "\(result.errors)")
        #expect(result.errors.contains(meant), "\(result.errors)")
    }

    @Test(
        "that begin with a dash but are not options get a hint",
        arguments: ["-x.jpg", "-photo.jpg", "-5.png"])
    func dashes(_ name: String) async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 40, height: 30).save(folder.path("photo.png"), with: "pngsave")
        try FileManager.default.copyItem(atPath: folder.path("photo.png"), toPath: folder.path(name))
        // A number after an option is its value.
        let outputs = name == "-5.png" ? [] : [["render", "photo.png", "-o", name]]
        for arguments in [["render", name], ["info", name], ["thumbnail", name]] + outputs {
            let result = try await Self.viewport.run(arguments, in: folder.url)
            #expect(result.code == 64 && result.output.isEmpty, "\(arguments)")
            #expect(result.errors.contains("./\(name)") && result.errors.contains("--"), "\(result.errors)")
        }
        let cured = try await Self.viewport.run(["info", "./\(name)"], in: folder.url)
        #expect(cured.code == 0, "\(cured.errors)")
        let other = try await Self.viewport.run(["info", "--json", "--", name], in: folder.url)
        #expect(other.code == 0, "\(other.errors)")
    }

    @Test("of help work before and after the command")
    func help() async throws {
        for arguments in [
            ["help", "library", "list"], ["library", "help", "list"], ["library", "list", "--help"],
        ] {
            let result = try await Self.viewport.run(arguments)
            #expect(result.code == 0 && result.text.contains("--group-by"), "\(arguments)")
        }
    }

    @Test("under former names are accepted")
    func formerNames() async throws {
        let sheet = try await Self.viewport.run(["library", "sheet", "none", "-o", "a.png", "--side", "5"])
        #expect(sheet.errors.contains("--size '5'"), "\(sheet.errors)")
        let suffix = try await Self.viewport.run(["pyramid", "none.jpg", "-o", "a.dzi", "--suffix", ".bmp"])
        #expect(suffix.errors.contains("--format '.bmp'"), "\(suffix.errors)")
        let crop = try await Self.viewport.run(["thumbnail", "none.jpg", "--crop", "centre", "--jobs", "0"])
        #expect(crop.errors.contains("--jobs"), "\(crop.errors)")
    }
}
