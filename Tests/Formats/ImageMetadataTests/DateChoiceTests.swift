import ImageMetadata
import TestSupport
import Testing

@Suite("The dates of a file and its sidecar")
struct DateChoiceTests {
    /// EXIF with times of capture and digitization.
    static func exif(
        taken: String? = nil, digitized: String? = nil, zone: String? = nil, fraction: String? = nil
    ) -> [UInt8] {
        let tags = [(0x9003, taken), (0x9004, digitized), (0x9011, zone), (0x9291, fraction)]
        return ExifBuilder(bigEndian: true).block([
            (0x8769, .directory(tags.compactMap { tag, text in text.map { (tag, .text($0)) } }))
        ])
    }

    static func read(
        _ exif: [UInt8]? = nil, _ sidecar: [(name: String, value: String)], xmp: String? = nil,
        iptc: [UInt8]? = nil
    ) throws -> FileMetadata {
        try #require(
            FileMetadata(
                of: PhotoMaker.jpeg(exif: exif, xmp: xmp, iptc: iptc), name: "x.jpg",
                sidecar: XMPMaker.packet(sidecar)))
    }

    @Test(
        "count by their meaning and their exactness",
        arguments: [
            // A scan: the sidecar states when it was digitized.
            (
                "1978:07:04 12:00:00", "", "", "xmp:CreateDate", "2019-03-02T10:11:12", "1978-07-04T12:00:00",
                DateSource.dateTimeOriginal
            ),
            (
                "1978:07:04 12:00:00", "", "", "exif:DateTimeDigitized", "2019-03-02T10:11:12",
                "1978-07-04T12:00:00", .dateTimeOriginal
            ),
            ("1978:  :     :  :  ", "", "", "xmp:CreateDate", "1978-03-02", "1978", .dateTimeOriginal),
            // Less exact values that agree.
            (
                "2019:02:25 04:19:21", "+03:00", "", "photoshop:DateCreated", "2019-02-25",
                "2019-02-25T04:19:21+03:00", .dateTimeOriginal
            ),
            (
                "2019:02:25 04:19:21", "", "37", "exif:DateTimeOriginal", "2019-02-25T04:19",
                "2019-02-25T04:19:21.37", .subSecDateTimeOriginal
            ),
            (
                "2019:02:25 04:19:21", "", "37", "exif:DateTimeOriginal", "2019-02-25T04:19:21",
                "2019-02-25T04:19:21.37", .subSecDateTimeOriginal
            ),
            (
                "2019:02:25 04:19:21", "", "37", "exif:DateTimeOriginal", "2019-02-25T04:19:21+03:00",
                "2019-02-25T04:19:21.37+03:00", .subSecDateTimeOriginal
            ),
            (
                "2019:02:25 04:19:21", "", "", "photoshop:DateCreated", "2019", "2019-02-25T04:19:21",
                .dateTimeOriginal
            ),
            // More exact values, and others.
            (
                "2019:02:25 04:19:21", "", "", "exif:DateTimeOriginal", "2019-02-25T04:19:21.5",
                "2019-02-25T04:19:21.5", .sidecarDateTimeOriginal
            ),
            (
                "2019:02:25 04:19:21", "", "", "photoshop:DateCreated", "2018-01-02", "2018-01-02",
                .sidecarDateCreated
            ),
            (
                "2019:02:25 04:19:21", "+03:00", "", "exif:DateTimeOriginal", "2019-02-25T04:19:21+02:00",
                "2019-02-25T04:19:21+02:00", .sidecarDateTimeOriginal
            ),
            ("2019:02:25 04:19:21", "", "", "photoshop:DateCreated", "1978", "1978", .sidecarDateCreated),
        ])
    func choice(
        _ taken: String, _ zone: String, _ fraction: String, _ name: String, _ value: String,
        _ expected: String,
        _ source: DateSource
    ) throws {
        func text(_ text: String) -> String? { text.isEmpty ? nil : text }
        let read = try Self.read(
            Self.exif(taken: taken, zone: text(zone), fraction: text(fraction)), [(name, value)])
        #expect(read.date?.description == expected)
        #expect(read.date?.source == source)
        #expect(read.dates.others.count == 1)
    }

    @Test("of digitization count where none of capture is stated, those of the sidecar first")
    func digitized() throws {
        let sidecar = [(name: "xmp:CreateDate", value: "2019-03-02T10:11:12")]
        #expect(try Self.read(nil, sidecar).date?.source == .sidecarCreateDate)
        let scan = Self.exif(digitized: "2018:01:01 00:00:00")
        #expect(try Self.read(scan, sidecar).date?.source == .sidecarCreateDate)
        // What states the time of capture counts more, wherever it stands.
        let iptc = PhotoMaker.iptc([(55, "19780704")])
        #expect(try Self.read(scan, [], iptc: iptc).date?.description == "1978-07-04")
        let xmp = XMPMaker.packet([("photoshop:DateCreated", "1978")])
        #expect(try Self.read(scan, sidecar, xmp: xmp).date?.description == "1978")
    }

    @Test("of a day of capture take the time of digitization on that day, not in that year")
    func refined() throws {
        let exif = Self.exif(digitized: "2018:07:04 12:30:00")
        let day = PhotoMaker.iptc([(55, "20180704")])
        #expect(try Self.read(exif, [], iptc: day).date?.description == "2018-07-04T12:30:00")
        let year = PhotoMaker.iptc([(55, "20180000")])
        #expect(try Self.read(exif, [], iptc: year).date?.description == "2018")
    }

    @Test("that do not count are named with the reason")
    func reasons() throws {
        let exif = Self.exif(taken: "2019:02:25 04:19:21", digitized: "2019:03:02 10:11:12")
        let read = try #require(
            FileMetadata(
                of: PhotoMaker.jpeg(exif: exif, iptc: PhotoMaker.iptc([(55, "20190225")])),
                name: "IMG_20180101_000000.jpg",
                sidecar: XMPMaker.packet([
                    ("exif:DateTimeOriginal", "2018-01-02T03:04:05"), ("photoshop:DateCreated", "2018-01-02"),
                ])))
        #expect(read.date?.source == .sidecarDateTimeOriginal)
        let reasons = Dictionary(uniqueKeysWithValues: read.dates.others.map { ($0.date.source, $0.reason) })
        #expect(
            reasons == [
                .sidecarDateCreated: "is less exact", .dateTimeOriginal: "differs from the sidecar",
                .iptcDateCreated: "differs from the sidecar", .createDate: "is when it was digitized",
                .fileName: "is a guess",
            ])
    }
}
