import Foundation
import TestHarness
import TestSupport
import Testing
import ViewportGeometry
import Vips

@Suite("viewport fly")
struct FlyCommandTests {
    static let viewport = BuiltProgram("viewport")
    /// A flight over an upright image of 300 x 400, with rectangles between pixels.
    static let flight = [
        "--from", "13.25,20.5,200,150", "--via", "150.7,199.9,32,24", "--to", "40,250,64,48", "-s", "64x48",
        "--duration", "1", "--fps", "7",
    ]

    static func folder(_ ending: String = "jpg", _ orientation: Orientation = .right) throws
        -> TemporaryFolder
    {
        let folder = try TemporaryFolder()
        let stored = orientation.transposes ? (400, 300) : (300, 400)
        try TestImages.photo(width: stored.0, height: stored.1).save(
            folder.path("photo.\(ending)"), oriented: orientation)
        return folder
    }

    static func fly(_ arguments: [String], in folder: TemporaryFolder) async throws -> BuiltProgram.Result {
        try await viewport.run(["fly"] + arguments, in: folder.url)
    }

    /// The rectangles of a flight's frames, as they are printed.
    static func rects(_ arguments: [String], in folder: TemporaryFolder) async throws -> [String] {
        let printed = try await fly(arguments + ["--print-frames"], in: folder)
        #expect(printed.code == 0 && printed.errors.isEmpty, "\(printed.errors)")
        return printed.text.split(separator: "\n").map { line in
            String(line.split(separator: "[")[1].prefix { $0 != "]" })
        }
    }

    /// Formats that are read in tiles, as a whole and by index, in several orientations.
    static let files: [(String, Orientation)] = [
        ("jpg", .up), ("jpg", .right), ("jpg", .downMirrored), ("png", .left), ("tif", .rightMirrored),
        ("webp", .up),
    ]

    @Test(
        "makes each frame with the bytes of viewport render",
        arguments: TestLength.cases(files, short: 3))
    func equal(_ ending: String, _ orientation: Orientation) async throws {
        let folder = try Self.folder(ending, orientation)
        let image = "photo.\(ending)"
        let made = try await Self.fly([image] + Self.flight + ["-o", "frames/", "--json"], in: folder)
        #expect(made.code == 0 && made.json["frames"] as? Int == 8, "\(made.errors)")
        let rects = try await Self.rects([image] + Self.flight, in: folder)
        #expect(folder.files(below: "frames").count == 8 && rects.count == 8)
        // The film's aspect is that of the rectangles.
        #expect(rects.first == "13.25,20.5,200,150" && rects.last == "40,250,64,48")
        for number in [0, 2, 3, 6, 7] {
            let rendered = try await Self.viewport.run(
                [
                    "render", image, "--subpixel", "--content-mode", "scaleToFill", "--size", "64x48",
                    "--rect",
                    rects[number], "-o", "view.png",
                ], in: folder.url)
            #expect(rendered.code == 0, "\(rendered.errors)")
            let (frame, view) = (
                try folder.data("frames/frame-0000\(number).png"), try folder.data("view.png")
            )
            #expect(frame == view, "frame \(number): \(rects[number])")
        }
    }

    @Test("ends with the bytes of a plain render at zoom 1")
    func plain() async throws {
        let folder = try Self.folder()
        _ = try await Self.fly(["photo.jpg"] + Self.flight + ["-o", "frames/"], in: folder)
        _ = try await Self.viewport.run(
            ["render", "photo.jpg", "--rect", "40,250,64,48", "-o", "view.png"], in: folder.url)
        #expect(try folder.data("frames/frame-00007.png") == folder.data("view.png"))
    }

    @Test("writes one animation", arguments: ["webp", "gif", "png", "apng"])
    func animation(_ ending: String) async throws {
        let folder = try Self.folder()
        let film = "film.\(ending)"
        let result = try await Self.fly(["photo.jpg"] + Self.flight + ["-o", film], in: folder)
        #expect(result.code == 0, "\(result.errors)")
        let first = try VipsImage.load(
            folder.path(film), with: try VipsImage.loader(for: folder.path(film)), [:])
        #expect((first.width, first.height) == (64, 48))
        let data = try folder.data(film)
        if let control = data.range(of: Data("acTL".utf8)) {
            #expect(ending.hasSuffix("png") && data[control.upperBound + 3] == 8)
        } else {
            #expect(first.int("n-pages") == 8)
        }
    }

    @Test("joins frames with and without transparent pixels or colors", arguments: ["webp", "gif", "png"])
    func mixedFrames(_ ending: String) async throws {
        let folder = try TemporaryFolder()
        try TestImages.flat([90, 90, 90], width: 60, height: 60).save(
            folder.path("flat.png"), with: "pngsave")
        let result = try await Self.fly(
            [
                "flat.png", "--from", "pct:0,0,100,100", "--to", "20,20,16,9", "-s", "64x36", "--duration",
                "1",
                "--fps", "3", "-o", "film.\(ending)",
            ], in: folder)
        #expect(result.code == 0, "\(result.errors)")
    }

    @Test("writes y4m of BT.709 in limited range to standard output")
    func stream() async throws {
        let folder = try Self.folder()
        let result = try await Self.fly(
            ["photo.jpg"] + Self.flight.dropLast() + ["29.97", "-o", "-", "--json"], in: folder)
        #expect(result.code == 0 && result.errors.contains("\"frames\":31"), "\(result.errors)")
        let header = Data("YUV4MPEG2 W64 H48 F2997:100 Ip A1:1 C444 XCOLORRANGE=LIMITED\n".utf8)
        let frame = Data("FRAME\n".utf8).count + 64 * 48 * 3
        #expect(result.output.starts(with: header) && result.output.count == header.count + 31 * frame)
        _ = try await Self.fly(
            ["photo.jpg"] + Self.flight.dropLast() + ["29.97", "-o", "frames/"], in: folder)
        for number in [0, 17, 30] {
            let start = header.count + number * frame
            #expect(result.output[start..<(start + 6)] == Data("FRAME\n".utf8))
            let planes = Array(result.output[(start + 6)..<(start + frame)]).map(Double.init)
            let picture = try VipsImage.load(
                folder.path("frames/frame-000\(number < 10 ? "0" : "")\(number).png"), with: "pngload", [:])
            let rgb = try picture.pixels().copied()
            let area = 64 * 48
            for pixel in stride(from: 0, to: area, by: 7) {
                let (y, cb, cr) = (
                    (planes[pixel] - 16) / 219, (planes[area + pixel] - 128) / 224,
                    (planes[2 * area + pixel] - 128) / 224
                )
                // Source: ITU-R BT.709, inverted.
                let (red, blue) = (y + 1.5748 * cr, y + 1.8556 * cb)
                let green = (y - 0.2126 * red - 0.0722 * blue) / 0.7152
                for (band, value) in [red, green, blue].enumerated() {
                    #expect(abs(value * 255 - Double(rgb[3 * pixel + band])) < 2.5)
                }
            }
        }
    }

    @Test("ends like other commands when the reader of its stream ends")
    func closed() async throws {
        let folder = try Self.folder()
        let shell = try #require(BuiltProgram(installed: "sh"))
        func codes(_ command: String) async throws -> String {
            let script =
                "{ '\(Self.viewport.url.path)' \(command) -o -; echo $? >code; } | head -c 9 >out; cat code"
            return try await shell.run(["-c", script], in: folder.url).text
        }
        let flown = try await codes("fly photo.jpg --ken-burns -s 400x300 --fps 10")
        let rendered = try await codes("render photo.jpg --zoom 4")
        #expect(flown == rendered && flown != "0\n")
    }

    @Test(
        "writes videos through ffmpeg, with the colors of the frames",
        .enabled(if: BuiltProgram(installed: "ffmpeg") != nil),
        arguments: ["mp4", "webm"])
    func video(_ ending: String) async throws {
        let folder = try Self.folder()
        let result = try await Self.fly(["photo.jpg"] + Self.flight + ["-o", "film.\(ending)"], in: folder)
        #expect(result.code == 0, "\(result.errors)")
        _ = try await Self.fly(["photo.jpg"] + Self.flight + ["-o", "frames/"], in: folder)
        let ffmpeg = try #require(BuiltProgram(installed: "ffmpeg"))
        func pixels(_ input: [String]) async throws -> [UInt8] {
            let raw = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
            return [UInt8](try await ffmpeg.run(["-v", "error"] + input + raw, in: folder.url).output)
        }
        let film = try await pixels(["-i", "film.\(ending)"])
        let frames = try await pixels(["-i", "frames/frame-%05d.png"])
        #expect(film.count == 8 * 64 * 48 * 3 && Comparing.psnr(film, frames) > 28)
        // And raw video, which is not compressed: only the subsampling of this command's own 4:4:4 is missing.
        let shell = try #require(BuiltProgram(installed: "sh"))
        let quoted =
            "'\(Self.viewport.url.path)' fly photo.jpg \(Self.flight.joined(separator: " ")) -o - >film.y4m"
        _ = try await shell.run(["-c", quoted], in: folder.url)
        let raw = try await pixels([
            "-i", "film.y4m", "-vf",
            "scale=in_color_matrix=bt709:in_range=tv:flags=accurate_rnd+full_chroma_int",
        ])
        #expect(Comparing.greatestDifference(raw, frames) ?? 255 <= 3)
    }

    @Test(
        "divides frames into disjoint shares that are the whole, and resumes",
        arguments: TestLength.cases([3, 1, 11], short: 1))
    func shards(_ count: Int) async throws {
        let folder = try Self.folder()
        let arguments = ["photo.jpg"] + Self.flight
        _ = try await Self.fly(arguments + ["-o", "whole/"], in: folder)
        var rendered = 0
        for index in 0..<count {
            let share = try await Self.fly(
                arguments + ["-o", "parts/", "--shard", "\(index)/\(count)", "--resume", "--json"], in: folder
            )
            #expect(share.code == 0 && share.json["kept"] as? Int == 0, "\(share.errors)")
            rendered += share.json["rendered"] as? Int ?? 0
        }
        #expect(rendered == 8)
        func frames(_ name: String) throws -> [Data] {
            try folder.files(below: name).map { try folder.data("\(name)/\($0)") }
        }
        #expect(try frames("parts") == frames("whole"))
        try FileManager.default.removeItem(atPath: folder.path("parts/frame-00003.png"))
        try Data(count: 10).write(to: folder.url.appendingPathComponent("parts/frame-00005.png"))
        let again = try await Self.fly(arguments + ["-o", "parts/", "--resume", "--json"], in: folder)
        // A frame that is not whole is not this program's.
        #expect(again.code == 73 && again.errors.contains("frame-00005.png"), "\(again.errors)")
        try FileManager.default.removeItem(atPath: folder.path("parts/frame-00005.png"))
        let last = try await Self.fly(arguments + ["-o", "parts/", "--resume", "--json"], in: folder)
        #expect(last.json["rendered"] as? Int == 2 && last.json["kept"] as? Int == 6, "\(last.errors)")
        #expect(try frames("parts") == frames("whole"))
    }

    @Test("does not mix the frames of two films")
    func mixed() async throws {
        let folder = try Self.folder()
        _ = try await Self.fly(["photo.jpg"] + Self.flight + ["-o", "frames/"], in: folder)
        let other = try await Self.fly(
            ["photo.jpg", "--ken-burns", "-s", "64x48", "--fps", "2", "-o", "frames/", "--resume"], in: folder
        )
        #expect(other.code == 73 && other.errors.contains("another film"), "\(other.errors)")
        let shorter = try await Self.fly(
            ["photo.jpg"] + Self.flight.dropLast() + ["3", "-o", "frames/"], in: folder)
        #expect(shorter.code == 73 && shorter.errors.contains("frame-00007.png"), "\(shorter.errors)")
    }

    @Test("ends at a signal with whole frames only, also while all processors render", .ownThread)
    func interrupted() async throws {
        let folder = try Self.folder()
        let process = Self.viewport.process([
            "fly", "photo.jpg", "--ken-burns", "-s", "640x480", "--fps", "1000", "--duration", "60", "-o",
            "frames/",
        ])
        process.currentDirectoryURL = folder.url
        try process.start()
        while folder.files(below: "frames").count < 5, process.isRunning {
            try await Task.sleep(for: .milliseconds(2))
        }
        process.interrupt()
        await process.end()
        #expect(process.terminationReason == .exit && process.terminationStatus == 130)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("frames"))
        #expect(names.count < 60_001 && names.allSatisfy { $0.hasPrefix("frame-") })
        for name in names.suffix(3) {
            _ = try VipsImage.load(folder.path("frames/\(name)"), with: "pngload", [:]).pixels()
        }
    }

    @Test("zooms to the most interesting part")
    func kenBurns() async throws {
        let folder = try TemporaryFolder()
        let spot = try TestImages.photo(width: 90, height: 60)
        try spot.embedded(x: 690, y: 40, width: 900, height: 600, background: [128, 128, 128]).save(
            folder.path("spot.png"), with: "pngsave")
        let rects = try await Self.rects(
            ["spot.png", "--ken-burns", "-s", "160x90", "--fps", "1"], in: folder)
        #expect(rects.count == 9 && rects.first == "0,46.875,900,506.25")
        let end = try #require(rects.last).split(separator: ",").compactMap { Double($0) }
        #expect(abs(end[2] - 630) < 1e-9 && end[0] <= 690 && end[0] + end[2] >= 780 && end[1] <= 40, "\(end)")
    }

    @Test("flies along keyframes as along the same options")
    func keyframes() async throws {
        let folder = try Self.folder()
        let text = """
            {"poses": [
              {"rect": [13.25, 20.5, 200, 150]},
              {"center": [166.7, 211.9], "zoom": 2},
              {"rect": [40, 250, 64, 48], "easing": [0.42, 0, 0.58, 1]}
            ]}
            """
        try Data(text.utf8).write(to: folder.url.appendingPathComponent("poses.json"))
        let common = ["-s", "64x48", "--duration", "1", "--fps", "7"]
        let rects = try await Self.rects(["photo.jpg", "--keyframes", "poses.json"] + common, in: folder)
        #expect(try await rects == Self.rects(["photo.jpg"] + Self.flight, in: folder))
        let piped = try await Self.viewport.run(
            ["fly", "photo.jpg", "--keyframes", "-", "--print-frames"] + common, in: folder.url,
            input: Data(text.utf8))
        #expect(piped.text.split(separator: "\n").count == 8, "\(piped.errors)")
    }

    static let badKeyframes: [(String, Int, String)] = [
        ("{\"poses\": [\n{\"rect\": [0, 0, 10, 10]},\n{\"rect\": [0, 0, 10, 10}\n]}", 3, "not valid JSON"),
        ("[]", 1, "poses"), ("{\"poses\": []}", 1, "poses"), (" ", 1, "not valid JSON"),
        (
            "{\"poses\": [\n{\"rect\": [0, 0, 10, 10]}\n, {\"rekt\": [0, 0, 1, 1]}]}", 3,
            "did you mean \"rect\"?"
        ),
        ("{\"poses\": [\n{\n\"hold\": 1}]}", 2, "either \"rect\""),
        ("{\"poses\": [{\"rect\": [0, 0, 10]}]}", 1, "[x,y,width,height]"),
        ("{\"poses\": [{\"rect\": [0, 0, 10, \"]\"]}]}", 1, "[x,y,width,height]"),
        ("{\"poses\": [\n{\"rect\": [0, 0, 10, 10]}, {\"rect\": [0, 0, 1, 0]}]}", 2, "pose 2: the sides"),
        ("{\"poses\": [\n\n{\"rect\": [300, 0, 10, 10]}]}", 3, "pose 1: its rectangle lies outside"),
        ("{\"poses\": [{\"center\": [1, 1], \"zoom\": 0}]}", 1, "\"zoom\" is not above 0"),
        ("{\"poses\": [{\"rect\": [0, 0, 9, 9], \"hold\": -1}]}", 1, "pose 1: its hold"),
        ("{\"poses\": [{\"rect\": [0, 0, 9, 9], \"hold\": \"1\"}]}", 1, "\"hold\" is not a number"),
        ("{\"poses\": [{\"rect\": [0, 0, 9, 9], \"easing\": \"bounce\"}]}", 1, "ease-in-out"),
        ("{\"poses\": [{\"rect\": [0, 0, 1e999, 9]}]}", 1, "[x,y,width,height]"),
        ("{\"poses\": [{\"rect\": [0, 0, 9, 9]}]}", 1, "no length"),
        ("{\"poses\": [7]}", 1, "not an object"), ("{\"poses\": [{}], \"more\": 1}", 1, "poses"),
    ]

    @Test("names the line of a bad pose and ends with 65", arguments: badKeyframes)
    func invalid(_ text: String, _ line: Int, _ words: String) async throws {
        let folder = try Self.folder()
        try Data(text.utf8).write(to: folder.url.appendingPathComponent("poses.json"))
        let result = try await Self.fly(
            ["photo.jpg", "--keyframes", "poses.json", "-o", "film.gif"], in: folder)
        #expect(result.code == 65 && folder.names == ["photo.jpg", "poses.json"], "\(result.errors)")
        #expect(result.errors.hasPrefix("viewport: poses.json: line \(line): "), "\(result.errors)")
        #expect(
            result.errors.contains(words) && result.errors.split(separator: "\n").count == 1,
            "\(result.errors)")
    }

    static let path = ["--from", "0,0,100,100", "--to", "50,50,100,100"]
    static let refused: [([String], Int32, String)] = [
        (["photo.jpg"], 64, "--ken-burns"), (["photo.jpg", "--from", "0,0,9,9"], 64, "--to"),
        (["photo.jpg", "--ken-burns", "--via", "0,0,9,9"], 64, "--ken-burns"),
        (["photo.jpg", "--from", "0,0,9,9", "--to", "300,0,9,9"], 64, "--to: the rectangle lies outside"),
        (["photo.jpg", "--from", "0,0,9,9", "--via", "0,-9,9,9", "--to", "0,0,9,9"], 64, "--via"),
        (["photo.jpg", "--from", "0,0,0,9", "--to", "0,0,9,9"], 64, "--from"),
        (["photo.jpg", "--from", "nan,0,9,9", "--to", "0,0,9,9"], 64, "--from"),
        (["photo.jpg", "--from", "0,0,9,9", "--to", "0,0,9,9"], 64, "--duration"),
        (["photo.jpg"] + path + ["--fps", "0"], 64, "--fps"),
        (["photo.jpg"] + path + ["--fps", "1/0"], 64, "--fps"),
        (["photo.jpg"] + path + ["--fps", "nan"], 64, "--fps"),
        (["photo.jpg"] + path + ["--fps", "1001"], 64, "--fps"),
        (["photo.jpg"] + path + ["--duration", "0"], 64, "--duration"),
        (["photo.jpg"] + path + ["--duration", "nan"], 64, "--duration"),
        (["photo.jpg"] + path + ["--duration", "-1"], 64, "--duration"),
        (["photo.jpg"] + path + ["--duration", "86400", "--fps", "1000"], 64, "1000000"),
        (
            ["photo.jpg"] + path + ["--duration", "80000", "--fps", "10", "-s", "64x48", "-o", "a.gif"], 64,
            "gif"
        ),
        (["photo.jpg"] + path + ["--duration", "2", "--hold", "1"], 64, "holds"),
        (["photo.jpg"] + path + ["--hold", "-1"], 64, "--hold"),
        (["photo.jpg"] + path + ["--easing", "bounce"], 64, "--easing"),
        (["photo.jpg"] + path + ["-s", "0x9"], 64, "0x9"),
        (["photo.jpg"] + path + ["-s", "9.5x9"], 64, "--size"),
        (["photo.jpg"] + path + ["-s", "9x"], 64, "--size"),
        (["photo.jpg"] + path + ["-s", "99999x99999"], 64, "99999"),
        (["photo.jpg"] + path + ["-o", "film.avi"], 64, "film.avi"),
        (["photo.jpg"] + path + ["--shard", "0/2"], 64, "--shard"),
        (["photo.jpg"] + path + ["--shard", "2/2", "-o", "f/"], 64, "--shard"),
        (["photo.jpg"] + path + ["--resume", "-o", "a.gif"], 64, "--resume"),
        (["photo.jpg"] + path + ["--print-frames", "-o", "a.gif"], 64, "--print-frames"),
        (["nosuch.jpg"] + path, 66, "nosuch.jpg"), (["photo.jpg", "--keyframes", "nosuch"], 66, "nosuch"),
        (["photo.jpg"] + path + ["-o", "no/such/a.gif"], 73, "no/such"),
        (["photo.jpg"] + path + ["-o", "no/such/frames/"], 73, "no/such"),
        (["photo.jpg"] + path + ["-o", "photo.jpg/"], 73, "photo.jpg"),
    ]

    @Test("refuses what makes no film in one sentence", arguments: refused)
    func refusals(_ arguments: [String], _ code: Int32, _ words: String) async throws {
        let folder = try Self.folder()
        let result = try await Self.fly(arguments, in: folder)
        #expect(result.code == code && result.errors.contains(words), "\(result.code) \(result.errors)")
        #expect(result.errors.split(separator: "\n").count == 1 && folder.names == ["photo.jpg"])
    }
}
