import ImageMetadata
import MetadataTestSupport
import Testing

@Suite("A file's name")
struct NameTests {
    static func read(_ name: String) -> FileMetadata? { FileMetadata(of: PhotoMaker.jpeg(), name: name) }

    @Test(
        "tells date and time",
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
        let date = try #require(Self.read("PXL_20140525_080000123.jpg")?.date)
        #expect("\(date.local)" == "2014-05-25T08:00:00.123")
        #expect(date.offset == .utc)
    }

    @Test(
        "may tell a day alone",
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
        "has no date where its digits are none",
        arguments: [
            "IMG_0001.jpg", "DSC01234.jpg", "20141325_100000.jpg", "123456789012.jpg",
            "IMG_120140525_100000.jpg",
            "2014052510000.jpg", "", ".jpg", "2014-05_25.jpg", "photo.jpg",
            "IMG_20191399.jpg", "20190229.jpg", "DSC_2019.jpg", "FB_IMG_1562243400000.jpg", "00000000.jpg",
            "1999123123456.jpg", "d41d8cd9f20190704a98ecf8427e.jpg",
        ])
    func noDate(_ name: String) { #expect(Self.read(name)?.date == nil) }

    @Test(
        "tells pictures of a screen",
        arguments: [
            ("Screenshot_2014-05-25-10-00-00.png", true), ("Screen Shot 2014-05-25 at 10.00.00.png", true),
            ("Bildschirmfoto 2014-05-25 um 10.00.00.png", true), ("IMG_20140525_100000.png", false),
            ("my screenshot list.png", false),
        ])
    func screenshots(_ name: String, _ expected: Bool) {
        #expect(Self.read(name)?.isScreenshot == expected)
    }

    @Test(
        "tells the pictures of one burst",
        arguments: [
            ("IMG_20140525_100000_BURST001.jpg", "IMG_20140525_100000"),
            ("IMG_20140525_100000_BURST002_COVER.jpg", "IMG_20140525_100000"),
            ("00001IMG_00001_BURST20140525100000123_COVER.jpg", "20140525100000123"),
            ("00002IMG_00002_BURST20140525100000123.jpg", "20140525100000123"), ("IMG_SUNBURST.jpg", nil),
        ])
    func bursts(_ name: String, _ expected: String?) {
        #expect(Self.read(name)?.burstIdentifier == expected)
    }
}
