import JPEGIndexing
import TestSupport
import Testing
import ViewportGeometry

@Suite("A region of a JPEG")
struct RegionTests {
    static let samplings: [(String, [(Int, Int)])] = [
        ("4:2:0", [(2, 2), (1, 1), (1, 1)]), ("4:2:2", [(2, 1), (1, 1), (1, 1)]),
        ("4:4:0", [(1, 2), (1, 1), (1, 1)]), ("4:1:1", [(4, 1), (1, 1), (1, 1)]),
        ("4:4:4", [(1, 1), (1, 1), (1, 1)]), ("4:1:0", [(4, 2), (1, 1), (1, 1)]),
        ("2x2 chroma 2x1", [(2, 2), (2, 1), (1, 2)]),
        ("second 2x2", [(2, 2), (2, 2), (1, 1)]),
        ("gray", [(1, 1)]), ("gray as 2x2", [(2, 2)]), ("CMYK", [(1, 1), (1, 1), (1, 1), (1, 1)]),
        ("YCCK 4:2:0", [(2, 2), (1, 1), (1, 1), (2, 2)]),
    ]

    /// JPEGs with every sampling and every kind of tables, and other variants.
    static let files: [JPEGMaker] = {
        var result: [JPEGMaker] = []
        for (name, sampling) in samplings {
            for (index, tables) in JPEGMaker.Tables.allCases.enumerated() {
                result.append(
                    JPEGMaker(
                        name: name, width: 131 - 7 * index, height: 83 + 9 * index, sampling: sampling,
                        restartInterval: index == 1 ? 5 : 0, tables: tables,
                        adobe: sampling.count == 4 ? (name == "CMYK" ? 0 : 2) : nil,
                        hasJFIF: sampling.count != 4, seed: UInt64(index + 3)))
            }
        }
        result += [
            JPEGMaker(name: "RGB by Adobe", sampling: [(1, 1), (1, 1), (1, 1)], adobe: 0, hasJFIF: false),
            JPEGMaker(
                name: "RGB by names", sampling: [(1, 1), (1, 1), (1, 1)], ids: Array("RGBK".utf8),
                hasJFIF: false),
            JPEGMaker(name: "16-bit quantization", isWide: true, frameMarker: 0xC1),
            JPEGMaker(name: "extended", frameMarker: 0xC1, density: 30),
            JPEGMaker(name: "restart at every MCU", restartInterval: 1),
            JPEGMaker(name: "restart at every row", restartInterval: 7),
            JPEGMaker(name: "nearly empty", density: 1),
            JPEGMaker(name: "full blocks", tables: .optimized, density: 60),
        ]
        for (width, height) in [(1, 1), (2, 3), (8, 8), (9, 17), (16, 16), (17, 15), (300, 9), (5, 200)] {
            result += samplings.prefix(4).map {
                JPEGMaker(name: $0.0, width: width, height: height, sampling: $0.1, tables: .optimized)
            }
        }
        return result
    }()

    @Test("has exactly the pixels of a full decode", arguments: files)
    func exact(_ maker: JPEGMaker) throws {
        let file = maker.file
        let channels = maker.sampling.count
        let reader = try TestReader(file, interval: 4)
        var generator = Xorshift(state: 77)
        for scale in JPEGScale.allCases
        where DecodedJPEG.canScale(width: maker.width, height: maker.height, scale) {
            let whole = try #require(DecodedJPEG(file, channels: channels, scale: scale))
            #expect(whole.size == reader.header.size(at: scale))
            for _ in 0..<12 {
                let rect = generator.rect(in: whole.size)
                let region = try reader.region(rect, at: scale)
                let stored = try JPEGHeader(region.jpeg).size
                guard DecodedJPEG.canScale(width: stored.width, height: stored.height, scale) else {
                    continue
                }
                let decoded = try #require(DecodedJPEG(region.jpeg, channels: channels, scale: scale))
                #expect(decoded.size == region.decodedSize)
                #expect(decoded.cropped(region.crop) == whole.cropped(rect), "\(rect) at 1/\(scale.rawValue)")
            }
        }
    }

    @Test("is the same JPEG with any number of checkpoints", arguments: files)
    func checkpoints(_ maker: JPEGMaker) throws {
        let file = maker.file
        let reference = try TestReader(file, interval: 1)
        let readers = try [
            TestReader(file, interval: 3), TestReader(file, interval: 64),
            TestReader(file, interval: 7, optimizesForRandomAccess: true),
            TestReader(file, optimizesForRandomAccess: true),
        ]
        var generator = Xorshift(state: 5)
        for _ in 0..<20 {
            let scale = JPEGScale.allCases[generator.below(4)]
            let rect = generator.rect(in: reference.header.size(at: scale))
            let expected = try reference.region(rect, at: scale)
            for reader in readers { #expect(try reader.region(rect, at: scale) == expected, "\(rect)") }
        }
    }

    @Test("does not need the index of rows below it", arguments: JPEGScale.allCases)
    func partialIndex(_ scale: JPEGScale) throws {
        let file = JPEGMaker(name: "4:2:0", width: 200, height: 300).file
        let header = try JPEGHeader(file)
        let whole = try #require(DecodedJPEG(file, channels: 3, scale: scale))
        let rect = PixelRect<ReducedGrid>(x: 3, y: 40 / scale.rawValue, width: 9, height: 56 / scale.rawValue)
        let rows = JPEGRegionReader.rowsNeeded(for: rect, at: scale, header: header)
        #expect(rows < 8)
        let reader = try TestReader(file, rows: rows)
        let region = try reader.region(rect, at: scale)
        let decoded = try #require(DecodedJPEG(region.jpeg, channels: 3, scale: scale))
        #expect(decoded.cropped(region.crop) == whole.cropped(rect))
        #expect(throws: JPEGIndexError.outside) {
            try reader.region(PixelRect(x: 0, y: 280 / scale.rawValue, width: 1, height: 1), at: scale)
        }
    }

    @Test("outside of the image is refused")
    func outside() throws {
        let reader = try TestReader(JPEGMaker(name: "4:2:0").file)
        for rect in [
            PixelRect<ReducedGrid>(x: 100, y: 0, width: 1, height: 1),
            PixelRect(x: -5, y: 0, width: 5, height: 5),
            PixelRect(x: 0, y: 0, width: 0, height: 5),
            PixelRect(x: .min, y: .min, width: .max, height: .max),
            PixelRect(x: .max, y: 5, width: .max, height: .max),
            PixelRect(x: 0, y: 0, width: .min, height: .min),
        ] {
            #expect(throws: JPEGIndexError.outside) { try reader.region(rect, at: .full) }
        }
        let whole = PixelRect<ReducedGrid>(x: -1, y: -1, width: .max, height: .max)
        #expect(try reader.region(whole, at: .full).crop.size == reader.header.size(at: .full))
        for y in [Int.min, -1, 0, .max] {
            let rect = PixelRect<ReducedGrid>(x: 0, y: y, width: 1, height: .max)
            #expect(
                (0...5).contains(JPEGRegionReader.rowsNeeded(for: rect, at: .full, header: reader.header)))
        }
    }
}

@Suite("A lossless crop")
struct LosslessCropTests {
    @Test(
        "contains the same coefficients: cropping it again gives the same file", arguments: RegionTests.files)
    func stable(_ maker: JPEGMaker) throws {
        let reader = try TestReader(maker.file)
        let size = reader.header.size
        let crop = try reader.losslessCrop(
            PixelRect(
                x: size.width / 3, y: size.height / 3, width: size.width / 2 + 1, height: size.height / 2 + 1)
        )
        let again = try TestReader(crop.jpeg)
        #expect(again.header.size == crop.rect.size)
        #expect(try again.losslessCrop(PixelRect(crop.rect.size)).jpeg == crop.jpeg)
    }

    @Test("is extended to whole MCUs, and reports that")
    func widened() throws {
        let reader = try TestReader(JPEGMaker(name: "4:2:0").file)
        let crop = try reader.losslessCrop(PixelRect(x: 17, y: 31, width: 2, height: 2))
        #expect(crop.rect == PixelRect(x: 16, y: 16, width: 16, height: 32))
        let corner = try reader.losslessCrop(PixelRect(x: 99, y: 74, width: 1, height: 1))
        #expect(corner.rect == PixelRect(x: 96, y: 64, width: 4, height: 11))
    }

    @Test("has the pixels of the original, except where chroma is interpolated across its edge")
    func pixels() throws {
        let maker = JPEGMaker(
            name: "4:4:4", sampling: [(1, 1), (1, 1), (1, 1)], restartInterval: 3, tables: .optimized)
        let whole = try #require(DecodedJPEG(maker.file, channels: 3))
        let crop = try TestReader(maker.file).losslessCrop(PixelRect(x: 40, y: 8, width: 60, height: 67))
        let decoded = try #require(DecodedJPEG(crop.jpeg, channels: 3))
        let rect = PixelRect<ReducedGrid>(
            x: crop.rect.x, y: crop.rect.y, width: crop.rect.width, height: crop.rect.height)
        #expect(decoded.pixels == whole.cropped(rect))
    }

    @Test("keeps the requested metadata")
    func metadata() throws {
        let reader = try TestReader(JPEGMaker(name: "4:2:0").file)
        let rect = PixelRect<StoredGrid>(x: 0, y: 0, width: 16, height: 16)
        let all = try JPEGHeader(try reader.losslessCrop(rect).jpeg)
        let none = try JPEGHeader(try reader.losslessCrop(rect) { _ in false }.jpeg)
        #expect(all.segments.contains { $0.marker == 0xE1 })
        #expect(!none.segments.contains { $0.marker == 0xE1 })
        // JFIF determines the color space.
        #expect(none.segments.contains { $0.marker == 0xE0 })
    }
}
