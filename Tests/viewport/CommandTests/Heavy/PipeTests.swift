import Foundation
import TestSupport
import Testing
import ViewportGeometry
import Vips

@Suite("Pipes")
struct PipeTests {
    static let viewport = BuiltProgram("viewport")

    static func photo() throws -> (folder: TemporaryFolder, data: Data) {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 400, height: 300).save(folder.path("photo.jpg"), oriented: .right)
        return (folder, try folder.data("photo.jpg"))
    }

    /// Runs the program after `cat`, so that it reads a pipe.
    static func piped(_ arguments: [String], in folder: TemporaryFolder) async throws -> BuiltProgram.Result {
        let shell = try #require(BuiltProgram(installed: "sh"))
        let script = "cat photo.jpg | '\(viewport.url.path)' \"$@\""
        return try await shell.run(["-c", script, "sh"] + arguments, in: folder.url)
    }

    @Test(
        "give the same picture as the file",
        arguments: [[], ["--size", "64"], ["--rect", "10,20,50,60", "--zoom", "2"]])
    func render(_ arguments: [String]) async throws {
        let (folder, data) = try Self.photo()
        let file = try await Self.viewport.run(
            ["render", "photo.jpg", "-o", "-"] + arguments, in: folder.url)
        let pipe = try await Self.piped(["render", "-"] + arguments, in: folder)
        let redirected = try await Self.viewport.run(
            ["render", "-"] + arguments, in: folder.url, input: data)
        #expect(
            file.code == 0 && pipe.code == 0 && redirected.code == 0, "\(pipe.errors) \(redirected.errors)")
        #expect(!file.output.isEmpty && file.output == pipe.output && file.output == redirected.output)
        #expect(folder.names == ["photo.jpg"], "nothing is left behind")
    }

    @Test("work with info, thumbnail and pyramid like files")
    func others() async throws {
        let (folder, _) = try Self.photo()
        let info = try await Self.piped(["info", "-", "--json"], in: folder)
        #expect(info.json["path"] as? String == "-" && info.json["width"] as? Int == 300, "\(info.errors)")
        let thumbnail = try await Self.piped(["thumbnail", "-", "-s", "64", "--format", "png"], in: folder)
        #expect(thumbnail.code == 0 && thumbnail.output.starts(with: [0x89, 0x50]), "\(thumbnail.errors)")
        let file = try await Self.viewport.run(
            ["thumbnail", "photo.jpg", "-s", "64", "--format", "png", "-o", "-"], in: folder.url)
        #expect(file.output == thumbnail.output)
        let several = try await Self.piped(
            ["thumbnail", "-", "-s", "32", "-s", "64", "-o", "{name}-{size}.jpg"], in: folder)
        #expect(
            several.code == 0 && folder.names == ["photo.jpg", "stdin-32.jpg", "stdin-64.jpg"],
            "\(several.errors)")
        let folders = try await Self.piped(["thumbnail", "-", "-s", "32", "-o", "out/"], in: folder)
        #expect(folders.code == 0 && folder.names.contains("out"), "\(folders.errors)")
        let pyramid = try await Self.piped(["pyramid", "-", "-o", "photo.dzi"], in: folder)
        #expect(pyramid.code == 0 && folder.names.contains("photo.dzi"), "\(pyramid.errors)")
    }

    /// Inputs that are not images, the exit codes and a word of the errors.
    static let wrongInputs: [(data: String, code: Int32, word: String)] = [
        ("", 65, "empty"), ("no picture at all", 65, "standard input"),
    ]

    @Test("without an image are errors that name standard input", arguments: wrongInputs)
    func wrong(_ data: String, _ code: Int32, _ word: String) async throws {
        let folder = try TemporaryFolder()
        try Data(data.utf8).write(to: folder.url.appendingPathComponent("photo.jpg"))
        for command in ["render", "info", "thumbnail"] {
            let result = try await Self.piped([command, "-"], in: folder)
            #expect(
                result.code == code && result.output.isEmpty, "\(command): \(result.code) \(result.errors)")
            #expect(result.errors.contains(word) && !result.errors.contains("/proc"), "\(result.errors)")
        }
    }

    @Test("larger than the limit or the free disk space are refused")
    func bound() async throws {
        let (folder, _) = try Self.photo()
        let shell = try #require(BuiltProgram(installed: "sh"))
        let script = "cat photo.jpg | '\(Self.viewport.url.path)' info -"
        let bounded = try await shell.run(
            ["-c", script], in: folder.url, environment: ["VIEWPORT_CACHE_BYTES": "1000"])
        #expect(bounded.code == 66 && bounded.errors.contains("larger than 1000 bytes"), "\(bounded.errors)")
        let homeless = try await shell.run(
            ["-c", script], in: folder.url, environment: ["TMPDIR": "/nosuch"])
        #expect(homeless.code == 66 && homeless.errors.contains("TMPDIR"), "\(homeless.errors)")
    }

    @Test("are refused where a file or several pictures are needed")
    func refused() async throws {
        let (folder, _) = try Self.photo()
        for arguments in [
            ["index", "-"], ["thumbnail", "-", "photo.jpg"], ["thumbnail", "-", "-s", "1", "-s", "2"],
            ["thumbnail", "photo.jpg", "photo.jpg", "-o", "-"],
        ] {
            let result = try await Self.piped(arguments, in: folder)
            #expect(result.code == 64 && result.output.isEmpty, "\(arguments): \(result.errors)")
        }
    }

    @Test("info reports many files and ends with 3 if one fails")
    func many() async throws {
        let (folder, _) = try Self.photo()
        try Data("no picture".utf8).write(to: folder.url.appendingPathComponent("letter.jpg"))
        let json = try await Self.viewport.run(
            ["info", "--json", "nosuch.jpg", "photo.jpg", "letter.jpg", "photo.jpg"], in: folder.url)
        #expect(json.code == 3)
        #expect(
            json.lines.map { $0["path"] as? String } == [
                "nosuch.jpg", "photo.jpg", "letter.jpg", "photo.jpg",
            ])
        #expect(json.lines.map { $0["error"] == nil } == [false, true, false, true])
        #expect(json.errors.split(separator: "\n").count == 2)
        let one = try await Self.viewport.run(["info", "nosuch.jpg"], in: folder.url)
        #expect(one.code == 66)
    }
}
