import Foundation
import TestSupport
import Testing
import Vips

@Suite("Pipes as inputs")
struct PipedInputTests {
    private static let viewport = BuiltProgram("viewport")

    private static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        // More than the 64 KiB after which unknown input is refused.
        try TestImages.photo(width: 900, height: 700).save(folder.path("photo.png"), with: "pngsave")
        #expect(try folder.data("photo.png").count > 1 << 17)
        return folder
    }

    /// Runs a line of bash, in which `viewport` is the program.
    private static func bash(
        _ line: String, in folder: TemporaryFolder, environment: [String: String] = [:]
    ) async throws -> BuiltProgram.Result {
        let bash = try #require(BuiltProgram(installed: "bash"))
        return try await bash.run(
            ["-c", "viewport() { '\(viewport.url.path)' \"$@\"; }; \(line)"], in: folder.url,
            environment: environment)
    }

    /// Commands, with IMAGE in place of the input.
    static let commands = [
        "render IMAGE --size 64 -o -", "render IMAGE --size 64", "info IMAGE --json", "thumbnail IMAGE -s 64",
        "thumbnail IMAGE -s 64 -o -", "fly IMAGE --ken-burns -s 32x24 --fps 1 -o -",
        "pyramid IMAGE -o tiles.dzi && cat tiles.dzi tiles_files/*/*",
        "replay script --image IMAGE --frames frames >/dev/null && cat frames/*",
    ]

    @Test("are read like files and standard input", arguments: commands)
    func input(_ command: String) async throws {
        let folder = try Self.folder()
        try Data(#"{"setup":{"bounds":[80,60],"viewSize":[900,700]}}"#.utf8).write(
            to: folder.url.appendingPathComponent("script"))
        func result(_ line: String, _ image: String) async throws -> BuiltProgram.Result {
            var result = try await Self.bash(
                line.replacing("IMAGE", with: command.replacing("IMAGE", with: image)), in: folder)
            // The name of the input is that of the argument.
            if command.hasPrefix("info") {
                #expect(result.json["path"] as? String == image || image.hasPrefix("<("), "\(result.text)")
                result.output = Data("\(result.json["width"] ?? 0) \(result.json["format"] ?? "")".utf8)
            }
            return result
        }
        let expected = try await result("cat photo.png | viewport IMAGE", "-")
        #expect(expected.code == 0 && !expected.output.isEmpty, "\(expected.errors)")
        for (line, image) in [
            ("cat photo.png | viewport IMAGE", "/dev/stdin"), ("cat photo.png | viewport IMAGE", "/dev/fd/0"),
            ("<photo.png viewport IMAGE", "/dev/stdin"), ("viewport IMAGE", "<(cat photo.png)"),
            ("mkfifo pipe; cat photo.png >pipe & viewport IMAGE", "pipe"),
            // A slow pipe.
            ("{ head -c 5 photo.png; sleep 0.2; tail -c +6 photo.png; } | viewport IMAGE", "-"),
        ] {
            let piped = try await result(line, image)
            // A redirected file has a name for default outputs, and so they are written to files.
            if line.contains("<photo.png"), !command.contains("-o"), command.contains("-s") { continue }
            #expect(piped.code == 0, "\(line) \(image): \(piped.errors)")
            // A failed comparison of the bytes would be shown as their difference, which takes minutes.
            let isEqual = piped.output == expected.output
            #expect(isEqual, "\(line) \(image)")
            try? FileManager.default.removeItem(atPath: folder.path("pipe"))
        }
    }

    @Test("are all read by a command for several images")
    func several() async throws {
        let folder = try Self.folder()
        let result = try await Self.bash(
            "viewport info --json <(cat photo.png) photo.png <(cat photo.png)", in: folder)
        #expect(
            result.code == 0 && result.lines.map { $0["width"] as? Int } == [900, 900, 900],
            "\(result.errors)")
    }

    /// Commands that would read for ever.
    static let endless: [(command: String, code: Int32)] = [
        ("render - </dev/zero", 65), ("info - </dev/zero", 65), ("thumbnail - </dev/zero", 65),
        ("pyramid - -o tiles.dzi </dev/zero", 65), ("fly - --ken-burns -s 32x24 -o - </dev/zero", 65),
        ("render - --allow-untrusted </dev/zero", 65), ("thumbnail - --allow-untrusted </dev/zero", 65),
        ("render <(cat /dev/zero)", 65), ("render - < <(yes)", 65), ("info <(cat /dev/zero) <(yes)", 3),
        ("replay - </dev/zero", 66), ("replay <(cat /dev/zero)", 66),
        ("replay script --image - --frames frames </dev/zero", 65),
        ("thumbnail --manifest - </dev/zero", 66), ("render --manifest - -o '{id}.png' </dev/zero", 66),
        ("thumbnail merge - </dev/zero", 66), ("thumbnail verify - </dev/zero", 66),
        ("fly photo.png --keyframes - -s 32x24 -o - </dev/zero", 65),
    ]

    @Test(
        "without an end are refused after the first bytes, which are not those of an input",
        arguments: endless)
    func refused(_ command: String, _ code: Int32) async throws {
        let folder = try Self.folder()
        try Data("\n".utf8).write(to: folder.url.appendingPathComponent("script"))
        // A small limit of memory and of files ends a command that reads on.
        let result = try await Self.bash("ulimit -f 20000; viewport \(command)", in: folder)
        #expect(result.code == code && result.output.isEmpty, "\(result.code) \(result.errors)")
        #expect(!result.errors.contains("/proc/"), "\(result.errors)")
        #expect(
            result.errors.contains("standard input") || result.errors.contains("/dev/fd/"), "\(result.errors)"
        )
    }

    #if Library
    @Test("without an end are refused as plans of duplicates, too")
    func plan() async throws {
        let program = try LibraryProgram()
        try await program.run("init")
        let result = try await Self.bash(
            "ulimit -f 20000; viewport library duplicates '\(program.root)' --resolve - </dev/zero",
            in: program.folder)
        #expect(result.code != 0 && result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    }
    #endif

    @Test("of the formats that libvips does not trust are read whole where they are allowed")
    func untrusted() async throws {
        let folder = try TemporaryFolder()
        // An SVG of more than 64 KiB, which ends after them.
        let rects = String(repeating: #"<rect width="9" height="9"/>"#, count: 4000)
        try Data(#"<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60">\#(rects)</svg>"#.utf8)
            .write(
                to: folder.url.appendingPathComponent("drawing.svg"))
        for command in ["render - --allow-untrusted", "thumbnail - --allow-untrusted -s 90 --format png"] {
            let result = try await Self.bash("cat drawing.svg | viewport \(command)", in: folder)
            #expect(result.code == 0 && result.output.starts(with: [0x89, 0x50]), "\(result.errors)")
        }
        let refused = try await Self.bash("cat drawing.svg | viewport render -", in: folder)
        #expect(refused.code == 65 && refused.errors.contains("--allow-untrusted"), "\(refused.errors)")
    }

    /// What is not an image, by what makes it, and a part of the sentence.
    static let others: [(name: String, script: String, word: String)] = [
        ("folder", "mkdir folder", "is a folder"),
        ("/dev/zero", ":", "it is a socket or a device"), ("/dev/null", ":", "it is a socket or a device"),
        (
            "socket", "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"socket\")'",
            "it is a socket or a device"
        ),
    ]

    @Test("and folders, sockets and devices are told apart", arguments: others)
    func kinds(_ name: String, _ script: String, _ word: String) async throws {
        let folder = try Self.folder()
        for command in ["render", "info", "index", "thumbnail", "fly --ken-burns", "extract-video", "replay"]
        {
            let result = try await Self.bash("\(script) 2>/dev/null; viewport \(command) \(name)", in: folder)
            #expect([3, 65, 66].contains(result.code), "\(command): \(result.code)")
            #expect(result.errors.contains(word), "\(command): \(result.errors)")
            #expect(
                result.errors.split(separator: "\n").count == 1 || result.code == 3,
                "\(command): \(result.errors)")
            try? FileManager.default.removeItem(atPath: folder.path("folder"))
        }
    }

    @Test("are refused by commands that need a file, without waiting for them")
    func files() async throws {
        let folder = try Self.folder()
        for (command, code) in [
            ("index pipe", 64), ("site pipe -o site", 64), ("extract-video pipe", 66),
            ("compose pipe --size 4x4 -o page.png", 66),
            ("thumbnail pipe photo.png", 64), ("thumbnail pipe --results r", 64),
        ] as [(String, Int32)] {
            let result = try await Self.bash("mkfifo pipe; viewport \(command)", in: folder)
            #expect(result.code == code, "\(command): \(result.code) \(result.errors)")
            #expect(
                result.errors.split(separator: "\n").count == 1 && result.errors.contains("pipe"),
                "\(result.errors)")
            try? FileManager.default.removeItem(atPath: folder.path("pipe"))
        }
    }
}
