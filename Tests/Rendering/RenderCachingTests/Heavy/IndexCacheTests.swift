import Foundation
import RenderCaching
import TestHarness
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

@Suite("An index of a JPEG")
struct IndexCacheTests {
    static let rects: [Rect<ImageSpace>] = [
        Rect(x: 0, y: 0, width: 803, height: 601), Rect(x: 600, y: 500, width: 90, height: 60),
        Rect(x: 3, y: 590, width: 20, height: 11), Rect(x: 795, y: 0, width: 8, height: 601),
    ]

    @Test(
        "gives the same picture as every other access method", arguments: [1, 0.6, 0.25, 0.11, 0.05, 3],
        [false, true])
    func ways(_ scale: Double, _ isProgressive: Bool) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("photo.jpg")
        try TestImages.photo(width: 803, height: 601).save(
            path, with: "jpegsave", ["interlace": .bool(isProgressive)])
        // This option makes libvips read the file from the top, although it is complete.
        var plain = OpenOptions()
        plain.allowsTruncated = true
        let reference = try ImageFile.open(path, plain)
        var often = OpenOptions()
        often.optimizesForRandomAccess = true
        let cache = IndexCache(folder: CacheFolder(path: folder.path("cache")))
        let once = try ImageFile.open(path)
        let indexed = try cache.make(once)
        #expect(indexed.isKept == false)
        let kept = try #require(cache.existing(once))
        #expect(reference.reading.hasSuffix("shrinks on load") && kept.reading == "regions by index")
        // Enlarged, only the parts: the whole image would take most of the time of this suite.
        for rect in scale > 1 ? Self.rects.dropFirst() : Self.rects[...] {
            let viewport = Viewport(imageRect: rect, scale: scale)
            let expected = try ViewportRenderer().renderSynchronously(viewport, of: reference).picture.bytes
            for file in [once, try ImageFile.open(path, often), indexed.file, kept] {
                let bytes = try ViewportRenderer().renderSynchronously(viewport, of: file).picture.bytes
                let isEqual = bytes == expected
                #expect(isEqual, "\(file.reading) \(rect)")
            }
        }
    }

    @Test("of the rows that were read is stored, and completed by the next read")
    func partial() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("noise.jpg")
        var random = SplitMix64(seed: 4)
        let noise = (0..<(1600 * 1600 * 3)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        try VipsImage.pixels(
            noise, width: 1600, height: 1600, bands: 3, format: .uint8, interpretation: "srgb"
        ).save(path, with: "jpegsave", ["Q": .int(98)])
        let cache = IndexCache(folder: CacheFolder(path: folder.path("cache")))
        func read(_ file: ImageFile, _ y: Double) throws -> [UInt8] {
            let viewport = Viewport(imageRect: Rect(x: 50, y: y, width: 60, height: 30), scale: 1)
            return try ViewportRenderer().renderSynchronously(viewport, of: file).picture.bytes
        }
        let first = try ImageFile.open(path)
        _ = try read(first, 100)
        cache.storeNewIndex(of: first)
        #expect(cache.existing(first) == nil, "a small part is not worth it")
        let expected = try [1500, 1540].map { try read(ImageFile.open(path), $0) }
        #expect(try read(first, 1500) == expected[0])
        cache.storeNewIndex(of: first)
        let second = try #require(cache.existing(try ImageFile.open(path)))
        #expect(second.reading == "regions of a scan")
        #expect(try read(second, 1500) == expected[0])
        #expect(try read(second, 1540) == expected[1])
        let made = try cache.make(try ImageFile.open(path))
        #expect(!made.isKept && made.file.reading == "regions by index")
        #expect(try read(made.file, 1540) == expected[1])
        #expect(try cache.make(try ImageFile.open(path)).isKept)
    }

    @Test("is not used if the file has changed", arguments: [false, true])
    func stale(_ isProgressive: Bool) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("photo.jpg")
        let arguments = ["interlace": VipsArgument.bool(isProgressive)]
        try TestImages.photo(width: 400, height: 300).save(path, with: "jpegsave", arguments)
        let cache = IndexCache(folder: CacheFolder(path: folder.path("cache")))
        _ = try cache.make(try ImageFile.open(path))
        try TestImages.photo(width: 400, height: 300, seed: 2).save(path, with: "jpegsave", arguments)
        #expect(cache.existing(try ImageFile.open(path)) == nil)
    }

    @Test("that cannot be made is an error with the reason")
    func reasons() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("photo.jpg")
        // The second scan of a progressive JPEG, and all others, are missing.
        try TestImages.photo(width: 40, height: 30).save(path, with: "jpegsave", ["interlace": .bool(true)])
        let bytes = [UInt8](try folder.data("photo.jpg"))
        let scans = bytes.indices.dropLast().filter { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA }
        try Data(bytes[..<scans[1]] + [0xFF, 0xD9]).write(to: folder.url.appendingPathComponent("photo.jpg"))
        let cache = IndexCache(folder: CacheFolder(path: folder.path("cache")))
        let file = try ImageFile.open(path)
        let error = #expect(throws: RenderingError.self) { try cache.make(file) }
        #expect("\(error!)".contains("leaves out some of its coefficients"))
    }
}
