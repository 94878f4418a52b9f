import Foundation
import TestHarness
import TestSupport
import Testing

@Suite("A batch of thumbnails", .ownThread)
struct ThumbnailBatchTests {
    @Test("gives one result per line of a long list with one damaged file in a hundred")
    func many() async throws {
        let count = TestLength.repetitions(10_000, short: 900)
        let photos = try PhotoFolder(1, size: 8)
        try photos.write("no picture", to: "broken")
        var lines: [String] = []
        for number in 0..<count {
            let path = "in/\(number).png"
            if number % 100 == 50 {
                // Invalid lines, missing files, and damaged files.
                lines.append(
                    [
                        "{\"path\":", "{\"path\":\"none\(number)\"}",
                        "{\"path\":\"\(path)\",\"id\":\"b\(number)\"}",
                    ][
                        number / 100 % 3])
                try FileManager.default.linkItem(
                    atPath: photos.folder.path("broken"), toPath: photos.folder.path(path))
            } else {
                lines.append("{\"path\":\"\(path)\",\"n\":\(number)}")
                try FileManager.default.linkItem(
                    atPath: photos.folder.path("in/sub/0.png"), toPath: photos.folder.path(path))
            }
        }
        try photos.writeManifest(lines)
        let run = try await photos.run(["--manifest", "list", "-s", "4", "-o", "out/{stem}.jpg"])
        #expect(
            run.code == 3 && run.errors.contains("\(count / 100 * 99) made, \(count / 100) failed"),
            "\(run.errors)")
        let results = try PhotoFolder.results(run.text)
        #expect(results.count == count)
        #expect(Set(results.compactMap { $0["line"] as? Int }) == Set(1...count))
        #expect(
            results.count {
                $0["status"] as? String == "ok" && $0["n"] as? Int == ($0["line"] as? Int).map { $0 - 1 }
            } == count / 100 * 99)
        let codes = results.compactMap { ($0["error"] as? [String: Any])?["code"] as? String }
        #expect(
            Dictionary(grouping: codes, by: \.self).mapValues(\.count)
                == [
                    "bad-line": (count / 100 + 2) / 3, "missing": (count / 100 + 1) / 3,
                    "unknown-format": count / 300,
                ])
        #expect(photos.folder.files(below: "out").count == count / 100 * 99)
    }

    @Test("writes the same tree in 1, 2, 3 and 7 shards, and merge keeps one result per line")
    func shards() async throws {
        var photos = try PhotoFolder(40)
        photos = try photos.adding([
            "{\"path\":\"in/1.jpg\"}", "broken line", "{\"path\":\"none.jpg\",\"id\":5}",
        ])
        let recipe = ["--manifest", "list", "-s", "64", "-s", "32x32!", "--crop", "centre"]
        #expect(try await photos.run(recipe + ["-o", "out1/{dir}/{name}-{size}.webp"]).code == 3)
        let whole = try photos.tree("out1")
        #expect(whole.count == 80)
        for count in [2, 3, 7] {
            var files: [String] = []
            for index in 0..<count {
                let run = try await photos.run(
                    recipe + [
                        "-o", "out\(count)/{dir}/{name}-{size}.webp", "--shard", "\(index)/\(count)",
                        "--results",
                        "results\(index)",
                    ])
                #expect([0, 3].contains(run.code))
                files.append("results\(index)")
            }
            #expect(try photos.tree("out\(count)") == whole)
            let merged = try await photos.run(["merge", "--manifest", "list"] + files)
            #expect(
                merged.code == 3 && merged.errors.contains("43 results, 2 failed, 0 missing"),
                "\(merged.errors)")
            let lines = try PhotoFolder.results(merged.text).compactMap { $0["line"] as? Int }
            #expect(lines == Array(1...43))
            // A shard without results is reported.
            let part = try await photos.run(
                ["merge", "--manifest", "list", "--missing", "missing"] + files.dropLast() + ["-o", "merged"])
            #expect(part.code == 3)
            let missing = try photos.results("missing").count
            #expect(try photos.results("merged").count + missing == 43)
            #expect(try photos.results("results\(count - 1)").count == missing)
        }
    }

    @Test("leaves no partial files when it is killed at any moment, and continues")
    func killing() async throws {
        let photos = try PhotoFolder(60, size: 160)
        let arguments = ["--manifest", "list", "-s", "100", "-s", "50", "--jobs", "2", "-o"]
        #expect(try await photos.run(arguments + ["whole/{name}-{size}.png"]).code == 0)
        let whole = try photos.tree("whole")
        var random = SplitMix64(seed: 3)
        for _ in 0..<12 {
            let process = try photos.start(
                arguments + ["out/{name}-{size}.png", "--results", "results", "--resume"])
            try await Task.sleep(for: .milliseconds(Int(random.next() % 300)))
            kill(process.processIdentifier, SIGKILL)
            await process.end()
            let seen = try photos.tree("out").filter { !$0.key.hasPrefix(".") }
            #expect(seen.allSatisfy { whole[$0.key] == $0.value })
        }
        let last = try await photos.run(
            arguments + ["out/{name}-{size}.png", "--results", "results", "--resume"])
        #expect(last.code == 0, "\(last.errors)")
        // Hidden files of killed runs are removed, too.
        #expect(try photos.tree("out") == whole)
        #expect(try Set(photos.results("results").compactMap { $0["path"] as? String }) == Set(photos.paths))
        #expect(try photos.results("results").count == 60)
        #expect(try await photos.run(["verify", "results"]).code == 0)
    }

    @Test("can run twice at a time over the same list")
    func twice() async throws {
        let photos = try PhotoFolder(40)
        let arguments = ["--manifest", "list", "-s", "64", "-o"]
        #expect(try await photos.run(arguments + ["whole/{name}.jpg"]).code == 0)
        let both = try (0..<2).map {
            try photos.start(arguments + ["out/{name}.jpg", "--results", "results\($0)"])
        }
        for process in both {
            await process.end()
            #expect(process.terminationStatus == 0)
        }
        #expect(try photos.tree("out") == photos.tree("whole"))
        for number in 0..<2 {
            #expect(
                try photos.results("results\(number)").statuses.allSatisfy { ["ok", "skipped"].contains($0) })
        }
    }

    @Test("exits with 75 if another run writes the same results")
    func busy() async throws {
        let photos = try PhotoFolder(1)
        let pipe = Pipe()
        let first = try photos.start(["--manifest", "-", "--results", "results"], input: pipe)
        try pipe.fileHandleForWriting.write(contentsOf: Data("{\"path\":\"in/sub/0.png\"}\n".utf8))
        while try !photos.folder.names.contains("results") || photos.folder.data("results").isEmpty {
            try await Task.sleep(for: .milliseconds(10))
        }
        let second = try await photos.run(["in/sub/0.png", "--results", "results"])
        #expect(second.code == 75 && second.errors.contains("results"))
        try pipe.fileHandleForWriting.close()
        await first.end()
        #expect(first.terminationStatus == 0)
    }

    @Test(
        "finishes items in progress on a signal, reports the rest, and continues in the next run",
        arguments: [
            (SIGTERM, 143), (SIGINT, 130),
        ] as [(Int32, Int32)])
    func signals(_ signal: Int32, _ code: Int32) async throws {
        let arguments = [
            "--manifest", "list", "-s", "100", "--jobs", "1", "--results", "results", "--resume",
        ]
        var (photos, status, done) = (try PhotoFolder(60, size: 200), Int32(0), 60)
        // On a busy machine the run may end before the signal.
        for attempt in 0..<20 where done == 60 {
            if attempt > 0 { photos = try PhotoFolder(60, size: 200) }
            let process = try photos.start(arguments)
            while try !photos.folder.names.contains("results") || photos.folder.data("results").isEmpty {
                try await Task.sleep(for: .milliseconds(2))
            }
            kill(process.processIdentifier, signal)
            await process.end()
            (status, done) = (process.terminationStatus, try photos.results("results").count)
        }
        #expect(status == code)
        let errors = String(decoding: try photos.folder.data("err"), as: UTF8.self)
        #expect(done < 60)
        #expect(errors.contains("\(60 - done) left"), "\(errors)")
        #expect(photos.folder.files(below: "thumbnails").count == done)
        let rest = try await photos.run(arguments)
        #expect(
            rest.code == 0 && rest.errors.contains("\(60 - done) made, \(done) kept from an earlier run"),
            "\(rest.errors)")
        #expect(try photos.results("results").count == 60)
    }

    @Test("ends on a signal while it waits for lines")
    func waiting() async throws {
        let photos = try PhotoFolder(1)
        let pipe = Pipe()
        let process = try photos.start(["--manifest", "-", "--results", "results"], input: pipe)
        try pipe.fileHandleForWriting.write(contentsOf: Data("{\"path\":\"in/sub/0.png\"}\n".utf8))
        while try !photos.folder.names.contains("results") || photos.folder.data("results").isEmpty {
            try await Task.sleep(for: .milliseconds(10))
        }
        kill(process.processIdentifier, SIGTERM)
        await process.end()
        #expect(process.terminationStatus == 143)
        #expect(try photos.results("results").statuses == ["ok"])
    }
}

extension PhotoFolder {
    /// Adds lines to the manifest.
    func adding(_ lines: [String]) throws -> PhotoFolder {
        try writeManifest(paths.map { "{\"path\":\"\($0)\"}" } + lines)
        return self
    }
}
