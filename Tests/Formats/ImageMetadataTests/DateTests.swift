import Foundation
import TestSupport
import Testing

@testable import ImageMetadata

@Suite("A file's name")
struct NameTests {
    static func read(_ name: String) -> FileMetadata? { FileMetadata(of: PhotoMaker.jpeg(), name: name) }

    @Test(
        "has date and time",
        arguments: [
            ("IMG_20140525_100000.jpg", "2014-05-25T10:00:00"),
            ("20140525_100000.jpg", "2014-05-25T10:00:00"),
            ("VID_20140525_100000.mp4", "2014-05-25T10:00:00"),
            ("2014-05-25 10.00.00.jpg", "2014-05-25T10:00:00"),
            ("2014-05-25T10:00:00.jpg", "2014-05-25T10:00:00"),
            ("Screenshot_2014-05-25-10-00-00.png", "2014-05-25T10:00:00"),
            ("Screenshot_20140525-100000.png", "2014-05-25T10:00:00"),
            ("Screenshot from 2014-05-25 10-00-00.png", "2014-05-25T10:00:00"),
            ("Screen Shot 2014-05-25 at 10.00.00.png", "2014-05-25T10:00:00"),
            ("Screen Shot 2014-05-25 at 9.05.07 AM.png", "2014-05-25T09:05:07"),
            ("Screenshot 2014-05-25 at 9.05.07\u{202F}PM.png", "2014-05-25T21:05:07"),
            ("Screen Shot 2014-05-25 at 12.00.01 AM.png", "2014-05-25T00:00:01"),
            ("WhatsApp Image 2014-05-25 at 10.00.00.jpeg", "2014-05-25T10:00:00"),
            ("photo_2014-05-25_10-00-00.jpg", "2014-05-25T10:00:00"),
            ("2019-07-04 12.30.00.jpg", "2019-07-04T12:30:00"),
            ("2019-07-04 12.30.00", "2019-07-04T12:30:00"),
            ("Screenshot_20190704-123000.png", "2019-07-04T12:30:00"),
            ("Screenshot_2019-07-04-12-30-00", "2019-07-04T12:30:00"),
            ("Screenshot_2019-07-04-12-30-00-123_com.example.app.jpg", "2019-07-04T12:30:00"),
            ("VID_20190704_123000.mp4", "2019-07-04T12:30:00"),
            ("Screen Shot 2019-07-04 at 12.30.00 PM.png", "2019-07-04T12:30:00"),
            ("photo_2021-05-06_12-13-14 (2).jpg", "2021-05-06T12:13:14"),
            ("video_2021-05-06_12-13-14.mp4", "2021-05-06T12:13:14"),
            ("WhatsApp Video 2021-03-04 at 10.11.12.mp4", "2021-03-04T10:11:12"),
            ("WhatsApp Image 2021-03-04 at 10.11.12 (1).jpeg", "2021-03-04T10:11:12"),
            ("WhatsApp Image 2021-03-04 at 10.11.12 PM.jpeg", "2021-03-04T22:11:12"),
            ("signal-2021-05-06-121314.jpg", "2021-05-06T12:13:14"),
            ("signal-2021-05-06-12-13-14-123.jpg", "2021-05-06T12:13:14"),
            ("WhatsApp Image 2019-07-04 at 12.30.00.jpeg", "2019-07-04T12:30:00"),
            ("signal-2019-07-04-12-30-00-123.jpg", "2019-07-04T12:30:00"),
            ("IMG20190704123000.jpg", "2019-07-04T12:30:00"),
            ("Screenshot 2019-07-04 123000.png", "2019-07-04T12:30:00"),
            ("signal-2014-05-25-100000.jpg", "2014-05-25T10:00:00"),
            ("00001IMG_00001_BURST20140525100000123_COVER.jpg", "2014-05-25T10:00:00.123"),
        ])
    func dates(_ name: String, _ expected: String) throws {
        let date = try #require(Self.read(name)?.date)
        #expect("\(date.local)" == expected)
        #expect(date.source == .fileName)
        #expect(date.source.isGuess)
        #expect(date.offset == nil)
    }

    @Test("of a Pixel is in UTC")
    func pixel() throws {
        for name in [
            "PXL_20140525_080000123.jpg", "PXL_20140525_080000123.MP.jpg", "PXL_20140525_080000123.MP",
        ] {
            let date = try #require(Self.read(name)?.date)
            #expect("\(date.local)" == "2014-05-25T08:00:00.123")
            #expect(date.offset == .utc && date.source.isGuess)
        }
    }

    @Test(
        "may have milliseconds since 1970, in UTC",
        arguments: [
            ("mmexport1712345678901.jpg", "2024-04-05T19:34:38.901"),
            ("FB_IMG_1562243400000.jpg", "2019-07-04T12:30:00.000"),
            ("1562243400123.png", "2019-07-04T12:30:00.123"),
            ("wx_camera_1562243400123 (1).jpg", "2019-07-04T12:30:00.123"),
        ])
    func milliseconds(_ name: String, _ expected: String) throws {
        let date = try #require(Self.read(name)?.date)
        #expect("\(date.local)" == expected)
        #expect(date.offset == .utc && date.source == .fileName)
    }

    @Test(
        "may have a time without seconds",
        arguments: [
            "2019-07-04 12.30.jpg", "Scan 2019-07-04 at 12.30 PM.png", "2019-07-04_12-30 (2).jpg",
            "20190704 12:30.jpg",
        ])
    func minutes(_ name: String) throws {
        let date = try #require(Self.read(name)?.date)
        #expect(date.precision == .minute && date.local.description == "2019-07-04T12:30:00")
    }

    @Test(
        "may have a day alone",
        arguments: [
            "IMG-20140525-WA0001.jpg", "2014-05-25.jpg", "Holiday 20140525 (2).jpg", "IMG_20140525.jpg",
            "20140525_996199.jpg", "20140525_2561.jpg",
        ])
    func day(_ name: String) throws {
        let date = try #require(Self.read(name)?.date)
        #expect("\(date.local)" == "2014-05-25T00:00:00")
        #expect(!date.hasTime)
    }

    @Test(
        "has no date if its digits are not a date",
        arguments: [
            "IMG_0001.jpg", "DSC01234.jpg", "20141325_100000.jpg", "123456789012.jpg",
            "IMG_120140525_100000.jpg",
            "2014052510000.jpg", "", ".jpg", "2014-05_25.jpg", "photo.jpg",
            "IMG_20191399.jpg", "20190229.jpg", "DSC_2019.jpg", "4006381333931.jpg", "00000000.jpg",
            "15622434000001.jpg", "1071234567890.jpg", "IMG_d41d8cd9f1562243400000ecf8427e.jpg",
            "1999123123456.jpg", "d41d8cd9f20190704a98ecf8427e.jpg",
        ])
    func noDate(_ name: String) { #expect(Self.read(name)?.date == nil) }

    @Test(
        "identifies screenshots",
        arguments: [
            ("Screenshot_2014-05-25-10-00-00.png", true), ("Screen Shot 2014-05-25 at 10.00.00.png", true),
            ("Bildschirmfoto 2014-05-25 um 10.00.00.png", true), ("IMG_20140525_100000.png", false),
            ("my screenshot list.png", false),
        ])
    func screenshots(_ name: String, _ expected: Bool) {
        #expect(Self.read(name)?.isScreenshot == expected)
    }

    @Test(
        "identifies the pictures of a burst",
        arguments: [
            ("IMG_20140525_100000_BURST001.jpg", "IMG_20140525_100000"),
            ("IMG_20140525_100000_BURST002_COVER.jpg", "IMG_20140525_100000"),
            ("00001IMG_00001_BURST1723801037429_COVER.jpg", "1723801037429"),
            ("DSCPDC_0003_BURST20180619163426901_COVER.JPG", "20180619163426901"),
            ("20231207_101605_001.jpg", nil), ("2020-12-05_15-42-39_5885.jpg", nil),
            ("00001IMG_00001_BURST20140525100000123_COVER.jpg", "20140525100000123"),
            ("00002IMG_00002_BURST20140525100000123.jpg", "20140525100000123"), ("IMG_SUNBURST.jpg", nil),
            ("20140525_100000_Burst03.jpg", "20140525_100000"), ("Burst.jpg", nil),
        ])
    func bursts(_ name: String, _ expected: String?) {
        #expect(Self.read(name)?.burstIdentifier == expected)
    }

    @Test("takes the form of one maker's bursts for a burst of that maker only")
    func burstsOfMakers() {
        let name = "20231207_101605_001"
        #expect(BurstName.identifier(in: name, make: "samsung") == "20231207_101605")
        #expect(BurstName.identifier(in: name, make: "SAMSUNG ELECTRONICS") == "20231207_101605")
        #expect(BurstName.identifier(in: name, make: "Xiaomi") == nil)
        #expect(BurstName.identifier(in: name + "_002", make: "samsung") == nil)
    }
}

@Suite("A wall clock")
struct WallClockTests {
    @Test(
        "counts days as calendars do, also before 1970 and 1900",
        arguments: [
            (1970, 1, 1, 0), (1969, 12, 31, -1), (2000, 3, 1, 11017), (1899, 12, 31, -25568),
            (2024, 2, 29, 19782), (1000, 1, 1, -354_285), (9999, 12, 31, 2_932_896),
        ])
    func days(_ year: Int, _ month: Int, _ day: Int, _ number: Int) throws {
        #expect(try #require(WallClock(year: year, month: month, day: day)).dayNumber == number)
    }

    @Test("is restored from its seconds", arguments: [0, -1, 1_401_004_800, -2_208_988_801, 253_402_300_799])
    func seconds(_ seconds: Int) throws {
        #expect(try #require(WallClock(wholeSeconds: seconds)).wholeSeconds == seconds)
    }

    @Test("does not exist for invalid days and times, or before the year 1000")
    func none() {
        #expect(WallClock(year: 2014, month: 2, day: 29) == nil)
        #expect(WallClock(year: 2000, month: 2, day: 29) != nil)
        #expect(WallClock(year: 1900, month: 2, day: 29) == nil)
        #expect(WallClock(year: 999, month: 1, day: 1) == nil)
        #expect(WallClock(year: 2014, month: 5, day: 25, hour: 24) == nil)
        #expect(WallClock(wholeSeconds: .max) == nil)
        #expect(WallClock(wholeSeconds: .min) == nil)
    }

    @Test("sorts by the moment, then by the fraction, as its text does")
    func sorting() throws {
        let clocks = try ["", "2", "25", "3"].map {
            try #require(WallClock(year: 2014, month: 5, day: 25, fraction: $0))
        }
        #expect(clocks == clocks.shuffled().sorted())
        #expect(clocks.map(\.description) == clocks.map(\.description).sorted())
    }

    @Test(
        "is read in the forms of EXIF, XMP and ISO 8601",
        arguments: [
            ("+02:00", 120), ("-0330", -210), ("Z", 0), ("+05", 300), ("+14:00", 840), ("-00:00", 0),
        ])
    func offsets(_ text: String, _ minutes: Int) {
        #expect(UTCOffset(text)?.minutes == minutes)
    }

    @Test(
        "has no offset beyond 14 hours or of other forms",
        arguments: ["+15:00", "02:00", "+2:00", "+02:60", "", "UTC"])
    func noOffset(_ text: String) { #expect(UTCOffset(text) == nil) }

    @Test("is a point in time if its offset is known")
    func date() throws {
        let local = try #require(
            WallClock(year: 2014, month: 5, day: 25, hour: 10, minute: 0, second: 0, fraction: "25"))
        let unknown = CaptureDate(local: local, source: .fileName)
        #expect(unknown.date == nil)
        let known = CaptureDate(local: local, offset: UTCOffset(minutes: 120), source: .dateTimeOriginal)
        #expect(known.date?.timeIntervalSince1970 == 1_401_004_800.25)
    }

    @Test("and a location accept or refuse any numbers", arguments: [Int.min, -1, 0, 1, 12, 10_000, .max])
    func numbers(_ number: Int) {
        for other in [Int.min, -1, 0, 1, 2000, .max] {
            let clock = WallClock(
                year: other, month: number, day: other, hour: number, minute: number, second: number,
                fraction: "\(number)")
            #expect(clock == nil)
            _ = WallClock(year: 2000, month: number, day: number)?.description
            _ = UTCOffset(minutes: number)?.description
        }
        for value in [Double.nan, -.infinity, .infinity, 91, -181, 1e300] {
            #expect(Location(latitude: value, longitude: 0, source: .exif) == nil)
            let place = Location(
                latitude: 1, longitude: 2, altitude: value, accuracy: value, source: .exif)
            #expect(place?.altitude?.isFinite ?? true)
        }
    }
}
