import Foundation
import TestSupport
import Testing

@Suite("viewport manifest")
struct ManifestCommandTests {
    private static let viewport = BuiltProgram("viewport")
    private static let base = ["--base-url", "https://example.org/i/"]

    private static func photos() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("in/one"), withIntermediateDirectories: true)
        for name in ["p10.jpg", "p2.jpg", "one/a b.jpg"] {
            try Data(TinyPhoto.jpeg(date: "2014:05:25 10:00:00")).write(
                to: folder.url.appendingPathComponent("in/\(name)"))
        }
        return folder
    }

    @Test("writes the images in natural order, with a range for each folder")
    func manifest() async throws {
        let folder = try Self.photos()
        let output = folder.path("m.json")
        let run = try await Self.viewport.run(
            ["manifest", folder.path("in"), "--recursive", "-o", output, "--json", "--behavior", "paged"]
                + Self.base)
        #expect(run.code == 0)
        #expect(run.json["images"] as? Int == 3)
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: output)))
                as? [String: Any])
        let id = "https://example.org/i/presentation/manifest.json"
        #expect(json["id"] as? String == id)
        #expect(json["behavior"] as? [String] == ["paged"])
        let canvases = try #require(json["items"] as? [[String: Any]])
        let ids = canvases.compactMap { $0["id"] as? String }
        #expect(ids == ["p2.jpg", "p10.jpg", "one%2Fa%20b.jpg"].map { "\(id)/canvas/\($0)" })
        #expect(canvases[0]["navDate"] as? String == "2014-05-25T10:00:00Z")
        let ranges = try #require(json["structures"] as? [[String: Any]])
        #expect(ranges.map { $0["id"] as? String } == ["\(id)/range/one"])
        // Its own is replaced, that of another URL is not.
        let again = ["manifest", folder.path("in"), "-o", output]
        #expect(try await Self.viewport.run(again + Self.base).code == 0)
        let other = try await Self.viewport.run(again + ["--base-url", "https://example.com"])
        #expect(other.code != 0)
        #expect(
            try await Self.viewport.run(again + ["--base-url", "https://example.com", "--overwrite"]).code
                == 0)
        #expect(folder.names == ["in", "m.json"])
    }

    @Test("has a canvas of each page of a TIFF, and one of a pyramid")
    func pages() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("in/book"), withIntermediateDirectories: true)
        for (name, bytes) in [("book/scan.tif", PageMaker.scan), ("pyramid.tif", PageMaker.pyramid)] {
            try Data(bytes).write(to: folder.url.appendingPathComponent("in/\(name)"))
        }
        let run = try await Self.viewport.run(
            ["manifest", folder.path("in"), "--recursive", "-o", "-"] + Self.base)
        #expect(run.code == 0)
        let canvases = try #require(run.json["items"] as? [[String: Any]])
        let names = ["pyramid.tif", "book%2Fscan.tif", "book%2Fscan.tif%3B2"]
        let start = "https://example.org/i/presentation/manifest.json/canvas"
        #expect(canvases.map { $0["id"] as? String } == names.map { "\(start)/\($0)" })
        #expect(canvases.map { $0["width"] as? Int } == [64, 40, 20])
        #expect(canvases.map { $0["height"] as? Int } == [48, 30, 50])
        for name in names {
            #expect(run.text.contains("\"https://example.org/i/iiif/3/\(name)\""), "\(name)")
        }
        let labels = canvases.map { ($0["label"] as? [String: [String]])?["none"] }
        #expect(labels == [["pyramid.tif"], ["scan.tif, page 1"], ["scan.tif, page 3"]])
        let range = try #require((run.json["structures"] as? [[String: Any]])?.first)
        let items = range["items"] as? [[String: Any]] ?? []
        #expect(items.map { $0["id"] as? String } == names.dropFirst().map { "\(start)/\($0)" })
    }

    @Test("leaves damaged files out, and says so")
    func damaged() async throws {
        let folder = try Self.photos()
        try Data("no image".utf8).write(to: folder.url.appendingPathComponent("in/b.jpg"))
        let run = try await Self.viewport.run(["manifest", folder.path("in"), "-o", "-"] + Self.base)
        #expect(run.code == 3)
        #expect(run.errors.contains("b.jpg"))
        #expect(
            run.text.hasPrefix("{\"@context\"") && !run.text.contains("b.jpg") && run.text.contains("p2.jpg"))
    }

    @Test(
        "refuses",
        arguments: [
            ["--base-url", "example.org"], ["--base-url", "https://"],
            ["--base-url", "https://a", "--rights", "CC BY"],
            ["--base-url", "https://a", "--language", "de_AT"],
            ["--base-url", "https://a", "--metadata", "most"],
        ])
    func refusals(_ arguments: [String]) async throws {
        let folder = try Self.photos()
        let run = try await Self.viewport.run(
            ["manifest", folder.path("in"), "-o", folder.path("m.json")] + arguments)
        #expect(run.code == 64)
        #expect(folder.names == ["in"])
    }
}
