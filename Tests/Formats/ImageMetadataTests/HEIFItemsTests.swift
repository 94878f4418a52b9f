import Containers
import Files
import ImageMetadata
import TestHarness
import TestSupport
import Testing
import ViewportGeometry

@Suite("The items of a HEIF file")
struct HEIFItemsTests {
    static func maker() -> HEIFMaker {
        let tile = HEIFMaker.size(64, 32)
        return HEIFMaker(
            [
                HEIFMaker.grid(
                    1, rows: 1, columns: 2, width: 100, height: 30,
                    properties: [HEIFMaker.colors((12, 13, 6), isFullRange: false), BoxMaker.rotation(3)])
            ]
                + [2, 3].map { id in
                    HEIFMaker.Item(id, "hvc1", [1, 2, 3, 4, UInt8(id)], properties: [tile], isHidden: true)
                } + [
                    HEIFMaker.Item(
                        4, "hvc1", [9, 8, 7], properties: [HEIFMaker.size(320, 240)],
                        references: [("thmb", [1])]),
                    HEIFMaker.Item(
                        5, "hvc1", [6, 5],
                        properties: [HEIFMaker.auxiliary("urn:com:apple:photo:2020:aux:hdrgainmap")],
                        references: [("auxl", [1])]),
                    HEIFMaker.Item(6, "hvc1", [3], properties: [tile]),
                ])
    }

    @Test("are found wherever their data is", arguments: HEIFMaker.Construction.allCases, [1, 3])
    func constructions(_ construction: HEIFMaker.Construction, _ extents: Int) throws {
        var maker = Self.maker()
        (maker.construction, maker.extents) = (construction, extents)
        let file = maker.bytes
        let items = try #require(HEIFItems(FileBytes(file)))
        #expect(items.primary == 1)
        for item in maker.items {
            let read = try #require(items[item.id])
            #expect(read.type.description == item.type)
            #expect(read.data.flatMap { file[$0] } == item.data)
            #expect(read.isHidden == item.isHidden)
        }
        #expect(items.pictures.map(\.id) == [1, 6])
        #expect(items.items(referring: "thmb", to: 1).map(\.id) == [4])
        #expect(items[5]?.auxiliaryType == "urn:com:apple:photo:2020:aux:hdrgainmap")
        #expect(items[5]?.isAlpha == false)
        let main = try #require(items[1])
        #expect(main.orientation == .right)
        #expect(main.codedSize == PixelSize(width: 100, height: 30))
        #expect(main.colors == CodedColors(primaries: 12, transfer: 13, matrix: 6, isFullRange: false))
        guard extents == 1 else { return }
        let grid = try #require(items.grid(of: main, in: FileBytes(file)))
        #expect(grid.rows == 1 && grid.columns == 2 && grid.tiles == [2, 3])
        #expect(grid.size == PixelSize(width: 100, height: 30))
    }

    @Test("that are outside of the file have no data")
    func outside() throws {
        var file = Self.maker().bytes
        file.removeLast(4)
        let items = try #require(HEIFItems(FileBytes(file)))
        #expect(items[6]?.data.isEmpty == true)
        #expect(items[2]?.data.isEmpty == false)
    }

    @Test("that consist of themselves have no data")
    func circle() throws {
        var maker = Self.maker()
        maker.construction = .item
        maker.items.append(HEIFMaker.Item(7, "data", [1], references: [("iloc", [7])]))
        let items = try #require(HEIFItems(FileBytes(maker.bytes)))
        #expect(items[7]?.data.isEmpty == true)
        #expect(items[6]?.data.isEmpty == false)
    }

    @Test("can be written as a file of some tiles")
    func part() throws {
        let file = Self.maker().bytes
        let items = try #require(HEIFItems(FileBytes(file)))
        let grid = try #require(items[1].flatMap { items.grid(of: $0, in: FileBytes(file)) })
        let bytes = try HEIFPart.tiles(
            rows: 0..<1, columns: 1..<2, of: grid, alpha: nil, tileSize: PixelSize(width: 64, height: 32),
            items: items, in: MemoryFile(file))
        let part = try #require(HEIFItems(FileBytes(bytes)))
        let main = try #require(part.primary.flatMap { part[$0] })
        let cut = try #require(part.grid(of: main, in: FileBytes(bytes)))
        #expect(cut.size == PixelSize(width: 36, height: 30))
        #expect(main.orientation == .right)
        let tile = try #require(part[cut.tiles[0]])
        #expect(tile.data.flatMap { bytes[$0] } == [1, 2, 3, 4, 3])
        // A tile has the colors of its grid.
        #expect(tile.colors == main.colors)
    }

    @Test("with more data than their pixels can need are not copied")
    func large() throws {
        let maker = HEIFMaker([
            HEIFMaker.Item(
                1, "hvc1", [UInt8](repeating: 1, count: 70_000), properties: [HEIFMaker.size(16, 16)])
        ])
        let items = try #require(HEIFItems(FileBytes(maker.bytes)))
        let item = try #require(items[1])
        #expect(throws: HEIFPart.Problem.unusable) {
            try HEIFPart.picture(item, colors: nil, of: items, in: MemoryFile(maker.bytes))
        }
    }

    @Test("of files that are damaged at random never trap", .ownThread)
    func damaged() {
        var fuzzer = HEIFFuzzer(seed: 1)
        fuzzer.run(TestLength.repetitions(10_000, short: 1_000))
        let counts = fuzzer.counts
        #expect(counts.recognized > counts.inputs / 2)
        #expect(counts.grids > counts.inputs / 4)
        #expect(counts.parts > counts.inputs / 2)
        #expect(counts.largest < 1 << 22)
    }
}

@Suite("Coded colors")
struct CodedColorsTests {
    @Test("that are sRGB's need no profile", arguments: [(1, 13), (1, 1), (2, 2), (1, 6)])
    func plain(_ primaries: Int, _ transfer: Int) {
        let colors = CodedColors(primaries: primaries, transfer: transfer, matrix: 6, isFullRange: true)
        #expect(colors.profile == nil)
    }

    @Test("that need tone mapping have a profile with their numbers and their peak", arguments: [16, 18])
    func bright(_ transfer: Int) throws {
        var colors = CodedColors(primaries: 9, transfer: transfer, matrix: 9, isFullRange: true)
        let profile = try #require(colors.profile.flatMap(ICCProfile.init))
        #expect(profile.numbers ?? (0, 0) == (9, transfer))
        #expect(profile.highDynamicRange == HighDynamicRange(transfer == 16 ? .pq : .hlg))
        colors.peak = 4000
        let bright = try #require(colors.profile.flatMap(ICCProfile.init)?.highDynamicRange)
        #expect(bright.peak == (transfer == 16 ? 4000 : 1000))
    }

    @Test(
        "become a profile", arguments: [(12, 13, "Display P3"), (9, 1, "BT.2020"), (1, 4, "sRGB, gamma 2.2")])
    func wide(_ primaries: Int, _ transfer: Int, _ name: String) throws {
        let colors = CodedColors(primaries: primaries, transfer: transfer, matrix: 6, isFullRange: true)
        let profile = try #require(colors.profile.flatMap(ICCProfile.init))
        #expect(profile.name == name)
        #expect(profile.colorSpace == "RGB")
        #expect(!profile.isSRGB)
    }
}
