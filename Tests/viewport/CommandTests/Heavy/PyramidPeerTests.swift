import Foundation
import TestHarness
import TestSupport
import Testing
import TilePyramid
import ViewportGeometry
import Vips

/// The libvips command line, if installed.
private let peer = BuiltProgram(installed: "vips")

/// Comparisons with `vips dzsave` of the same images.
@Suite("A pyramid compared with that of vips dzsave", .enabled(if: peer != nil))
struct PyramidPeerTests {
    static let sizes: [(Int, Int, Int)] = [
        (1, 1, 3), (2, 1, 1), (255, 257, 3), (1000, 333, 3), (254, 508, 1), (509, 300, 4), (3, 1500, 3),
    ]

    @Test("has the same names, sizes and descriptor, and the same pictures", arguments: sizes)
    func deepZoom(_ width: Int, _ height: Int, _ bands: Int) async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: width, height: height, bands: bands)
            .save(folder.path("photo.png"), with: "pngsave")
        for more in [[], ["--tile-size", "100", "--overlap", "0"], ["--tile-size", "64", "--overlap", "7"]] {
            try FileManager.default.createDirectory(
                atPath: folder.path("peer"), withIntermediateDirectories: true)
            let made = try await #require(peer).run(
                ["dzsave", "photo.png", "peer/p", "--suffix", ".png"] + more, in: folder.url)
            #expect(made.code == 0, "\(made.errors)")
            _ = try await PyramidCommandTests.pyramid(
                ["photo.png", "-o", "p.dzi", "--format", "png", "--overwrite"] + more, in: folder)
            #expect(try folder.data("p.dzi") == folder.data("peer/p.dzi"))
            let tiles = folder.files(below: "p_files")
            #expect(tiles == folder.files(below: "peer/p_files").filter { $0 != "vips-properties.xml" })
            for tile in tiles {
                let ours = try PyramidCommandTests.image(folder.path("p_files/\(tile)"))
                let theirs = try PyramidCommandTests.image(folder.path("peer/p_files/\(tile)"))
                #expect((ours.width, ours.height) == (theirs.width, theirs.height), "\(tile)")
                // Writers may store a gray color picture as gray.
                guard ours.bands == theirs.bands else { continue }
                let psnr = Comparing.psnr(try ours.pixels().copied(), try theirs.pixels().copied())
                // libvips rounds halves up, and truncates fractions if there is alpha. The difference grows with each
                // level.
                #expect(psnr > 35, "\(tile)")
            }
            try FileManager.default.removeItem(atPath: folder.path("peer"))
        }
    }

    @Test("has the same Zoomify groups and properties", arguments: [(1, 1), (255, 257), (4500, 4200)])
    func zoomify(_ width: Int, _ height: Int) async throws {
        let folder = try TemporaryFolder()
        try TestImages.large(width: width, height: height)
            .save(folder.path("flat.png"), with: "pngsave")
        let made = try await #require(peer).run(
            ["dzsave", "flat.png", "peer", "--layout", "zoomify", "--suffix", ".jpg"], in: folder.url)
        #expect(made.code == 0, "\(made.errors)")
        _ = try await PyramidCommandTests.pyramid(["flat.png", "-o", "z", "--layout", "zoomify"], in: folder)
        #expect(
            folder.files(below: "z") == folder.files(below: "peer").filter { $0 != "vips-properties.xml" })
        #expect(try folder.data("z/ImageProperties.xml") == folder.data("peer/ImageProperties.xml"))
    }
}
