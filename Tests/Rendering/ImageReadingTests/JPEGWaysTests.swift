import Files
import Foundation
import JPEGIndexing
import Resampling
import TestSupport
import Testing
import TilePyramid
import ViewportGeometry
import ViewportRendering
import Vips

@testable import ImageReading

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
        try reader.read(rect, at: .quarter, of: file, threads: 1) { expected.push($0) }
        let (kept, decoded) = (rows.pixels, expected.pixels)
        #expect(kept == decoded && kept.count == 90 * 50 * 3)
    }

    @Test(
        "of CMYK or YCCK has the samples that libvips reads, with Adobe's segment and without",
        arguments: [nil, 0, 1, 2] as [UInt8?], [false, true])
    func cmyk(_ adobe: UInt8?, _ readsOften: Bool) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("ink.jpg")
        let sampling = adobe == 2 ? [(2, 2), (1, 1), (1, 1), (2, 2)] : Array(repeating: (1, 1), count: 4)
        let maker = JPEGMaker(
            name: "ink", width: 203, height: 150, sampling: sampling, tables: .optimized, adobe: adobe,
            hasJFIF: false, density: 6)
        // Without the maker's EXIF, which is none.
        let bytes = maker.file[..<2] + maker.file[23...]
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        var options = OpenOptions()
        options.optimizesForRandomAccess = readsOften
        let file = try ImageFile.open(path, options)
        #expect(file.reading == (readsOften ? "regions by index" : "regions of a scan"))
        #expect(file.interpretation == "cmyk" && file.bands == 4 && !file.hasAlpha)
        for level in file.pyramid.levels {
            let factor = 1 << level.index
            let whole = try VipsImage.load(
                path, with: "VipsForeignLoadJpegFile", factor == 1 ? [:] : ["shrink": .int(factor)])
            let size = level.size
            let rects = [
                PixelRect(size), PixelRect(x: size.width / 3, y: size.height / 2, width: 5, height: 4),
                PixelRect(x: 0, y: size.height - 1, width: size.width, height: 1),
            ]
            for rect in rects {
                var rows = RowCollector(byteCount: rect.size.area * 4)
                try file.source.open(level).read(rect) { rows.push($0) }
                let expected = try whole.cropped(
                    to: PixelRect(x: rect.x, y: rect.y, width: rect.width, height: rect.height))
                let isEqual = try rows.pixels == expected.pixels().copied()
                #expect(isEqual, "\(rect) at 1/\(factor)")
            }
        }
    }

    @Test("is scanned little further than the last row, and the next read continues there")
    func scanned() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("photo.jpg")
        try TestImages.photo(width: 500, height: 900).save(path, with: "jpegsave")
        let opened = try OpenFile(path)
        let header = try JPEGHeader(opened)
        let scanned = ScannedJPEG(opened, header, threads: 2)
        let whole = try JPEGIndex(opened, header: header)
        #expect(scanned.index == nil)
        var rows: [Int] = []
        for y in [100, 40, 300, 899] {
            try scanned.read(PixelRect(x: 7, y: y, width: 9, height: 1), at: .full) { _ in }
            rows.append(try #require(scanned.index).rows)
        }
        // One row of blocks below, from which colors are interpolated, and what else its chunk of the file has.
        #expect(zip(rows, [8, 8, 20, 57]).allSatisfy { $0 >= $1 })
        #expect(rows[1] == rows[0] && rows[0] < 57 && rows[2] < 57)
        #expect(scanned.index == whole)
        // Less than 4 MB are scanned in no time.
        #expect(scanned.newIndex == nil)
    }
}
