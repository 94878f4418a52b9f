import Foundation
import TestHarness
import TestSupport
import Testing
import Vips

/// The rule of all commands that write: they never replace an input or a file of another kind, and replace files of the
/// same kind only if viewport wrote them.
@Suite("An existing output")
struct OutputRuleTests {
    static let viewport = BuiltProgram("viewport")
    static let script = """
        {"setup":{"bounds":[40,30],"zoomScale":1,"minimumZoomScale":0.2,"maximumZoomScale":4}}
        {"t":0.2,"zoomToRect":[10,10,40,30],"animated":false}

        """

    /// Returns a folder with a photo under several names, other pictures of each kind, a script and a list.
    static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let photo = try TestImages.photo(width: 96, height: 64)
        try photo.save(folder.path("photo.jpg"), with: "jpegsave")
        let other = try TestImages.photo(width: 96, height: 64, seed: 2)
        try other.save(folder.path("other.jpg"), with: "jpegsave")
        try other.save(folder.path("other.png"), with: "pngsave")
        try other.save(folder.path("other.webp"), with: "webpsave")
        try other.save(folder.path("other.tif"), with: "tiffsave")
        try FileManager.default.linkItem(atPath: folder.path("photo.jpg"), toPath: folder.path("hard.jpg"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("soft.jpg"), withDestinationPath: "photo.jpg")
        try Data(script.utf8).write(to: folder.url.appendingPathComponent("script.jsonl"))
        try Data("{\"path\":\"photo.jpg\"}\n".utf8).write(to: folder.url.appendingPathComponent("list.jsonl"))
        return folder
    }

    /// Returns the bytes of all files by name.
    static func contents(_ folder: TemporaryFolder) throws -> [String: Data] {
        try Dictionary(
            uniqueKeysWithValues: folder.files(below: "").map { ($0, try folder.data($0)) })
    }

    static let render = ["render", "photo.jpg", "-o"]
    static let lossless = ["render", "photo.jpg", "--lossless", "--rect", "0,0,16,16", "-o"]
    static let replay = ["replay", "script.jsonl", "--image", "photo.jpg", "--frames"]

    static let refused: [[String]] = [
        // An input, by any of its names, with any options.
        render + ["photo.jpg"], render + ["hard.jpg", "--overwrite"], render + ["soft.jpg", "--overwrite"],
        ["render", "soft.jpg", "-o", "hard.jpg", "--overwrite"], lossless + ["photo.jpg", "--overwrite"],
        ["render", "other.png", "--iiif", "full/9,/0/default.png", "-o", "other.png", "--overwrite"],
        ["pyramid", "other.tif", "-o", "other.tif", "--overwrite"],
        ["replay", "script.jsonl", "--image", "other.webp", "--frames", "other.webp", "--overwrite"],
        ["thumbnail", "photo.jpg", "-o", "{name}", "--format", "jpg", "--overwrite"],
        ["thumbnail", "photo.jpg", "other.jpg", "-o", "{stem}.jpg", "--overwrite"],
        ["thumbnail", "--manifest", "list.jsonl", "--results", "list.jsonl", "--overwrite"],
        ["thumbnail", "merge", "list.jsonl", "-o", "list.jsonl", "--overwrite"],
        [
            "thumbnail", "merge", "script.jsonl", "--manifest", "list.jsonl", "-o", "./list.jsonl",
            "--overwrite",
        ],
        ["thumbnail", "merge", "script.jsonl", "--manifest", "list.jsonl", "--missing", "list.jsonl"],
        // A file of another kind, with any options.
        ["render", "photo.jpg", "--format", "png", "-o", "list.jsonl", "--overwrite"],
        ["thumbnail", "photo.jpg", "--results", "other.jpg", "--overwrite"],
        ["thumbnail", "merge", "script.jsonl", "-o", "other.jpg", "--overwrite"],
        ["thumbnail", "merge", "script.jsonl", "--manifest", "list.jsonl", "--missing", "other.png"],
        ["pyramid", "photo.jpg", "-o", "other.tif"],
        // A file of the same kind that the program did not write.
        render + ["other.jpg"], render + ["other.png"], render + ["other.webp"], render + ["other.tif"],
        lossless + ["other.jpg"],
        ["render", "photo.jpg", "--iiif", "full/9,/0/default.png", "-o", "other.png"],
        replay + ["other.webp"], ["thumbnail", "photo.jpg", "-o", "other.jpg"],
        ["thumbnail", "photo.jpg", "--results", "script.jsonl"],
        ["thumbnail", "merge", "list.jsonl", "-o", "script.jsonl"],
        // A folder that contains an input.
        ["pyramid", "photo.jpg", "-o", "../{here}", "--overwrite"],
    ]

    @Test("is kept if it is an input, of another kind or not made by viewport", arguments: refused)
    func staysAsItIs(_ arguments: [String]) async throws {
        let folder = try Self.folder()
        let before = try Self.contents(folder)
        let here = folder.url.lastPathComponent
        let result = try await Self.viewport.run(
            arguments.map { $0.replacing("{here}", with: here) }, in: folder.url)
        #expect([3, 73].contains(result.code), "\(arguments): \(result.code) \(result.errors)")
        #expect(result.errors.contains("viewport: "))
        for (name, data) in before { #expect(try folder.data(name) == data, "\(name)") }
    }

    static let repeated: [[String]] =
        ["png", "jpg", "webp", "avif", "tif"].map { render + ["view.\($0)"] } + [
            lossless + ["cut.jpg"], render + ["out/"], ["render", "photo.jpg"],
            ["render", "photo.jpg", "--iiif", "full/9,/0/default.png", "-o", "view.png"],
            replay + ["film"], replay + ["film.webp"], replay + ["film.gif"], replay + ["film.apng"],
            ["pyramid", "photo.jpg", "-o", "p.dzi"], ["pyramid", "photo.jpg", "-o", "site"],
            ["pyramid", "photo.jpg", "-o", "p.tif"], ["pyramid", "photo.jpg", "-o", "p.zip"],
            ["pyramid", "photo.jpg", "-o", "z", "--layout", "zoomify"],
            ["thumbnail", "photo.jpg"], ["thumbnail", "photo.jpg", "-o", "out/"],
            ["thumbnail", "--manifest", "list.jsonl", "--results", "done.jsonl"],
        ]

    @Test(
        "is replaced if viewport made it: commands run twice, and again after the input changed",
        arguments: repeated)
    func runsTwice(_ arguments: [String]) async throws {
        let folder = try Self.folder()
        for run in 0..<3 {
            if run == 2, !arguments.contains("--iiif") {
                try TestImages.photo(width: 96, height: 64, seed: 9).save(
                    folder.path("photo.jpg"), with: "jpegsave")
            }
            let result = try await Self.viewport.run(arguments, in: folder.url)
            #expect(result.code == 0, "\(arguments), run \(run): \(result.errors)")
        }
        #expect(folder.names.allSatisfy { !$0.hasPrefix(".") }, "\(folder.names)")
    }

    @Test("is kept if it was changed since", arguments: ["png", "jpg", "webp", "avif", "tif", "gif"])
    func changed(_ ending: String) async throws {
        let folder = try Self.folder()
        let output = "view.\(ending)"
        let command = ending == "gif" ? Self.replay + [output] : Self.render + [output]
        #expect(try await Self.viewport.run(command, in: folder.url).code == 0)
        var data = try folder.data(output)
        data[data.count / 2] ^= 1
        try data.write(to: folder.url.appendingPathComponent(output))
        let refused = try await Self.viewport.run(command, in: folder.url)
        #expect(refused.code == 73 && refused.errors.contains("--overwrite"), "\(refused.errors)")
        #expect(try folder.data(output) == data)
        #expect(try await Self.viewport.run(command + ["--overwrite"], in: folder.url).code == 0)
    }

    @Test("that is a pyramid is kept if it contains another file")
    func pyramids() async throws {
        let folder = try Self.folder()
        for (output, added) in [("p.dzi", "p_files/notes.txt"), ("site", "site/index.html")] {
            let command = ["pyramid", "photo.jpg", "-o", output]
            #expect(try await Self.viewport.run(command, in: folder.url).code == 0)
            try Data("mine".utf8).write(to: folder.url.appendingPathComponent(added))
            #expect(try await Self.viewport.run(command, in: folder.url).code == 73)
            #expect(try folder.data(added) == Data("mine".utf8))
        }
        let inside = folder.url.appendingPathComponent("site/photo.jpg")
        try FileManager.default.copyItem(at: folder.url.appendingPathComponent("photo.jpg"), to: inside)
        let held = try await Self.viewport.run(
            ["pyramid", "site/photo.jpg", "-o", "site", "--overwrite"], in: folder.url)
        #expect(held.code == 73 && FileManager.default.fileExists(atPath: inside.path))
    }

    static let disagreeing: [[String]] = [
        render + ["x.jpg", "--format", "png"],
        ["render", "photo.jpg", "--iiif", "full/9,/0/default.png", "-o", "x.jpg"],
        ["thumbnail", "photo.jpg", "--format", "webp", "-o", "x.jpg"], replay + ["film.avi"],
        ["pyramid", "photo.jpg", "-o", "x.mp4"], ["pyramid", "photo.jpg", "-o", "x.tar"],
        ["pyramid", "photo.jpg", "-o", "x.zip", "--layout", "dz"],
    ]

    @Test(
        "whose extension and options disagree is an error",
        arguments: disagreeing)
    func endings(_ arguments: [String]) async throws {
        let folder = try Self.folder()
        let before = folder.names
        let result = try await Self.viewport.run(arguments, in: folder.url)
        #expect(result.code == 64, "\(result.errors)")
        #expect(
            arguments.contains {
                $0.hasPrefix("x.") && result.errors.contains($0) || result.errors.contains("film.avi")
            })
        #expect(folder.names == before)
    }

    @Test(
        "can be a video that ffmpeg writes", .enabled(if: BuiltProgram(installed: "ffmpeg") != nil),
        arguments: ["mp4", "mkv", "webm"])
    func films(_ ending: String) async throws {
        let folder = try Self.folder()
        let command = Self.replay + ["film.\(ending)", "--fps", "10"]
        for _ in 0..<2 {
            let result = try await Self.viewport.run(command, in: folder.url)
            #expect(result.code == 0, "\(result.errors)")
        }
        let probe = try #require(BuiltProgram(installed: "ffprobe"))
        let said = try await probe.run(
            [
                "-v", "error", "-count_frames", "-show_entries", "stream=width,height,nb_read_frames", "-of",
                "csv=p=0", "film.\(ending)",
            ], in: folder.url)
        #expect(said.text == "40,30,3\n")
        // The mark lies in the segment: "File extends beyond end of segment" was said of others.
        let ffmpeg = try #require(BuiltProgram(installed: "ffmpeg"))
        let read = try await ffmpeg.run(
            ["-v", "warning", "-i", "film.\(ending)", "-f", "null", "-"], in: folder.url)
        #expect(read.code == 0 && read.errors.isEmpty, "\(read.errors)")
        let without = try await Self.viewport.run(
            Self.replay + ["new.\(ending)"], in: folder.url, environment: ["PATH": "/nonexistent"])
        #expect(without.code == 73 && without.errors.contains("install"), "\(without.errors)")
        #expect(!folder.names.contains("new.\(ending)"))
    }

    @Test(
        "can be an archive with the names of vips dzsave",
        .enabled(if: BuiltProgram(installed: "vips") != nil))
    func archives() async throws {
        let folder = try Self.folder()
        let vips = try #require(BuiltProgram(installed: "vips"))
        let more = ["--tile-size", "32", "--overlap", "1"]
        let made = try await vips.run(
            ["dzsave", "photo.jpg", "peer.zip", "--suffix", ".jpg"] + more, in: folder.url)
        #expect(made.code == 0, "\(made.errors)")
        let result = try await Self.viewport.run(
            ["pyramid", "photo.jpg", "-o", "ours.zip"] + more, in: folder.url)
        #expect(result.code == 0, "\(result.errors)")
        func names(_ archive: String) throws -> [String] {
            // The names in the central directory, whose entries have a fixed header of 46 bytes.
            let bytes = Array(try folder.data(archive))
            var names: [String] = []
            for at in bytes.indices.dropLast(46) where bytes[at..<(at + 4)].elementsEqual([0x50, 0x4B, 1, 2])
            {
                let length = Int(bytes[at + 28]) | Int(bytes[at + 29]) << 8
                names.append(String(decoding: bytes[(at + 46)..<(at + 46 + length)], as: UTF8.self))
            }
            return names.sorted()
        }
        let theirs = try names("peer.zip").filter { !$0.hasSuffix("vips-properties.xml") }
        #expect(try names("ours.zip") == theirs.map { $0.replacing("peer", with: "ours") })
    }
}
