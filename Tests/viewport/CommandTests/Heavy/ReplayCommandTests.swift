import Foundation
import TestSupport
import Testing
import ViewportGeometry
import Vips

@Suite("viewport replay")
struct ReplayCommandTests {
    static let viewport = BuiltProgram("viewport")

    /// A fling over a picture of 400 x 300, then a jump to its middle.
    static let script = """
        {"setup":{"bounds":[80,60],"zoomScale":1,"minimumZoomScale":0.2,"maximumZoomScale":4}}
        {"t":0,"touches":[[1,40,50]],"phase":"began"}
        {"t":0.05,"touches":[[1,40,30]],"phase":"moved"}
        {"t":0.1,"touches":[[1,40,10]],"phase":"ended"}
        {"t":1,"zoomToRect":[100,100,80,60],"animated":false}
        {"t":2,"explain":true}

        """

    static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 300, height: 400).save(folder.path("photo.jpg"), oriented: .right)
        try Data(script.utf8).write(to: URL(fileURLWithPath: folder.path("script.jsonl")))
        return folder
    }

    @Test("prints one line per line of a file or of standard input")
    func lines() async throws {
        let folder = try Self.folder()
        let photo = ["--image", folder.path("photo.jpg")]
        let file = try await Self.viewport.run(["replay", folder.path("script.jsonl")] + photo)
        #expect(file.code == 0 && file.errors.isEmpty, "\(file.errors)")
        let lines = file.text.split(separator: "\n")
        #expect(lines.count == 6)
        for (index, line) in lines.enumerated() {
            let json = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(json["line"] as? Int == index + 1)
        }
        let piped = try await Self.viewport.run(["replay", "-"] + photo, input: Data(Self.script.utf8))
        #expect(piped.text == file.text)
    }

    @Test("writes frames that equal the pictures of render")
    func frames() async throws {
        let folder = try Self.folder()
        let result = try await Self.viewport.run([
            "replay", folder.path("script.jsonl"), "--image", folder.path("photo.jpg"), "--frames",
            folder.path("film"), "--fps", "10",
        ])
        #expect(result.code == 0, "\(result.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("film")).sorted()
        // Frames at 0, 0.1 … 1.9, and the end.
        #expect(names.count == 21)
        #expect(names.first == "frame-00000.png")
        _ = try await Self.viewport.run([
            "render", folder.path("photo.jpg"), "--size", "80x60", "--rect", "100,100,80,60", "-o",
            folder.path("view.png"),
        ])
        let last = try Data(contentsOf: URL(fileURLWithPath: folder.path("film/frame-00020.png")))
        #expect(last == (try Data(contentsOf: URL(fileURLWithPath: folder.path("view.png")))))
    }

    @Test("writes one animation", arguments: ["webp", "gif", "apng"])
    func animation(_ ending: String) async throws {
        let folder = try Self.folder()
        let film = folder.path("film.\(ending)")
        let result = try await Self.viewport.run([
            "replay", folder.path("script.jsonl"), "--image", folder.path("photo.jpg"), "--frames", film,
            "--fps", "5",
        ])
        #expect(result.code == 0, "\(result.errors)")
        let data = try Data(contentsOf: URL(fileURLWithPath: film))
        if ending == "apng" {
            #expect(data.range(of: Data("acTL".utf8)) != nil && data.range(of: Data("fdAT".utf8)) != nil)
        }
        let loader = try VipsImage.loader(for: film)
        let first = try VipsImage.load(film, with: loader, [:])
        #expect((first.width, first.height) == (80, 60))
        if ending != "apng" { #expect((first.int("n-pages") ?? 0) > 1) }
    }

    @Test(
        "stops at a bad line with its number and 65",
        arguments: [
            ("{", 2), ("{\"t\":-1}", 2), ("{\"setZoomScale\":\"x\"}", 2), ("nonsense", 2),
            ("{\"touches\":[[1,2]]}", 2),
        ])
    func badLine(_ line: String, _ number: Int) async throws {
        let folder = try Self.folder()
        let script = "{\"setup\":{\"bounds\":[80,60],\"viewSize\":[100,100]}}\n\(line)\n{\"explain\":true}\n"
        let result = try await Self.viewport.run(["replay", "-"], in: folder.url, input: Data(script.utf8))
        #expect(result.code == 65)
        #expect(result.errors.contains("line \(number)"), "\(result.errors)")
        #expect(result.errors.split(separator: "\n").count == 1)
        #expect(result.text.split(separator: "\n").count == 1, "lines before it are answered")
    }

    static let refusedRequests: [([String], code: Int32)] = [
        (["nosuch.jsonl"], 66), (["script.jsonl", "--image", "nosuch.jpg"], 66),
        (["script.jsonl", "--frames", "film"], 64),
        (["script.jsonl", "--image", "photo.jpg", "--fps", "0"], 64),
        (["script.jsonl", "--image", "photo.jpg", "--frames", "no/such/film"], 73),
        (["script.jsonl", "--image", "photo.jpg", "--frames", "photo.jpg"], 73),
    ]

    @Test("refuses what it cannot read or write", arguments: refusedRequests)
    func refusals(_ arguments: [String], _ code: Int32) async throws {
        let folder = try Self.folder()
        let result = try await Self.viewport.run(["replay"] + arguments, in: folder.url)
        #expect(result.code == code, "\(result.errors)")
        #expect(result.errors.split(separator: "\n").count == 1)
    }
}
