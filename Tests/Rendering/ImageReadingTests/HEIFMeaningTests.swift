import Containers
import Files
import Foundation
import HEVCDecoding
import ImageMetadata
import Pictures
import Resampling
import TestHarness
import TestSupport
import Testing
import TilePyramid
import ViewportGeometry
import Vips

@testable import ImageReading

/// HEIF and AVIF files whose parts are joined by this package.
enum HEIFParts {
    static let red = (255, 0, 0)
    static let green = (0, 255, 0)
    static let blue = (0, 0, 255)

    /// Returns an item of one color.
    static func flat(
        _ id: Int, _ color: (Int, Int, Int), width: Int = 64, height: Int = 64,
        _ coding: HEIFImages.Coding = .av1, properties: [[UInt8]] = [], dropping: [String] = [],
        references: [(type: String, targets: [Int])] = [], isHidden: Bool = true
    ) throws -> HEIFMaker.Item {
        try #require(
            HEIFMaker.item(
                id, of: HEIFImages.flat(color, width: width, height: height, coding), properties: properties,
                dropping: dropping, references: references, isHidden: isHidden))
    }

    static func file(
        _ items: [HEIFMaker.Item], _ coding: HEIFImages.Coding = .av1, primary: Int = 1, brand: String? = nil
    ) -> [UInt8] {
        var maker = HEIFMaker(items)
        maker.brand = brand ?? (coding == .av1 ? "avif" : "heic")
        maker.primary = primary
        return maker.bytes
    }

    /// Returns the pixels of a page of a file, as numbers, row by row.
    static func pixels(_ bytes: [UInt8], page: Int = 0) throws -> (rows: [[[Int]]], file: ImageFile) {
        var options = OpenOptions()
        options.page = page
        let file = try ImageFile(bytes: bytes, name: "picture.heic", options: options)
        let reader = try file.source.open(file.source.pyramid.full)
        let layout = reader.pixels.layout
        var samples = RowCollector(byteCount: file.storedSize.area * layout.pixelBytes)
        try reader.read(PixelRect(file.storedSize)) { samples.push($0) }
        let bytes = samples.pixels
        let wide = layout.type == .uint16
        let values = (0..<(bytes.count / (wide ? 2 : 1))).map { at in
            wide ? Int(bytes[2 * at]) | Int(bytes[2 * at + 1]) << 8 : Int(bytes[at])
        }
        let width = file.storedSize.width
        let rows = (0..<file.storedSize.height).map { y in
            (0..<width).map { x in
                Array(values[((y * width + x) * layout.bands)..<((y * width + x + 1) * layout.bands)])
            }
        }
        return (rows, file)
    }

    static func isNear(_ pixel: [Int], _ color: (Int, Int, Int), within tolerance: Int = 4) -> Bool {
        zip(pixel, [color.0, color.1, color.2]).allSatisfy { abs($0 - $1) <= tolerance }
    }
}

@Suite("A picture of parts in a HEIF file", .ownThread)
struct HEIFMeaningTests {
    @Test(
        "has its own turn once where the cells of its grid state it, too",
        arguments: HEIFImages.Coding.allCases)
    func repeatedTurns(_ coding: HEIFImages.Coding) throws {
        let turn = BoxMaker.rotation(1)
        let once = try HEIFImages.grid(coding, properties: [turn])
        let twice = try HEIFImages.grid(coding, properties: [turn]) { maker in
            for index in 1...6 { maker.items[index].properties.append(turn) }
        }
        #expect(try HEIFParts.pixels(twice).rows == HEIFParts.pixels(once).rows)
    }

    @Test("turns each cell where only the cells state a turn")
    func ownTurns() throws {
        // The left half of each cell is red, and lies at the bottom after a quarter to the left.
        let image = try VipsImage.pixels(
            (0..<64).flatMap { _ in
                (0..<64).flatMap { x in x < 32 ? [255, 0, 0] as [UInt8] : [0, 0, 255] }
            }, width: 64, height: 64, bands: 3, format: .uint8, interpretation: "srgb")
        let coded = try HEIFImages.coded(image, .av1)
        let cells = try [2, 3].map { id in
            try #require(HEIFMaker.item(id, of: coded, properties: [BoxMaker.rotation(1)]))
        }
        let bytes = HEIFParts.file([HEIFMaker.grid(1, rows: 1, columns: 2, width: 128, height: 64)] + cells)
        let rows = try HEIFParts.pixels(bytes).rows
        for x in [10, 50, 80, 120] {
            #expect(HEIFParts.isNear(rows[10][x], HEIFParts.blue, within: 12), "\(rows[10][x])")
            #expect(HEIFParts.isNear(rows[54][x], HEIFParts.red, within: 12), "\(rows[54][x])")
        }
    }

    @Test("is refused where cells of its grid have other sizes", arguments: HEIFImages.Coding.allCases)
    func sizes(_ coding: HEIFImages.Coding) throws {
        let large = HEIFMaker.size(64, 64)
        for isStated in [true, false] {
            // The second cell is smaller, whatever the file says.
            let second = try HEIFParts.flat(
                3, HEIFParts.blue, width: 32, height: 32, coding, properties: isStated ? [] : [large],
                dropping: isStated ? [] : ["ispe"])
            let items = [
                HEIFMaker.grid(1, rows: 1, columns: 2, width: 128, height: 64),
                try HEIFParts.flat(2, HEIFParts.red, coding), second,
            ]
            // Twice: memory of the first picture must not reach the second one.
            for _ in 0..<2 {
                #expect(throws: RenderingError.self) { try HEIFParts.pixels(HEIFParts.file(items, coding)) }
            }
        }
        let short = [
            HEIFMaker.grid(1, rows: 1, columns: 2, width: 300, height: 64),
            try HEIFParts.flat(2, HEIFParts.red, coding), try HEIFParts.flat(3, HEIFParts.blue, coding),
        ]
        #expect(throws: RenderingError.self) { try HEIFParts.pixels(HEIFParts.file(short, coding)) }
    }

    @Test("has the alpha of another grid, of one picture, and of cells", arguments: [1, 2])
    func alpha(_ columns: Int) throws {
        let gray = (128, 128, 128)
        var items = [
            HEIFMaker.grid(1, rows: 1, columns: 2, width: 128, height: 64),
            try HEIFParts.flat(2, HEIFParts.red), try HEIFParts.flat(3, HEIFParts.blue),
        ]
        if columns == 1 {
            items.append(
                try HEIFParts.flat(
                    4, gray, width: 128, height: 64, properties: [HEIFMaker.alpha],
                    references: [("auxl", [1])]))
        } else {
            items.append(
                HEIFMaker.grid(
                    4, rows: 1, columns: 2, width: 128, height: 64, properties: [HEIFMaker.alpha],
                    references: [("auxl", [1])]))
            items += [try HEIFParts.flat(5, gray), try HEIFParts.flat(6, gray)]
        }
        let (rows, file) = try HEIFParts.pixels(HEIFParts.file(items))
        #expect(file.hasAlpha)
        #expect(
            HEIFParts.isNear(rows[30][30], HEIFParts.red) && HEIFParts.isNear(rows[30][100], HEIFParts.blue))
        #expect(abs(rows[30][30][3] - 128) <= 3 && abs(rows[30][100][3] - 128) <= 3)
    }

    @Test(
        "may be another one with other turns (iden), also in a chain", arguments: HEIFImages.Coding.allCases)
    func identity(_ coding: HEIFImages.Coding) throws {
        let source = try HEIFParts.flat(1, HEIFParts.green, width: 96, height: 64, coding, isHidden: false)
        let items = [
            source,
            HEIFMaker.Item(
                2, "iden", properties: [HEIFMaker.size(96, 64), HEIFMaker.aperture(48, 32)],
                references: [("dimg", [1])]),
            HEIFMaker.Item(
                3, "iden", properties: [HEIFMaker.size(48, 32), BoxMaker.rotation(1)],
                references: [("dimg", [2])]),
        ]
        let (rows, file) = try HEIFParts.pixels(HEIFParts.file(items, coding, primary: 3))
        #expect(file.storedSize == PixelSize(width: 32, height: 48))
        #expect(rows.joined().allSatisfy { HEIFParts.isNear($0, HEIFParts.green) })
        // The others are no worse for it.
        #expect(
            try HEIFParts.pixels(HEIFParts.file(items, coding)).file.storedSize
                == PixelSize(width: 96, height: 64))
    }

    @Test("may be an overlay, whose layers reach over its borders and are transparent")
    func overlay() throws {
        let half = (128, 128, 128)
        // White of half the opacity; one layer outside, one partly, one transparent.
        let data: [UInt8] =
            [0, 0] + [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x80, 0x00].map { $0 as UInt8 } + big(100, 2)
            + big(80, 2)
            + big(-32, 2) + big(0, 2) + big(50, 2) + big(40, 2) + big(500, 2) + big(0, 2)
        let items = [
            HEIFMaker.Item(
                1, "iovl", data, properties: [HEIFMaker.size(100, 80)], references: [("dimg", [2, 3, 2])]),
            try HEIFParts.flat(2, HEIFParts.red), try HEIFParts.flat(3, HEIFParts.blue),
            try HEIFParts.flat(4, half, properties: [HEIFMaker.alpha], references: [("auxl", [3])]),
        ]
        let (rows, file) = try HEIFParts.pixels(HEIFParts.file(items))
        #expect(file.storedSize == PixelSize(width: 100, height: 80) && file.hasAlpha)
        #expect(HEIFParts.isNear(rows[10][10], HEIFParts.red) && rows[10][10][3] == 255)
        // No layer.
        #expect(rows[10][40] == [255, 255, 255, 128])
        // Half of blue over half of white: three quarters, of which two thirds are blue.
        #expect(HEIFParts.isNear(rows[60][90], (85, 85, 255), within: 6), "\(rows[60][90])")
        #expect(abs(rows[60][90][3] - 192) <= 3)
    }

    @Test("is a page, and so are the others, by item", arguments: HEIFImages.Coding.allCases)
    func pages(_ coding: HEIFImages.Coding) throws {
        let items = try [HEIFParts.red, HEIFParts.green, HEIFParts.blue].enumerated().map { index, color in
            try HEIFParts.flat(index + 1, color, coding, isHidden: false)
        }
        let bytes = HEIFParts.file(items, coding, primary: 2)
        let wanted = [(HEIFParts.green, 2), (HEIFParts.red, 1), (HEIFParts.blue, 3)]
        for (page, (color, item)) in wanted.enumerated() {
            let (rows, file) = try HEIFParts.pixels(bytes, page: page)
            #expect(HEIFParts.isNear(rows[30][30], color), "page \(page): \(rows[30][30])")
            #expect(file.pages == 3 && file.page == page)
            #expect(file.pictureItem?.shown == item && file.pictureItem?.primary == 2)
        }
        #expect(throws: RenderingError.self) { try HEIFParts.pixels(bytes, page: 3) }
    }

    @Test(
        "has the size of its stream where the file states another one", arguments: HEIFImages.Coding.allCases)
    func statedSize(_ coding: HEIFImages.Coding) throws {
        for stated in [(128, 96), (32, 16)] {
            let item = try HEIFParts.flat(
                1, HEIFParts.red, width: 96, height: 64, coding,
                properties: [HEIFMaker.size(stated.0, stated.1)], dropping: ["ispe"], isHidden: false)
            let (rows, file) = try HEIFParts.pixels(HEIFParts.file([item], coding))
            #expect(file.storedSize == PixelSize(width: 96, height: 64))
            #expect(rows.joined().allSatisfy { HEIFParts.isNear($0, HEIFParts.red) })
        }
    }

    @Test("is turned where the file states the turn before the size", arguments: HEIFImages.Coding.allCases)
    func earlyTurn(_ coding: HEIFImages.Coding) throws {
        var item = try HEIFParts.flat(1, HEIFParts.red, width: 96, height: 64, coding, isHidden: false)
        item.properties.insert(BoxMaker.rotation(1), at: 0)
        let (rows, file) = try HEIFParts.pixels(HEIFParts.file([item], coding))
        #expect(file.storedSize == PixelSize(width: 64, height: 96))
        #expect(rows.joined().allSatisfy { HEIFParts.isNear($0, HEIFParts.red) })
    }

    @Test("with brands that libheif does not know is read")
    func brands() throws {
        let item = try HEIFParts.flat(1, HEIFParts.red, .hevc, isHidden: false)
        var bytes = HEIFParts.file([item], .hevc)
        // All three brands.
        for at in [8, 16, 20] { bytes.replaceSubrange(at..<(at + 4), with: Array("mif2".utf8)) }
        #expect(HEIFParts.isNear(try HEIFParts.pixels(bytes).rows[30][30], HEIFParts.red))
    }

    @Test("with an essential property that is not supported is refused by name")
    func essential() throws {
        var item = try HEIFParts.flat(1, HEIFParts.red, isHidden: false)
        item.properties.append(box("rref", big(0, 4)))
        let position = item.properties.count
        var bytes = HEIFParts.file([item])
        #expect(throws: Never.self) { try HEIFParts.pixels(bytes) }
        // The last link is that of the property; its highest bit makes it essential.
        let links = [UInt8(position)] + (1...position).map { UInt8($0) }
        let at = try #require(bytes.indices.first { bytes[$0...].starts(with: links) })
        bytes[at + position] |= 0x80
        #expect {
            try HEIFParts.pixels(bytes)
        } throws: { error in
            if case .unsupported(_, let kind, _)? = error as? RenderingError {
                kind.contains("rref")
            } else {
                false
            }
        }
    }

    @Test("of 10 and 12 bits has a white of 65,535", arguments: [10, 12])
    func depths(_ depth: Int) throws {
        // With more than 8 bits, libheif 1.15 has libaom end the process.
        let samples: [UInt16] = (0..<(64 * 64)).flatMap { at -> [UInt16] in
            let value: UInt16 = at % 64 < 32 ? 65535 : 0
            return [value, value, value]
        }
        let image = try VipsImage.pixels(
            samples.flatMap { $0.bytes(.little) }, width: 64, height: 64, bands: 3, format: .uint16,
            interpretation: "rgb16")
        let saved = try? image.saved(
            with: "heifsave_buffer",
            [
                "compression": .name("hevc"), "Q": .int(100), "effort": .int(0),
                "bitdepth": .int(depth),
            ])
        // Not every encoder of HEVC has 12 bits.
        guard let saved else { return }
        let rows = try HEIFParts.pixels(saved).rows
        #expect(rows[30][5] == [65535, 65535, 65535] && rows[30][60] == [0, 0, 0], "\(rows[30][5])")
    }

    @Test("of red, green and blue of limited range is widened")
    func identityMatrix() throws {
        let colors = [(16, 126, 235), (100, 60, 200)]
        for color in colors {
            let pixel = [UInt8(color.0), UInt8(color.1), UInt8(color.2)]
            let image = try VipsImage.pixels(
                Array(repeatElement(pixel, count: 64 * 64).joined()), width: 64, height: 64, bands: 3,
                format: .uint8, interpretation: "srgb")
            let coded = try image.saved(
                with: "heifsave_buffer",
                ["compression": .name("av1"), "lossless": .bool(true), "subsample_mode": .name("off")])
            let item = try #require(
                HEIFMaker.item(
                    1, of: coded, properties: [HEIFMaker.colors((1, 13, 0), isFullRange: false)],
                    dropping: ["colr"],
                    isHidden: false))
            let samples = try #require(
                HEIFItems(FileBytes(coded))?.items.values.first { $0.type == "av01" }?.colors)
            // libheif before 1.14 has no lossless coding.
            guard samples.matrix == 0 else { continue }
            let wanted = [color.0, color.1, color.2].map { Int((Double($0 - 16) * 255 / 219).rounded()) }
            let found = try HEIFParts.pixels(HEIFParts.file([item])).rows[30][30]
            #expect(zip(found, wanted).allSatisfy { abs($0 - $1) <= 1 }, "\(found) instead of \(wanted)")
        }
    }
}

@Suite("An animated AVIF", .ownThread)
struct AnimatedAVIFTests {
    /// Returns a sequence of pictures of one color, as a track; with `hasStill`, the first is the primary item, too.
    static func sequence(_ colors: [(Int, Int, Int)], delay: Int = 200, hasStill: Bool = true) throws
        -> [UInt8]
    {
        let items = try colors.map { try HEIFParts.flat(1, $0, width: 96, height: 64, isHidden: false) }
        var still = HEIFMaker([items[0]])
        still.brand = "avis"
        let start = hasStill ? still.bytes : box("ftyp", text("avis"), big(0, 4), text("avis"), text("msf1"))
        func movie(at offset: Int) -> [UInt8] {
            var (places, at): ([UInt8], Int) = ([], offset)
            for item in items {
                places += big(at, 4)
                at += item.data.count
            }
            let configuration = items[0].properties.first { $0[4..<8].elementsEqual("av1C".utf8) } ?? []
            let entry = box(
                "av01", big(0, 6), big(1, 2), big(0, 16), big(96, 2), big(64, 2), big(0, 50), configuration)
            let count = big(items.count, 4)
            let table = box(
                "stbl", box("stsd", big(0, 4), big(1, 4), entry),
                box("stts", big(0, 4), big(1, 4), count, big(delay, 4)),
                box("stsc", big(0, 4), big(1, 4), big(1, 4), big(1, 4), big(1, 4)),
                box("stsz", big(0, 4), big(0, 4), count, items.flatMap { big($0.data.count, 4) }),
                box("stco", big(0, 4), count, places))
            let media = box(
                "mdia",
                box("mdhd", big(0, 4), big(0, 8), big(1000, 4), big(delay * items.count, 4), big(0, 4)),
                box("hdlr", big(0, 8), text("pict"), big(0, 13)), box("minf", table))
            let header = box("tkhd", big(0, 4), big(0, 72), big(96 << 16, 4), big(64 << 16, 4))
            return box("moov", box("trak", header, media))
        }
        let offset = start.count + movie(at: 0).count + 8
        return start + movie(at: offset) + box("mdat", items.flatMap(\.data))
    }

    private static let colors = [HEIFParts.red, HEIFParts.green, HEIFParts.blue]

    @Test("shows its primary picture")
    func primary() throws {
        let (rows, file) = try HEIFParts.pixels(Self.sequence(Self.colors))
        #expect(file.storedSize == PixelSize(width: 96, height: 64))
        #expect(HEIFParts.isNear(rows[30][30], HEIFParts.red))
    }

    @Test("shows its primary picture where ImageMagick is trusted, which takes it for its own")
    func trusted() async {
        await #expect(processExitsWith: .success) {
            try ViewportRuntime.allowUntrustedLoaders()
            #expect(
                HEIFParts.isNear(try HEIFParts.pixels(Self.sequence(Self.colors)).rows[30][30], HEIFParts.red)
            )
        }
    }

    @Test("has its frames as pages, and as an animation", .enabled(if: AV1Decoder.isAvailable))
    func frames() throws {
        for hasStill in [true, false] {
            let bytes = try Self.sequence(Self.colors, delay: 130, hasStill: hasStill)
            for (page, color) in Self.colors.enumerated() {
                let (rows, file) = try HEIFParts.pixels(bytes, page: page)
                #expect(HEIFParts.isNear(rows[30][30], color), "page \(page): \(rows[30][30])")
                #expect(file.pages == 3 && file.page == page && file.isAnimated && file.pictureItem == nil)
            }
            #expect(throws: RenderingError.self) { try HEIFParts.pixels(bytes, page: 3) }
            let animation = try #require(try Animation(ImageFile(bytes: bytes, name: "moving.avif")))
            #expect(animation.delays == [130, 130, 130] && animation.loop == 0)
        }
    }

    @Test("whose frames are damaged is refused by name, and shows its primary picture")
    func damaged() throws {
        var bytes = try Self.sequence(Self.colors)
        let length = try HEIFParts.flat(1, HEIFParts.blue, width: 96, height: 64).data.count
        for at in (bytes.count - length)..<bytes.count { bytes[at] = 0xFF }
        #expect(HEIFParts.isNear(try HEIFParts.pixels(bytes).rows[30][30], HEIFParts.red))
        guard AV1Decoder.isAvailable else { return }
        #expect(throws: RenderingError.self) { try HEIFParts.pixels(bytes, page: 2) }
    }
}
