import Resampling
import TestHarness
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

@testable import ImageReading

@Suite("A grid of HEIF tiles of an extreme size", .ownThread)
struct HEIFSizesTests {
    /// Returns a file of equal tiles.
    private func file(
        rows: Int = 1, columns: Int = 1, width: Int, height: Int, tileWidth: Int = 64
    ) throws -> [UInt8] {
        let picture = try TestImages.photo(width: tileWidth, height: 64)
        let tile = try #require(HEIFMaker.item(2, of: HEIFImages.coded(picture, .hevc)))
        var maker = HEIFMaker([
            HEIFMaker.grid(1, rows: rows, columns: columns, width: width, height: height, isWide: true)
        ])
        for number in 0..<(rows * columns) {
            var copy = tile
            copy.id = 2 + number
            maker.items.append(copy)
        }
        return maker.bytes
    }

    private func samples(_ bytes: [UInt8], _ rect: PixelRect<StoredGrid>? = nil) throws -> [UInt8] {
        let image = try ImageFile(bytes: bytes, name: "grid.heic")
        let rect = rect ?? PixelRect(image.storedSize)
        var samples = RowCollector(byteCount: rect.size.area * image.bands)
        try image.source.open(image.source.pyramid.full).read(rect) { samples.push($0) }
        return samples.pixels
    }

    @Test("of a pixel or a line has the pixels of libvips", arguments: [(1, 1), (66, 1), (128, 2), (65, 64)])
    func small(_ width: Int, _ height: Int) throws {
        let bytes = try file(columns: width > 64 ? 2 : 1, width: width, height: height)
        let whole = try HEIFImages.whole(bytes)
        #expect(whole.image.size == PixelSize(width: width, height: height))
        #expect(try samples(bytes) == whole.samples)
    }

    @Test("is read in parts up to 65,000 pixels of it")
    func wide() throws {
        // Libraries of whole pictures stop at 32,768.
        let tile = try HEIFImages.whole(file(width: 256, height: 64, tileWidth: 256)).samples
        let bytes = try file(columns: 254, width: 65_000, height: 60, tileWidth: 256)
        let image = try ImageFile(bytes: bytes, name: "grid.heic")
        #expect(image.storedSize == PixelSize(width: 65_000, height: 60))
        // The right half of a tile, and the left half of the next one.
        let part = try samples(bytes, PixelRect(x: 256 * 200 + 128, y: 10, width: 256, height: 3))
        let expected = (10..<13).flatMap { y in
            let row = y * 256 * 3
            return tile[(row + 128 * 3)..<(row + 256 * 3)] + tile[row..<(row + 128 * 3)]
        }
        #expect(part == expected)
    }

    @Test(
        "that its tiles do not cover is refused or shown as libvips does",
        arguments: [(65_000, 65_000), (65_000, 1), (1, 65_000), (0, 64), (Int(UInt32.max), 64)])
    func declared(_ width: Int, _ height: Int) throws {
        let bytes = try file(rows: 2, columns: 2, width: width, height: height)
        #expect(throws: RenderingError.self) { try samples(bytes) }
    }

    @Test("whose tile announces 65,000 pixels but has 64 is refused")
    func announced() throws {
        var maker = HEIFMaker([HEIFMaker.grid(1, rows: 1, columns: 2, width: 65_000, height: 20_000)])
        let coded = try HEIFImages.coded(TestImages.photo(width: 64, height: 64), .hevc)
        for id in [2, 3] {
            let tile = try #require(
                HEIFMaker.item(
                    id, of: coded, properties: [HEIFMaker.size(32_500, 20_000)], dropping: ["ispe"]))
            maker.items.append(tile)
        }
        #expect(throws: RenderingError.self) { try samples(maker.bytes) }
    }
}

@Suite("A HEIF file with alpha", .ownThread)
struct HEIFAlphaTests {
    /// Returns the color in the middle of a picture of one color and one alpha.
    private func color(
        _ color: Int, alpha: Int, isPremultiplied: Bool, _ coding: HEIFImages.Coding
    ) throws -> [Int] {
        let flat = try HEIFImages.flat((color, color, color), width: 64, height: 64, coding)
        let opacity = try HEIFImages.flat((alpha, alpha, alpha), width: 64, height: 64, coding)
        let items = [
            HEIFMaker.item(
                1, of: flat, references: isPremultiplied ? [("prem", [2])] : [], isHidden: false),
            HEIFMaker.item(
                2, of: opacity, properties: [HEIFMaker.alpha], references: [("auxl", [1])], isHidden: true),
        ]
        var maker = HEIFMaker(items.compactMap(\.self))
        maker.brand = coding == .av1 ? "avif" : "heic"
        let file = try ImageFile(bytes: maker.bytes)
        #expect(file.hasAlpha)
        let size = file.storedSize
        var samples = RowCollector(byteCount: size.area * file.bands)
        try file.source.open(file.source.pyramid.full).read(PixelRect(size)) { samples.push($0) }
        let middle = (32 * size.width + 32) * file.bands
        return samples.pixels[middle..<(middle + 4)].map(Int.init)
    }

    @Test("has straight colors, also where they are stored multiplied", arguments: HEIFImages.Coding.allCases)
    func premultiplied(_ coding: HEIFImages.Coding) throws {
        // Half of the light of 160 at half of the opacity.
        for (isPremultiplied, stored) in [(false, 160), (true, 80)] {
            let color = try color(stored, alpha: 128, isPremultiplied: isPremultiplied, coding)
            for (one, other) in zip(color, [160, 160, 160, 128]) {
                #expect(abs(one - other) <= 4, "\(color)")
            }
        }
        let opaque = try color(80, alpha: 255, isPremultiplied: true, coding)
        for (one, other) in zip(opaque, [80, 80, 80, 255]) { #expect(abs(one - other) <= 3, "\(opaque)") }
        #expect(try color(80, alpha: 0, isPremultiplied: true, coding)[3] <= 2)
    }
}
