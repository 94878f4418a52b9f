import Foundation
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

@Suite("Outputs of panoramas")
struct PanoramaOutputTests {
    static let viewport = BuiltProgram("viewport")

    static func run(_ arguments: [String], in folder: TemporaryFolder) async throws -> BuiltProgram.Result {
        try await viewport.run(arguments, in: folder.url)
    }

    static func image(_ name: String, in folder: TemporaryFolder) throws -> VipsImage {
        let path = folder.path(name)
        return try VipsImage.load(path, with: VipsImage.loader(for: path), [:])
    }

    static func panorama(_ name: String, in folder: TemporaryFolder) async throws -> [String: Any]? {
        let info = try await run(["info", name, "--json"], in: folder)
        #expect(info.code == 0, "\(info.errors)")
        return info.json["panorama"] as? [String: Any]
    }

    // MARK: Thumbnails

    @Test("have thumbnails of a look, with the pixels of render, and flat ones without --look")
    func thumbnail() async throws {
        let folder = try LookCommandTests.folder()
        let look = ["--look", "-30,10", "--fov", "80"]
        let made = try await Self.run(
            ["thumbnail", "pano.jpg", "-s", "90x60", "-s", "32", "--placeholder", "--json"] + look
                + ["-o", "{stem}-{size}.png"], in: folder)
        #expect(made.code == 0 && made.text.contains("placeholder"), "\(made.errors)")
        let render = try await Self.run(
            ["render", "pano.jpg", "-s", "90x60", "-o", "view.png"] + look, in: folder)
        #expect(render.code == 0)
        #expect(
            try Self.image("pano-90x60.png", in: folder).pixels().copied()
                == Self.image("view.png", in: folder).pixels().copied())
        let square = try Self.image("pano-32.png", in: folder)
        #expect((square.width, square.height) == (32, 32))
        // The recipe differs: the flat thumbnail replaces the other one, and stands the next time.
        let flat = ["thumbnail", "pano.jpg", "-s", "90x60", "--json", "-o", "{stem}-{size}.png"]
        #expect(try await Self.run(flat, in: folder).json["status"] as? String == "ok")
        #expect(try Self.image("pano-90x60.png", in: folder).height == 45)
        #expect(try await Self.run(flat, in: folder).json["status"] as? String == "skipped")
        let refused = try await Self.run(["thumbnail", "flat.jpg", "-s", "32"] + look, in: folder)
        #expect(refused.code == 65 || refused.code == 3, "\(refused.code)")
        #expect(refused.errors.contains("GPano"), "\(refused.errors)")
        let assumed = try await Self.run(
            ["thumbnail", "flat.jpg", "-s", "32", "--panorama", "-o", "a.jpg"] + look, in: folder)
        #expect(assumed.code == 0, "\(assumed.errors)")
    }

    @Test(
        "refuse options of flat thumbnails beside --look",
        arguments: [
            "--look 0,0 --crop centre", "--look 0,0 --upscale", "--look 0,0 --keep-metadata", "--fov 80",
            "--look 0,0 -s 100x", "--look 0,0 -s 100!", "--look 0,0 --freedesktop", "--look 0,0 --fov 171",
            "--panorama",
        ])
    func refusedThumbnail(_ options: String) async throws {
        let folder = try LookCommandTests.folder()
        let run = try await Self.run(
            ["thumbnail", "pano.jpg"] + options.split(separator: " ").map(String.init), in: folder)
        #expect(run.code == 64, "\(options): \(run.code) \(run.errors)")
    }

    @Test("have looks of their own in the lines of a manifest, which a later run keeps")
    func manifest() async throws {
        let folder = try LookCommandTests.folder()
        let lines = [
            #"{"path":"pano.jpg","id":"flat","fov":7}"#,
            #"{"path":"pano.jpg","id":"a","look":[-30,10],"fov":80}"#,
            #"{"path":"pano.jpg","id":"b","look":[90,0,5],"projection":"Stereographic","fov":200}"#,
            #"{"path":"flat.jpg","id":"c","look":[0,0],"panorama":true}"#,
            #"{"path":"pano.jpg","id":"d","look":[0,91]}"#,
            #"{"path":"pano.jpg","id":"e","look":[0,0],"fov":171}"#,
            #"{"path":"flat.jpg","id":"f","look":[0,0]}"#,
        ]
        try Data(lines.joined(separator: "\n").utf8).write(to: folder.url.appending(path: "list.jsonl"))
        let batch = [
            "thumbnail", "--manifest", "list.jsonl", "-s", "60x40", "-o", "{id}.png", "--results",
            "done.jsonl",
        ]
        func results() throws -> [String: [String: Any]] {
            let lines = String(decoding: try folder.data("done.jsonl"), as: UTF8.self).split(separator: "\n")
            return try lines.reduce(into: [:]) { results, line in
                let json = try #require(
                    try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
                results[try #require(json["id"] as? String)] = json
            }
        }
        let made = try await Self.run(batch, in: folder)
        #expect(made.code == 3, "\(made.errors)")
        #expect(made.errors.contains("the pitch") && made.errors.contains("170"), "\(made.errors)")
        #expect(made.errors.contains("GPano"), "\(made.errors)")
        let first = try results()
        #expect(
            first.mapValues { $0["status"] as? String } == [
                "flat": "ok", "a": "ok", "b": "ok", "c": "ok", "d": "error", "e": "error", "f": "error",
            ])
        #expect(try Self.image("flat.png", in: folder).height == 30)
        for (id, options) in [
            ("a", ["--look", "-30,10", "--fov", "80"]),
            ("b", ["--look", "90,0,5", "--projection", "stereographic", "--fov", "200"]),
        ] {
            let render = try await Self.run(
                ["render", "pano.jpg", "-s", "60x40", "-o", "view.png", "--overwrite"] + options, in: folder)
            #expect(render.code == 0, "\(render.errors)")
            let (a, b) = try (
                Self.image("\(id).png", in: folder).pixels().copied(),
                Self.image("view.png", in: folder).pixels().copied()
            )
            #expect(a == b, "\(id)")
        }
        // Another look of a line is made again, and the others stand.
        let changed = lines.map { $0.replacing("[-30,10]", with: "[-31,10]") }
        try Data(changed.joined(separator: "\n").utf8).write(to: folder.url.appending(path: "list.jsonl"))
        let resumed = try await Self.run(batch + ["--resume"], in: folder)
        #expect(resumed.errors.contains("1 made, "), "\(resumed.errors)")
        let recipes = try results().mapValues { $0["recipe"] as? String }
        #expect(
            recipes["a"] != first["a"]?["recipe"] as? String
                && recipes["b"] == first["b"]?["recipe"] as? String)
    }

    // MARK: Films

    @Test("have films between looks, whose frames are those of render, also from keyframes")
    func film() async throws {
        let folder = try LookCommandTests.folder()
        let size = ["-s", "64x48", "--fps", "4"]
        let path = [
            "--look", "170,5", "--look", "-150,20,10", "--fov", "100", "--fov", "60", "--duration", "1",
        ]
        let made = try await Self.run(
            ["fly", "pano.jpg", "-o", "frames/", "--json"] + path + size, in: folder)
        #expect(made.code == 0 && made.json["frames"] as? Int == 5, "\(made.errors)")
        #expect(made.json["stops"] as? [[Double]] == [[170, 5, 0, 100], [-150, 20, 10, 60]])
        let printed = try await Self.run(["fly", "pano.jpg", "--print-frames"] + path + size, in: folder)
        let lines = printed.text.split(separator: "\n")
        #expect(lines.count == 5)
        for number in [0, 2, 4] {
            let line = try #require(
                try JSONSerialization.jsonObject(with: Data(lines[number].utf8)) as? [String: Any])
            let look = try #require(line["look"] as? [Double])
            let field = try #require(line["fov"] as? Double)
            let render = try await Self.run(
                [
                    "render", "pano.jpg", "--look", look.map { "\($0)" }.joined(separator: ","), "--fov",
                    "\(field)", "-s", "64x48", "-o", "view.png",
                ], in: folder)
            #expect(render.code == 0, "\(render.errors)")
            let (a, b) = try (
                Self.image("frames/frame-0000\(number).png", in: folder).pixels().copied(),
                Self.image("view.png", in: folder).pixels().copied()
            )
            #expect(a == b, "frame \(number)")
        }
        let poses = #"{"poses":[{"look":[170,5],"fov":100},{"look":[-150,20,10],"fov":60}]}"#
        try Data(poses.utf8).write(to: folder.url.appending(path: "poses.json"))
        let same = try await Self.run(
            ["fly", "pano.jpg", "--keyframes", "poses.json", "--duration", "1", "--print-frames"] + size,
            in: folder)
        #expect(same.code == 0 && same.text == printed.text, "\(same.errors)")
        let resumed = try await Self.run(
            ["fly", "pano.jpg", "-o", "frames/", "--json", "--resume"] + path + size, in: folder)
        #expect(resumed.json["kept"] as? Int == 5, "\(resumed.errors)")
    }

    @Test(
        "refuse films whose looks are incomplete or mixed with rectangles",
        arguments: [
            "--look 0,0 --from 0,0,9,9 --to 0,0,9,9", "--fov 80 --ken-burns",
            "--look 0,0 --look 9,0 --fov 80 --fov 70 --fov 60", "--look 0,0", "--look 0,91",
            "--projection rectilinear --ken-burns", "--look 0,0 --look 9,0 --fov 171",
        ])
    func refusedFilm(_ options: String) async throws {
        let folder = try LookCommandTests.folder()
        let run = try await Self.run(
            ["fly", "pano.jpg", "-s", "32x32", "-o", "f/"] + options.split(separator: " ").map(String.init),
            in: folder)
        #expect(run.code == 64, "\(options): \(run.code) \(run.errors)")
    }

    @Test(
        "name the line of a keyframe that is no look",
        arguments: [
            (#"{"look":[0]}"#, "[yaw,pitch]"), (#"{"look":[0,91]}"#, "pitch"),
            (#"{"look":[0,0],"fov":0}"#, "fov"), (#"{"look":[0,0],"rect":[0,0,9,9]}"#, "either"),
            (#"{"rect":[0,0,9,9]}"#, "others have none"), (#"{"rect":[0,0,9,9],"fov":3}"#, "needs a"),
        ])
    func badKeyframe(_ pose: String, _ reason: String) async throws {
        let folder = try LookCommandTests.folder()
        let poses = "{\"poses\":[{\"look\":[9,9]},\n\(pose)]}"
        try Data(poses.utf8).write(to: folder.url.appending(path: "poses.json"))
        let run = try await Self.run(
            ["fly", "pano.jpg", "--keyframes", "poses.json", "--print-frames"], in: folder)
        #expect(run.code == 65 && run.errors.contains("line 2"), "\(run.code) \(run.errors)")
        #expect(run.errors.contains(reason), "\(run.errors)")
    }

    // MARK: Cubes

    @Test("have cubes in tiles, with the sizes that config.json promises", arguments: ["jpg", "png"])
    func cube(_ format: String) async throws {
        let folder = try LookCommandTests.folder()
        let arguments = ["pyramid", "pano.jpg", "--cube", "-o", "cube", "--tile-size", "50", "--format"]
        let made = try await Self.run(arguments + [format, "--json"], in: folder)
        #expect(made.code == 0, "\(made.errors)")
        let config = try #require(
            try JSONSerialization.jsonObject(with: folder.data("cube/config.json")) as? [String: Any])
        let levels = try #require(config["multiRes"] as? [String: Any])
        // 512 / pi is 163, of which the greatest multiple of 4 is 160: 160, 80, 40.
        #expect(levels["cubeResolution"] as? Int == 160 && levels["maxLevel"] as? Int == 3)
        #expect(levels["tileResolution"] as? Int == 50 && levels["extension"] as? String == format)
        #expect(config["pitch"] as? Double == 12 && config["type"] as? String == "multires")
        var count = 0
        for (level, side) in [(1, 40), (2, 80), (3, 160)] {
            for face in ["f", "r", "b", "l", "u", "d"] {
                for row in 0..<((side + 49) / 50) {
                    for column in 0..<((side + 49) / 50) {
                        let tile = try Self.image(
                            "cube/\(level)/\(face)\(row)_\(column).\(format)", in: folder)
                        #expect(tile.width == min(50, side - 50 * column))
                        #expect(tile.height == min(50, side - 50 * row))
                        count += 1
                    }
                }
                let small = try Self.image("cube/fallback/\(face).\(format)", in: folder)
                #expect(small.width == 160 && small.height == 160)
            }
        }
        #expect(made.json["tiles"] as? Int == count)
        // The files, the description, and the faces for viewers without WebGL.
        #expect(folder.files(below: "cube").count == count + 7)
        #expect(try await Self.run(arguments + [format], in: folder).code == 0, "own cubes are replaced")
        try Data("mine".utf8).write(to: folder.url.appending(path: "cube/notes.txt"))
        #expect(try await Self.run(arguments + [format], in: folder).code != 0)
    }

    @Test("have cubes whose faces are those of render, without seams between tiles")
    func faces() async throws {
        let folder = try LookCommandTests.folder()
        let made = try await Self.run(
            ["pyramid", "pano.jpg", "--cube", "-o", "cube", "--tile-size", "64", "--format", "png"],
            in: folder)
        #expect(made.code == 0, "\(made.errors)")
        let rendered = try await Self.run(
            ["render", "pano.jpg", "--faces", "-s", "160", "-o", "faces/"], in: folder)
        #expect(rendered.code == 0)
        for (face, letter) in [("front", "f"), ("up", "u"), ("left", "l"), ("back", "b")] {
            let whole = try Self.image("faces/\(face).png", in: folder)
            for (row, column) in [(0, 0), (1, 2), (2, 1)] {
                let tile = try Self.image("cube/3/\(letter)\(row)_\(column).png", in: folder)
                let part = try whole.cropped(
                    to: PixelRect(x: 64 * column, y: 64 * row, width: tile.width, height: tile.height))
                #expect(try tile.pixels().copied() == part.pixels().copied(), "\(face) \(row) \(column)")
            }
        }
        // The bottom of the upper face is the top of the front one.
        let (up, front) = try (
            Self.image("faces/up.png", in: folder), Self.image("faces/front.png", in: folder)
        )
        let edges = try (
            up.cropped(to: PixelRect(x: 0, y: 159, width: 160, height: 1)).pixels().copied(),
            front.cropped(to: PixelRect(x: 0, y: 0, width: 160, height: 1)).pixels().copied()
        )
        #expect(Comparing.psnr(edges.0, edges.1) > 22)
    }

    @Test("have cubes of parts of a sphere, with a background or transparent", arguments: ["jpg", "png"])
    func partialCube(_ format: String) async throws {
        let folder = try LookCommandTests.folder(crop: "0,128,512,256", of: "1024,512")
        let made = try await Self.run(
            [
                "pyramid", "pano.jpg", "--cube", "-o", "cube/", "--format", format, "--background", "red",
                "-Q", "95",
            ].filter { format == "jpg" || !["-Q", "95"].contains($0) }, in: folder)
        #expect(made.code == 0, "\(made.errors)")
        // 1024 / pi is 326; a face is one tile.
        let up = try Self.image("cube/1/u0_0.\(format)", in: folder)
        #expect(up.width == 326 && up.hasAlpha == (format == "png"))
        let pixel = try up.cropped(to: PixelRect(x: 162, y: 162, width: 1, height: 1)).pixels().copied()
        if format == "png" {
            #expect(pixel.last == 0)
        } else {
            #expect(pixel[0] > 240 && pixel[1] < 15 && pixel[2] < 15, "\(pixel)")
        }
    }

    @Test("have cubes of many files, and are refused where they are none")
    func cubes() async throws {
        let folder = try LookCommandTests.folder()
        let batch = ["pyramid", "pano.jpg", "flat.jpg", "--cube", "-o", "{stem}", "--results", "done.jsonl"]
        let first = try await Self.run(batch, in: folder)
        #expect(first.code == 3 && first.errors.contains("GPano"), "\(first.errors)")
        let second = try await Self.run(batch + ["--resume", "--panorama"], in: folder)
        #expect(second.code == 0, "\(second.errors)")
        #expect(folder.files(below: "flat").contains("config.json"))
        for options in ["--exact", "--layout dz", "--overlap 1"] {
            let run = try await Self.run(
                ["pyramid", "pano.jpg", "--cube", "-o", "c"] + options.split(separator: " ").map(String.init),
                in: folder)
            #expect(run.code == 64, "\(options): \(run.errors)")
        }
        let flat = try await Self.run(["pyramid", "flat.jpg", "-o", "site", "--panorama"], in: folder)
        #expect(flat.code == 64)
    }

    @Test("have static IIIF images that state them")
    func site() async throws {
        let folder = try LookCommandTests.folder(crop: "0,128,512,256", of: "1024,512")
        #expect(try await Self.run(["pyramid", "pano.jpg", "-o", "site"], in: folder).code == 0)
        let information = try #require(
            try JSONSerialization.jsonObject(with: folder.data("site/info.json")) as? [String: Any])
        let panorama = try #require(information["panorama"] as? [String: Any])
        #expect(panorama["whole"] as? [Double] == [0, -128, 1024, 512])
        #expect(try await Self.run(["pyramid", "flat.jpg", "-o", "plain"], in: folder).code == 0)
        #expect(!String(decoding: try folder.data("plain/info.json"), as: UTF8.self).contains("panorama"))
    }

    @Test("have tiled TIFFs that state them", arguments: ["", "--format png", "-Q 80"])
    func tiledTIFF(_ options: String) async throws {
        let folder = try LookCommandTests.folder(crop: "0,128,512,256", of: "1024,512")
        for name in ["pano", "flat"] {
            let run = try await Self.run(
                ["pyramid", "\(name).jpg", "-o", "\(name).tif"]
                    + options.split(separator: " ").map(String.init),
                in: folder)
            #expect(run.code == 0, "\(run.errors)")
        }
        let panorama = try #require(try await Self.panorama("pano.tif", in: folder))
        #expect(panorama["croppedArea"] as? [Int] == [0, 128, 512, 256])
        #expect(panorama["fullWidth"] as? Int == 1024 && panorama["fullHeight"] as? Int == 512)
        #expect(panorama["defect"] is NSNull && panorama["initialPitch"] as? Double == 12)
        #expect(try await Self.panorama("flat.tif", in: folder) == nil)
        let look = ["--look", "20,5", "--fov", "60", "-s", "80x60"]
        #expect(try await Self.run(["render", "pano.tif", "-o", "a.png"] + look, in: folder).code == 0)
        #expect(try await Self.run(["render", "pano.jpg", "-o", "b.png"] + look, in: folder).code == 0)
        let (a, b) = try (
            Self.image("a.png", in: folder).pixels().copied(),
            Self.image("b.png", in: folder).pixels().copied()
        )
        #expect(Comparing.psnr(a, b) > 30)
    }

    // MARK: Metadata

    @Test(
        "keep their place in parts that keep metadata",
        arguments: ["part.jpg", "part.png", "part.webp", "part.tif"])
    func part(_ name: String) async throws {
        let folder = try LookCommandTests.folder(crop: "0,128,512,256", of: "1024,512")
        let run = try await Self.run(
            ["render", "pano.jpg", "--rect", "64,32,256,128", "--keep-metadata", "-o", name], in: folder)
        #expect(run.code == 0, "\(run.errors)")
        let panorama = try #require(try await Self.panorama(name, in: folder))
        #expect(panorama["croppedArea"] as? [Int] == [64, 160, 256, 128])
        #expect(panorama["fullWidth"] as? Int == 1024 && panorama["fullHeight"] as? Int == 512)
        #expect(panorama["defect"] is NSNull && panorama["initialPitch"] as? Double == 12)
    }

    @Test("keep their place in smaller parts and lossless ones, and are none when turned")
    func otherParts() async throws {
        let folder = try LookCommandTests.folder()
        func made(_ options: String) async throws -> [String: Any]? {
            let run = try await Self.run(
                ["render", "pano.jpg", "--keep-metadata", "-o", "part.jpg", "--overwrite"]
                    + options.split(separator: " ").map(String.init), in: folder)
            #expect(run.code == 0, "\(options): \(run.errors)")
            return try await Self.panorama("part.jpg", in: folder)
        }
        let half = try #require(try await made("--rect 128,64,256,128 --zoom 0.5"))
        #expect(half["croppedArea"] as? [Int] == [64, 32, 128, 64] && half["fullWidth"] as? Int == 256)
        let cut = try #require(try await made("--lossless --rect 64,64,128,64"))
        #expect(cut["croppedArea"] as? [Int] == [64, 64, 128, 64] && cut["defect"] is NSNull)
        let whole = try #require(try await made("--zoom 0.5"))
        #expect(whole["croppedArea"] as? [Int] == [0, 0, 512, 256] && whole["defect"] is NSNull)
        for options in ["--rotate 90", "--flip", "--rotate 3"] {
            #expect(try await made(options) == nil, "\(options)")
        }
    }
}
