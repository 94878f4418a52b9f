import ImageMetadata
import MetadataTestSupport
import Testing
import ViewportGeometry

@Suite("Cameras' own formats")
struct RawTests {
    @Test(
        "have the size of the picture, not of the small one that stands first",
        arguments: [
            RawMaker.dng, RawMaker.raf, RawMaker.rw2, RawMaker.orf, RawMaker.cr2, RawMaker.cr3,
            RawMaker.bigTIFF,
        ])
    func sizes(_ file: [UInt8]) throws {
        #expect(try #require(FileMetadata(of: file)).storedSize == PixelSize(width: 4000, height: 3000))
    }

    @Test("have the date, place and camera of the JPEG inside", arguments: [RawMaker.raf, RawMaker.rw2])
    func embedded(_ file: [UInt8]) throws {
        let read = try #require(FileMetadata(of: file))
        #expect(read.date?.source == .subSecDateTimeOriginal)
        #expect(read.location != nil)
        #expect(read.make == "Maker")
    }

    @Test("show a JPEG for a quick look", arguments: [RawMaker.raf, RawMaker.cr2])
    func previews(_ file: [UInt8]) throws {
        let range = try #require(FileMetadata(of: file)?.preview)
        #expect(Array(file[range]) == RawMaker.preview)
    }

    @Test("of Canon have EXIF's directories in boxes")
    func canon() throws {
        let read = try #require(FileMetadata(of: RawMaker.cr3))
        #expect(read.make == "Canon")
        #expect(read.orientation == .right)
        #expect(read.date?.local.description == "2014-05-25T10:00:00")
        #expect(abs(try #require(read.location).latitude - 48.85) < 1e-9)
    }
}
