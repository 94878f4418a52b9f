import Basics
import Foundation
import TestSupport
import Testing
import Vips

@Suite("Manifests of viewport site")
struct SiteManifestTests {
    private static let base = "https://example.org/a%20b"
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["b 1.jpg", "trip/c.png", "trip/day/d.jpg", "broken/e.jpg"] {
            let url = folder.url.appendingPathComponent("photos/\(name)")
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try TestImages.photo(width: 960, height: 640).save(
                url.path, with: name.hasSuffix("png") ? "pngsave" : "jpegsave")
        }
        try Data("no image".utf8).write(to: URL(fileURLWithPath: folder.path("photos/broken/e.jpg")))
    }

    private func site(_ arguments: String...) async throws -> BuiltProgram.Result {
        try await BuiltProgram("viewport").run(
            ["site", "photos", "-o", "site", "--recursive"] + arguments, in: folder.url)
    }

    private func json(_ address: String?) throws -> JSONValue {
        let address = try #require(address)
        #expect(address.hasPrefix(Self.base + "/"))
        let path = try #require(address.dropFirst(Self.base.count + 1).removingPercentEncoding)
        return try JSONValue(parsing: String(decoding: folder.data("site/\(path)"), as: UTF8.self))
    }

    @Test("lead from the collection to each JPEG and its thumbnail, which the site has")
    func tree() async throws {
        let result = try await site(
            "--base-url", Self.base + "/", "--title", "Summer", "--attribution", "Archive")
        #expect(result.code == 3, "\(result.errors)")
        let top = try json("\(Self.base)/collection.json")
        #expect(top["label"]?["none"]?.array == [.string("Summer")])
        let items = top["items"]?.array ?? []
        #expect(
            items.compactMap { $0["id"]?.string }
                == ["manifest.json", "trip/collection.json"].map { "\(Self.base)/\($0)" },
            "the folder without pictures is left out")
        let inner = try json(items.last?["id"]?.string)
        let manifests = [items.first] + (inner["items"]?.array ?? [])
        #expect(manifests.count == 3)
        for reference in manifests {
            let manifest = try json(reference?["id"]?.string)
            #expect(manifest["type"]?.string == "Manifest" && manifest["id"] == reference?["id"])
            #expect(manifest["requiredStatement"]?["value"]?["none"]?.array == [.string("Archive")])
            let canvas = try #require(manifest["items"]?.array?.first)
            #expect(canvas["width"]?.int == 960 && canvas["height"]?.int == 640)
            let body = canvas["items"]?.array?.first?["items"]?.array?.first?["body"]
            let ending = body?["id"]?.string?.split(separator: ".").last
            #expect(body?["format"]?.string == (ending == "png" ? "image/png" : "image/jpeg"))
            let links = canvas["rendering"]?.array ?? []
            #expect(links.compactMap { $0["format"]?.string } == ["text/html"])
            for address in [body?["id"], canvas["thumbnail"]?.array?.first?["id"], links.first?["id"]] {
                let path = address?.string?.dropFirst(Self.base.count + 1).removingPercentEncoding
                let file = folder.path("site/\(path ?? "?")")
                #expect(FileManager.default.fileExists(atPath: file), "\(file)")
            }
            let thumbnail = try #require(canvas["thumbnail"]?.array?.first)
            #expect(thumbnail["width"]?.int == 480 && thumbnail["height"]?.int == 320)
        }
    }

    @Test(
        "name JPEGs that lie elsewhere",
        arguments: [
            ("https://images.example.com/p/", "https://images.example.com/p/b%201.jpg"),
            ("/p", "https://example.org/p/b%201.jpg"), ("./p", "https://example.org/a%20b/p/b%201.jpg"),
        ])
    func linked(_ link: String, _ address: String) async throws {
        _ = try await site("--base-url", Self.base, "--link", link)
        let canvas = try json("\(Self.base)/manifest.json")["items"]?.array?.first
        let body = canvas?["items"]?.array?.first?["items"]?.array?.first?["body"]
        #expect(body?["id"]?.string == address)
    }

    @Test("are not written without the URL of the site, which has to be one")
    func none() async throws {
        #expect(try await site().code == 3)
        #expect(!folder.files(below: "site").contains { $0.hasSuffix(".json") })
        #expect(try await site("--base-url", "example.org").code == 64)
    }
}
