import ImageMetadata
import TestSupport
import Testing

@Suite("The date in a maker's own structure")
struct MakerDateTests {
    static func date(_ segments: [(marker: UInt8, body: [UInt8])], exif: [UInt8]? = nil) -> CaptureDate? {
        FileMetadata(of: PhotoMaker.jpeg(exif: exif, more: segments), name: "x.jpg")?.date
    }

    /// Segments of a FLIR camera: a header, a directory of one record, and the record.
    static func flir(_ seconds: Int, _ thousandths: Int, west: Int, littleRecord: Bool, parts: Int) -> [(
        UInt8, [UInt8]
    )] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            littleRecord ? little(value, count) : big(value, count)
        }
        var header = text("FFF\0CAMCTRL\0") + [UInt8](repeating: 0, count: 8)
        header += big(101, 4) + big(0x40, 4) + big(2, 4)
        header += [UInt8](repeating: 0, count: 0x40 - header.count)
        var record = number(2, 2) + [UInt8](repeating: 0, count: 0x382)
        record += number(seconds, 4) + number(thousandths, 4) + number(west & 0xFFFF, 2)
        var all = header + [UInt8](repeating: 0, count: 0x20)
        all += big(0x20, 2) + big(1, 2) + big(100, 4) + big(1, 4) + big(0x80, 4) + big(record.count, 4)
        all += [UInt8](repeating: 0, count: 12) + record
        let length = (all.count + parts - 1) / parts
        return (0..<parts).map { part in
            let body = all.dropFirst(part * length).prefix(length)
            return (0xE1, text("FLIR\0") + [1, UInt8(part), UInt8(parts - 1)] + body)
        }
    }

    @Test(
        "of FLIR has its zone, in either byte order and in several segments",
        arguments: [(true, 1), (false, 3)])
    func thermal(_ isLittle: Bool, _ parts: Int) throws {
        let date = try #require(
            Self.date(Self.flir(1_562_243_400, 42, west: -120, littleRecord: isLittle, parts: parts)))
        #expect(date.description == "2019-07-04T14:30:00.042+02:00")
        #expect(date.source == .makerDateTimeOriginal)
    }

    @Test("of Canon's CIFF is found in the directories of its heap")
    func canon() {
        // A heap in a heap: the date, then the directory, whose place is at the end.
        func directory(_ tag: Int, _ value: [UInt8]) -> [UInt8] {
            let entry = little(tag, 2) + little(value.count, 4) + little(0, 4)
            return value + little(1, 2) + entry + little(value.count, 4)
        }
        let outer = directory(0x300A, directory(0x180E, little(1_000_000_000, 4) + little(0, 8)))
        let segment = text("II") + little(14, 4) + text("HEAPJPGM") + outer
        #expect(Self.date([(0xE0, segment)])?.description == "2001-09-09T01:46:40")
        // One that refers to itself ends.
        var loop = directory(0x300A, [])
        loop.replaceSubrange(4..<8, with: little(loop.count, 4))
        #expect(Self.date([(0xE0, text("II") + little(14, 4) + text("HEAPJPGM") + loop)]) == nil)
    }

    @Test(
        "of \"picture info\" is a text, or the seconds of the camera's clock",
        arguments: [
            ("TimeDate=2000:05:12 10:11:12\r\nShutter=1", "2000-05-12T10:11:12"),
            ("TimeDate=958126272\r\n", "2000-05-12T10:11:12"), ("TimeDate=0\r\n", nil),
            ("TimeDate=2000:05:12 10:11:12 Shutter=1 ", "2000-05-12T10:11:12"), ("Time=12", nil),
        ])
    func pictureInfo(_ line: String, _ expected: String?) {
        #expect(
            Self.date([(0xEC, text("[picture info]\r\nResolution=1\r\n\(line)"))])?.description == expected)
        #expect(Self.date([(0xEC, text("Ducky \(line)"))]) == nil)
    }

    @Test("of Reconyx is in the note of the camera")
    func reconyx() {
        func exif(_ note: [UInt8], make: String = "RECONYX") -> [UInt8] {
            ExifBuilder(bigEndian: false).block([
                (0x010F, .text(make)), (0x8769, .directory([(0x927C, .bytes(note))])),
            ])
        }
        func words(_ order: (Int, Int) -> [UInt8], _ values: [Int]) -> [UInt8] {
            values.flatMap { order($0, 2) }
        }
        let first = little(0xF101, 2) + little(3, 2) + [UInt8](repeating: 0, count: 18)
        let second = text("RECONYXUF\0") + [UInt8](repeating: 0, count: 0x3B - 10)
        let third = text("RECONYXH2\0") + [UInt8](repeating: 0, count: 0x3E - 10)
        for note in [
            first + words(little, [12, 11, 10, 5, 25, 2014]), first + words(big, [12, 11, 10, 5, 25, 2014]),
            second + [12, 11, 10, 25, 5] + little(2014, 2), third + words(little, [12, 11, 10, 25, 5, 2014]),
        ] {
            let date = FileMetadata(of: PhotoMaker.jpeg(exif: exif(note)), name: "x.jpg")?.date
            #expect(date?.description == "2014-05-25T10:11:12")
            #expect(date?.source == .makerDateTimeOriginal)
        }
    }

    @Test("does not replace that of EXIF, and what is cut off is none")
    func others() {
        let segments = Self.flir(1_562_243_400, 42, west: 0, littleRecord: true, parts: 1)
        #expect(Self.date(segments, exif: SampleFiles.exif)?.source == .subSecDateTimeOriginal)
        for length in stride(from: 0, to: segments[0].1.count, by: 7) {
            #expect(Self.date([(0xE1, Array(segments[0].1.prefix(length)))]) == nil)
        }
    }
}
