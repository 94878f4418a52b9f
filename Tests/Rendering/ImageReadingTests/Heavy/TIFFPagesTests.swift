import Foundation
import TestSupport
import Testing
import TilePyramid

@testable import ImageReading

@Suite("The directories of a TIFF")
struct TIFFPagesTests {
    private static func open(_ bytes: [UInt8], _ options: OpenOptions = OpenOptions()) throws -> ImageFile {
        let folder = try TemporaryFolder()
        try Data(bytes).write(to: folder.url.appendingPathComponent("a.tif"))
        return try ImageFile.open(folder.path("a.tif"), options)
    }

    @Test(
        "are levels where they are smaller pictures, but not where they are masks or maps of depths",
        arguments: [(1, 1), (4, 4), (8, 51177), (8, 1), (9, 1), (65540, 52527), (65544, 1)])
    func levels(kind: Int, photometric: Int) throws {
        let small = PageMaker.page(32, 24, kind: kind, photometric: photometric, blob: 1)
        let bytes = TIFFMaker.file(
            [PageMaker.page(64, 48, kind: 0, blob: 0) + [(0x014A, .directories([small]))]],
            blobs: [[UInt8](repeating: 90, count: 64 * 48), [UInt8](repeating: 9, count: 32 * 24)])
        #expect(try Self.open(bytes).source.pyramid.levels.count == (kind == 1 ? 2 : 1))
        let chain = TIFFMaker.file(
            [PageMaker.page(64, 48, kind: 0, blob: 0), PageMaker.page(32, 24, kind: kind, blob: 1)],
            blobs: [[UInt8](repeating: 90, count: 64 * 48), [UInt8](repeating: 9, count: 32 * 24)])
        let file = try Self.open(chain)
        #expect(file.source.pyramid.levels.count == (kind == 1 ? 2 : 1))
        #expect(file.picturePages == [0])
    }

    @Test("are pages that are turned each in its own way")
    func orientation() throws {
        var options = OpenOptions()
        options.page = 2
        let page = try Self.open(PageMaker.scan, options)
        #expect("\(page.uprightSize)" == "20x50")
        #expect(try Self.open(PageMaker.scan).picturePages == [0, 2])
    }
}
