import Foundation
import Platform
import TestHarness
import TestSupport
import Testing
import ViewportGeometry
import Vips

@Suite("viewport cache")
struct CacheCommandTests {
    static let viewport = BuiltProgram("viewport")

    /// Returns a folder with a PNG that is slow to decode, and an environment with a cache in that folder.
    static func folder(side: Int = 500) throws -> (TemporaryFolder, [String: String]) {
        let folder = try TemporaryFolder()
        let noise = try VipsOperation("gaussnoise")
        try noise.set("width", .int(side))
        try noise.set("height", .int(side))
        let image = try noise.image().cast(to: .uint8).relabelled("b-w")
        try image.save(folder.path("noise.tif"), with: "tiffsave")
        return (folder, ["XDG_CACHE_HOME": folder.path("home")])
    }

    static func render(_ folder: TemporaryFolder, _ more: String...) -> [String] {
        ["render", folder.path("noise.tif"), "--rect", "300,400,50,40", "-o", "-"] + more
    }

    static func names(_ folder: TemporaryFolder) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path("home/viewport"))) ?? []
    }

    @Test("is filled by --cache alone, used by every render, listed and cleared")
    func life() async throws {
        let (folder, home) = try Self.folder()
        let plain = try await Self.viewport.run(Self.render(folder, "--json"), environment: home)
        #expect(plain.code == 0 && plain.errors.contains("\"tiff, rows from the top\""))
        #expect(Self.names(folder).isEmpty)
        let kept = try await Self.viewport.run(Self.render(folder, "--cache"), environment: home)
        #expect(kept.code == 0 && kept.output == plain.output, "\(kept.errors)")
        let again = try await Self.viewport.run(Self.render(folder, "--json"), environment: home)
        #expect(again.output == plain.output && again.errors.contains("pyramid in the cache"))

        let info = try await Self.viewport.run(["cache", "info", "--json"], environment: home).json
        let entries = try #require(info["entries"] as? [[String: Any]])
        #expect(entries.count == 1 && entries[0]["kind"] as? String == "pyramid")
        #expect((entries[0]["path"] as? String)?.hasSuffix("noise.tif") == true)
        #expect(info["bytes"] as? Int == entries[0]["bytes"] as? Int)
        #expect(info["capacity"] as? Int == 10 << 30)
        #expect(try await Self.viewport.run(["cache"], environment: home).text.contains("noise.tif"))

        let recent = try await Self.viewport.run(["cache", "clear", "--older-than", "1"], environment: home)
        #expect(recent.text.hasPrefix("removed 0"))
        let cleared = try await Self.viewport.run(["cache", "clear"], environment: home)
        #expect(cleared.code == 0 && cleared.text.hasPrefix("removed 1"))
        #expect(Self.names(folder).isEmpty)
    }

    @Test("is filled once by concurrent processes, and complete for all of them")
    func together() async throws {
        let (folder, home) = try Self.folder(side: 2000)
        let plain = try await Self.viewport.run(Self.render(folder), environment: home)
        let programs = try (0..<3).map { number in
            let output = folder.path("\(number).png")
            let program = Self.viewport.process(
                ["render", folder.path("noise.tif"), "--rect", "300,400,50,40", "-o", output, "--cache"],
                environment: home)
            try program.start()
            return (program, output)
        }
        for (program, output) in programs {
            await program.end()
            #expect(program.terminationStatus == 0)
            #expect(try Data(contentsOf: URL(fileURLWithPath: output)) == plain.output)
        }
        #expect(Self.names(folder).count == 2, "an entry and its stamp")
    }

    @Test("survives a process that is killed while it writes an entry", .ownThread)
    func killed() async throws {
        let (folder, home) = try Self.folder(side: 4000)
        var reason = Process.TerminationReason.exit
        // On a busy machine, the process may finish before it is killed.
        for _ in 0..<10 where reason == .exit {
            try? FileManager.default.removeItem(atPath: folder.path("home"))
            let program = Self.viewport.process(Self.render(folder, "--cache"), environment: home)
            program.standardOutput = FileHandle.nullDevice
            try program.start()
            while program.isRunning, !Self.names(folder).contains(where: { $0.hasSuffix(".part") }) {
                try await Task.sleep(for: .milliseconds(1))
            }
            kill(program.processIdentifier, SIGKILL)
            await program.end()
            reason = program.terminationReason
        }
        #expect(reason == .uncaughtSignal, "it was still at work")
        let info = try await Self.viewport.run(["cache", "info", "--json"], environment: home).json
        #expect((info["entries"] as? [Any])?.isEmpty == true)
        let plain = try await Self.viewport.run(Self.render(folder), environment: home)
        let kept = try await Self.viewport.run(Self.render(folder, "--cache"), environment: home)
        #expect(kept.code == 0 && kept.output == plain.output)
        #expect(Self.names(folder).count == 2)
    }

    @Test(
        "never changes the bytes of a picture: unused, while it is filled, and when it is read",
        arguments: TestLength.cases(
            ["photo.png", "deep.png", "photo.webp", "drawing.svg"], short: 2))
    func equal(_ name: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path(name)
        let photo = try TestImages.photo(width: 901, height: 603, bands: name == "photo.webp" ? 4 : 3)
        switch name {
        case "deep.png":
            try photo.scaled(by: 257).cast(to: .uint16).relabelled("rgb16").save(path, with: "pngsave")
        case "photo.webp": try photo.save(path, with: "webpsave")
        case "drawing.svg":
            let text = """
                <svg xmlns="http://www.w3.org/2000/svg" width="800" height="601">
                <circle cx="300" cy="250" r="199.5" fill="#a52"/><path d="M3 4L790 590" stroke="#05a"/></svg>
                """
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        default: try photo.save(path, oriented: .rightMirrored)
        }
        let looks = [
            ["--size", "64x64"], ["--size", "700x500", "--zoom", "0.3", "--center", "400,300"],
            ["--size", "700x500", "--zoom", "1", "--center", "400,300"],
        ]
        let arguments = { (look: [String]) in
            ["render", path, "--allow-untrusted", "-o", "-", "--json"] + look
        }
        let home = ["XDG_CACHE_HOME": folder.path("home")]
        var plain: [BuiltProgram.Result] = []
        for look in looks { plain.append(try await Self.viewport.run(arguments(look), environment: home)) }
        #expect(plain.allSatisfy { $0.code == 0 && !$0.output.isEmpty })
        for (look, plain) in zip(looks, plain) {
            let cold = ["XDG_CACHE_HOME": folder.path("cold-\(look[1])-\(look.last!)")]
            for environment in [cold, cold, home, home] {
                let made = try await Self.viewport.run(
                    arguments(look) + ["--cache"], environment: environment)
                #expect(made.output == plain.output, "\(look) \(made.errors)")
                let access = name.hasSuffix("png") ? "regions by index" : "pyramid in the cache"
                #expect(made.errors.contains(access), "\(made.errors)")
            }
        }
    }

    @Test("stays within VIEWPORT_CACHE_BYTES")
    func bounded() async throws {
        let (folder, home) = try Self.folder()
        let bound = home.merging(["VIEWPORT_CACHE_BYTES": "300000"]) { $1 }
        for name in ["noise.tif", "other.tif"] {
            if name == "other.tif" {
                try FileManager.default.copyItem(
                    atPath: folder.path("noise.tif"), toPath: folder.path("other.tif"))
            }
            let result = try await Self.viewport.run(
                ["render", folder.path(name), "--cache", "-o", "-"], environment: bound)
            #expect(result.code == 0, "\(result.errors)")
        }
        let info = try await Self.viewport.run(["cache", "info", "--json"], environment: bound).json
        #expect(info["capacity"] as? Int == 300_000)
        #expect((info["entries"] as? [Any])?.count == 1, "the last one stays while it is used")
        let wrong = try await Self.viewport.run(["cache"], environment: ["VIEWPORT_CACHE_BYTES": "lots"])
        #expect(wrong.code == 64 && wrong.errors.contains("VIEWPORT_CACHE_BYTES"))
    }

    @Test("that cannot be written is an error only with --cache")
    func unwritable() async throws {
        let (folder, _) = try Self.folder()
        let home = ["XDG_CACHE_HOME": folder.path("noise.tif")]
        #expect(try await Self.viewport.run(Self.render(folder), environment: home).code == 0)
        let result = try await Self.viewport.run(Self.render(folder, "--cache"), environment: home)
        #expect(result.code == 73 && result.errors.contains("XDG_CACHE_HOME"))
        #expect(result.errors.split(separator: "\n").count == 1)
    }
}
