#if Server
import Foundation
import Presentation
import TestSupport
import Testing
import Vips

@testable import TileServing

@Suite("Manifests of folders")
struct PresentationServingTests {
    private static func json(_ response: HTTPProbe.Response) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
    }

    private static func ids(_ json: [String: Any]) -> [String] {
        (json["items"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
    }

    @Test("lead from a collection to the images, for pages of any origin")
    func folder() async throws {
        let folder = try RunningServer.photos()
        try await RunningServer.with(folder) { probe in
            let top = try await probe.send("/presentation/collection.json")
            #expect(top.status == 200)
            #expect(top.headers["access-control-allow-origin"] == "*")
            #expect(
                top.headers["content-type"]
                    == #"application/ld+json;profile="http://iiif.io/api/presentation/3/context.json""#)
            let base = "http://127.0.0.1:\(probe.port)"
            let items = try Self.ids(Self.json(top))
            #expect(
                items == [
                    "\(base)/presentation/manifest.json", "\(base)/presentation/deep/manifest.json",
                ])
            for (address, name) in zip(items, ["photo.jpg", "deep%2Fa%20b.png"]) {
                let response = try await probe.send(String(address.dropFirst(base.count)))
                let manifest = try Self.json(response)
                #expect(manifest["id"] as? String == address)
                #expect(manifest["type"] as? String == "Manifest")
                #expect(response.text.contains("\(base)/iiif/3/\(name)/full/max/0/default.jpg"))
                let thumbnail = try #require(
                    ((manifest["items"] as? [[String: Any]])?.first?["thumbnail"] as? [[String: Any]])?.first)
                let picture = try await probe.send(
                    String(#require(thumbnail["id"] as? String).dropFirst(base.count)))
                #expect(picture.status == 200)
            }
            for path in ["none/manifest.json", "manifest-1.json", "other.json", "..%2F/manifest.json", ""] {
                #expect(try await probe.send("/presentation/\(path)").status == 404, "\(path)")
            }
        }
    }

    @Test("are known by their tag until an image changes")
    func tag() async throws {
        let folder = try RunningServer.photos()
        try await RunningServer.with(folder) { probe in
            let path = "/presentation/manifest.json"
            let first = try await probe.send(path)
            let tag = try #require(first.headers["etag"])
            let known = [("If-None-Match", tag)]
            #expect(try await probe.send(path, headers: known).status == 304)
            #expect(try await probe.send(path).body == first.body)
            try TestImages.photo(width: 70, height: 50).save(folder.path("photo.jpg"), with: "jpegsave")
            let second = try await probe.send(path, headers: known)
            #expect(second.status == 200 && second.text.contains(#""height":50,"width":70"#))
            try Data("no image".utf8).write(to: URL(fileURLWithPath: folder.path("broken.jpg")))
            try TestImages.photo(width: 7, height: 5).save(folder.path("photo2.jpg"), with: "jpegsave")
            try await Task.sleep(for: .seconds(1.1))
            let third = try await Self.json(probe.send(path))
            #expect(Self.ids(third).count == 2)
        }
    }

    @Test("have at most 1000 images, and larger folders are collections of them")
    func large() async throws {
        let folder = try TemporaryFolder()
        for number in 1...2001 {
            try Data(TinyPhoto.jpeg(salt: UInt64(number))).write(
                to: folder.url.appendingPathComponent("\(number).jpg"))
        }
        try await RunningServer.with(folder) {
            $0.manifests.title = "Many"
            $0.manifests.behavior = .paged
        } _: { probe in
            let redirect = try await probe.send("/presentation/manifest.json")
            #expect(redirect.status == 303)
            let base = "http://127.0.0.1:\(probe.port)"
            #expect(redirect.headers["location"] == "\(base)/presentation/collection.json")
            let collection = try await Self.json(probe.send("/presentation/collection.json"))
            let items = Self.ids(collection)
            #expect(items == (1...3).map { "\(base)/presentation/manifest-\($0).json" })
            var images: [String] = []
            for address in items {
                let manifest = try await Self.json(probe.send(String(address.dropFirst(base.count))))
                #expect(manifest["behavior"] as? [String] == ["paged"])
                #expect(manifest["label"] as? [String: [String]] == ["none": ["Many"]])
                images += Self.ids(manifest)
            }
            #expect(images == (1...2001).map { "\(base)/presentation/canvas/\($0).jpg" })
            for number in ["4", "0", "01", "-1", "99999999999999999999"] {
                #expect(try await probe.send("/presentation/manifest-\(number).json").status == 404)
            }
        }
    }

    @Test("have ids of canvases that lead to the viewer with the manifest")
    func canvases() async throws {
        try await RunningServer.with(RunningServer.photos()) { probe in
            let base = "http://127.0.0.1:\(probe.port)"
            for (path, view) in [
                ("presentation/canvas/photo.jpg", "view/photo.jpg?manifest=presentation%2Fmanifest.json"),
                ("presentation/canvas/", "view/photo.jpg?manifest=presentation%2Fmanifest.json"),
                (
                    "presentation/deep/canvas/deep%2Fa%20b.png",
                    "view/deep%2Fa%20b.png?manifest=presentation%2Fdeep%2Fmanifest.json"
                ),
            ] {
                let response = try await probe.send("/\(path)")
                #expect(response.status == 303, "\(path)")
                #expect(response.headers["location"] == "\(base)/\(view)")
                #expect(try await probe.send("/\(view)").status == 200)
            }
            for path in [
                "canvas/none.jpg", "none/canvas/photo.jpg", "deep/canvas/photo.jpg", "canvas/a/b.jpg",
            ] {
                #expect(try await probe.send("/presentation/\(path)").status == 404, "\(path)")
            }
        }
    }

    @Test("have a canvas of each page of a TIFF, with an image service of that page")
    func pages() async throws {
        let folder = try TemporaryFolder()
        try Data(PageMaker.scan).write(to: folder.url.appendingPathComponent("scan.tif"))
        try await RunningServer.with(folder) { probe in
            let base = "http://127.0.0.1:\(probe.port)"
            let manifest = try await Self.json(probe.send("/presentation/manifest.json"))
            let names = ["scan.tif", "scan.tif%3B2"]
            #expect(Self.ids(manifest) == names.map { "\(base)/presentation/canvas/\($0)" })
            let canvases = manifest["items"] as? [[String: Any]] ?? []
            for (name, canvas) in zip(names, canvases) {
                let service = try await Self.json(probe.send("/iiif/3/\(name)/info.json"))
                for side in ["width", "height"] {
                    #expect(service[side] as? Int == canvas[side] as? Int, "\(name)")
                }
                #expect("\(canvas)".contains("\(base)/iiif/3/\(name)"))
                let viewer = try await probe.send("/presentation/canvas/\(name)")
                #expect(
                    viewer.headers["location"]
                        == "\(base)/view/\(name)?manifest=presentation%2Fmanifest.json")
            }
            #expect(canvases.map { $0["width"] as? Int } == [40, 20])
        }
    }

    @Test("ask the application, as other lists do")
    func access() async throws {
        try await RunningServer.with(RunningServer.photos()) {
            $0.authorize = { $0.isFolder ? .hide : .allow }
        } _: { (probe: HTTPProbe) async throws in
            for path in ["manifest.json", "collection.json", "deep/manifest.json"] {
                #expect(try await probe.send("/presentation/\(path)").status == 404)
            }
        }
        try await RunningServer.with(RunningServer.photos()) {
            $0.servesPages = false
        } _: { (probe: HTTPProbe) async throws in
            #expect(try await probe.send("/presentation/manifest.json").status == 404)
        }
    }
}
#endif
