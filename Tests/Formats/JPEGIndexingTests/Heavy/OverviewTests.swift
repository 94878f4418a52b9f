import JPEGIndexing
import TestSupport
import Testing
import ViewportGeometry

@Suite("An overview of a JPEG")
struct OverviewTests {
    @Test("equals libjpeg-turbo's image at 1/8, and has the same index", arguments: RegionTests.files)
    func exact(_ maker: JPEGMaker) throws {
        let file = maker.file
        let header = try JPEGHeader(file)
        try #require(header.hasOverview)
        let size = header.size(at: .eighth)
        var pixels: [UInt8] = []
        let index = try file.lent { bytes in
            try JPEGIndex(bytes, header: header, interval: 4) { y, row in
                #expect(pixels.count == y * row.byteCount)
                // The row is valid during the call.
                unsafe row.withUnsafeBytes { unsafe pixels.append(contentsOf: $0) }
            }
        }
        #expect(try index == JPEGIndex(file, header: header, interval: 4))
        #expect(pixels.count == size.width * size.height * header.components.count)
        guard DecodedJPEG.canScale(width: maker.width, height: maker.height, .eighth) else { return }
        let expected = try #require(DecodedJPEG(file, channels: header.components.count, scale: .eighth))
        #expect(pixels == expected.pixels)
    }

    @Test("is the same on several threads", arguments: RegionTests.files + IndexTests.large)
    func threads(_ maker: JPEGMaker) throws {
        let file = maker.file
        let header = try JPEGHeader(file)
        try file.lent { bytes in
            let alone = try Self.rows { _ = try JPEGIndex(bytes, header: header, overviewRow: $0) }
            let together = try Self.rows {
                let index = try JPEGIndex.scan(
                    MemoryFile(file), header: header, threads: 3, chunkSize: 9999, hasOverview: true,
                    overviewRow: $0)
                #expect(try index == JPEGIndex(bytes, header: header))
            }
            #expect(together == alone)
        }
    }

    /// Returns the bytes of all rows, and expects them in order.
    private static func rows(_ make: ((Int, RawSpan) -> Void) throws -> Void) rethrows -> [UInt8] {
        var pixels: [UInt8] = []
        var next = 0
        try make { y, row in
            #expect(y == next)
            next += 1
            // The row is valid during the call.
            unsafe row.withUnsafeBytes { unsafe pixels.append(contentsOf: $0) }
        }
        return pixels
    }

    @Test("of damaged data fails on any number of threads")
    func broken() throws {
        var file = IndexTests.large[0].file
        for offset in 0..<40 { file[file.count * 3 / 4 + offset] = 0xFE }
        file[file.count * 3 / 4] = 0xFF
        let header = try JPEGHeader(file)
        file.lent { bytes in
            #expect(throws: JPEGIndexError.self) {
                try Self.rows { _ = try JPEGIndex(bytes, header: header, overviewRow: $0) }
            }
            #expect(throws: JPEGIndexError.self) {
                try Self.rows {
                    _ = try JPEGIndex.scan(
                        MemoryFile(file), header: header, threads: 2, chunkSize: 20_000, hasOverview: true,
                        overviewRow: $0)
                }
            }
        }
    }
}
