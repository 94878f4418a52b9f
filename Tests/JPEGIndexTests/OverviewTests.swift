import JPEGIndex
import JPEGTestSupport
import Testing
import ViewportGeometry

@Suite("An overview of a JPEG")
struct OverviewTests {
    @Test("is libjpeg-turbo's image at one eighth, and its index is the same", arguments: RegionTests.files)
    func exact(_ maker: JPEGMaker) throws {
        let file = maker.file
        let header = try JPEGHeader(file)
        try #require(header.hasOverview)
        let size = header.size(at: .eighth)
        var pixels: [UInt8] = []
        let index = try file.lent { bytes in
            try JPEGIndex(bytes, header: header, interval: 4) { y, row in
                #expect(pixels.count == y * row.byteCount)
                // The bytes are copied before the row is gone.
                unsafe row.withUnsafeBytes { unsafe pixels.append(contentsOf: $0) }
            }
        }
        #expect(try index == JPEGIndex(file, header: header, interval: 4))
        #expect(pixels.count == size.width * size.height * header.components.count)
        guard DecodedJPEG.canScale(width: maker.width, height: maker.height, .eighth) else { return }
        let expected = try #require(DecodedJPEG(file, channels: header.components.count, scale: .eighth))
        #expect(pixels == expected.pixels)
    }
}
