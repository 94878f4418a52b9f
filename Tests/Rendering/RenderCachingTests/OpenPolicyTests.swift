import Foundation
import RenderCaching
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

@Suite("An image that is opened by a policy")
struct OpenPolicyTests {
    let folder: TemporaryFolder
    let photo: String

    init() throws {
        folder = try TemporaryFolder()
        photo = folder.path("photo.jpg")
        try TestImages.photo(width: 403, height: 301).save(photo, with: "jpegsave", [:])
    }

    private func policy(_ missing: ImageCaches.Missing, in name: String = "cache") -> OpenPolicy {
        let cache = CacheFolder(path: folder.path(name))
        let caches = ImageCaches(IndexCache(folder: cache), PyramidCache(folder: cache), missing: missing)
        return OpenPolicy(caches: { caches })
    }

    @Test("is read through the index that an earlier one has made")
    func index() throws {
        let plain = try ImageFile.open(photo, OpenPolicy())
        #expect(plain.reading == "regions of a scan")
        #expect(try ImageFile.open(photo, policy(.isLeft)).reading == plain.reading)
        #expect(try ImageFile.open(photo, policy(.isMade)).reading == "regions by index")
        #expect(try ImageFile.open(photo, policy(.isLeft)).reading == "regions by index")
        #expect(try ImageFile.open(photo, OpenPolicy()).reading == plain.reading)
    }

    @Test("has its index in memory where the cache cannot be written, unless the cache is required")
    func unwritable() throws {
        try Data("a file".utf8).write(to: folder.url.appendingPathComponent("taken"))
        let spare = try ImageFile.open(photo, policy(.isMadeIfPossible, in: "taken"))
        let plain = try ImageFile.open(photo)
        let viewport = Viewport(imageRect: Rect(x: 300, y: 200, width: 50, height: 40), scale: 1)
        let pictures = try [spare, plain].map {
            try ViewportRenderer().renderSynchronously(viewport, of: $0).picture.bytes
        }
        #expect(pictures[0] == pictures[1])
        #expect(throws: CacheError.self) { try ImageFile.open(photo, policy(.isMade, in: "taken")) }
    }

    @Test("is opened as it is where there is no index of its format")
    func others() throws {
        let path = folder.path("photo.gif")
        try TestImages.photo(width: 40, height: 30).save(path, with: "gifsave", [:])
        let reading = try ImageFile.open(path).reading
        for missing in [ImageCaches.Missing.isLeft, .isMade, .isMadeIfPossible] {
            #expect(try ImageFile.open(path, policy(missing)).reading == reading)
        }
    }
}
