import Basics
import Containers
import Files
import Testing

@testable import ImageMetadata

@Suite("Tags of maps")
struct GeoTagsTests {
    private static func doubles(_ tag: Int, _ values: [Double], _ order: ByteOrder) -> TIFFValue {
        TIFFValue(
            tag: tag, type: 12, count: values.count, bytes: values.flatMap { $0.bitPattern.bytes(order) })
    }

    /// Returns the first directory of a file with some tags.
    private static func directory(_ tags: [TIFFValue], _ order: ByteOrder = .little) throws -> TIFFDirectory {
        let file = TIFFWriter(order).block(tags.sorted { $0.tag < $1.tag })
        return try #require(TIFFBlock(FileBytes(file))?.main)
    }

    /// A map of 10 meters per pixel whose pixel 20, 30 is at 500,000 and 4,000,000.
    private static func map(_ order: ByteOrder = .little, isOfCenters: Bool = false) throws -> GeoTags {
        let keys = [1, 1, 0, 1, 1025, 0, 1, isOfCenters ? 2 : 1]
        let tags = try directory(
            [
                doubles(33550, [10, 10, 0], order),
                doubles(33922, [20, 30, 0, 500_000, 4_000_000, 0], order),
                TIFFValue(tag: 34735, type: 3, keys, order),
                TIFFValue(tag: 42113, type: 2, count: 4, bytes: Array("255\0".utf8)),
            ], order)
        return try #require(GeoTags(tags))
    }

    private static func written(_ tags: GeoTags, _ tag: Int) -> [Double] {
        let bytes = tags.values.first { $0.tag == tag }?.bytes ?? []
        return stride(from: 0, to: bytes.count, by: 8).compactMap {
            bytes.bits(8, at: $0, .little).map(Double.init(bitPattern:))
        }
    }

    private static func upright(_ x: Double, _ y: Double, step: Double) -> GeoTags.PixelMap {
        GeoTags.PixelMap(x: (x, step, 0), y: (y, 0, step))
    }

    @Test(
        "are written little-endian, whatever the order of the file is", arguments: [ByteOrder.little, .big])
    func orders(_ order: ByteOrder) throws {
        let tags = try Self.map(order)
        #expect(tags.values.map(\.tag) == [33550, 33922, 34735, 42113])
        #expect(Self.written(tags, 33550) == [10, 10, 0])
        #expect(Self.written(tags, 33922) == [20, 30, 0, 500_000, 4_000_000, 0])
        let keys = try #require(tags.values.first { $0.tag == 34735 })
        #expect(keys == TIFFValue(tag: 34735, type: 3, [1, 1, 0, 1, 1025, 0, 1, 1], .little))
        #expect(tags.noData == "255" && tags.noDataValues.map(\.tag) == [42113])
    }

    @Test("of a file without any are none")
    func none() throws {
        #expect(GeoTags(try Self.directory([TIFFValue(tag: 256, type: 3, [7], .little)])) == nil)
    }

    @Test("move with a part at another size", arguments: [false, true])
    func part(_ isOfCenters: Bool) throws {
        // The part begins at 100, 50, and a pixel of it is 4 of the map.
        let tags = try Self.map(isOfCenters: isOfCenters).moved(by: Self.upright(100, 50, step: 4))
        #expect(Self.written(tags, 33550) == [40, 40, 0])
        let point = Self.written(tags, 33922)
        // The center of pixel 20 is 20.5; that of the same place in the part is half a pixel behind its number.
        #expect(point[0] == (isOfCenters ? (20.5 - 100) / 4 - 0.5 : -20))
        #expect(point[1] == (isOfCenters ? (30.5 - 50) / 4 - 0.5 : -5))
        #expect(Array(point[2...]) == [0, 500_000, 4_000_000, 0])
    }

    @Test("of a turned map are a matrix that leads to the same places")
    func turned() throws {
        // Clockwise by a quarter: the first column is the last row of 300.
        let turned = try Self.map().moved(by: GeoTags.PixelMap(x: (0, 0, 1), y: (300, -1, 0)))
        #expect(Self.written(turned, 33550).isEmpty && Self.written(turned, 33922).isEmpty)
        let matrix = Self.written(turned, 34264)
        func place(_ x: Double, _ y: Double) -> [Double] {
            [0, 4].map { matrix[$0] * x + matrix[$0 + 1] * y + matrix[$0 + 3] }
        }
        // Pixel 20, 30 of the map is at 270, 20 now.
        #expect(place(270, 20) == [500_000, 4_000_000])
        // One to the right of it was one above it, 10 meters to the north.
        #expect(place(271, 20) == [500_000, 4_000_010])
        // A matrix moves on.
        let part = turned.moved(by: Self.upright(270, 20, step: 2))
        #expect(Array(Self.written(part, 34264)[..<4]) == [0, 20, 0, 500_000])
    }

    @Test("keep the points of a map without a scale on the same places")
    func points() throws {
        let points: [Double] = [0, 0, 0, 7, 46, 0, 100, 50, 0, 8, 45, 0]
        let tags = try #require(
            GeoTags(try Self.directory([Self.doubles(33922, points, .little)])))
        let turned = tags.moved(by: GeoTags.PixelMap(x: (0, 0, 1), y: (200, -1, 0)))
        #expect(Self.written(turned, 33922) == [200, 0, 0, 7, 46, 0, 150, 100, 0, 8, 45, 0])
    }
}

@Suite("The resolution of a slide")
struct SlideResolutionTests {
    @Test(
        "is that of its description",
        arguments: [
            ("Aperio Image Library v11.2.1 \r\n46000x32914|AppMag = 20|MPP = 0.4990|Left = 25", 0.499),
            ("Aperio Leica\n|MPP=0.25", 0.25), ("Aperio Image Library|AppMag = 20", nil),
            ("Aperio|MPP = 0", nil), ("Someone else|MPP = 0.5", nil),
        ])
    func description(_ text: String, _ micrometers: Double?) throws {
        let description = TIFFValue(
            tag: 270, type: 2, count: text.utf8.count + 1, bytes: Array(text.utf8) + [0])
        let file = TIFFWriter(.little).block([description])
        let metadata = FileMetadata(contentsOf: FileBytes(file), name: "slide.svs", .all)
        #expect(metadata?.resolution.map { (1e6 / $0.across * 1e6).rounded() / 1e6 } == micrometers)
    }
}
