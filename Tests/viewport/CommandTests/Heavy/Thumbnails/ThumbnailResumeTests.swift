import Foundation
import TestHarness
import TestSupport
import Testing

@Suite("A resumed batch of thumbnails")
struct ThumbnailResumeTests {
    static let arguments = ["--manifest", "list", "--results", "results", "--resume"]

    @Test("skips recorded results: made, and failed while file and recipe are unchanged")
    func failures() async throws {
        let photos = try PhotoFolder(4).adding(["{\"path\":\"broken.jpg\"}"])
        try photos.write("no picture", to: "broken.jpg")
        #expect(try await photos.run(Self.arguments).errors.contains("4 made, 1 failed"))
        let again = try await photos.run(Self.arguments)
        #expect(
            again.code == 0 && again.errors.contains("0 made, 5 kept from an earlier run"), "\(again.errors)")
        #expect(
            try await photos.run(Self.arguments + ["--retry-failed"]).errors.contains(
                "0 made, 4 kept from an earlier run, 1 failed"))
        #expect(try await photos.run(Self.arguments + ["-Q", "40"]).errors.contains("4 made, 1 failed"))
        try photos.write("still none", to: "broken.jpg")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1e9)],
            ofItemAtPath: photos.folder.path("broken.jpg"))
        #expect(
            try await photos.run(Self.arguments + ["-Q", "40"]).errors.contains(
                "4 kept from an earlier run, 1 failed"))
        #expect(try photos.results("results").count == 5)
    }

    @Test("repeats missing thumbnails, and accepts a truncated last line")
    func gaps() async throws {
        let photos = try PhotoFolder(6)
        #expect(try await photos.run(Self.arguments).code == 0)
        try FileManager.default.removeItem(atPath: photos.folder.path("thumbnails/in/1.jpg-256.jpg"))
        let whole = try photos.folder.data("results")
        try whole.dropLast(40).write(to: photos.folder.url.appendingPathComponent("results"))
        let run = try await photos.run(Self.arguments)
        #expect(run.code == 0)
        #expect(try photos.results("results").count == 6)
        #expect(try Set(photos.results("results").compactMap { $0["path"] as? String }) == Set(photos.paths))
        #expect(photos.folder.files(below: "thumbnails").count == 6)
    }

    @Test("keeps each of many valid results once and in their order, and all of them if the disk is full")
    func many() async throws {
        let photos = try PhotoFolder(1)
        try photos.writeManifest(["{\"path\":\"\(photos.paths[0])\",\"id\":\"0\"}"])
        #expect(try await photos.run(Self.arguments).code == 0)
        let first = String(decoding: try photos.folder.data("results"), as: UTF8.self)
        let lines = (0..<40_000).map { number in
            let line = first.replacing("\"id\":\"0\"", with: "\"id\":\"\(number)\"")
            // Some are of another recipe.
            return number % 1000 == 999 ? line.replacing("\"recipe\":\"", with: "\"recipe\":\"x") : line
        }
        #expect(Set(lines).count == lines.count)
        let valid = lines.filter { !$0.contains("\"recipe\":\"x") }
        #expect(valid.count == 39_960)
        let file = photos.folder.url.appendingPathComponent("results")
        // The later half is there twice.
        try Data((lines + lines[20_000...]).joined().utf8).write(to: file)
        // A limit of file sizes simulates the full disk: files cannot exceed 1 MB.
        let shell = try #require(BuiltProgram(installed: "bash"))
        let full = try await shell.run(
            [
                "-c", "trap '' XFSZ; ulimit -f 1000; exec \"$0\" thumbnail \"$@\"",
                PhotoFolder.viewport.url.path,
            ] + Self.arguments, in: photos.folder.url)
        #expect(full.code == 73 && full.errors.contains("results: cannot be written"), "\(full.errors)")
        #expect(try photos.folder.data("results") == Data((lines + lines[20_000...]).joined().utf8))
        #expect(photos.folder.names.allSatisfy { !$0.hasSuffix(".part") })
        let run = try await photos.run(Self.arguments)
        #expect(run.errors.contains("0 made, 39960 kept from an earlier run"), "\(run.errors)")
        #expect(try photos.folder.data("results") == Data(valid.joined().utf8))
    }

    @Test("stops early with --fail-fast and --max-errors")
    func stopping() async throws {
        let photos = try PhotoFolder(0)
        try photos.writeManifest((0..<50).map { "{\"path\":\"none\($0)\"}" })
        for (arguments, failed) in [(["--fail-fast"], 1), (["--max-errors", "7"], 8)] {
            let run = try await photos.run(["--manifest", "list", "--jobs", "1"] + arguments)
            #expect(
                run.code == 3 && run.errors.contains("\(failed) failed, \(50 - failed) left"), "\(run.errors)"
            )
            #expect(try PhotoFolder.results(run.text).count == failed)
        }
    }

    @Test("verify reports missing, truncated and changed thumbnails")
    func verify() async throws {
        let photos = try PhotoFolder(5)
        #expect(try await photos.run(["--manifest", "list", "--results", "results"]).code == 0)
        #expect(try await photos.run(["verify", "results"]).code == 0)
        let outputs = photos.folder.files(below: "thumbnails").map { "thumbnails/\($0)" }
        try FileManager.default.removeItem(atPath: photos.folder.path(outputs[0]))
        try photos.folder.data(outputs[1]).dropLast().write(
            to: photos.folder.url.appendingPathComponent(outputs[1]))
        var bytes = try photos.folder.data(outputs[2])
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: photos.folder.url.appendingPathComponent(outputs[2]))
        let run = try await photos.run(["verify", "results", "--json"])
        #expect(run.code == 3)
        #expect(
            try Set(PhotoFolder.results(run.text).compactMap { $0["path"] as? String }) == Set(outputs[..<3]))
    }

    @Test("writes no partial thumbnails when the disk is full, and reports as much as it can")
    func full() async throws {
        let photos = try PhotoFolder(4, size: 300)
        // A limit of file sizes simulates the full disk: files cannot exceed 8 kB.
        let shell = try #require(BuiltProgram(installed: "bash"))
        let run = try await shell.run(
            [
                "-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" thumbnail --manifest list -s 16 -s 256",
                PhotoFolder.viewport.url.path,
            ], in: photos.folder.url)
        #expect(run.code == 73, "\(run.errors)")
        let results = try PhotoFolder.results(run.text)
        #expect(results.count == 4)
        #expect(Set(results.codes.values) == ["cannot-write"])
        #expect(photos.folder.files(below: "thumbnails").allSatisfy { $0.hasSuffix("-16.jpg") })
    }
}
