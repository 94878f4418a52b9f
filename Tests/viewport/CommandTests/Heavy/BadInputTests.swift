import Foundation
import TestHarness
import TestSupport
import Testing
import Vips

@Suite("Bad input")
struct BadInputTests {
    static let viewport = BuiltProgram("viewport")

    /// Expects one sentence that begins with the program's name, and no output.
    static func expectRefusal(
        _ arguments: [String], code: Int32, in folder: TemporaryFolder, names: [String] = [],
        location: SourceLocation = #_sourceLocation
    ) async throws {
        let before = folder.names
        let result = try await viewport.run(["render"] + arguments, in: folder.url)
        #expect(result.code == code, "\(arguments): \(result.errors)", sourceLocation: location)
        #expect(result.output.isEmpty, sourceLocation: location)
        #expect(result.errors.hasPrefix("viewport: "), "\(result.errors)", sourceLocation: location)
        #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)", sourceLocation: location)
        for name in names {
            #expect(result.errors.contains(name), "\(result.errors)", sourceLocation: location)
        }
        #expect(folder.names == before, "nothing is left behind", sourceLocation: location)
    }

    @Test("that is missing, a folder or unreadable ends with 66 and names the file")
    func noInput() async throws {
        let folder = try TemporaryFolder()
        try await Self.expectRefusal(
            ["nosuch.jpg"], code: 66, in: folder, names: ["nosuch.jpg", "no such file"])
        try await Self.expectRefusal(["."], code: 66, in: folder, names: ["folder"])
        try await Self.expectRefusal(["/dev/null"], code: 66, in: folder, names: ["/dev/null"])
        let shut = folder.path("shut.png")
        try TestImages.photo(width: 4, height: 4).save(shut, with: "pngsave")
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: shut)
        // The superuser can read every file.
        if getuid() != 0 {
            try await Self.expectRefusal(["shut.png"], code: 66, in: folder, names: ["permissions"])
        }
    }

    @Test("that is empty, unknown, truncated or too large ends with 65, the name and the remedy")
    func badData() async throws {
        let folder = try TemporaryFolder()
        try Data().write(to: folder.url.appendingPathComponent("empty.jpg"))
        try await Self.expectRefusal(["empty.jpg"], code: 65, in: folder, names: ["empty.jpg", "empty"])
        try Data("a letter".utf8).write(to: folder.url.appendingPathComponent("letter.jpg"))
        try await Self.expectRefusal(["letter.jpg"], code: 65, in: folder, names: ["letter.jpg", "convert"])
        try Data("%PDF-1.4".utf8).write(to: folder.url.appendingPathComponent("a.pdf"))
        try await Self.expectRefusal(["a.pdf"], code: 65, in: folder, names: ["--allow-untrusted"])
        try TestImages.photo(width: 200, height: 200).save(folder.path("photo.jpg"), with: "jpegsave")
        try TestImages.photo(width: 200, height: 200).save(folder.path("photo.png"), with: "pngsave")
        try await Self.expectRefusal(
            ["photo.jpg", "--max-pixels", "39999"], code: 65, in: folder, names: ["--max-pixels"])
        for name in ["photo.jpg", "photo.png"] {
            let data = try Data(contentsOf: folder.url.appendingPathComponent(name))
            try data.prefix(data.count / 2).write(to: folder.url.appendingPathComponent("cut-" + name))
        }
        // The requested rows are complete. The file is refused because rows below them are missing.
        try await Self.expectRefusal(
            ["cut-photo.jpg", "--rect", "0,0,200,16"], code: 65, in: folder, names: ["--allow-damaged"])
        try await Self.expectRefusal(["cut-photo.png"], code: 65, in: folder, names: ["cut-photo.png"])
    }

    @Test("that is truncated is shown in part with --allow-damaged")
    func truncated() async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 200, height: 200).save(folder.path("photo.jpg"), with: "jpegsave")
        let data = try Data(contentsOf: folder.url.appendingPathComponent("photo.jpg"))
        try data.prefix(data.count / 2).write(to: folder.url.appendingPathComponent("cut.jpg"))
        let result = try await Self.viewport.run(
            ["render", folder.path("cut.jpg"), "--allow-damaged", "-o", folder.path("view.png")])
        #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
    }

    /// Requests that are invalid for every image.
    static let requests: [[String]] = [
        ["--rect", "0,0,0,10"], ["--rect", "0,0,-1,10"], ["--rect", "0,0,nan,10"], ["--rect", "1,2,3"],
        ["--rect", "0,0,inf,1"], ["--rect", "1000,1000,5,5"], ["--rect", "-50,0,10,10"],
        ["--size", "0x10"], ["--size", "-5x10"], ["--size", "nanx5"], ["--size", "x"],
        ["--size", "10x10x10"],
        ["--size", "100000x100000"], ["--size", "1e9x1e9"], ["--zoom", "0"], ["--zoom", "-1"],
        ["--zoom", "nan"],
        ["--zoom", "inf"], ["--zoom", "1e300"], ["--zoom", "100000"], ["--page", "7"], ["--page", "-1"],
        ["--rotate", "nan"], ["--background", "reddish"], ["--kernel", "best"], ["--format", "bmp"],
        ["-Q", "0"],
        ["--depth", "12"], ["--depth", "16", "--format", "jpg"], ["--max-pixels", "0"], ["--nonsense"],
        ["--center", "1,1"], ["--offset", "1,1"], ["--content-mode", "center"],
        ["--size", "9x9", "--center", "1,1", "--offset", "1,1"],
        ["--size", "9x9", "--rect", "0,0,5,5", "--zoom", "2"],
        ["--size", "x9", "--zoom", "1"], ["--fit"], ["--crop", "--size", "9x9"],
        ["--size", "9x9", "--fit", "--zoom", "1"],
        ["--size", "9x9", "--rect", "0,0,5,5", "--content-mode", "center"],
        ["--min-zoom", "2", "--max-zoom", "1"], ["-o", "view.xyz"], ["-o", "view"],
    ]

    @Test("in the request ends with 64", arguments: requests)
    func usage(_ arguments: [String]) async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 40, height: 30).save(folder.path("photo.png"), with: "pngsave")
        try await Self.expectRefusal(["photo.png"] + arguments, code: 64, in: folder)
    }

    @Test("in the output ends with 73 before anything is decoded")
    func output() async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 40, height: 30).save(folder.path("photo.png"), with: "pngsave")
        try await Self.expectRefusal(
            ["photo.png", "-o", "nosuch/view.png"], code: 73, in: folder, names: ["nosuch", "create"])
        try Data("a letter".utf8).write(to: folder.url.appendingPathComponent("d.png"))
        try await Self.expectRefusal(["photo.png", "-o", "d.png"], code: 73, in: folder, names: ["d.png"])
        try await Self.expectRefusal(
            ["photo.png", "-o", "/dev/full", "--format", "png"], code: 73, in: folder, names: ["/dev/full"])
    }

    @Test(
        "with brackets, spaces and umlauts in its name is accepted",
        arguments: [
            "a[1].png", "a[page=2]", "ä ö.png", "-dash.png", "100%.png", "new\nline.png",
        ])
    func names(_ name: String) async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 40, height: 30).save(folder.path("photo.png"), with: "pngsave")
        let url = folder.url.appendingPathComponent(name)
        try FileManager.default.copyItem(at: folder.url.appendingPathComponent("photo.png"), to: url)
        let result = try await Self.viewport.run(["render", url.path, "-o", "-"])
        #expect(result.code == 0, "\(result.errors)")
    }
}
