import ImageMetadata
import Resampling
import TestHarness
import TestSupport
import Testing
import TilePyramid
import ViewportGeometry

@testable import ImageReading

@Suite("A HEIF file with a film", .ownThread)
struct HEIFMotionTests {
    @Test(
        "has the picture without it, and the film, whether a box holds it or nothing announces it",
        arguments: HEIFImages.Coding.allCases, [true, false])
    func pictures(_ coding: HEIFImages.Coding, _ hasBox: Bool) throws {
        let picture = try HEIFImages.flat((0, 0, 255), width: 96, height: 64, coding)
        let film = FilmMaker.film(brand: "mp42", seconds: 2)
        let file = try ImageFile(bytes: picture + (hasBox ? box("mpvd", film) : film))
        #expect(file.storedSize == PixelSize(width: 96, height: 64))
        let alone = try ImageFile(bytes: picture)
        let isEqual = try samples(file) == samples(alone)
        #expect(isEqual)
        #expect(try file.embeddedFilm()?.range.count == film.count)
    }

    private func samples(_ file: ImageFile) throws -> [UInt8] {
        let full = file.source.pyramid.full
        var samples = RowCollector(byteCount: full.size.area * file.bands)
        try file.source.open(full).read(PixelRect(full.size)) { samples.push($0) }
        return samples.pixels
    }
}
