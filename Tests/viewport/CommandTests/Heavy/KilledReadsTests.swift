import Foundation
import TestHarness
import TestSupport
import Testing
import Vips

/// A folder with a large baseline JPEG, progressive JPEG and PNG, and a cache.
private struct KilledScene {
    let folder: TemporaryFolder
    let viewport = BuiltProgram("viewport")
    static let names = ["baseline.jpg", "progressive.jpg", "picture.png"]

    init() throws {
        folder = try TemporaryFolder()
        let image = try TestImages.photo(width: 1500, height: 1100)
        try image.save(folder.path("baseline.jpg"), with: "jpegsave", ["Q": .int(95)])
        try image.save(folder.path("progressive.jpg"), with: "jpegsave", ["interlace": .bool(true)])
        try image.save(folder.path("picture.png"), with: "pngsave", ["compression": .int(1)])
    }

    var environment: [String: String] { ["XDG_CACHE_HOME": folder.path("cache")] }

    func arguments(_ command: String, _ name: String, to output: String) -> [String] {
        command == "index"
            ? ["index", folder.path(name)]
            : [
                "render", folder.path(name), "--rect", "900,700,400,300", "-o", folder.path(output),
                "--overwrite",
            ]
    }

    /// Returns the picture of a run without a cache.
    func expected(_ name: String) async throws -> Data {
        let arguments = arguments("render", name, to: "expected.png") + ["--no-cache"]
        let result = try await viewport.run(arguments)
        #expect(result.code == 0, "\(result.errors)")
        return try folder.data("expected.png")
    }

    /// Runs a command and kills it after a time; returns whether that ended it.
    func kill(_ arguments: [String], after time: Duration) async throws -> Bool {
        let process = viewport.process(arguments, environment: environment)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.start()
        try await Task.sleep(for: time)
        Foundation.kill(process.processIdentifier, SIGKILL)
        await process.end()
        return process.terminationReason == .uncaughtSignal
    }
}

@Suite("Reads that are killed or run twice", .ownThread)
struct KilledReadsTests {
    @Test("leave no broken cache: the next run has the same bytes", arguments: KilledScene.names)
    private func kills(_ name: String) async throws {
        let scene = try KilledScene()
        let expected = try await scene.expected(name)
        var random = SplitMix64(seed: UInt64(name.utf8.count))
        var longest = Duration.milliseconds(150)
        for round in 0..<TestLength.repetitions(60, short: 6) {
            for command in ["index", "render"] {
                let share = Double(random.next() % 1000) / 1000
                let arguments = scene.arguments(command, name, to: "killed.png")
                let wasKilled = try await scene.kill(arguments, after: longest * share)
                // Later moments, where it is always killed too early.
                longest = wasKilled ? longest * 1.2 : longest
                let path = scene.folder.path("killed.png")
                if let picture = FileManager.default.contents(atPath: path) { #expect(picture == expected) }
                let next = try await scene.viewport.run(
                    scene.arguments("render", name, to: "next.png"), environment: scene.environment)
                #expect(next.code == 0 && next.errors.isEmpty, "\(next.errors)")
                #expect(try scene.folder.data("next.png") == expected)
            }
            // Every other round begins with an empty cache.
            if round % 2 == 1 { try? FileManager.default.removeItem(atPath: scene.folder.path("cache")) }
        }
    }

    @Test("in two processes at once with one cache have the same bytes", arguments: KilledScene.names)
    private func twins(_ name: String) async throws {
        let scene = try KilledScene()
        let expected = try await scene.expected(name)
        for _ in 0..<TestLength.repetitions(20, short: 2) {
            try? FileManager.default.removeItem(atPath: scene.folder.path("cache"))
            let jobs = [("render", "one.png"), ("index", ""), ("render", "two.png")].map { command, output in
                scene.viewport.process(
                    scene.arguments(command, name, to: output), environment: scene.environment)
            }
            for job in jobs {
                job.standardOutput = FileHandle.nullDevice
                try job.start()
            }
            for job in jobs {
                await job.end()
                #expect(job.terminationReason == .exit && job.terminationStatus == 0)
            }
            for output in ["one.png", "two.png"] { #expect(try scene.folder.data(output) == expected) }
            let next = try await scene.viewport.run(
                scene.arguments("render", name, to: "next.png"), environment: scene.environment)
            #expect(try next.code == 0 && scene.folder.data("next.png") == expected)
        }
    }
}

@Suite("A file that ends anywhere", .ownThread)
struct CutFilesTests {
    @Test(
        "is shown, or refused in one sentence",
        arguments: ["jpg", "progressive.jpg", "png", "heic", "avif", "webp", "tif", "gif"])
    func cut(_ ending: String) async throws {
        let (folder, viewport) = (try TemporaryFolder(), BuiltProgram("viewport"))
        let savers: [String: (String, [String: VipsArgument])] = [
            "jpg": ("jpegsave", [:]), "progressive.jpg": ("jpegsave", ["interlace": .bool(true)]),
            "png": ("pngsave", [:]), "heic": ("heifsave", ["compression": .name("hevc")]),
            "avif": ("heifsave", ["compression": .name("av1"), "effort": .int(0)]), "webp": ("webpsave", [:]),
            "tif": ("tiffsave", ["tile": .bool(true)]), "gif": ("gifsave", [:]),
        ]
        let (saver, options) = try #require(savers[ending])
        try TestImages.photo(width: 120, height: 90).save(
            folder.path("whole.\(ending)"), with: saver, options)
        let whole = try folder.data("whole.\(ending)")
        var random = SplitMix64(seed: UInt64(whole.count))
        for number in 0..<TestLength.repetitions(20, short: 4) {
            let count = number == 0 ? 0 : Int(random.next() % UInt64(whole.count))
            let name = "cut.\(ending)"
            try whole.prefix(count).write(to: folder.url.appendingPathComponent(name))
            for arguments in [["info", name], ["render", name, "-o", "cut.out.png", "--overwrite"]] {
                let result = try await viewport.run(
                    arguments, in: folder.url, environment: ["XDG_CACHE_HOME": folder.path("cache")])
                #expect([0, 65].contains(result.code), "\(count) bytes: \(result.code) \(result.errors)")
                let sentences = result.errors.split(separator: "\n").count
                #expect(sentences == (result.code == 0 ? 0 : 1), "\(count) bytes: \(result.errors)")
            }
        }
    }
}
