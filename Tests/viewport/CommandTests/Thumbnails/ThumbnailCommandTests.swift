import Foundation
import TestSupport
import Testing

@Suite("viewport thumbnail")
struct ThumbnailCommandTests {
    @Test("makes a thumbnail and prints its path; the second run keeps it")
    func one() async throws {
        let photos = try PhotoFolder(2, size: 300)
        let first = try await photos.run(["in/1.jpg"])
        #expect(first.code == 0 && first.text == "thumbnails/in/1.jpg-256.jpg\n" && first.errors == "")
        let again = try await photos.run(["in/1.jpg", "--json"])
        #expect(again.code == 0 && again.json["status"] as? String == "skipped")
        let output = try #require((again.json["outputs"] as? [[String: Any]])?.first)
        #expect(output["width"] as? Int == 256)
        #expect(output["bytes"] as? Int == (try photos.folder.data("thumbnails/in/1.jpg-256.jpg")).count)
    }

    @Test("makes it again when the recipe or the photo changes, or the thumbnail is damaged")
    func changes() async throws {
        let photos = try PhotoFolder(2)
        func status(_ more: String...) async throws -> String? {
            try await photos.run(["in/1.jpg", "--json"] + more).json["status"] as? String
        }
        #expect(try await status() == "ok")
        #expect(try await status("-Q", "30") == "ok")
        #expect(try await status("-Q", "30") == "skipped")
        #expect(try await status("-Q", "30", "--placeholder") == "ok")
        #expect(try await status("-Q", "30", "--placeholder") == "skipped")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1e9)],
            ofItemAtPath: photos.folder.path("in/1.jpg"))
        #expect(try await status() == "ok")
        #expect(try await status() == "skipped")
        let path = photos.folder.path("thumbnails/in/1.jpg-256.jpg")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
        bytes[bytes.count - 30] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.modificationDate: date as Any], ofItemAtPath: path)
        #expect(try await status() == "ok")
    }

    @Test("reads folders with --recursive: sorted, only pictures, nothing hidden, not its own output")
    func recursion() async throws {
        let photos = try PhotoFolder(7)
        try photos.write("text", to: "in/notes.txt")
        try photos.write("hidden", to: "in/.hidden.jpg")
        let refused = try await photos.run(["in", "--json"])
        #expect(refused.code == 66)
        #expect((refused.json["error"] as? [String: Any])?["code"] as? String == "folder")
        for _ in 0..<2 {
            let run = try await photos.run(["--recursive", ".", "--json", "--jobs", "1"])
            #expect(run.code == 0, "\(run.errors)")
            let paths = try PhotoFolder.results(run.text).map { $0["path"] as? String ?? "" }
            #expect(paths == photos.paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        }
    }

    @Test("never replaces a photo or a file that it did not write")
    func others() async throws {
        let photos = try PhotoFolder(2)
        try FileManager.default.copyItem(
            atPath: photos.folder.path("in/1.jpg"), toPath: photos.folder.path("in/1-256.jpg"))
        let before = try photos.tree("in")
        for output in ["{dir}/{stem}-{size}.jpg", "{dir}/{name}"] {
            let run = try await photos.run(["in/1.jpg", "-o", output, "--format", "jpg", "--json"])
            #expect(run.code == 73)
            #expect((run.json["error"] as? [String: Any])?["code"] as? String == "exists")
        }
        #expect(
            try await photos.run(["in/1.jpg", "--overwrite", "-o", "{dir}/{name}", "--format", "jpg"]).code
                == 73)
        #expect(try photos.tree("in") == before)
        #expect(try await photos.run(["in/1.jpg", "--overwrite", "-o", "{dir}/{stem}-{size}.jpg"]).code == 0)
        #expect(try photos.tree("in") != before)
    }

    @Test("gives a.png and a.jpg different names, or reports a collision")
    func names() async throws {
        let photos = try PhotoFolder(1)
        try FileManager.default.copyItem(
            atPath: photos.folder.path("in/sub/0.png"), toPath: photos.folder.path("a.png"))
        try FileManager.default.copyItem(
            atPath: photos.folder.path("in/sub/0.png"), toPath: photos.folder.path("a.jpg"))
        #expect(try await photos.run(["a.png", "a.jpg"]).code == 0)
        #expect(photos.folder.files(below: "thumbnails") == ["a.jpg-256.jpg", "a.png-256.jpg"])
        let met = try await photos.run(["a.png", "a.jpg", "-o", "o/{stem}.jpg", "--json"])
        #expect(met.code == 3)
        #expect(try PhotoFolder.results(met.text).codes == ["a.jpg": "collision"])
    }

    @Test(
        "exits with the right code",
        arguments: [
            (["in/1.jpg"], 0), (["none.jpg"], 66), (["in/1.jpg", "none.jpg"], 3), ([], 64),
            (["in/1.jpg", "--size", "0"], 64), (["in/1.jpg", "-o", "out/"], 0),
            (["in/1.jpg", "-o", "{stem}.jpg", "--format", "png"], 64),
            (["in/1.jpg", "-o", "{what}.jpg"], 64),
            (["in/1.jpg", "-o", "{stem}.tif"], 64), (["in/1.jpg", "-o", "{stem}"], 64),
            (["in/1.jpg", "-s", "9", "-s", "8", "-o", "{stem}.jpg"], 64), (["in/1.jpg", "--resume"], 64),
            (["in/1.jpg", "--manifest", "list"], 64), (["--manifest", "list", "--shard", "2/2"], 64),
            (["in/1.jpg", "--retry-failed"], 64), (["in/1.jpg", "--freedesktop", "-s", "200"], 64),
            (["--manifest", "none"], 66), (["--manifest", "in"], 66), (["--manifest", "list"], 0),
            (["in/1.jpg", "-o", "list/{name}.jpg"], 73), (["in/1.jpg", "-o", "/proc/none/{name}.jpg"], 73),
            (["in/1.jpg", "--results", "none/results"], 73), (["in/1.jpg", "--results", "/dev/full"], 73),
            (["merge", "none"], 66), (["verify", "none"], 66), (["merge"], 64), (["verify"], 64),
        ] as [([String], Int32)])
    func codes(_ arguments: [String], _ code: Int32) async throws {
        let photos = try PhotoFolder(2)
        let run = try await photos.run(arguments)
        #expect(run.code == code, "\(run.errors)")
        #expect(code == 0 || run.errors.contains("viewport: "))
    }

    @Test("exits with 64 if the environment has an invalid shard, and uses a valid one")
    func environment() async throws {
        let photos = try PhotoFolder(6)
        let bad = try await photos.run(["--manifest", "list"], environment: ["JOB_COMPLETION_INDEX": "0"])
        #expect(bad.code == 64 && bad.errors.contains("JOB_COMPLETIONS"))
        var parts: [String] = []
        for index in 0..<2 {
            let shard = ["VIEWPORT_SHARD": "\(index)/2"]
            parts.append(try await photos.run(["--manifest", "list"], environment: shard).text)
        }
        let paths = try parts.map { try Set(PhotoFolder.results($0).compactMap { $0["path"] as? String }) }
        #expect(paths[0].isDisjoint(with: paths[1]) && paths[0].union(paths[1]) == Set(photos.paths))
        // Files on the command line are not divided, whatever the environment.
        let named = try await photos.run(photos.paths + ["--json"], environment: ["VIEWPORT_SHARD": "0/2"])
        #expect(try PhotoFolder.results(named.text).count == 6)
    }
}
