import Foundation
import TestHarness
import TestSupport
import Testing
import Vips

@Suite("viewport pyramid that fails")
struct PyramidRefusalTests {
    static func folder(_ side: Int = 60) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: side, height: side).save(folder.path("photo.png"), with: "pngsave")
        return folder
    }

    /// Expects one sentence that begins with the program's name, an exit code, and no new files.
    static func expectRefusal(
        _ arguments: [String], code: Int32, in folder: TemporaryFolder, names: [String] = [],
        location: SourceLocation = #_sourceLocation
    ) async throws {
        let before = folder.names
        let result = try await PyramidCommandTests.viewport.run(["pyramid"] + arguments, in: folder.url)
        #expect(result.code == code, "\(arguments): \(result.errors)", sourceLocation: location)
        #expect(result.errors.hasPrefix("viewport: ") && result.output.isEmpty, sourceLocation: location)
        #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)", sourceLocation: location)
        for name in names {
            #expect(result.errors.contains(name), "\(result.errors)", sourceLocation: location)
        }
        #expect(folder.names == before, "nothing is left behind", sourceLocation: location)
    }

    @Test(
        "ends with 64 for invalid requests",
        arguments: [
            ["-o", "p.png"], ["-o", "-"], ["-o", "."], ["-o", "p.dzi", "--layout", "iiif"],
            ["-o", "p.tif", "--layout", "dz"], ["-o", "p", "--layout", "tif"], ["-o", "p", "--overlap", "1"],
            ["-o", "p.dzi", "--overlap", "-1"], ["-o", "p.dzi", "--tile-size", "0"],
            ["-o", "p.dzi", "--tile-size", "9999"], ["-o", "p.tif", "--tile-size", "100"],
            ["-o", "p.tif", "--format", "webp"], ["-o", "p.dzi", "--format", "avif"],
            ["-o", "p.dzi", "-Q", "101"],
            ["-o", "p.dzi", "--id", "x"], ["nosuch.png", "-o", "p.dzi"],
        ])
    func usage(_ arguments: [String]) async throws {
        try await Self.expectRefusal(["photo.png"] + arguments, code: 64, in: Self.folder())
    }

    @Test("ends with 65 or 66 for bad images, without output")
    func input() async throws {
        let folder = try Self.folder(300)
        try await Self.expectRefusal(
            ["nosuch.png", "-o", "p.dzi"], code: 66, in: folder, names: ["nosuch.png"])
        let data = try folder.data("photo.png")
        try data.prefix(data.count / 2).write(to: folder.url.appendingPathComponent("cut.png"))
        for output in ["p.dzi", "p.tif", "p"] {
            try await Self.expectRefusal(["cut.png", "-o", output], code: 65, in: folder, names: ["cut.png"])
        }
    }

    @Test(
        "ends with 73 if the output exists and may not be replaced",
        arguments: [
            ("p.dzi", "p_files/0/0_0.jpg", "before"), ("p.dzi", "p.dzi", "<before/>"),
            ("p", "p/info.json", "before"), ("p.tif", "p.tif", "II*\0before"),
            ("p.zip", "p.zip", "PK\u{3}\u{4}before"),
        ])
    func existing(_ output: String, _ file: String, _ before: String) async throws {
        let folder = try Self.folder()
        let url = folder.url.appendingPathComponent(file)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(before.utf8).write(to: url)
        try await Self.expectRefusal(
            ["photo.png", "-o", output], code: 73, in: folder, names: [output, "--overwrite"])
        #expect(try folder.data(file) == Data(before.utf8))
        _ = try await PyramidCommandTests.pyramid(["photo.png", "-o", output, "--overwrite"], in: folder)
        #expect(try folder.data(file) != Data(before.utf8))
        #expect(folder.names.allSatisfy { !$0.hasPrefix(".") })
        try await Self.expectRefusal(
            ["photo.png", "-o", "nosuch/\(output)"], code: 73, in: folder, names: ["nosuch", "create"])
    }

    @Test(
        "leaves no partial output when it is stopped", .ownThread,
        arguments: [SIGKILL, SIGINT, SIGTERM])
    func stopped(_ signal: Int32) async throws {
        let image = try TestImages.large(width: 4000, height: 4000)
        for output in ["p.dzi", "p", "p.tif"] {
            let folder = try TemporaryFolder()
            try image.save(folder.path("photo.png"), with: "pngsave")
            let process = Process()
            process.executableURL = PyramidCommandTests.viewport.url
            process.arguments =
                [
                    "pyramid", "photo.png", "-o", output, "--tile-size", "16",
                ] + (output == "p.tif" ? [] : ["--format", "png"])
            process.currentDirectoryURL = folder.url
            process.standardError = FileHandle.nullDevice
            try process.start()
            // The hidden folder shows that the export has begun.
            let part = "-\(process.processIdentifier).part"
            while process.isRunning, !folder.names.contains(where: { $0.hasSuffix(part) }) {
                try await Task.sleep(for: .milliseconds(1))
            }
            kill(process.processIdentifier, signal)
            await process.end()
            // On a fast machine, the export may finish before the signal.
            if process.terminationReason == .exit, process.terminationStatus == 0 { continue }
            #expect(folder.names.filter { !$0.hasPrefix(".") } == ["photo.png"], "\(output)")
            if signal != SIGKILL {
                #expect(process.terminationReason == .exit && process.terminationStatus == 128 + signal)
                #expect(folder.names == ["photo.png"], "\(output)")
            } else if output == "p.dzi" {
                // A killed process leaves its hidden folder; the next one removes it.
                _ = try await PyramidCommandTests.pyramid(["photo.png", "-o", "q.dzi"], in: folder)
                #expect(folder.names.filter { $0.hasPrefix(".") }.isEmpty)
            }
        }
    }
}
