import Foundation
import ImageMetadata
import Resampling
import TestHarness
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

@testable import ImageReading

/// HEIF files of tiles, which are coded by libheif.
enum HEIFImages {
    enum Coding: String, CaseIterable {
        case hevc
        case av1
    }

    /// Returns a picture as a file of one coded item.
    static func coded(_ image: VipsImage, _ coding: Coding) throws -> [UInt8] {
        try image.saved(
            with: "heifsave_buffer",
            [
                "compression": .name(coding.rawValue), "Q": .int(90), "effort": .int(0),
                "subsample_mode": .name("on"),
            ])
    }

    /// Returns a file of 3 by 2 tiles of 64 by 64 pixels.
    static func grid(
        _ coding: Coding, width: Int = 172, height: Int = 116, properties: [[UInt8]] = [],
        hasAlpha: Bool = false, edit: (inout HEIFMaker) -> Void = { _ in }
    ) throws -> [UInt8] {
        var maker = HEIFMaker([
            HEIFMaker.grid(1, rows: 2, columns: 3, width: width, height: height, properties: properties)
        ])
        maker.brand = coding == .av1 ? "avif" : "heic"
        maker.items += try tiles(from: 2, coding)
        if hasAlpha {
            maker.items.append(
                HEIFMaker.grid(
                    8, rows: 2, columns: 3, width: width, height: height, properties: [HEIFMaker.alpha],
                    references: [("auxl", [1])]))
            maker.items += try tiles(from: 9, coding)
        }
        edit(&maker)
        return maker.bytes
    }

    /// The tiles of a picture, coded once.
    private static let codedTiles = Coding.allCases.map { coding in
        Result {
            let picture = try TestImages.photo(width: 192, height: 128)
            return try (0..<6).map { index in
                let rect = PixelRect<StoredGrid>(x: index % 3 * 64, y: index / 3 * 64, width: 64, height: 64)
                return try coded(picture.cropped(to: rect), coding)
            }
        }
    }

    private static func tiles(from id: Int, _ coding: Coding) throws -> [HEIFMaker.Item] {
        let index = try #require(Coding.allCases.firstIndex(of: coding))
        return try codedTiles[index].get().enumerated().map { index, tile in
            try #require(HEIFMaker.item(id + index, of: tile))
        }
    }

    /// Returns libvips' pixels of a whole file.
    static func whole(_ bytes: [UInt8], page: Int = 0) throws -> (image: VipsImage, samples: [UInt8]) {
        let image = try VipsImage.load(
            bytes: bytes, with: "VipsForeignLoadHeifBuffer", ["page": .int(page)])
        return (image, try image.pixels().copied())
    }

    /// Returns a file of one small picture of one color, as coded by libheif without a statement of its colors.
    static func flat(
        _ color: (Int, Int, Int), width: Int, height: Int, _ coding: Coding = .hevc
    ) throws -> [UInt8] {
        let pixel = [UInt8(color.0), UInt8(color.1), UInt8(color.2)]
        let image = try VipsImage.pixels(
            Array(repeatElement(pixel, count: width * height).joined()), width: width, height: height,
            bands: 3,
            format: .uint8, interpretation: "srgb")
        return try coded(image, coding)
    }
}

extension ImageFile {
    /// Returns the samples of a rectangle of level 0 without any change of color.
    fileprivate func samples(_ rect: PixelRect<StoredGrid>) throws -> [UInt8] {
        var samples = RowCollector(byteCount: rect.size.area * bands)
        try source.open(source.pyramid.full).read(rect) { samples.push($0) }
        return samples.pixels
    }
}

@Suite("A grid of HEIF tiles", .ownThread)
struct HEIFGridTests {
    static let turns: [(name: String, properties: [[UInt8]])] = [
        ("upright", []), ("a quarter", [BoxMaker.rotation(1)]), ("a half", [BoxMaker.rotation(2)]),
        ("three quarters", [BoxMaker.rotation(3)]), ("mirrored", [BoxMaker.mirror(1)]),
        ("upside down", [BoxMaker.mirror(0)]),
        ("turned and mirrored", [BoxMaker.rotation(1), BoxMaker.mirror(0)]),
        ("mirrored and turned", [BoxMaker.mirror(1), BoxMaker.rotation(3)]),
    ]

    @Test(
        "has the pixels of the whole picture in every part", arguments: turns.map(\.name),
        HEIFImages.Coding.allCases)
    func parts(_ turn: String, _ coding: HEIFImages.Coding) throws {
        let turned = try #require(Self.turns.first { $0.name == turn })
        try compare(HEIFImages.grid(coding, properties: turned.properties))
    }

    @Test(
        "whose colors are stated has the colors of its tiles as single pictures", arguments: [1, 2, 5, 6, 9],
        [true, false])
    func colors(_ matrix: Int, _ isFullRange: Bool) throws {
        let colors = HEIFMaker.colors((1, 13, matrix), isFullRange: isFullRange)
        for turn in [[], [BoxMaker.rotation(2)]] {
            var tile: HEIFMaker.Item?
            let bytes = try HEIFImages.grid(.hevc, properties: [colors] + turn) { tile = $0.items[1] }
            let grid = try ImageFile(bytes: bytes, name: "grid.heic")
            #expect(grid.reading == "grid tiles")
            var single = try #require(tile)
            (single.id, single.isHidden) = (1, false)
            single.properties.removeAll { $0[4..<8].elementsEqual("colr".utf8) }
            single.properties += [colors] + turn
            let whole = try HEIFImages.whole(HEIFMaker([single]).bytes).samples
            let corner = turn.isEmpty ? (0, 0) : (172 - 64, 116 - 64)
            let found = try grid.samples(PixelRect(x: corner.0, y: corner.1, width: 64, height: 64))
            #expect(found == whole)
        }
    }

    @Test(
        "in parts of any construction has the same pixels",
        arguments: [HEIFMaker.Construction.file, .metadata])
    func constructions(_ construction: HEIFMaker.Construction) throws {
        let bytes = try HEIFImages.grid(.hevc) { ($0.construction, $0.extents) = (construction, 1) }
        try compare(bytes)
    }

    private func compare(_ bytes: [UInt8], reading: String = "grid tiles") throws {
        let file = try ImageFile(bytes: bytes)
        #expect(file.reading == reading)
        #expect(file.fileOrientation == .up)
        let (image, whole) = try HEIFImages.whole(bytes)
        #expect(file.storedSize == image.size)
        let all = PixelRect(file.storedSize)
        #expect(try file.samples(all) == whole)
        var random = SplitMix64(seed: 7)
        for _ in 0..<6 {
            let x = Int(random.next() % UInt64(all.width))
            let y = Int(random.next() % UInt64(all.height))
            let rect = PixelRect<StoredGrid>(
                x: x, y: y, width: 1 + Int(random.next() % UInt64(all.width - x)),
                height: 1 + Int(random.next() % UInt64(all.height - y)))
            let expected = Comparing.part(
                rect, of: whole, rowBytes: all.width * image.bands, pixelBytes: image.bands)
            #expect(try file.samples(rect) == expected, "\(rect)")
        }
    }

    @Test("of an odd size is turned by pixels, and one with a clean aperture is read as a whole")
    func unusual() throws {
        let odd = try HEIFImages.grid(.hevc, width: 171, properties: [BoxMaker.rotation(1)])
        let turned = try ImageFile(bytes: odd)
        #expect(turned.reading == "grid tiles")
        let upright = try ImageFile(bytes: HEIFImages.grid(.hevc, width: 171))
        // The right column becomes the first row.
        let column = try upright.samples(PixelRect(x: 170, y: 0, width: 1, height: 116))
        #expect(try turned.samples(PixelRect(x: 0, y: 0, width: 116, height: 1)) == column)
        let cut = try HEIFImages.grid(.hevc, properties: [HEIFMaker.aperture(100, 80)])
        let file = try ImageFile(bytes: cut)
        #expect(file.reading == "whole image")
        #expect(file.storedSize == PixelSize(width: 100, height: 80))
        let inner = try ImageFile(bytes: HEIFImages.grid(.hevc)).samples(
            PixelRect(x: 36, y: 18, width: 100, height: 80))
        #expect(try file.samples(PixelRect(file.storedSize)) == inner)
    }

    @Test("that is damaged shows its good tiles, and is refused where it has none")
    func damaged() throws {
        let bytes = try HEIFImages.grid(.hevc) { maker in
            // The data of the last tile.
            maker.items[6].data = [UInt8](repeating: 0xAA, count: 40)
        }
        let file = try ImageFile(bytes: bytes, name: "grid.heic")
        let first = PixelRect<StoredGrid>(x: 0, y: 0, width: 60, height: 60)
        let good = try HEIFImages.grid(.hevc)
        #expect(try file.samples(first) == ImageFile(bytes: good).samples(first))
        #expect(throws: RenderingError.self) { try file.samples(PixelRect(file.storedSize)) }
        var options = OpenOptions()
        options.allowsTruncated = true
        let shown = try ImageFile(bytes: bytes, name: "grid.heic", options: options)
        let all = try shown.samples(PixelRect(shown.storedSize))
        #expect(all.prefix(3) == ArraySlice(try file.samples(first).prefix(3)))
        // The last tile, in which nothing was decoded, is black.
        #expect(all.suffix(3).allSatisfy { $0 == 0 })
    }

    @Test("is not decoded after its task was cancelled")
    func cancelled() async throws {
        let file = try ImageFile(bytes: HEIFImages.grid(.hevc))
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try file.samples(PixelRect(file.storedSize))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

@Suite("The thumbnail in a HEIF file", .ownThread)
struct HEIFThumbnailTests {
    private static let blue = Result { try HEIFImages.flat((0, 0, 255), width: 336, height: 252) }

    /// Returns a file of a blue picture with a red thumbnail.
    private func file(
        _ width: Int, _ height: Int, properties: [[UInt8]] = [], turnsBoth: Bool = true
    ) throws -> ImageFile {
        let main = try HEIFMaker.item(
            1, of: Self.blue.get(), properties: properties,
            isHidden: false)
        let small = try HEIFMaker.item(
            2, of: HEIFImages.flat((255, 0, 0), width: width, height: height),
            properties: turnsBoth ? properties : [], references: [("thmb", [1])], isHidden: false)
        let items = [main, small].compactMap(\.self)
        return try ImageFile(bytes: HEIFMaker(items).bytes)
    }

    static func whole(_ file: ImageFile) -> Rect<ImageSpace> {
        let size = file.uprightSize.imageSize
        return Rect(x: 0, y: 0, width: size.width, height: size.height)
    }

    private func isTaken(_ file: ImageFile, for side: Int) throws -> Bool {
        let scale = Double(side) / Double(max(file.uprightSize.width, file.uprightSize.height))
        let viewport = Viewport(imageRect: Self.whole(file), scale: scale)
        let reduced = file.reducedToEmbedded(for: [viewport])
        let picture = try ViewportRenderer().renderBatch([viewport], of: reduced)[0]
        // Red or blue.
        return picture.bytes[0] > 128
    }

    @Test(
        "is taken for sizes up to its own", arguments: [(256, true), (320, true), (100, true), (322, false)])
    func sizes(_ side: Int, _ isTaken: Bool) throws {
        #expect(try self.isTaken(file(320, 240), for: side) == isTaken)
    }

    @Test("is never taken below 256 pixels", arguments: [64, 128, 240])
    func small(_ side: Int) throws {
        #expect(try !isTaken(file(240, 180), for: side))
    }

    @Test("of another aspect is not taken")
    func aspect() throws {
        #expect(try !isTaken(file(320, 180), for: 256))
        #expect(try !isTaken(file(240, 320), for: 256))
    }

    @Test("is taken only where it is turned as the picture is")
    func turned() throws {
        #expect(try isTaken(file(320, 240, properties: [BoxMaker.rotation(1)]), for: 256))
        #expect(try !isTaken(file(320, 240, properties: [BoxMaker.rotation(2)], turnsBoth: false), for: 256))
    }
}

@Suite("The coded colors of a HEIF file", .ownThread)
struct HEIFColorTests {
    /// Returns the color of a file whose samples were coded by the matrix of BT.601 in full range, but say something
    /// else.
    private func color(
        _ rgb: (Int, Int, Int), _ numbers: (Int, Int, Int), isFullRange: Bool, _ coding: HEIFImages.Coding,
        mode: RenderOptions.ColorMode = .srgb
    ) throws -> [Int] {
        let item = try HEIFMaker.item(
            1, of: HEIFImages.flat(rgb, width: 64, height: 64, coding),
            properties: [HEIFMaker.colors(numbers, isFullRange: isFullRange)], dropping: ["colr"],
            isHidden: false)
        let coded = try #require(item)
        var maker = HEIFMaker([coded])
        maker.brand = coding == .av1 ? "avif" : "heic"
        let file = try ImageFile(bytes: maker.bytes)
        var options = RenderOptions()
        options.colorMode = mode
        let viewport = Viewport(imageRect: HEIFThumbnailTests.whole(file), scale: 1)
        let picture = try ViewportRenderer(options: options).renderSynchronously(viewport, of: file).picture
        let center = (32 * 64 + 32) * picture.bands
        return picture.bytes[center..<(center + 3)].map(Int.init)
    }

    /// The weights of red and blue in luminance, by the number of the matrix.
    private static let weights = [1: (0.2126, 0.0722), 6: (0.299, 0.114), 9: (0.2627, 0.0593)]

    /// Source: ITU-T H.273, 8.3.
    private func expected(_ rgb: (Int, Int, Int), matrix: Int, isFullRange: Bool) throws -> [Int] {
        let (red, green, blue) = (Double(rgb.0), Double(rgb.1), Double(rgb.2))
        let y = 0.299 * red + 0.587 * green + 0.114 * blue
        let (cb, cr) = ((blue - y) / 1.772, (red - y) / 1.402)
        let (kr, kb) = try #require(Self.weights[matrix])
        let luma = isFullRange ? y : (y - 16) * 255 / 219
        let (b, r) = isFullRange ? (cb, cr) : (cb * 255 / 224, cr * 255 / 224)
        let (r2, b2) = (luma + 2 * (1 - kr) * r, luma + 2 * (1 - kb) * b)
        let g2 = (luma - kr * r2 - kb * b2) / (1 - kr - kb)
        return [r2, g2, b2].map { Int(min(max($0, 0), 255).rounded()) }
    }

    @Test("decide the matrix and the range", arguments: [1, 6, 9], [true, false])
    func matrices(_ matrix: Int, _ isFullRange: Bool) throws {
        for coding in HEIFImages.Coding.allCases {
            for rgb in [(200, 90, 60), (60, 140, 190), (120, 120, 120)] {
                let color = try color(rgb, (1, 13, matrix), isFullRange: isFullRange, coding)
                let wanted = try expected(rgb, matrix: matrix, isFullRange: isFullRange)
                for (one, other) in zip(color, wanted) {
                    #expect(abs(one - other) <= 4, "\(coding) \(color) \(wanted)")
                }
            }
        }
    }

    @Test("of Display P3 are converted to sRGB and kept as a profile")
    func wide() throws {
        // Source: the matrix of Display P3 to sRGB, in linear light.
        let coded = (160, 120, 100)
        let linear = [coded.0, coded.1, coded.2].map { pow((Double($0) / 255 + 0.055) / 1.055, 2.4) }
        let rows = [[1.22494, -0.22494, 0], [-0.04206, 1.04206, 0], [-0.01964, -0.07864, 1.09828]]
        let wanted = rows.map { row in
            let value = zip(row, linear).reduce(0) { $0 + $1.0 * $1.1 }
            return Int((255 * (1.055 * pow(value, 1 / 2.4) - 0.055)).rounded())
        }
        let color = try color(coded, (12, 13, 6), isFullRange: true, .hevc)
        for (one, other) in zip(color, wanted) { #expect(abs(one - other) <= 3, "\(color) \(wanted)") }
        let kept = try self.color(coded, (12, 13, 6), isFullRange: true, .hevc, mode: .keep)
        for (one, other) in zip(kept, [coded.0, coded.1, coded.2]) { #expect(abs(one - other) <= 3) }
    }
}
