import Basics
import Foundation
import TestSupport
import Testing
import ViewportGeometry
import Vips

/// What becomes of animations in `convert`, `crop`, `resize` and `render`.
@Suite("Animations")
struct AnimationCommandTests {
    static let viewport = BuiltProgram("viewport")
    static let delays = [100, 200, 50, 300]

    /// Returns a folder with an animation of 40x30 whose frames have one color each.
    static func folder(_ ending: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let frames = try colors.map {
            try TestImages.flat($0.map(UInt8.init), width: 40, height: 30)
        }
        let film = try VipsImage.column(of: frames).animated(pageHeight: 30, delays: delays, loop: 3)
        let saver = ending == "gif" ? "gifsave" : "webpsave"
        try film.save(
            folder.path("film.\(ending)"), with: saver, ending == "gif" ? [:] : ["lossless": .bool(true)])
        return folder
    }

    /// Returns the frames of a file as the first pixel of each, its delays, and how often it plays.
    static func frames(
        _ name: String, in folder: TemporaryFolder
    ) throws -> (size: [Int], colors: [[Int]], delays: [Int]?, loop: Int?) {
        let path = folder.path(name)
        guard !name.hasSuffix("png") else { return try animatedPNG(path) }
        let strip = try VipsImage.load(
            path, with: name.hasSuffix("gif") ? "gifload" : "webpload", ["n": .int(-1)])
        let count = strip.int("n-pages") ?? 1
        let pixels = try strip.pixels().copied()
        let frameBytes = pixels.count / count
        let colors = (0..<count).map { frame in
            pixels[(frame * frameBytes)..<(frame * frameBytes + 3)].map(Int.init)
        }
        return ([strip.width, strip.height / count], colors, strip.ints("delay"), strip.int("loop"))
    }

    /// An animated PNG as ffmpeg, which is no part of what wrote it, or its chunks show it.
    private static func animatedPNG(
        _ path: String
    ) throws -> (size: [Int], colors: [[Int]], delays: [Int]?, loop: Int?) {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        var (delays, loop): ([Int], Int?) = ([], nil)
        var at = 8
        while let length = bytes.uint32(at: at) {
            let body = at + 8
            switch String(decoding: bytes[(at + 4)..<body], as: UTF8.self) {
            case "acTL": loop = bytes.uint32(at: body + 4)
            case "fcTL":
                let (above, below) = (bytes.uint16(at: body + 20) ?? 0, bytes.uint16(at: body + 22) ?? 1)
                delays.append(above * 1000 / below)
            default: break
            }
            at += 12 + length
        }
        let image = try VipsImage.load(path, with: "pngload", [:])
        let first = try image.pixels().copied().prefix(3).map(Int.init)
        return ([image.width, image.height], [first], delays, loop)
    }

    static let colors = [[250, 0, 0], [0, 250, 0], [0, 0, 250], [250, 250, 0]]

    private static func areNear(_ one: [[Int]], _ other: [[Int]]) -> Bool {
        one.count == other.count
            && zip(one.joined(), other.joined()).allSatisfy { abs($0 - $1) < 12 }
    }

    @Test(
        "keep all frames, their durations and their loops",
        arguments: ["gif", "webp"],
        [
            ("convert", [String](), [40, 30]), ("resize", ["20"], [20, 15]), ("crop", ["0,0,10,8"], [10, 8]),
            ("convert", ["--rotate", "90"], [30, 40]),
        ])
    func kept(_ ending: String, _ edit: (command: String, options: [String], size: [Int])) async throws {
        let folder = try Self.folder(ending)
        for output in ["gif", "webp", "png"] {
            let run = try await Self.viewport.run(
                [edit.command, "film.\(ending)"] + edit.options + ["-o", "out.\(output)"], in: folder.url)
            // libvips gives each WebP an EXIF.
            let notes =
                ending == "webp" && output == "gif"
                ? "viewport: film.webp: its EXIF cannot be kept in gif\n" : ""
            #expect(run.code == 0 && run.errors == notes, "\(run.errors)")
            let film = try Self.frames("out.\(output)", in: folder)
            #expect(
                film.size == edit.size && film.delays == Self.delays && film.loop == 3, "\(output): \(film)")
            #expect(Self.areNear(film.colors, output == "png" ? [Self.colors[0]] : Self.colors), "\(output)")
        }
    }

    @Test("become one frame in other formats, with one line that says so", arguments: ["jpg", "tif"])
    func oneFrame(_ output: String) async throws {
        let folder = try Self.folder("gif")
        let run = try await Self.viewport.run(["convert", "film.gif", "out.\(output)"], in: folder.url)
        #expect(run.code == 0)
        #expect(run.errors == "viewport: film.gif: has only frame 0 of 4, the first being 0\n")
        let quiet = try await Self.viewport.run(
            ["convert", "film.gif", "out.\(output)", "--quiet"], in: folder.url)
        #expect(quiet.code == 0 && quiet.errors.isEmpty)
    }

    @Test("are one frame where a page is named, and in views, which say which one")
    func named() async throws {
        let folder = try Self.folder("gif")
        for (arguments, frame) in [
            (["convert", "film.gif", "out.webp", "--page", "2"], 2),
            (["convert", "film.gif", "out.webp", "--page", "0"], 0),
            (["render", "film.gif", "-o", "out.webp", "--page", "3"], 3),
            (["render", "film.gif", "-o", "out.webp"], 0),
        ] {
            let run = try await Self.viewport.run(arguments, in: folder.url)
            #expect(run.code == 0)
            #expect(run.errors.contains("has only frame \(frame) of 4"), "\(arguments): \(run.errors)")
            let film = try Self.frames("out.webp", in: folder)
            #expect(Self.areNear(film.colors, [Self.colors[frame]]), "\(arguments): \(film.colors)")
        }
    }

    @Test("keep all frames in batches, in those formats that hold them")
    func batch() async throws {
        let folder = try Self.folder("gif")
        let run = try await Self.viewport.run(
            ["convert", "film.gif", "--format", "webp,png,jpg", "-o", "out/{stem}.{format}"], in: folder.url)
        #expect(run.code == 0 && run.errors.contains("has only frame 0 of 4"), "\(run.errors)")
        #expect(try Self.frames("out/film.webp", in: folder).colors.count == 4)
        #expect(try Self.frames("out/film.png", in: folder).delays == Self.delays)
    }
}
