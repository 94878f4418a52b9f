import Foundation
import TestHarness
import TestSupport
import Testing

@testable import viewport

@Suite("A manifest of pictures or pyramids", .ownThread)
struct ManifestJobsTests {
    /// Runs a command in the folder of photos.
    static func run(_ arguments: [String], _ photos: PhotoFolder) async throws -> BuiltProgram.Result {
        try await PhotoFolder.viewport.run(arguments, in: photos.folder.url)
    }

    /// A line of each of some options, twice per photo, with what goes wrong.
    static let lines = [
        #"{"path":"in/1.jpg","id":"1","rect":[10,20,30,25]}"#,
        #"{"path":"in/1.jpg","id":"2","size":"40x40"}"#,
        #"{"path":"in/1.jpg","rect":"0,0,50,50","zoom":0.5,"output":"out/own.jpg","note":"mine"}"#,
        #"{"path":"in/2.jpg","id":"3","rotate":90,"flip":true,"format":"png"}"#,
        #"{"path":"in/2.jpg","id":"4","iiif":"10,10,40,20/20,/90/default.png"}"#,
        #"{"path":"in/2.jpg","id":"5","rect":[900,900,10,10]}"#,
        #"{"path":"in/2.jpg","id":"6","zoom":"much"}"#,
        #"{"path":"in/2.jpg","id":"7","crop":true}"#, #"{"path":"gone.jpg","id":"8"}"#, "no line",
        #"{"path":"in/1.jpg","rect":"0,0,50,50","zoom":0.5,"output":"out/own.jpg","note":"mine"}"#,
        #"{"path":"in/4.jpg","id":"9","output":"out/own.jpg"}"#,
    ]

    @Test("equals single renders, names every fault, and resumes")
    func render() async throws {
        let photos = try PhotoFolder(5)
        try photos.writeManifest(Self.lines)
        let arguments = [
            "render", "--manifest", "list", "-o", "out/{id}.png", "--results", "done", "--resume",
            "--no-cache",
        ]
        let run = try await Self.run(arguments, photos)
        #expect(run.code == 3 && run.errors.contains("5 made, 1 listed twice, 6 failed"), "\(run.errors)")
        let results = try photos.results("done").sorted { $0["line"] as? Int ?? 0 < $1["line"] as? Int ?? 0 }
        #expect(
            results.statuses == [
                "ok", "ok", "ok", "ok", "ok", "error", "error", "error", "error", "error", "duplicate",
                "error",
            ])
        let codes = results.map { ($0["error"] as? [String: Any])?["code"] as? String ?? "" }
        #expect(
            codes.suffix(7) == [
                "outside", "bad-option", "bad-option", "missing", "bad-line", "", "collision",
            ])
        #expect(results[2]["note"] as? String == "mine")
        let single: [(String, [String])] = [
            ("1.png", ["in/1.jpg", "--rect", "10,20,30,25"]), ("2.png", ["in/1.jpg", "--size", "40x40"]),
            ("own.jpg", ["in/1.jpg", "--rect", "0,0,50,50", "--zoom", "0.5"]),
            ("3.png", ["in/2.jpg", "--rotate", "90", "--flip"]),
            ("4.png", ["in/2.jpg", "--iiif", "10,10,40,20/20,/90/default.png"]),
        ]
        for (name, options) in single {
            let alone = try await Self.run(
                ["render"] + options + ["--no-cache", "-o", "one-\(name)"], photos)
            #expect(alone.code == 0, "\(alone.errors)")
            #expect(try photos.folder.data("one-\(name)") == photos.folder.data("out/\(name)"), "\(name)")
        }
        #expect(try await photos.run(["verify", "done"]).code == 0)
        // Only what may change is repeated.
        let again = try await Self.run(arguments, photos)
        #expect(again.errors.contains("0 made, 8 kept from an earlier run"), "\(again.errors)")
        let other = try await Self.run(arguments + ["--linear"], photos)
        // The output of --iiif has no mark; one of equal bytes is replaced.
        #expect(other.errors.contains("5 made"), "\(other.errors)")
    }

    /// Options, and the fingerprint of their results that earlier versions wrote.
    static let fingerprints: [(options: [String], text: String)] = [
        (["render"], "9152c4fd2846e799"), (["render", "--zoom", "0.5"], "52e46e6c48f67b42"),
        (["render", "--rect", "pct:10,10,50,50"], "de7d0c23471d5b49"),
        (["render", "--size", "200x100", "--content-mode", "center"], "0386d17493c5cc53"),
        (["render", "--size", "200"], "d9fa813e253a6a47"),
        (["render", "--size", "200x100", "--zoom", "0.5", "--center", "100,120"], "ff4199fc97d94e08"),
        (["render", "--size", "200x100", "--zoom", "0.5", "--offset", "10,12"], "ff435a4003638e65"),
        (["render", "--min-zoom", "0.1", "--max-zoom", "0.25"], "051960fd36bc1905"),
        (["render", "--background", "#33669980"], "87f67e4371957449"),
        (["pyramid", "-o", "o/{id}.dzi"], "7478fce60ac7586d"),
        (["pyramid", "-o", "o/{id}.dzi", "--background", "red", "--format", "png"], "9a756bfc5daf800e"),
    ]

    @Test("goes on where an earlier version stopped", arguments: fingerprints)
    func fingerprint(_ options: [String], _ text: String) async throws {
        let photos = try PhotoFolder(2)
        try photos.writeManifest([#"{"path":"in/1.jpg","id":"1"}"#])
        let run = try await Self.run(options + ["--manifest", "list", "--results", "done"], photos)
        #expect(run.code == 0, "\(run.errors)")
        #expect(try photos.results("done").first?["recipe"] as? String == text)
    }

    @Test("is the same in shards, and merge finds what is missing", arguments: ["render", "pyramid"])
    func shards(_ job: String) async throws {
        let photos = try PhotoFolder(6)
        let lines = photos.paths.flatMap { path in
            job == "render"
                ? [0, 10, 20].map {
                    "{\"path\":\"\(path)\",\"rect\":[\($0),0,16,16],\"output\":\"O/\(path)-\($0).png\"}"
                }
                : ["{\"path\":\"\(path)\",\"output\":\"O/\(path).dzi\",\"tile-size\":64}"]
        }
        func run(_ folder: String, _ more: [String]) async throws -> BuiltProgram.Result {
            try photos.writeManifest(lines.map { $0.replacingOccurrences(of: "O/", with: "\(folder)/") })
            let output = job == "render" ? [] : ["-o", "\(folder)/{id}.dzi"]
            return try await Self.run([job, "--manifest", "list"] + output + more, photos)
        }
        #expect(try await run("whole", []).code == 0)
        for index in 0..<3 {
            let part = try await run("parts", ["--shard", "\(index)/3", "--results", "\(index)"])
            #expect(part.code == 0, "\(part.errors)")
        }
        #expect(try photos.tree("parts") == photos.tree("whole"))
        let merged = try await photos.run(["merge", "--manifest", "list", "-o", "all", "0", "1", "2"])
        #expect(merged.code == 0, "\(merged.errors)")
        #expect(try photos.results("all").compactMap { $0["line"] as? Int } == Array(1...lines.count))
        #expect(try await photos.run(["verify", "all"]).code == 0)
        let missing = try await photos.run(["merge", "--manifest", "list", "--missing", "rest", "0", "1"])
        #expect(missing.code == 3)
        #expect(try photos.results("rest").count == photos.results("2").count)
        // A tile that is lost is found.
        let lost = try #require(
            try photos.tree("parts").keys.first { $0.hasSuffix(job == "render" ? ".png" : "_0.jpg") })
        try FileManager.default.removeItem(atPath: photos.folder.path("parts/\(lost)"))
        #expect(try await photos.run(["verify", "all"]).code == 3)
        // A pyramid that lacks a tile is replaced on request only.
        let resumed = try await run("parts", ["--results", "all", "--resume", "--overwrite"])
        #expect(resumed.errors.contains("1 made, \(lines.count - 1) kept"), "\(resumed.errors)")
        #expect(try photos.tree("parts") == photos.tree("whole"))
    }

    @Test(
        "leaves no partial output when it is killed at any moment, and continues",
        arguments: ["render", "pyramid"])
    func killing(_ job: String) async throws {
        let photos = try PhotoFolder(5)
        let ending = job == "render" ? "png" : "dzi"
        try photos.writeManifest(
            (0..<40).map { number in
                let option = job == "render" ? "\"rect\":[\(number),0,50,60]" : "\"tile-size\":\(20 + number)"
                return "{\"path\":\"\(photos.paths[number % 5])\",\"id\":\(number),\(option)}"
            })
        func arguments(_ folder: String) -> [String] {
            [
                "--manifest", "list", "-o", "\(folder)/{id}.\(ending)", "--results", folder + "-done",
                "--resume",
            ]
        }
        #expect(try await Self.run([job] + arguments("whole"), photos).code == 0)
        let whole = try photos.tree("whole")
        var random = SplitMix64(seed: 5)
        for _ in 0..<TestLength.repetitions(12, short: 5) {
            let process = try photos.start(arguments("out"), job: job)
            try await Task.sleep(for: .milliseconds(Int(random.next() % 400)))
            kill(process.processIdentifier, SIGKILL)
            await process.end()
        }
        let last = try await Self.run([job] + arguments("out"), photos)
        #expect(last.code == 0, "\(last.errors)")
        #expect(try photos.tree("out") == whole)
        #expect(try photos.results("out-done").compactMap { $0["id"] as? Int }.sorted() == Array(0..<40))
        #expect(try await photos.run(["verify", "out-done"]).code == 0)
    }

    @Test("continues after a full disk, and reads lists of other systems", arguments: ["render", "pyramid"])
    func full(_ job: String) async throws {
        let photos = try PhotoFolder(6, size: 300)
        let lines = photos.paths.enumerated().map { number, path in
            // Half of the outputs are larger than the limit.
            let small = job == "render" ? "\"size\":\"20x20\"" : "\"tile-size\":24"
            return "{\"path\":\"\(path)\",\"id\":\(number),\"quality\":100"
                + (number % 2 == 0 ? "}" : ",\(small)}")
        }
        try photos.write("\u{FEFF}" + lines.joined(separator: "\r\n"), to: "list")
        let arguments = [
            job, "--manifest", "list", "--results", "done", "--resume", "-o",
            job == "render" ? "out/{id}.jpg" : "out/{id}.dzi",
        ]
        // A limit of file sizes simulates the full disk: files cannot exceed 8 kB.
        let shell = try #require(BuiltProgram(installed: "bash"))
        let limited = try await shell.run(
            ["-c", "ulimit -f 8; exec \"$0\" \"$@\"", PhotoFolder.viewport.url.path] + arguments,
            in: photos.folder.url)
        #expect(limited.code == 73 && limited.errors.contains("3 made, 3 failed"), "\(limited.errors)")
        #expect(Set(try photos.results("done").codes.values) == ["cannot-write"])
        #expect(try await photos.run(["verify", "done"]).code == 0)
        let resumed = try await Self.run(arguments, photos)
        #expect(resumed.code == 0 && resumed.errors.contains("3 made, 3 kept"), "\(resumed.errors)")
        #expect(try photos.results("done").compactMap { $0["line"] as? Int }.sorted() == Array(1...6))
        #expect(!photos.folder.files(below: "out").contains { $0.hasPrefix(".") })
    }

    @Test("takes every option of render and of pyramid that decides the output")
    func options() {
        let apart: Set = [
            "manifest", "root", "results", "shard", "resume", "retry-failed", "max-errors", "fail-fast",
            "jobs", "json",
            "quiet", "overwrite", "output", "allow-untrusted", "allow-truncated", "cache", "no-cache", "help",
            "version", "remote-timeout", "remote-memory", "remote-on-disk", "no-sidecar", "html", "recursive",
            "name-rule", "faces",
        ]
        let render = OptionNames(of: RenderCommand.self).all.flatMap(\.names).filter { $0.hasPrefix("--") }
        #expect(
            Set(render.map { String($0.dropFirst(2)) }).subtracting(apart)
                == Set(RenderCommand.lineOptions.keys))
        let pyramid = OptionNames(of: PyramidCommand.self).all.flatMap(\.names).filter { $0.hasPrefix("--") }
        #expect(
            Set(pyramid.map { String($0.dropFirst(2)) }).subtracting(apart.union(["id"]))
                == Set(PyramidCommand.lineOptions.keys).subtracting(["url"]))
    }

    @Test("refuses what does not fit a manifest")
    func refusals() async throws {
        let photos = try PhotoFolder(1)
        for arguments in [
            ["render"], ["render", "in/sub/0.png", "--manifest", "list"],
            ["render", "--manifest", "list", "-o", "{size}.png"],
            ["render", "--manifest", "list", "-o", "{what}.png"],
            ["pyramid", "-o", "a.dzi"], ["pyramid", "--manifest", "list", "-o", "{what}.dzi"],
            ["render", "--manifest", "list", "--resume"],
        ] {
            #expect(try await Self.run(arguments, photos).code == 64, "\(arguments)")
        }
        #expect(try await Self.run(["render", "--manifest", "none"], photos).code == 66)
    }
}
