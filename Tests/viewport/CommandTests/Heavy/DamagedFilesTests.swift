import Foundation
import TestHarness
import TestSupport
import Testing
import Vips

@Suite("A damaged file")
struct DamagedFilesTests {
    static let viewport = BuiltProgram("viewport")

    /// Runs the program in a folder and expects one sentence.
    static func refusal(
        _ arguments: [String], in folder: TemporaryFolder, code: Int32 = 65,
        location: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let result = try await viewport.run(arguments, in: folder.url)
        #expect(result.code == code, "\(arguments): \(result.errors)", sourceLocation: location)
        #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)", sourceLocation: location)
        #expect(!result.errors.contains("()"), "\(result.errors)", sourceLocation: location)
        return result.errors
    }

    /// Writes a JPEG of 304 x 400 pixels, with rows of blocks of 16 pixels, without its last bytes.
    static func cut(
        _ name: String, to folder: TemporaryFolder, dropping count: (Int) -> Int,
        _ arguments: [String: VipsArgument] = [:]
    ) throws {
        try TestImages.photo(width: 304, height: 400).save(
            folder.path("whole.jpg"), with: "jpegsave", arguments)
        let data = try folder.data("whole.jpg")
        try data.prefix(data.count - count(data.count)).write(to: folder.url.appendingPathComponent(name))
    }

    @Test(
        "that is a JPEG without its end marker is shown completely", arguments: [false, true], [1, 2])
    func withoutEnd(_ isProgressive: Bool, _ dropped: Int) async throws {
        let folder = try TemporaryFolder()
        try Self.cut("a.jpg", to: folder, dropping: { _ in dropped }, ["interlace": .bool(isProgressive)])
        for arguments in [["--size", "64x64"], ["--rect", "20,350,90,50"], ["--zoom", "1"]] {
            for (name, output) in [("a.jpg", "a.png"), ("whole.jpg", "whole.png")] {
                let result = try await Self.viewport.run(
                    ["render", name, "-o", output] + arguments, in: folder.url)
                #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
            }
            #expect(try folder.data("a.png") == folder.data("whole.png"), "\(arguments)")
        }
        let info = try await Self.viewport.run(["info", "a.jpg", "--json"], in: folder.url)
        #expect((info.json["damage"] as? String)?.contains("end marker") == true, "\(info.text)")
        for arguments in [
            ["thumbnail", "a.jpg", "-o", "t.jpg"], ["pyramid", "a.jpg", "-o", "a.dzi"],
            ["pyramid", "a.jpg", "-o", "a.tif"],
        ] {
            let result = try await Self.viewport.run(arguments, in: folder.url)
            #expect(result.code == 0, "\(arguments): \(result.errors)")
        }
    }

    @Test("that is a JPEG reports the missing rows, and shows the others with --allow-damaged")
    func missingRows() async throws {
        let folder = try TemporaryFolder()
        try Self.cut("cut.jpg", to: folder, dropping: { $0 / 3 })
        // Adding an end marker does not make it complete.
        try (folder.data("cut.jpg") + Data([0xFF, 0xD9])).write(
            to: folder.url.appendingPathComponent("ended.jpg"))
        var sentences: Set<String> = []
        for name in ["cut.jpg", "ended.jpg"] {
            for arguments in [
                ["render", name, "-o", "o.png"], ["render", name, "--size", "30x30", "-o", "o.png"],
                ["render", name, "--rect", "0,380,304,20", "-o", "o.png"],
                ["pyramid", name, "-o", "o.dzi"], ["pyramid", name, "-o", "o.tif"],
                ["thumbnail", name, "-o", "o.jpg"], ["index", name],
            ] {
                let sentence = try await Self.refusal(arguments, in: folder, code: 65)
                let rows = sentence.firstMatch(of: /rows (\d+) to 400 are missing/)
                #expect(rows.flatMap { Int($0.1) }.map { $0 % 16 == 1 && $0 > 100 } == true, "\(sentence)")
                // The hint names only options that the command has.
                sentences.insert(
                    sentence.replacing(name, with: "")
                        .replacing(", or add --allow-damaged to show the existing part", with: ""))
                #expect(folder.names.filter { $0.hasPrefix("o") } == [], "\(arguments) \(folder.names)")
            }
        }
        #expect(sentences.count == 1, "\(sentences)")
        for option in ["--allow-damaged", "--allow-truncated"] {
            let result = try await Self.viewport.run(
                ["render", "cut.jpg", option, "-o", "shown.png"], in: folder.url)
            #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
        }
        let info = try await Self.viewport.run(["info", "cut.jpg"], in: folder.url)
        #expect(info.code == 0 && info.text.contains("to 400 are missing"), "\(info.text) \(info.errors)")
    }

    @Test("that is a progressive JPEG reports whether rows or details are missing")
    func progressive() async throws {
        let folder = try TemporaryFolder()
        let interlace = ["interlace": VipsArgument.bool(true)]
        try Self.cut("details.jpg", to: folder, dropping: { $0 / 3 }, interlace)
        #expect(
            try await Self.refusal(["render", "details.jpg"], in: folder).contains("details are missing"))
        try Self.cut("rows.jpg", to: folder, dropping: { _ in 0 }, interlace)
        // The first scan is short: half of it is still in the file.
        let file = [UInt8](try folder.data("rows.jpg"))
        let scans = file.indices.dropLast().filter { file[$0] == 0xFF && file[$0 + 1] == 0xDA }
        let end = scans[0] + (scans[1] - scans[0]) / 2
        try Data(file[..<end]).write(to: folder.url.appendingPathComponent("rows.jpg"))
        #expect(try await Self.refusal(["render", "rows.jpg"], in: folder).contains("to 400 are missing"))
    }

    /// Files cut in half, and a part of the error.
    static let cuts: [(ending: String, saver: String, arguments: [String: VipsArgument], words: String)] = [
        ("png", "pngsave", [:], "the file ends in the chunk"),
        ("png", "pngsave", ["interlace": .bool(true)], "the file ends in the chunk"),
        ("webp", "webpsave", [:], "bytes are there"), ("tif", "tiffsave", [:], "directory"),
        ("gif", "gifsave", [:], "the file ends in frame 1"),
    ]

    @Test("of another format reports what is missing", arguments: cuts.indices)
    func others(_ index: Int) async throws {
        let (ending, saver, arguments, words) = Self.cuts[index]
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 200, height: 150).save(folder.path("a.\(ending)"), with: saver, arguments)
        let data = try folder.data("a.\(ending)")
        for part in [data.prefix(data.count / 2), data.prefix(data.count - 40)] {
            try part.write(to: folder.url.appendingPathComponent("a.\(ending)"))
            let sentence = try await Self.refusal(["render", "a.\(ending)", "-o", "o.png"], in: folder)
            #expect(sentence.contains(words), "\(sentence)")
            let shown = try await Self.viewport.run(
                ["render", "a.\(ending)", "--allow-damaged", "-o", "shown.png"], in: folder.url)
            #expect((shown.code == 0) == sentence.contains("--allow-damaged"), "\(sentence) \(shown.errors)")
        }
    }

    @Test("that is a GIF without its last byte is shown")
    func withoutTrailer() async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 60, height: 50).save(folder.path("whole.gif"), with: "gifsave")
        let data = try folder.data("whole.gif")
        try data.dropLast().write(to: folder.url.appendingPathComponent("cut.gif"))
        for name in ["whole", "cut"] {
            let result = try await Self.viewport.run(
                ["render", "\(name).gif", "-o", "\(name).png"], in: folder.url)
            #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
        }
        #expect(try folder.data("whole.png") == folder.data("cut.png"))
        let info = try await Self.viewport.run(["info", "cut.gif"], in: folder.url)
        #expect(info.text.contains("its end mark is missing; all frames are there"), "\(info.text)")
    }

    @Test("that is a TIFF reports the rows of missing strips")
    func strips() async throws {
        let folder = try TemporaryFolder()
        // A directory of nine entries, the offsets and lengths of 20 strips of 10 rows, and the strips.
        let count = 20
        func small(_ value: Int, _ bytes: Int) -> [UInt8] {
            (0..<bytes).map { UInt8(value >> (8 * $0) & 255) }
        }
        let lists = 8 + 2 + 9 * 12 + 4
        let start = lists + 8 * count
        let entries: [(Int, Int, Int)] = [
            (256, 1, 100), (257, 1, 200), (258, 1, 8), (259, 1, 1), (262, 1, 1), (273, count, lists),
            (277, 1, 1),
            (278, 1, 10), (279, count, lists + 4 * count),
        ]
        var file: [UInt8] = Array("II*\0".utf8) + small(8, 4) + small(9, 2)
        for (tag, values, value) in entries {
            file += small(tag, 2) + small(4, 2) + small(values, 4) + small(value, 4)
        }
        file += small(0, 4)
        for strip in 0..<count { file += small(start + strip * 1000, 4) }
        for _ in 0..<count { file += small(1000, 4) }
        file += [UInt8](repeating: 77, count: 1000 * count)
        try Data(file).write(to: folder.url.appendingPathComponent("whole.tif"))
        #expect(
            try await Self.viewport.run(["render", "whole.tif", "-o", "o.png"], in: folder.url).code == 0)
        try Data(file.dropLast(7500)).write(to: folder.url.appendingPathComponent("cut.tif"))
        let sentence = try await Self.refusal(["render", "cut.tif", "-o", "o.png"], in: folder)
        #expect(sentence.contains("rows 121 to 200 are missing"), "\(sentence)")
    }

    @Test("of an untrusted format gets the hint only if it helps")
    func untrusted() async throws {
        let folder = try TemporaryFolder()
        let photo = try TestImages.photo(width: 40, height: 30)
        for format in ["pcx", "tga", "sgi", "xpm", "bmp", "psd", "dds", "sun", "miff"] {
            let save: Void? = try? photo.save(
                folder.path("a.\(format)"), with: "magicksave", ["format": .string(format)])
            guard save != nil else { continue }
            try FileManager.default.moveItem(
                atPath: folder.path("a.\(format)"), toPath: folder.path("\(format).bin"))
            let sentence = try await Self.refusal(["render", "\(format).bin", "-o", "o.png"], in: folder)
            #expect(sentence.contains("--allow-untrusted"), "\(format): \(sentence)")
            let opened = try await Self.viewport.run(
                ["render", "\(format).bin", "--allow-untrusted", "-o", "o.png"], in: folder.url)
            #expect(opened.code == 0, "\(format): \(opened.errors)")
        }
        // An icon of one pixel: header, directory, bitmap header, pixel, mask.
        let icon: [UInt8] =
            [0, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 32, 0, 48, 0, 0, 0, 22, 0, 0, 0]
            + [40, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 32, 0] + [UInt8](repeating: 0, count: 24)
            + [9, 200, 90, 255] + [0, 0, 0, 0]
        try Data(icon).write(to: folder.url.appendingPathComponent("icon.ico"))
        let hint = VipsLibrary.hasOperation("magickload")
        let sentence = try await Self.refusal(["render", "icon.ico", "-o", "o.png"], in: folder)
        #expect(sentence.contains("--allow-untrusted") == hint, "\(sentence)")
        // If the loaders are already allowed, the hint would not help.
        try Data("%PDF-1.4 and nothing".utf8).write(to: folder.url.appendingPathComponent("a.pdf"))
        let broken = try await Self.refusal(
            ["render", "a.pdf", "--allow-untrusted", "-o", "o.png"], in: folder)
        #expect(!broken.contains("add --allow-untrusted"), "\(broken)")
    }
}
