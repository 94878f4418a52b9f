#if Server && Library
import Basics
import Foundation
import ImageMetadata
@testable import LibraryServing
import PhotoCatalog
import Presentation
import TestSupport
import Testing
import TileServing

@Suite("Manifests of a library")
struct LibraryManifestTests {
    private static func json(
        _ running: RunningLibrary, _ path: String, _ headers: [(String, String)] = []
    ) async throws -> JSONValue {
        let answer = try await running.probe.send(path, headers: headers)
        #expect(answer.status == 200, "\(path): \(answer.text)")
        return try JSONValue(parsing: answer.text)
    }

    private static func ids(_ json: JSONValue) -> [String] {
        json["items"]?.array?.compactMap { $0["id"]?.string } ?? []
    }

    /// The path of an address of the server.
    private static func path(_ address: String?, _ running: RunningLibrary) throws -> String {
        let base = "http://127.0.0.1:\(running.probe.port)"
        let address = try #require(address)
        #expect(address.hasPrefix(base))
        return String(address.dropFirst(base.count))
    }

    @Test("lead from the collection of all groups to the photos in the order of the grid")
    func tree() async throws {
        try await RunningLibrary.with { running in
            let album = try await running.library.createAlbum("Best ä")
            let all = try await running.library.collection(grouping: .day, sorter: .dateDescending).snapshot()
            try await running.library.add(Array(all.ids.prefix(3)), to: album.id)
            let top = try await Self.json(running, running.address + "collection.json")
            #expect(top["type"]?.string == "Collection")
            let labels = top["items"]?.array?.compactMap { $0["label"]?["none"]?.array?.first?.string }
            #expect(labels?.contains("Best ä") == true && labels?.contains("even") == true)
            #expect(labels?.contains("Picks") == false, "it has no photos")
            for address in Self.ids(top) {
                let manifest = try await Self.json(running, Self.path(address, running))
                #expect(manifest["id"]?.string == address && manifest["type"]?.string == "Manifest")
                for canvas in manifest["items"]?.array ?? [] {
                    let picture = try Self.path(
                        canvas["thumbnail"]?.array?.first?["id"]?.string, running)
                    // The pictures of this library have headers only.
                    #expect(picture.hasPrefix("/iiif/3/") && picture.hasSuffix("/0/default.jpg"))
                }
            }
            let whole = try await Self.json(running, running.address + "group/all/manifest.json")
            let photos = try await running.library.assets(all.ids).filter { $0.kinds.contains(.photo) }
            let expected = photos.map {
                "http://127.0.0.1:\(running.probe.port)\(running.address)group/all/canvas/\($0.id)"
            }
            #expect(Self.ids(whole) == expected)
            let range = whole["structures"]?.array?.first
            #expect(range?["label"]?["none"]?.array?.first?.string == "2015-05-25")
        }
    }

    @Test(
        "have the words of the catalog, and positions only if they are asked for", arguments: [false, true])
    func metadata(_ hasAll: Bool) async throws {
        try await RunningLibrary.with(RunningLibrary.write(into:)) {
            $0.manifests.metadata = hasAll ? .all : .some
        } _: { running in
            let photos = running.library.collection(filter: AssetKinds.jpeg)
            var asset = try #require(try await photos.assets(0..<1).first)
            asset.title = "<b>Lake</b>"
            asset.keywords = ["blue", "water"]
            (asset.make, asset.model) = ("FUJIFILM", "X100V")
            asset.place = "Genève, CH"
            asset.location = Location(latitude: 46.2, longitude: 6.14, source: .exif)
            try await running.library.update([asset])
            let manifest = try await Self.json(
                running, running.address + "group/all/manifest.json?where=keyword%3Ablue")
            let canvas = try #require(manifest["items"]?.array?.first)
            #expect(manifest["items"]?.array?.count == 1)
            #expect(canvas["label"]?["none"]?.array?.first?.string == "<b>Lake</b>")
            let text = canvas.description
            #expect(text.contains("Genève, CH") && text.contains("X100V") && text.contains("water"))
            #expect((canvas["navPlace"] != nil) == hasAll && text.contains("46.2") == hasAll)
            #expect(canvas["navDate"] != nil)
            // The original and a PDF.
            let links = try #require(canvas["rendering"]?.array)
            #expect(links.compactMap { $0["format"]?.string } == ["image/jpeg", "application/pdf"])
            let original = try await running.probe.send(Self.path(links[0]["id"]?.string, running))
            #expect(original.status == 200)
            #expect(original.body == [UInt8](try running.folder.data(asset.path)))
        }
    }

    @Test("have a tag until the library changes, and are for pages of this server only")
    func tags() async throws {
        try await RunningLibrary.with { running in
            let path = running.address + "group/all/manifest.json?sort=ascending"
            let first = try await running.probe.send(path)
            let tag = try #require(first.headers["etag"])
            #expect(try await running.probe.send(path, headers: [("If-None-Match", tag)]).status == 304)
            var asset = try #require(try await running.library.collection().assets(0..<1).first)
            asset.title = "New"
            try await running.library.update([asset])
            let second = try await running.probe.send(path, headers: [("If-None-Match", tag)])
            #expect(second.status == 200 && second.text.contains("New"))
            let foreign = [("Origin", "https://example.org"), ("Sec-Fetch-Site", "cross-site")]
            #expect(try await running.probe.send(path, headers: foreign).status == 403)
        }
    }

    @Test("have at most 1000 photos, and their canvases lead to the viewer")
    func large() async throws {
        try await RunningLibrary.with({ folder in
            for number in 1...1001 {
                try RunningLibrary.write(TinyPhoto.jpeg(salt: UInt64(number)), "\(number).jpg", folder)
            }
        }) { running in
            let group = running.address + "group/all/"
            let redirect = try await running.probe.send(running.address + "manifest.json?group-by=all")
            #expect(redirect.status == 303)
            let small = try Self.path(redirect.headers["location"], running)
            #expect(small == group + "manifest.json?group-by=all")
            let other = try await running.probe.send(small)
            #expect(other.status == 303)
            let collection = try await Self.json(running, Self.path(other.headers["location"], running))
            let parts = Self.ids(collection)
            #expect(parts.count == 2 && parts[1].hasSuffix("group/all/manifest-2.json?group-by=all"))
            let last = try await Self.json(running, Self.path(parts[1], running))
            #expect(Self.ids(last).count == 1 && last["structures"] == nil)
            let canvas = try await running.probe.send(Self.path(Self.ids(last).first, running))
            #expect(canvas.status == 303)
            let viewer = try Self.path(canvas.headers["location"], running)
            #expect(viewer.contains("/view/") && viewer.contains("manifest-2.json"))
            #expect(try await running.probe.send(viewer).status == 200)
            let first = try await running.probe.send(group + "canvas/")
            #expect(first.status == 303 && first.headers["location"]?.contains("manifest-1.json") == true)
        }
    }

    @Test(
        "refuse",
        arguments: [
            ("group/none/manifest.json", 404), ("group/album-999/manifest.json", 404),
            ("group/all/manifest-1.json", 404), ("group/all/other.json", 404), ("group/all/canvas/0", 404),
            ("group/all/canvas/x", 404), ("group/all/page/1", 404),
            ("group/all/manifest.json?where=camra:x", 400), ("group/all/manifest.json?filter=video", 404),
            ("group/picks/manifest.json", 404), ("group/picks/manifest.json?group=album-2", 400),
            ("group/all/manifest.json?where=nothinghasthisword", 404),
        ])
    func refusals(_ path: String, _ status: Int) async throws {
        try await RunningLibrary.with { running in
            let answer = try await running.probe.send(running.address + path)
            #expect(answer.status == status, "\(answer.text)")
        }
    }
}
#endif
