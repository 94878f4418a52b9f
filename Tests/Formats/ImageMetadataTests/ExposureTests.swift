import Containers
import Foundation
import TestSupport
import Testing

@testable import ImageMetadata

@Suite("The exposure in EXIF")
struct ExposureTests {
    private static func exposure(_ entries: [(Int, ExifBuilder.Value)], bigEndian: Bool = true) -> Exposure? {
        Exif(ExifBuilder(bigEndian: bigEndian).block([(0x8769, .directory(entries))]))?.exposure
    }

    @Test("is read in both byte orders", arguments: [true, false])
    func values(_ bigEndian: Bool) throws {
        let exposure = try #require(
            Self.exposure(
                [
                    (0x829A, .rationals([(1, 250)])), (0x829D, .rationals([(28, 10)])), (0x8827, .short(400)),
                    (0x9209, .short(0x19)), (0x920A, .rationals([(231, 10)])), (0xA405, .short(35)),
                ], bigEndian: bigEndian))
        #expect(exposure.seconds == 1.0 / 250 && exposure.aperture == 2.8)
        #expect(exposure.sensitivity == 400 && exposure.usesFlash == true)
        #expect(exposure.focalLength == 23.1 && exposure.equivalentFocalLength == 35)
        #expect(exposure.compensation == nil)
    }

    @Test("is unknown where a value is zero, infinite or of another type")
    func damaged() throws {
        let exposure = try #require(
            Self.exposure([
                (0x829A, .rationals([(1, 0)])), (0x829D, .rationals([(0, 1)])), (0x8827, .short(0)),
                (0x9209, .text("flash")), (0x920A, .text("23 mm")), (0xA405, .short(0)),
            ]))
        #expect(exposure == Exposure())
    }

    @Test("has the sensitivity of the other tag where the first cannot state it")
    func sensitivity() throws {
        let exposure = try #require(Self.exposure([(0x8827, .short(65535)), (0x8832, .long(102_400))]))
        #expect(exposure.sensitivity == 102_400)
    }

    @Test("of a file is what its first block states, completed by the others")
    func completed() throws {
        let block = ExifBuilder(bigEndian: false).block([
            (0x8769, .directory([(0x829D, .rationals([(4, 1)])), (0x8827, .short(200))]))
        ])
        let file = PhotoMaker.jpeg(exif: block)
        let metadata = try #require(FileMetadata(FileBytes(file), name: "a.jpg"))
        #expect(metadata.exposure.aperture == 4 && metadata.exposure.sensitivity == 200)
    }
}
