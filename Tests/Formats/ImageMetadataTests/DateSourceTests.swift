import ImageMetadata
import TestSupport
import Testing

@Suite("The date of a file")
struct DateSourceTests {
    static func date(_ bytes: [UInt8], name: String = "x", sidecar: String? = nil, fileTime: Int? = nil)
        -> CaptureDate?
    {
        FileMetadata(of: bytes, name: name, sidecar: sidecar, fileTime: fileTime)?
            .date
    }

    @Test("comes from the most trusted source available")
    func order() throws {
        let exif = SampleFiles.exif
        let gps = ExifBuilder(bigEndian: true).block([
            (
                0x8825,
                .directory([(7, .rationals([(8, 1), (0, 1), (1, 2)])), (0x1D, .text("2014:05:25"))])
            )
        ])
        func xmp(_ name: String, _ day: String) -> String { XMPMaker.packet([(name, "\(day)T01:02:03")]) }
        let name = "IMG_20010203_040506.jpg"
        let cases: [(DateSource, CaptureDate?)] = [
            (
                .sidecarDateTimeOriginal,
                Self.date(PhotoMaker.jpeg(exif: exif), sidecar: xmp("exif:DateTimeOriginal", "2012-01-01"))
            ),
            (.sidecarCreateDate, Self.date(PhotoMaker.jpeg(), sidecar: xmp("xmp:CreateDate", "2012-01-01"))),
            (
                .subSecDateTimeOriginal,
                Self.date(PhotoMaker.jpeg(exif: exif, xmp: xmp("exif:DateTimeOriginal", "2012-01-01")))
            ),
            (.xmpDateTimeOriginal, Self.date(PhotoMaker.jpeg(exif: gps, xmp: SampleFiles.xmp))),
            (
                .xmpDateCreated,
                Self.date(PhotoMaker.jpeg(exif: gps, xmp: xmp("photoshop:DateCreated", "2012-01-01")))
            ),
            (.xmpCreateDate, Self.date(PhotoMaker.jpeg(exif: gps, xmp: xmp("xmp:CreateDate", "2012-01-01")))),
            (.gpsDateTime, Self.date(PhotoMaker.jpeg(exif: gps, iptc: SampleFiles.iptc), name: name)),
            (.iptcDateCreated, Self.date(PhotoMaker.jpeg(iptc: SampleFiles.iptc), name: name)),
            (.fileName, Self.date(PhotoMaker.jpeg(), name: name, fileTime: 0)),
            (.fileTime, Self.date(PhotoMaker.jpeg(), name: "photo.jpg", fileTime: 0)),
        ]
        for (source, date) in cases { #expect(date?.source == source) }
        #expect(Self.date(PhotoMaker.jpeg(), name: "photo.jpg") == nil)
    }

    @Test("is trusted in the order of the sources; names and modification times are guesses")
    func trust() {
        #expect(DateSource.allCases == DateSource.allCases.sorted())
        #expect(DateSource.allCases.filter(\.isGuess) == [.fileName, .fileTime])
    }

    @Test("is the time of digitization if that of capture is missing")
    func createDate() throws {
        let block = ExifBuilder(bigEndian: false).block([
            (
                0x8769,
                .directory([
                    (0x9003, .text("0000:00:00 00:00:00")), (0x9004, .text("2014:05:25 10:00:00")),
                    (0x9011, .text("+09:00")), (0x9012, .text("-03:30")), (0x9292, .text("5")),
                ])
            )
        ])
        let date = try #require(Self.date(PhotoMaker.jpeg(exif: block)))
        #expect(date.source == .subSecCreateDate)
        #expect("\(date.local)" == "2014-05-25T10:00:00.5")
        #expect(date.offset?.description == "-03:30")
        #expect(date.zoneSource == .tag("OffsetTimeDigitized"))
    }

    @Test("of a modification is not the date of a picture")
    func modifyDate() {
        let block = ExifBuilder(bigEndian: false).block([(0x0132, .text("2014:05:25 10:00:00"))])
        #expect(Self.date(PhotoMaker.jpeg(exif: block)) == nil)
        let changed = PhotoMaker.png([("tIME", [0x07, 0xDE, 5, 25, 10, 0, 0])])
        #expect(Self.date(changed) == nil)
        #expect(Self.date(changed, fileTime: 0)?.source == .fileTime)
    }

    @Test("of GPS needs a day, and is in UTC")
    func gps() throws {
        func file(_ entries: [(Int, ExifBuilder.Value)]) -> [UInt8] {
            PhotoMaker.jpeg(exif: ExifBuilder(bigEndian: false).block([(0x8825, .directory(entries))]))
        }
        let time = ExifBuilder.Value.rationals([(23, 1), (59, 1), (595, 10)])
        #expect(Self.date(file([(7, time)])) == nil)
        #expect(Self.date(file([(0x1D, .text("2014:05:25"))])) == nil)
        let date = try #require(Self.date(file([(7, time), (0x1D, .text("2014:05:25"))])))
        #expect("\(date.local)" == "2014-05-25T23:59:59.5")
        #expect(date.offset == .utc)
        #expect(date.zoneSource == .definition)
    }

    @Test("uses the assumed zone only if none is known")
    func assumedZone() throws {
        let zone = AssumedZone(name: "Europe/Paris") { $0.month == 5 ? UTCOffset(minutes: 120) : nil }
        func read(_ bytes: [UInt8], name: String = "x", fileTime: Int? = nil) -> CaptureDate? {
            FileMetadata(of: bytes, name: name, fileTime: fileTime, assumedZone: zone)?.date
        }
        let known = try #require(read(PhotoMaker.jpeg(exif: SampleFiles.exif)))
        #expect(known.zoneSource == .tag("OffsetTimeOriginal"))
        let unknown = try #require(read(PhotoMaker.jpeg(), name: "IMG_20140525_100000.jpg"))
        #expect(unknown.offset?.description == "+02:00")
        #expect(unknown.zoneSource == .assumed("Europe/Paris"))
        let winter = try #require(read(PhotoMaker.jpeg(), name: "IMG_20140125_100000.jpg"))
        #expect(winter.offset == nil)
        #expect(read(PhotoMaker.jpeg(), fileTime: 1_401_004_800)?.offset == .utc)
    }

    @Test("of a sidecar without a zone keeps the zone that the file has for the same moment")
    func sidecarZone() throws {
        let file = PhotoMaker.jpeg(exif: SampleFiles.exif)
        let same = XMPMaker.packet([("exif:DateTimeOriginal", "2014-05-25T10:00:00")])
        let date = try #require(Self.date(file, sidecar: same))
        #expect(date.source == .subSecDateTimeOriginal && date.local.fraction == "25")
        #expect(date.offset?.description == "+02:00")
        let other = XMPMaker.packet([("exif:DateTimeOriginal", "2014-05-25T11:00:00")])
        #expect(Self.date(file, sidecar: other)?.offset == nil)
    }

    @Test("of a video is the local one rather than the header's in UTC, which means none at 0")
    func films() throws {
        let seconds = 3_483_849_600
        let local = FilmMaker.film(
            created: seconds, keys: [("com.apple.quicktime.creationdate", "2014-05-25T10:00:00+0200")])
        let date = try #require(Self.date(local))
        #expect(date.source == .quickTimeCreationDate)
        #expect("\(date.local)\(try #require(date.offset))" == "2014-05-25T10:00:00+02:00")
        let header = try #require(Self.date(FilmMaker.film(created: seconds)))
        #expect(header.source == .quickTimeCreateDate)
        #expect("\(header.local)\(try #require(header.offset))" == "2014-05-25T08:00:00+00:00")
        #expect(Self.date(FilmMaker.film(created: 0)) == nil)
        // Some cameras count from 1970.
        #expect(Self.date(FilmMaker.film(created: 1_401_004_800)) == header)
        #expect(Self.date(FilmMaker.film(userData: [("©day", "2014")]))?.description == "2014")
        #expect(
            Self.date(FilmMaker.avi(width: 1, height: 1, date: "Sun May 25 10:00:00 2014\n"))?.source
                == .riffDateTimeOriginal)
    }
}
