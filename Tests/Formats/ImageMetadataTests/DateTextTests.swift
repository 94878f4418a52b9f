import ImageMetadata
import TestSupport
import Testing

@Suite("The text of a date")
struct DateTextTests {
    static func text(_ text: String) -> String? {
        DateText(text).map { read in
            CaptureDate(
                local: read.clock, precision: read.precision, offset: read.offset, source: .dateTimeOriginal
            ).description
        }
    }

    @Test(
        "may have any of the marks, an unknown part, and a zone",
        arguments: [
            ("2019:07:04 12:30:00", "2019-07-04T12:30:00"), ("2019/07/04 12:30:00", "2019-07-04T12:30:00"),
            ("2019.07.04 12:30:00", "2019-07-04T12:30:00"), ("2019/7/4 9:05:00", "2019-07-04T09:05:00"),
            ("2019: 7: 4  9:05:00", "2019-07-04T09:05:00"), ("2019.07.04 12.30.00", "2019-07-04T12:30:00"),
            ("2019-07-04T12:30:00,25+0200", "2019-07-04T12:30:00.25+02:00"),
            ("  2019-07-04t12:30Z\n", "2019-07-04T12:30:00+00:00"), ("20190704", "2019-07-04"),
            ("20190704T123000.5Z", "2019-07-04T12:30:00.5+00:00"), ("20190704T1230", "2019-07-04T12:30:00"),
            ("20190704123000", "2019-07-04T12:30:00"), ("2019-07-04T12", "2019-07-04"),
            ("2001/ 1/27  1:42PM", "2001-01-27T13:42:00"), ("2001/01/27 12:42:01 am", "2001-01-27T00:42:01"),
        ])
    func marks(_ text: String, _ expected: String) { #expect(Self.text(text) == expected) }

    @Test(
        "says what is known: blanks, zeros and missing parts are not",
        arguments: [
            ("1978", DatePrecision.year, "1978"), ("1978:  :     :  :  ", .year, "1978"),
            ("1978:00:00 00:00:00", .year, "1978"), ("1978:", .year, "1978"), ("19780000", .year, "1978"),
            ("1978-05", .month, "1978-05"), ("1978/05", .month, "1978-05"), ("19780500", .month, "1978-05"),
            ("1978:05:     :  :  ", .month, "1978-05"), ("1978:05:00 00:00:00", .month, "1978-05"),
            ("1978-05-04", .day, "1978-05-04"), ("1978:05:04   :  :  ", .day, "1978-05-04"),
            ("1978:05:04 12:30:  ", .minute, "1978-05-04T12:30:00"),
            ("1978-05-04T12:30", .minute, "1978-05-04T12:30:00"),
            ("1978-05-04 00:00:00", .second, "1978-05-04T00:00:00"),
        ])
    func precision(_ text: String, _ precision: DatePrecision, _ expected: String) {
        #expect(DateText(text)?.precision == precision)
        #expect(Self.text(text) == expected)
    }

    @Test(
        "may have names of months, as RFC 1123 and C have",
        arguments: [
            ("Tue, 16 Jan 2024 21:15:29 +0100", "2024-01-16T21:15:29+01:00"),
            ("16 Jan 2024 21:15:29 GMT", "2024-01-16T21:15:29+00:00"),
            ("Tue, 16 Jan 24 21:15 EST", "2024-01-16T21:15:00-05:00"),
            ("Tuesday, 16-Jan-24 21:15:29 GMT", "2024-01-16T21:15:29+00:00"),
            ("Tue, 16 Jan 99 21:15:29 -0000", "1999-01-16T21:15:29"),
            ("Tue Jan 16 21:15:29 2024", "2024-01-16T21:15:29"),
            ("TUE JAN  6 21:15:29 2024", "2024-01-06T21:15:29"),
            ("Tue Jan 16 21:15:29 UTC 2024", "2024-01-16T21:15:29+00:00"),
            ("January 16, 2024", "2024-01-16"), ("16 January 2024", "2024-01-16"),
        ])
    func words(_ text: String, _ expected: String) { #expect(Self.text(text) == expected) }

    @Test(
        "is no date without a year, and where there is no such time",
        arguments: [
            "", " ", "0000:00:00 00:00:00", "    :  :     :  :  ", "0978:05:04", "2019:13:04 12:30:00",
            "2019:02:29", "2019-07-04T24:00:00", "2019-07-04T12:60", "04.07.2019", "12:30:00", "20191",
            "201907",
            "2019-07-04 and more", "Tue, 32 Jan 2024 21:15:29", "Jan", "16 Jan", "Tue, 16 Foo 2024 21:15:29",
            "2019-",
            "2019--1-01", String(repeating: "1 Jan ", count: 1000),
        ])
    func none(_ text: String) {
        // "2019-" has a year, as EXIF without its blanks.
        #expect(Self.text(text) == (text == "2019-" ? "2019" : nil))
    }

    @Test("is read in EXIF, XMP, IPTC, PNG and AVI")
    func files() {
        func exif(_ value: ExifBuilder.Value, inMain: Bool = false) -> [UInt8] {
            let tags: [(Int, ExifBuilder.Value)] = [(0x9003, value)]
            return PhotoMaker.jpeg(
                exif: ExifBuilder(bigEndian: false).block(inMain ? tags : [(0x8769, .directory(tags))]))
        }
        let rfc = Array("Creation Time\0Tue, 16 Jan 2024 21:15:29 +0100".utf8)
        let files: [([UInt8], String)] = [
            (exif(.text("2019/07/04 12:30:00")), "2019-07-04T12:30:00"),
            (exif(.text("1978:  :     :  :  ")), "1978"), (exif(.text("2019:07:04   :  :  ")), "2019-07-04"),
            // EXIF 3.0, and TIFF/EP, which has the tag in the first directory.
            (exif(.utf8("2019:07:04 12:30:00")), "2019-07-04T12:30:00"),
            (exif(.text("2019:07:04 12:30:00"), inMain: true), "2019-07-04T12:30:00"),
            (PhotoMaker.jpeg(xmp: XMPMaker.packet([("photoshop:DateCreated", "1978-05")])), "1978-05"),
            (PhotoMaker.jpeg(iptc: PhotoMaker.iptc([(55, "19780000")])), "1978"),
            (PhotoMaker.jpeg(iptc: PhotoMaker.iptc([(55, "19780500"), (60, "000000")])), "1978-05"),
            (
                PhotoMaker.jpeg(iptc: PhotoMaker.iptc([(55, "20190704"), (60, "1230+0200")])),
                "2019-07-04T12:30:00+02:00"
            ),
            (PhotoMaker.png([("tEXt", rfc)]), "2024-01-16T21:15:29+01:00"),
            (FilmMaker.avi(width: 1, height: 1, date: "SUN MAY 25 10:00:00 2014\n"), "2014-05-25T10:00:00"),
        ]
        for (bytes, expected) in files {
            #expect(FileMetadata(of: bytes)?.date?.description == expected)
        }
    }

    @Test("of a day of GPS needs the day")
    func gps() {
        let block = ExifBuilder(bigEndian: false).block([
            (0x8825, .directory([(7, .rationals([(8, 1), (0, 1), (0, 1)])), (0x1D, .text("2014:00:00"))]))
        ])
        #expect(FileMetadata(of: PhotoMaker.jpeg(exif: block))?.date == nil)
    }

    @Test("keeps its precision when it is coded and written; the form of earlier versions is read")
    func coding() throws {
        for (text, written) in [("1978", "1978"), ("1978-05", "1978-05"), ("1978-05-04T12:30+02:00", nil)] {
            let date = try #require(CaptureDate(edited: text))
            #expect(try decoded(CaptureDate.self, encoded(date)) == date)
            var edit = SidecarEdit()
            edit.date = .set(date)
            let sidecar = String(decoding: try edit.applied(to: nil), as: UTF8.self)
            #expect(sidecar.contains(">\(written ?? text)</exif:DateTimeOriginal>"))
        }
        let former = #"{"hasTime":false,"local":"2014-05-25T00:00:00","source":"DateTimeOriginal"}"#
        let day = try decoded(CaptureDate.self, former)
        #expect(day.precision == .day && !day.hasTime && "\(day)" == "2014-05-25")
    }
}
