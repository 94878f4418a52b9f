import Foundation
import RenderCaching
import TestHarness
import TestSupport
import Testing
import TilePyramid
import ViewportGeometry
import ViewportRendering
import Vips

@Suite("A picture from the cache")
struct CachedPixelsTests {
    static let photo = Result { try TestImages.photo(width: 301, height: 277) }

    /// The names of files that are slow to read, and functions that write a photo to them.
    static let sources: [(String, @Sendable (VipsImage, String) throws -> Void)] = [
        ("interlaced.png", { try $0.save($1, with: "pngsave", ["interlace": .bool(true)]) }),
        ("deep.tif", { try deep($0).relabelled("rgb16").save($1, with: "tiffsave") }),
        ("gray.tif", { try $0.bands(1, count: 1).relabelled("b-w").save($1, with: "tiffsave") }),
        ("alpha.tif", { try $0.joined($0.bands(1, count: 1)).relabelled("srgb").save($1, with: "tiffsave") }),
        (
            "deep alpha.tif",
            { try deep($0.joined($0.bands(1, count: 1))).relabelled("rgb16").save($1, with: "tiffsave") }
        ),
        ("gray alpha.tif", { try $0.bands(1, count: 2).relabelled("b-w").save($1, with: "tiffsave") }),
        ("lossy.webp", { try $0.save($1, with: "webpsave") }),
        (
            "alpha.webp",
            { try $0.joined($0.bands(1, count: 1)).relabelled("srgb").save($1, with: "webpsave") }
        ),
        ("flat.tif", { try $0.save($1, with: "tiffsave") }),
        ("float.tif", { try $0.scaled(by: 0.7).save($1, with: "tiffsave") }),
        ("cmyk.tif", { try $0.joined(constant: 20).relabelled("cmyk").save($1, with: "tiffsave") }),
        ("lab.tif", { try $0.converted(to: "lab").save($1, with: "tiffsave") }),
        (
            "p3.tif",
            {
                try $0.transformed(toProfile: "p3", embedded: false, input: "srgb", depth: 8).save(
                    $1, with: "tiffsave")
            }
        ),
        ("turned.tif", { try $0.save($1, oriented: .leftMirrored) }),
        ("turned deep.tif", { try deep($0).relabelled("rgb16").save($1, oriented: .right) }),
        ("upside down.webp", { try $0.save($1, oriented: .down) }),
    ]

    @Sendable static func deep(_ image: VipsImage) throws -> VipsImage {
        try image.scaled(by: 257).cast(to: .uint16)
    }

    static func file(_ index: Int, _ folder: TemporaryFolder) throws -> ImageFile {
        let path = folder.path(sources[index].0)
        try sources[index].1(try photo.get(), path)
        return try ImageFile.open(path)
    }

    @Test("has the same bytes as one from the file, at any zoom", arguments: sources.indices)
    func equal(_ index: Int) async throws {
        let folder = try TemporaryFolder()
        let file = try Self.file(index, folder)
        // The second level is stored, too; smaller ones are averaged from it.
        let cache = PyramidCacheTests.cache(folder, averagedPixels: 10_000)
        let cached = try await cache.file(file)
        let kept = try #require(cache.existing(file))
        #expect(cached.reading.hasPrefix("pyramid in the cache"))
        #expect(cached.source.pyramid == file.source.pyramid && cached.pyramid.levels.count > 1)
        for zoom in [2.5, 1, 0.9, 0.7, 0.5, 0.3, 0.25, 0.1, 0.07] {
            let direct = try PyramidCacheTests.render(file, zoom: zoom)
            #expect(try PyramidCacheTests.render(cached, zoom: zoom) == direct, "zoom \(zoom)")
            #expect(try PyramidCacheTests.render(kept, zoom: zoom) == direct, "zoom \(zoom)")
        }
        for deep in [8, 16] {
            var options = RenderOptions()
            options.colorMode = .keep
            options.depth = deep
            let size = file.uprightSize.imageSize
            let fit = Viewport(
                imageRect: Rect(x: 0, y: 0, width: size.width, height: size.height),
                size: PixelSize(width: 64, height: 64))
            let (direct, through) = try (
                ViewportRenderer(options: options).renderSynchronously(fit, of: file, progress: { _ in })
                    .picture,
                ViewportRenderer(options: options).renderSynchronously(fit, of: cached, progress: { _ in })
                    .picture
            )
            #expect(direct.bytes == through.bytes && direct.profile == through.profile)
        }
    }

    @Test(
        "has the same bytes if only some of its levels are stored", arguments: ["flat.tif", "lossy.webp"])
    func partial(_ name: String) async throws {
        let folder = try TemporaryFolder()
        let index = try #require(Self.sources.firstIndex { $0.0 == name })
        let file = try Self.file(index, folder)
        let cache = PyramidCacheTests.cache(folder, averagedPixels: 1000)
        _ = try await cache.file(file)
        while let item = cache.folder.items().last, let cached = cache.existing(file) {
            for zoom in [1, 0.5, 0.2, 0.1, 0.05] {
                #expect(
                    try PyramidCacheTests.render(cached, zoom: zoom)
                        == PyramidCacheTests.render(file, zoom: zoom), "zoom \(zoom)")
            }
            try FileManager.default.removeItem(atPath: item.path)
        }
        #expect(cache.existing(file) == nil)
    }

    @Test("has refinements like one from a tiled file")
    func cached() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("photo.tif")
        try Self.photo.get().save(path, with: "tiffsave")
        let file = try ImageFile.open(path)
        let cached = try await PyramidCacheTests.cache(folder).file(file)
        let viewport = Viewport(imageRect: Rect(x: 13, y: 70, width: 200, height: 180), scale: 0.8)
        var last: ViewportRefinement?
        for try await next in ViewportRenderer().refinements(
            of: viewport, in: cached, through: TileLoader(side: 64), for: TileViewer())
        { last = next }
        let direct = try await ViewportRenderer().render(viewport, of: file)
        #expect(last?.picture.bytes == direct.picture.bytes)
    }
}
