import Foundation
import TestHarness
import TestSupport
import Testing
import TilePyramid
import ViewportGeometry
import Vips

@Suite("viewport pyramid", .heavy)
struct PyramidCommandTests {
    static let viewport = BuiltProgram("viewport")

    /// Runs the command in a folder and expects success.
    static func pyramid(
        _ arguments: [String], in folder: TemporaryFolder, location: SourceLocation = #_sourceLocation
    ) async throws -> BuiltProgram.Result {
        let result = try await viewport.run(["pyramid"] + arguments, in: folder.url)
        #expect(
            result.code == 0 && result.errors.isEmpty, "\(arguments): \(result.errors)",
            sourceLocation: location)
        return result
    }

    static func image(_ path: String) throws -> VipsImage {
        try VipsImage.load(path, with: VipsImage.loader(for: path), [:])
    }

    /// Returns level 0, assembled from its tiles without their overlaps.
    static func assembled(_ folder: TemporaryFolder, _ name: String) throws -> [UInt8] {
        let text = String(decoding: try folder.data("\(name).dzi"), as: UTF8.self)
        let descriptor = try #require(DeepZoomDescriptor(reading: text))
        let grid = descriptor.pyramid.full
        var bytes: [UInt8] = []
        var size = 0
        for key in descriptor.pyramid.tiles(ofLevel: 0, in: PixelRect(grid.size)) {
            let rect = try #require(descriptor.pyramid.rect(key))
            let tile = try image(folder.path("\(name)_files/\(descriptor.path(key))"))
            #expect((tile.width, tile.height) == (rect.width, rect.height))
            let pixels = try tile.pixels().copied()
            if size == 0 {
                size = tile.bands
                bytes = [UInt8](repeating: 0, count: grid.size.area * size)
            }
            for y in 0..<rect.height {
                let to = ((rect.y + y) * grid.size.width + rect.x) * size
                bytes.replaceSubrange(
                    to..<(to + rect.width * size),
                    with: pixels[(y * rect.width * size)..<((y + 1) * rect.width * size)])
            }
        }
        return bytes
    }

    @Test(
        "has no seams: the tiles of level 0 are the decoded image, bit for bit",
        arguments: [(255, 257, 3, "png"), (1000, 333, 3, "jpg"), (7, 301, 4, "png"), (301, 7, 1, "tif")])
    func seams(_ width: Int, _ height: Int, _ bands: Int, _ ending: String) async throws {
        let folder = try TemporaryFolder()
        let name = "photo.\(ending)"
        let savers = ["png": "pngsave", "jpg": "jpegsave", "tif": "tiffsave"]
        try TestImages.photo(width: width, height: height, bands: bands)
            .save(folder.path(name), with: savers[ending]!)
        for more in [[], ["--tile-size", "64", "--overlap", "0"], ["--tile-size", "33", "--overlap", "9"]] {
            _ = try await Self.pyramid(
                [name, "-o", "p.dzi", "--format", "png", "--overwrite"] + more, in: folder)
            let expected = try Self.image(folder.path(name)).pixels().copied()
            #expect(try Self.assembled(folder, "p") == expected)
        }
        #expect(folder.names == ["p.dzi", "p_files", name].sorted())
    }

    @Test(
        "of a rotated file equals that of the upright image, byte for byte", arguments: Orientation.allCases)
    func orientations(_ orientation: Orientation) async throws {
        let folder = try TemporaryFolder()
        let photo = try TestImages.photo(width: 333, height: 214)
        try photo.save(folder.path("stored.png"), oriented: orientation)
        try photo.turned(orientation).save(folder.path("upright.png"), with: "pngsave")
        for (more, ending) in [
            (["--format", "png", "--tile-size", "50", "--overlap", "3"], ".dzi"),
            (["--layout", "zoomify", "--tile-size", "64", "--format", "png"], ""),
            (["--layout", "iiif", "--tile-size", "64", "--id", "x"], ""), (["--tile-size", "64"], ".tif"),
        ] {
            let report = try await Self.pyramid(
                ["stored.png", "-o", "a\(ending)", "--json", "--overwrite"] + more, in: folder)
            let size = report.json["levels"] as? [[Int]]
            #expect(size?.first == (orientation.transposes ? [214, 333] : [333, 214]))
            _ = try await Self.pyramid(["upright.png", "-o", "b\(ending)", "--overwrite"] + more, in: folder)
            let pairs =
                ending.isEmpty ? [("a", "b")] : [("a\(ending)", "b\(ending)"), ("a_files", "b_files")]
            for (a, b) in pairs {
                let files = folder.files(below: a)
                #expect(files == folder.files(below: b))
                if files.isEmpty, a.contains(".") { #expect(try folder.data(a) == folder.data(b), "\(a)") }
                for file in files {
                    #expect(try folder.data("\(a)/\(file)") == folder.data("\(b)/\(file)"), "\(file)")
                }
            }
        }
        _ = try await Self.pyramid(
            ["stored.png", "-o", "n.dzi", "--no-orient", "--format", "png"], in: folder)
        #expect(try Self.assembled(folder, "n") == photo.pixels().copied())
    }

    @Test("writes 8-bit sRGB tiles: CMYK and 16 bits are converted, transparency is white in jpg")
    func colors() async throws {
        let folder = try TemporaryFolder()
        try TestImages.flat([0, 0, 0, 0], width: 40, height: 30, interpretation: "cmyk")
            .save(folder.path("cmyk.tif"), with: "tiffsave")
        try TestImages.flat([9, 9, 9, 0], width: 40, height: 30).save(
            folder.path("clear.png"), with: "pngsave")
        let deep = (0..<1200).flatMap { _ in [0xFF, 0x80, 0x34, 0x12, 0, 0] as [UInt8] }
        try VipsImage.pixels(
            deep, width: 40, height: 30, bands: 3, format: .uint16, interpretation: "rgb16"
        ).save(folder.path("deep.png"), with: "pngsave")
        for (name, expected) in [
            ("cmyk.tif", [255, 255, 255]), ("clear.png", [255, 255, 255]), ("deep.png", [128, 18, 0]),
        ] {
            _ = try await Self.pyramid([name, "-o", "\(name).dzi", "-Q", "95"], in: folder)
            let tile = try Self.image(folder.path("\(name)_files/6/0_0.jpg"))
            #expect(tile.bands == 3 && tile.blob("icc-profile-data") == nil && !tile.has("exif-data"))
            for (value, expected) in zip(try tile.pixels().copied(), expected) {
                #expect(abs(Int(value) - expected) <= 2, "\(name)")
            }
        }
        _ = try await Self.pyramid(
            ["clear.png", "-o", "navy.dzi", "--background", "navy", "--format", ".jpg"], in: folder)
        let navy = try Self.image(folder.path("navy_files/6/0_0.jpg")).pixels().copied()
        #expect(navy[0] < 5 && navy[2] > 120)
    }

    @Test("writes a tiled TIFF with every level, upright and without overlap")
    func tiff() async throws {
        let folder = try TemporaryFolder()
        let photo = try TestImages.photo(width: 700, height: 500)
        try photo.save(folder.path("photo.png"), oriented: .right)
        let report = try await Self.pyramid(
            ["photo.png", "-o", "p.tif", "--format", "png", "--json"], in: folder)
        #expect(report.json["levels"] as? [[Int]] == [[500, 700], [250, 350], [125, 175]])
        #expect(report.json["bytes"] as? Int == (try folder.data("p.tif").count))
        let full = try Self.image(folder.path("p.tif"))
        #expect(try full.pixels().copied() == photo.turned(.right).pixels().copied())
        #expect(full.int("n-pages") == 3)
        let small = try VipsImage.load(folder.path("p.tif"), with: "tiffload", ["page": .int(2)])
        #expect((small.width, small.height) == (125, 175))
        let info = try await Self.viewport.run(["info", folder.path("p.tif"), "--json"])
        #expect((info.json["levels"] as? [[Int]])?.count == 3)
        #expect(folder.names == ["p.tif", "photo.png"])
    }

    @Test(
        "copies aligned tiles of level 0 from a JPEG without decoding",
        arguments: [
            ([String](), 6), (["--tile-size", "8"], 4800), (["--tile-size", "100"], 0), (["-Q", "80"], 0),
            (["--format", "png"], 0),
        ])
    func cutting(_ more: [String], _ count: Int) async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 640, height: 480)
            .save(folder.path("photo.jpg"), with: "jpegsave", ["subsample_mode": .name("off")])
        let report = try await Self.pyramid(
            ["photo.jpg", "-o", "z", "--layout", "zoomify", "--json"] + more, in: folder)
        #expect(report.json["cutTiles"] as? Int == count)
        guard more.isEmpty else { return }
        let photo = try Self.image(folder.path("photo.jpg"))
        let tile = try Self.image(folder.path("z/TileGroup0/2-2-1.jpg"))
        let part = try photo.cropped(to: PixelRect(x: 512, y: 256, width: 128, height: 224))
        #expect(try tile.pixels().copied() == part.pixels().copied())
        #expect(!tile.has("exif-data"))
        // Blocks of a rotated file have other positions and sizes, so its tiles are encoded.
        try photo.save(folder.path("turned.jpg"), oriented: .right)
        let turned = try await Self.pyramid(
            ["turned.jpg", "-o", "t", "--layout", "zoomify", "--json"], in: folder)
        #expect(turned.json["cutTiles"] as? Int == 0)
    }
}
