import Containers
import ImageMetadata
import TestSupport
import Testing

@Suite("Dates, positions and cameras of videos")
struct FilmDateTests {
    /// 2024-05-06T08:08:09 UTC, counted from 1904.
    private static let header = 1_714_982_889 + 2_082_844_800

    struct Film: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
        var date: String?
        var source: DateSource?
        var camera: [String?] = [nil, nil]
        var position: [Double]?

        init(
            _ name: String, _ bytes: [UInt8], _ date: String?, _ source: DateSource?,
            camera: [String?] = [nil, nil], position: [Double]? = nil
        ) {
            (testDescription, self.bytes, self.date, self.source) = (name, bytes, date, source)
            (self.camera, self.position) = (camera, position)
        }
    }

    private static func film(
        boxes: [UInt8] = [], behind: [UInt8] = [], texts: [(code: String, value: String)] = [],
        keys: [(name: String, value: String)] = [], created: Int = header
    ) -> [UInt8] {
        FilmMaker.film(created: created, keys: keys, userData: texts, boxes: boxes) + behind
    }

    /// A directory of EXIF with a maker and a date, whose offsets count from `base` bytes before it.
    private static func directory(bigEndian: Bool, after count: Int, base: Int) -> [UInt8] {
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            bigEndian ? big(value, size) : little(value, size)
        }
        let details = base + 2 + 24 + 4 + 6
        let main =
            number(2, 2) + number(0x010F, 2) + number(2, 2) + number(6, 4) + number(details - 6, 4)
            + number(0x8769, 2) + number(4, 2) + number(1, 4) + number(details, 4) + number(0, 4)
        let date = number(1, 2) + number(0x9003, 2) + number(2, 2) + number(20, 4) + number(details + 18, 4)
        return [UInt8](repeating: 0, count: count) + main + text("Maker\0") + date + number(0, 4)
            + text("2014:05:25 10:00:00\0")
    }

    private static let exif = ExifBuilder(bigEndian: false).block([
        (0x010F, .text("Maker")), (0x8769, .directory([(0x9003, .text("2014:05:25 10:00:00"))])),
    ])

    private static func record(_ tag: Int, _ value: String) -> [UInt8] {
        big(tag, 4) + big(2, 2) + big(text(value).count, 2) + text(value)
    }

    private static func fixed(_ value: Double) -> [UInt8] {
        big(Int(UInt32(bitPattern: Int32((value * 65536).rounded()))), 4)
    }

    private static func loci(_ latitude: Double, _ longitude: Double, role: UInt8 = 0, name: [UInt8] = [0])
        -> [UInt8]
    {
        box(
            "loci", big(0, 4), big(0x55C4, 2), name, [role], fixed(longitude), fixed(latitude), fixed(10.5),
            text("earth\0\0"))
    }

    private static let nikon =
        record(1, "NIKON\0") + record(2, "NIKON Z 30\0") + record(0x11, "2024:03:10 14:00:01\0")
        + record(0x12, "2024:03:10 14:00:00\0")

    private static let sony = box(
        "meta", big(0, 4), box("hdlr", [UInt8](repeating: 0, count: 8), text("nrtm"), big(0, 4)),
        box(
            "xml ", big(0, 4),
            text(
                """
                <?xml version="1.0"?><NonRealTimeMeta xmlns="urn:schemas-professionalDisc:nonRealTimeMeta:ver.2.00">
                <CreationDate value="2015-05-17T12:00:00+02:00"/><Device manufacturer="Sony" modelName="ILCE-7M3"/>
                </NonRealTimeMeta>\0
                """)))

    static let movies = [
        Film("a header alone", film(), "2024-05-06T08:08:09+00:00", .quickTimeCreateDate),
        Film(
            "3GPP's date",
            film(boxes: box("udta", box("date", big(0, 4), text("2024-05-07T01:08:09+0200\0")))),
            "2024-05-07T01:08:09+02:00", .quickTimeCreationDate),
        Film(
            "3GPP's date without a zone beside Apple's with one",
            film(
                boxes: box("udta", box("date", big(0, 4), text("2024-05-06T10:08:09\0"))),
                keys: [("com.apple.quicktime.creationdate", "2024-05-06T10:08:09+0200")]),
            "2024-05-06T10:08:09+02:00", .quickTimeCreationDate),
        Film(
            "a text with a zone", film(texts: [("©day", "2024-05-07T01:08:09-0330")]),
            "2024-05-07T01:08:09-03:30", .quickTimeCreationDate),
        Film(
            "a day and a header", film(texts: [("©day", "2024-05-07")]), "2024-05-06T08:08:09+00:00",
            .quickTimeCreateDate),
        Film(
            "a day alone", film(texts: [("©day", "2024-05-07")], created: 0), "2024-05-07",
            .quickTimeCreationDate),
        Film(
            "Ricoh's texts",
            film(
                boxes: box(
                    "udta", box("@day", text("2014-05-25T10:00:00+0200\0")),
                    box("@xyz", text("+46.2000-006.1400/\0")), box("@mak", text("RICOH\0")))),
            "2014-05-25T10:00:00+02:00", .quickTimeCreationDate, camera: ["RICOH", nil],
            position: [46.2, -6.14]),
        Film(
            "the zone of Samsung's phones",
            film(keys: [("com.samsung.android.utc_offset", "+0930"), ("com.android.model", "SM-S721B")]),
            "2024-05-06T17:38:09+09:30", .quickTimeCreateDate, camera: [nil, "SM-S721B"]),
        Film(
            "3GPP's position", film(boxes: box("udta", loci(46.2, -6.14))), "2024-05-06T08:08:09+00:00",
            .quickTimeCreateDate, position: [46.2, -6.14]),
        Film(
            "3GPP's position with a name in UTF-16",
            film(
                boxes: box(
                    "udta", loci(-33.5, 151.2, role: 1, name: [0xFE, 0xFF, 0, 0x41, 1, 0, 0, 0]))),
            "2024-05-06T08:08:09+00:00", .quickTimeCreateDate, position: [-33.5, 151.2]),
        Film(
            "3GPP's position of a fiction", film(boxes: box("udta", loci(46.2, -6.14, role: 2))),
            "2024-05-06T08:08:09+00:00", .quickTimeCreateDate),
        Film(
            "3GPP's position without a fix", film(boxes: box("udta", loci(0, 0))),
            "2024-05-06T08:08:09+00:00", .quickTimeCreateDate),
        Film(
            "a text of a position without a fix", film(texts: [("©xyz", "+00.0000+000.0000/")]),
            "2024-05-06T08:08:09+00:00", .quickTimeCreateDate),
        Film(
            "Nikon's local time and zone",
            film(boxes: box("udta", box("NCDT", box("NCTG", nikon + record(0x19, "+01:00\0"))))),
            "2024-03-10T14:00:00+01:00", .dateTimeOriginal, camera: ["NIKON", "NIKON Z 30"]),
        Film(
            "Nikon's local time", film(boxes: box("udta", box("NCDT", box("NCTG", nikon)))),
            "2024-03-10T14:00:00", .dateTimeOriginal, camera: ["NIKON", "NIKON Z 30"]),
        Film(
            "Canon's small picture",
            film(boxes: box("udta", box("CNTH", box("CNDA", PhotoMaker.jpeg(exif: exif))))),
            "2014-05-25T10:00:00", .dateTimeOriginal, camera: ["Maker", nil]),
        Film(
            "Panasonic's EXIF",
            film(
                boxes: box(
                    "udta",
                    box(
                        "PANA", big(0, 4), text("DMC-FZ1000\0\0"), [0xFF, 0xD8, 0xFF, 0xE1, 0, 99],
                        text("Exif\0\0"), exif))), "2014-05-25T10:00:00", .dateTimeOriginal,
            camera: ["Maker", nil]),
        Film(
            "Casio's directory",
            film(boxes: box("udta", box("QVMI", directory(bigEndian: true, after: 10, base: 10)))),
            "2014-05-25T10:00:00", .dateTimeOriginal, camera: ["Maker", nil]),
        Film(
            "Fujifilm's directory",
            film(boxes: box("udta", box("MVTG", directory(bigEndian: false, after: 16, base: 0)))),
            "2014-05-25T10:00:00", .dateTimeOriginal, camera: ["Maker", nil]),
        Film(
            "Ricoh's EXIF", film(boxes: box("udta", box("RMKN", exif))), "2014-05-25T10:00:00",
            .dateTimeOriginal, camera: ["Maker", nil]),
        Film(
            "Sony's XML", film(behind: sony), "2015-05-17T12:00:00+02:00", .quickTimeCreationDate,
            camera: ["Sony", "ILCE-7M3"]),
        Film(
            "Sony's XML in the movie", film(boxes: sony), "2015-05-17T12:00:00+02:00", .quickTimeCreationDate,
            camera: ["Sony", "ILCE-7M3"]),
        Film(
            "XMP in user data",
            film(
                boxes: box(
                    "udta",
                    box(
                        "XMP_",
                        text(XMPMaker.packet([("exif:DateTimeOriginal", "2014-05-25T10:00:00+02:00")])))
                )), "2014-05-25T10:00:00+02:00", .xmpDateTimeOriginal),
    ]

    static let others = [
        Film(
            "an AVI of Casio", FilmMaker.avi(date: "2001/ 1/27  1:42PM"), "2001-01-27T13:42:00",
            .riffDateTimeOriginal),
        Film(
            "an AVI of Casio at midnight", FilmMaker.avi(date: "2001/ 1/27 12:42AM"), "2001-01-27T00:42:00",
            .riffDateTimeOriginal),
        Film(
            "an AVI with minutes", FilmMaker.avi(date: "2005/11/28/ 09:19"), "2005-11-28T09:19:00",
            .riffDateTimeOriginal),
        Film(
            "an AVI of Minolta", FilmMaker.avi(date: "2002-12-16  15:35:01\0\0"), "2002-12-16T15:35:01",
            .riffDateTimeOriginal),
        Film("an AVI with a date that is none", FilmMaker.avi(date: "2002-13-16  15:35:01"), nil, nil),
        Film(
            "an AVI with a day",
            FilmMaker.avi(chunk("LIST", text("INFO") + chunk("ICRD", text("2014-05-25")))),
            "2014-05-25", .riffDateTimeOriginal),
        Film(
            "an AVI with EXIF",
            FilmMaker.avi(chunk("strd", text("AVIF") + directory(bigEndian: false, after: 4, base: 0))),
            "2014-05-25T10:00:00", .dateTimeOriginal, camera: ["Maker", nil]),
        Film(
            "an AVI of Casio with EXIF",
            FilmMaker.avi(chunk("JUNK", text("QVMI") + directory(bigEndian: true, after: 6, base: 10))),
            "2014-05-25T10:00:00", .dateTimeOriginal, camera: ["Maker", nil]),
        Film(
            "an AVI of Olympus",
            FilmMaker.avi(
                chunk(
                    "JUNK",
                    padded(
                        padded(padded(text("OLYMDigital Camera"), 0x12) + text("OLYMPUS"), 0x2C) + text("C1"),
                        0x83)
                        + text("Sun May 25 10:00:00 2014"))), "2014-05-25T10:00:00", .dateTimeOriginal,
            camera: ["OLYMPUS", "C1"]),
        Film(
            "an AVI of Nikon",
            FilmMaker.avi(
                chunk(
                    "nctg",
                    little(3, 2) + little(6, 2) + text("NIKON\0") + little(0x13, 2) + little(20, 2)
                        + text("2014:05:25 10:00:00\0"))), "2014-05-25T10:00:00", .dateTimeOriginal,
            camera: ["NIKON", nil]),
        Film(
            "Matroska with a time of recording",
            FilmMaker.matroska(
                tags: [("DATE_RECORDED", "2014-05-25 10:00:00"), ("LOCATION", "+46.2000-006.1400/")]),
            "2014-05-25T10:00:00", .dateTimeOriginal, position: [46.2, -6.14]),
        Film(
            "Matroska with a day of recording", FilmMaker.matroska(tags: [("DATE_RECORDED", "2014-05-25")]),
            "2014-05-25T08:00:00+00:00", .matroskaDateUTC),
        Film(
            "Matroska with Apple's texts",
            FilmMaker.matroska(tags: [
                ("COM.APPLE.QUICKTIME.CREATIONDATE", "2014-05-25T10:00:00+0200"),
                ("COM.APPLE.QUICKTIME.MAKE", "Apple"), ("COM.APPLE.QUICKTIME.MODEL", "iPhone 13"),
            ]), "2014-05-25T10:00:00+02:00", .quickTimeCreationDate, camera: ["Apple", "iPhone 13"]),
    ]

    private static func padded(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: count - bytes.count)
    }

    @Test("are those that the camera states, and else those of the header", arguments: movies + others)
    func dates(_ film: Film) throws {
        let read = try #require(FileMetadata(of: film.bytes))
        #expect(read.date?.description == film.date)
        #expect(read.date?.source == film.source)
        #expect([read.make, read.model] == film.camera)
        #expect(read.location.map { [$0.latitude, $0.longitude] } == film.position)
        #expect(read.orientation == .up && read.storedSize != nil)
    }

    @Test(
        "count from 1904, or from 1970 where they are too early for it; tracks stand in for headers that are wrong",
        arguments: [
            (header, 0, "2024-05-06T08:08:09+00:00"), (1_714_982_889, 0, "2024-05-06T08:08:09+00:00"),
            (4_368_103_234_560, header, "2024-05-06T08:08:09+00:00"),
            (Int.max, header, "2024-05-06T08:08:09+00:00"),
            (0, header, "2024-05-06T08:08:09+00:00"), (4_368_103_234_560, 4_368_103_234_560, nil),
            (4_368_103_234_560, 0, nil),
        ] as [(Int, Int, String?)])
    func headers(_ movie: Int, _ track: Int, _ date: String?) throws {
        let film = FilmMaker.film(created: movie, trackCreated: track, isWide: true)
        let read = try #require(FileMetadata(of: film))
        #expect(read.date?.description == date)
        #expect(read.duration == 10 && read.storedSize?.width == 1920)
    }

    @Test("are read without a crash in films that are damaged anywhere")
    func damage() {
        var number: UInt64 = 1
        for film in Self.movies + Self.others {
            for _ in 0..<100 {
                var bytes = film.bytes
                for _ in 0..<3 {
                    number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    bytes[Int(number >> 33) % bytes.count] = UInt8(truncatingIfNeeded: number >> 20)
                }
                _ = FileMetadata(of: bytes)
                _ = FileMetadata(of: Array(bytes.prefix(Int(number >> 40) % bytes.count)))
            }
        }
    }
}
