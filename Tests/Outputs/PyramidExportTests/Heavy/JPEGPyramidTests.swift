import Foundation
import TestSupport
import Testing
import TilePyramid
import ViewportGeometry
import Vips

@testable import PyramidExport

@Suite("A pyramid TIFF of a JPEG")
struct JPEGPyramidTests {
    private static func export(
        _ jpeg: [UInt8], side: Int = 256, _ change: (inout ExportOptions) -> Void = { _ in }
    ) async throws -> (report: ExportReport, bytes: [UInt8], path: String, folder: TemporaryFolder) {
        let folder = try TemporaryFolder()
        try Data(jpeg).write(to: folder.url.appendingPathComponent("a.jpg"))
        var options = ExportOptions(.tif)
        options.tileSize = side
        change(&options)
        let path = folder.path("a.tif")
        let report = try await PyramidExporter(options: options).export(
            try ImageFile(path: folder.path("a.jpg")), to: path)
        return (report, Array(try folder.data("a.tif")), path, folder)
    }

    private static func photo(
        _ width: Int, _ height: Int, bands: Int = 3, _ options: [String: VipsArgument] = [:]
    ) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: width, height: height, bands: bands).save(
            folder.path("a.jpg"), with: "jpegsave", options)
        return Array(try folder.data("a.jpg"))
    }

    private static func pixels(_ path: String, _ loader: String, page: Int = 0) throws -> [UInt8] {
        try VipsImage.load(path, with: loader, loader == "tiffload" ? ["page": .int(page)] : [:]).pixels()
            .copied()
    }

    static let makers: [JPEGMaker] = {
        let samplings: [[(Int, Int)]] = [
            [(2, 2), (1, 1), (1, 1)], [(2, 1), (1, 1), (1, 1)], [(1, 2), (1, 1), (1, 1)],
            [(4, 1), (1, 1), (1, 1)], [(1, 1), (1, 1), (1, 1)], [(1, 1)],
        ]
        let sizes = [(1, 1), (2, 130), (257, 16), (300, 200)]
        let made = samplings.enumerated().map { number, sampling in
            let (width, height) = sizes[number % sizes.count]
            return JPEGMaker(
                name: "\(sampling)", width: width, height: height, sampling: sampling,
                restartInterval: number % 2 * 5, tables: number < 3 ? .optimized : .complete)
        }
        let rgb = JPEGMaker(
            name: "RGB", width: 150, height: 70, sampling: [(1, 1), (1, 1), (1, 1)], adobe: 0, hasJFIF: false)
        return (made + [rgb]).map { maker in
            var maker = maker
            // libvips decides about such files.
            maker.hasBrokenExif = false
            return maker
        }
    }()

    @Test("has its coefficients in level 0, and all levels are read by libvips", arguments: makers)
    func coefficients(_ maker: JPEGMaker) async throws {
        let source = try #require(Coefficients(maker.file))
        let (report, bytes, path, folder) = try await Self.export(maker.file, side: 64)
        let tiff = TIFFTestReader(bytes)
        let columns = (maker.width + 63) / 64
        #expect(report.cutTiles == columns * ((maker.height + 63) / 64))
        #expect(report.bytes == bytes.count && folder.names == ["a.jpg", "a.tif"])
        for (number, jpeg) in tiff.jpegs(0).enumerated() {
            let tile = try #require(Coefficients(jpeg))
            for (part, whole) in zip(tile.components, source.components) {
                let rows = part.blocks.count / part.columns
                for row in 0..<rows where number / columns * rows + row < whole.blocks.count / whole.columns {
                    let start = (number / columns * rows + row) * whole.columns
                    let first = number % columns * part.columns
                    let end = min(first + part.columns, whole.columns)
                    #expect(
                        part.blocks[(row * part.columns)..<(row * part.columns + end - first)]
                            .elementsEqual(whole.blocks[(start + first)..<(start + end)]))
                }
            }
        }
        #expect(tiff.directories.count == report.levelSizes.count)
        for (level, size) in report.levelSizes.enumerated() {
            let image = try VipsImage.load(path, with: "tiffload", ["page": .int(level)])
            #expect((image.width, image.height) == (size.width, size.height))
            #expect(image.bands == maker.sampling.count)
            #expect(try image.pixels().copied().count == size.area * image.bands)
        }
    }

    @Test("has the pixels of the JPEG in level 0, and means of it below", arguments: [1, 3])
    func pixels(_ bands: Int) async throws {
        let jpeg = try Self.photo(260, 190, bands: bands, ["subsample_mode": .name("off")])
        let (_, _, path, folder) = try await Self.export(jpeg, side: 64)
        #expect(try Self.pixels(path, "tiffload") == Self.pixels(folder.path("a.jpg"), "jpegload"))
        // The same pixels decoded and averaged, exactly and as JPEGs of the same quality.
        for (name, format) in [("exact", TileFormat.png), ("encoded", .jpg)] {
            var options = ExportOptions(.tif)
            options.format = format
            (options.quality, options.tileSize) = (75, 64)
            try await PyramidExporter(options: options).export(
                try ImageFile(path: folder.path("a.jpg")), to: folder.path("\(name).tif"))
        }
        for level in 1...2 {
            let exact = try Self.pixels(folder.path("exact.tif"), "tiffload", page: level)
            let encoded = try Self.pixels(folder.path("encoded.tif"), "tiffload", page: level)
            let copied = Comparing.psnr(try Self.pixels(path, "tiffload", page: level), exact)
            #expect(copied > Comparing.psnr(encoded, exact) - 1, "level \(level): \(copied)")
        }
    }

    @Test("is decoded where a quality is given, pixels are turned, or tiles are not whole blocks")
    func decoded() async throws {
        let jpeg = try Self.photo(100, 70)
        #expect(try await Self.export(jpeg).report.cutTiles == 1)
        #expect(try await Self.export(jpeg) { $0.quality = 75 }.report.cutTiles == 0)
        #expect(try await Self.export(jpeg) { $0.format = .png }.report.cutTiles == 0)
        let sampled = Self.makers[3].file
        #expect(try await Self.export(sampled, side: 48).report.cutTiles == 0)
        #expect(try await Self.export(sampled, side: 64).report.cutTiles > 0)
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 100, height: 70).save(folder.path("a.jpg"), oriented: .right)
        let turned = try await Self.export(Array(try folder.data("a.jpg")))
        #expect(turned.report.cutTiles == 0 && turned.report.levelSizes[0].width == 70)
    }

    @Test("keeps the color profile of copied pixels")
    func profile() async throws {
        let profile = Array("not really a profile, but some bytes".utf8)
        let segment =
            [0xFF, 0xE2, 0, UInt8(profile.count + 16)] + Array("ICC_PROFILE\0".utf8) + [1, 1] + profile
        let (_, bytes, _, _) = try await Self.export(
            [0xFF, 0xD8] + segment + Self.makers[4].file.dropFirst(2))
        for directory in TIFFTestReader(bytes).directories {
            #expect(directory[34675]?.map { UInt8($0) } == profile)
        }
    }

    @Test("of a damaged JPEG is as that of decoded pixels")
    func damaged() async throws {
        let jpeg = try Self.photo(400, 300)
        await #expect(throws: RenderingError.self) {
            try await Self.export(Array(jpeg.prefix(jpeg.count / 2)))
        }
        // An end marker in the middle: the rest is missing.
        let (start, end) = (jpeg.count / 2, jpeg.count / 2 + 200)
        await #expect(throws: RenderingError.self) {
            try await Self.export(jpeg[..<start] + [0xFF, 0xD9] + jpeg[end...])
        }
    }

    @Test("that is cancelled leaves no files, and stops with the error of its listener")
    func cancelled() async throws {
        struct Stop: Error {}
        let jpeg = try Self.photo(600, 900)
        let folder = try TemporaryFolder()
        try Data(jpeg).write(to: folder.url.appendingPathComponent("a.jpg"))
        let file = try ImageFile(path: folder.path("a.jpg"))
        var options = ExportOptions(.tif)
        options.tileSize = 64
        for limit in [0.0, 0.3, 1] {
            #expect(throws: Stop.self) {
                try PyramidExporter(options: options).exportSynchronously(file, to: folder.path("a.tif")) {
                    if $0 >= limit { throw Stop() }
                }
            }
            #expect(folder.names == ["a.jpg"])
        }
    }

    @Test(
        "has offsets of 8 bytes where it is larger than 4 GB",
        arguments: [4, 0x5555_0000, 0x5555_5555, 0xFFFF_FFFF])
    func big(_ bytes: Int) {
        let pyramid = TiledPyramid(
            size: PixelSize(width: 600, height: 300), tileSize: 256, overlap: 0, depth: .oneTile)
        let format = TIFFTileFormat(
            bands: 3, coding: .jpeg(tables: [1, 2, 3, 4, 5], sampling: (2, 1), isRGB: false))
        let counts = pyramid.levels.map { [Int](repeating: 7, count: $0.count - 1) + [bytes] }
        let head = TIFFDirectories(pyramid: pyramid, full: format, reduced: format, profile: [9]).bytes(
            counts)
        let tiff = TIFFTestReader(head)
        let end = head.count + counts.joined().reduce(0, +)
        #expect(tiff.isBig == (end > Int(UInt32.max)))
        #expect(tiff.directories.count == pyramid.levels.count)
        var offset = head.count
        // The tiles of the smallest level come first.
        for (directory, counts) in zip(tiff.directories, counts).reversed() {
            #expect(
                directory[325] == counts && directory[347] == [1, 2, 3, 4, 5] && directory[530] == [2, 1])
            #expect(directory[34675] == [9])
            for (start, count) in zip(directory[324]!, counts) {
                #expect(start == offset)
                offset += count
            }
        }
    }
}
