import TestHarness
import TestSupport
import Testing
import ViewportGeometry

@testable import ImageMetadata

@Suite("EXIF")
struct ExifTests {
    @Test("gives orientation, camera, date and location in both byte orders", arguments: [false, true])
    func whole(_ bigEndian: Bool) throws {
        let block = ExifBuilder(bigEndian: bigEndian).block([
            (0x010F, .text("Maker ")), (0x0110, .text("M1")), (0x0112, .short(6)),
            (
                0x8769,
                .directory([
                    (0x9003, .text("2014:05:25 10:00:00")), (0x9011, .text("+02:00")), (0x9291, .text("25")),
                ])
            ),
            (
                0x8825,
                .directory([
                    (1, .text("S")), (2, .rationals([(33, 1), (51, 1), (3066, 100)])),
                    (3, .text("E")), (4, .rationals([(151, 1), (12, 1), (0, 1)])),
                ])
            ),
        ])
        for bytes in [block, Array("Exif\0\0".utf8) + block] {
            let exif = try #require(Exif(bytes))
            #expect(exif.orientation == 6)
            #expect(exif.make == "Maker")
            #expect(exif.model == "M1")
            #expect(exif.date?.local.description == "2014-05-25T10:00:00.25")
            #expect(exif.date?.offset?.description == "+02:00")
            #expect(exif.date?.source == .subSecDateTimeOriginal)
            #expect(abs(exif.location!.latitude + 33.8585166666) < 1e-6)
            #expect(abs(exif.location!.longitude - 151.2) < 1e-9)
        }
    }

    @Test(
        "has no date if it is invalid",
        arguments: [
            "0000:00:00 00:00:00", "    :  :     :  :  ", "2014:13:01 00:00:00", "2014:02:30 00:00:00",
            "0999:01:01 00:00:00",
            "2014:05:25", "10:00:00", "2014:05:25 24:00:00", "",
        ])
    func noDate(_ text: String) throws {
        let block = ExifBuilder(bigEndian: false).block([(0x8769, .directory([(0x9003, .text(text))]))])
        #expect(try #require(Exif(block)).date == nil)
    }

    @Test("leaves the zone unknown if OffsetTimeOriginal is missing, whatever OffsetTime is")
    func zone() throws {
        let block = ExifBuilder(bigEndian: true).block([
            (0x8769, .directory([(0x9003, .text("2014:05:25 10:00:00")), (0x9010, .text("+02:00"))]))
        ])
        #expect(try #require(Exif(block)?.date).offset == nil)
    }

    @Test("has no orientation outside 1 to 8", arguments: [0, 9, 65535])
    func orientation(_ value: Int) throws {
        #expect(
            try #require(Exif(ExifBuilder(bigEndian: false).block([(0x0112, .short(value))]))).orientation
                == nil)
    }

    @Test("has no location in an empty GPS block, and none at 0,0 without hemispheres")
    func noPlace() throws {
        let zero = ExifBuilder.Value.rationals([(0, 1), (0, 1), (0, 1)])
        let blocks: [[(Int, ExifBuilder.Value)]] = [
            [], [(2, zero), (4, zero)], [(2, .rationals([(1, 0)])), (4, zero)],
        ]
        for gps in blocks {
            let block = ExifBuilder(bigEndian: false).block([(0x8825, .directory(gps))])
            #expect(try #require(Exif(block)).location == nil)
        }
    }

    @Test("is read from ImageMagick's text profile")
    func rawProfile() {
        func exif(_ text: String) -> Exif? { rawProfileBytes(Array(text.utf8)).flatMap { Exif($0) } }
        let text = "\nexif\n      32\n4578696600004d4d002a00000008000101120003000000010003000000000000\n"
        #expect(exif(text)?.orientation == 3)
        #expect(exif("\nexif\n 31\n4578\n") == nil)
        #expect(exif("zz") == nil)
    }

    @Test("does not trap on any changed byte")
    func hostile() {
        let block = ExifBuilder(bigEndian: false).block([
            (0x0110, .text("a longer model name")), (0x0112, .short(6)),
            (0x8769, .directory([(0x9003, .text("2014:05:25 10:00:00"))])),
            (0x8825, .directory([(1, .text("N")), (2, .rationals([(1, 1), (2, 1), (3, 1)]))])),
        ])
        var random = SplitMix64(seed: 7)
        for _ in 0..<TestLength.repetitions(20_000, short: 4_000) {
            var bytes = block
            for _ in 0...Int(random.next() % 4) {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            _ = Exif(Array(bytes.prefix(Int(random.next() % UInt64(bytes.count + 1)))))
            _ = Exif(bytes)
        }
    }
}

@Suite("Raw formats")
struct RawTests {
    @Test(
        "have the size of the picture, not of the preview before it",
        arguments: [
            RawMaker.dng, RawMaker.raf, RawMaker.rw2, RawMaker.orf, RawMaker.cr2, RawMaker.cr3,
            RawMaker.bigTIFF,
        ])
    func sizes(_ file: [UInt8]) throws {
        #expect(try #require(FileMetadata(of: file)).storedSize == PixelSize(width: 4000, height: 3000))
    }

    @Test("have the date, location and camera of the JPEG inside", arguments: [RawMaker.raf, RawMaker.rw2])
    func embedded(_ file: [UInt8]) throws {
        let read = try #require(FileMetadata(of: file))
        #expect(read.date?.source == .subSecDateTimeOriginal)
        #expect(read.location != nil)
        #expect(read.make == "Maker")
    }

    @Test("have a JPEG as a preview", arguments: [RawMaker.raf, RawMaker.cr2])
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
