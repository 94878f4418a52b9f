import Files
import Foundation
import JPEGIndexing
import Resampling
import TestSupport
import Testing
import TilePyramid
import ViewportGeometry
import Vips

@testable import ViewportRendering

@Suite("A JPEG")
struct JPEGWaysTests {
    @Test("shows the exact pixels of a level without oversampling", arguments: [1, 2, 4, 8], [false, true])
    func ownPixels(_ factor: Int, _ isProgressive: Bool) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("photo.jpg")
        try TestImages.photo(width: 803, height: 601).save(
            path, with: "jpegsave", ["interlace": .bool(isProgressive)])
        var often = OpenOptions()
        often.optimizesForRandomAccess = true
        let file = try ImageFile.open(path, often)
        let level = try VipsImage.load(
            path, with: "VipsForeignLoadJpegFile", factor == 1 ? [:] : ["shrink": .int(factor)])
        let whole = try level.pixels().copied()
        var options = RenderOptions()
        options.oversampling = 1
        let side = 32
        let grid = LevelGrid(
            try file.source.open(file.pyramid.levels[factor.trailingZeroBitCount]).level, side: side)
        let inside = PixelRect<StoredGrid>(
            x: 0, y: 0, width: level.width / side * side, height: level.height / side * side)
        // All tiles twice: data cached by the first pass must not change the second.
        for (column, row) in grid.positions(in: inside) + grid.positions(in: inside) {
            let tile = grid.rect(column: column, row: row)
            let rect = Rect<ImageSpace>(
                x: Double(tile.x * factor), y: Double(tile.y * factor), width: Double(side * factor),
                height: Double(side * factor))
            let viewport = Viewport(imageRect: rect, scale: 1 / Double(factor))
            let picture = try ViewportRenderer(options: options).renderSynchronously(viewport, of: file)
                .picture
            var expected: [UInt8] = []
            for y in tile.y..<tile.maxY {
                let start = (y * level.width + tile.x) * 3
                expected += whole[start..<start + side * 3]
            }
            let isEqual = picture.bytes == expected
            #expect(isEqual, "\(tile)")
        }
    }

    @Test("is cached at 1/4 after repeated reads")
    func quarter() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("photo.jpg")
        try TestImages.photo(width: 803, height: 601).save(path, with: "jpegsave")
        let file = try OpenFile(path)
        let header = try JPEGHeader(file)
        let reader = try JPEGRegionReader(header: header, index: JPEGIndex(file, header: header))
        let quarter = try #require(JPEGQuarter(file, reader))
        let rect = PixelRect<StoredGrid>(x: 30, y: 41, width: 90, height: 50)
        var rows = RowCollector(byteCount: 0)
        // The first read only starts the decoding.
        #expect(try !quarter.read(rect) { _ in })
        var isMade = false
        for _ in 0..<1000 where !isMade {
            isMade = try quarter.read(rect) { rows.push($0) }
            if !isMade { try await Task.sleep(for: .milliseconds(10)) }
        }
        #expect(isMade)
        var expected = RowCollector(byteCount: 0)
        try reader.read(rect, at: .quarter, of: file) { expected.push($0) }
        let (kept, decoded) = (rows.pixels, expected.pixels)
        #expect(kept == decoded && kept.count == 90 * 50 * 3)
    }

}
