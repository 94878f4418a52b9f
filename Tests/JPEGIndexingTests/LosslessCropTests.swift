import JPEGIndexing
import JPEGTestSupport
import Testing
import ViewportGeometry

@Suite("A lossless crop")
struct LosslessCropTests {
    @Test("holds the same coefficients: cropped again it is the same file", arguments: RegionTests.files)
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

    @Test("widens to whole MCUs and says so")
    func widened() throws {
        let reader = try TestReader(JPEGMaker(name: "4:2:0").file)
        let crop = try reader.losslessCrop(PixelRect(x: 17, y: 31, width: 2, height: 2))
        #expect(crop.rect == PixelRect(x: 16, y: 16, width: 16, height: 32))
        let corner = try reader.losslessCrop(PixelRect(x: 99, y: 74, width: 1, height: 1))
        #expect(corner.rect == PixelRect(x: 96, y: 64, width: 4, height: 11))
    }

    @Test("has the pixels of the original where nothing is interpolated over its edge")
    func pixels() throws {
        let maker = JPEGMaker(
            name: "4:4:4", sampling: [(1, 1), (1, 1), (1, 1)], restartInterval: 3, tables: .optimised)
        let whole = try #require(DecodedJPEG(maker.file, channels: 3))
        let crop = try TestReader(maker.file).losslessCrop(PixelRect(x: 40, y: 8, width: 60, height: 67))
        let decoded = try #require(DecodedJPEG(crop.jpeg, channels: 3))
        let rect = PixelRect<ReducedGrid>(
            x: crop.rect.x, y: crop.rect.y, width: crop.rect.width, height: crop.rect.height)
        #expect(decoded.pixels == whole.cropped(rect))
    }

    @Test("keeps the metadata that is asked for")
    func metadata() throws {
        let reader = try TestReader(JPEGMaker(name: "4:2:0").file)
        let rect = PixelRect<StoredGrid>(x: 0, y: 0, width: 16, height: 16)
        let all = try JPEGHeader(try reader.losslessCrop(rect).jpeg)
        let none = try JPEGHeader(try reader.losslessCrop(rect) { _ in false }.jpeg)
        #expect(all.segments.contains { $0.marker == 0xE1 })
        #expect(!none.segments.contains { $0.marker == 0xE1 })
        // JFIF decides the meaning of the components.
        #expect(none.segments.contains { $0.marker == 0xE0 })
    }
}
