internal import Containers
package import ImageMetadata

/// A small file of each format, with all metadata that the format can hold.
package enum SampleFiles {
    package static let exif = exif(bigEndian: false)

    /// Returns EXIF with all tags that are read: taken on 2014-05-25 at 10:00:00.25 +02:00 in Paris.
    package static func exif(bigEndian: Bool, orientation: Int = 6) -> [UInt8] {
        ExifBuilder(bigEndian: bigEndian).block([
            (0x010F, .text("Maker")), (0x0110, .text("M1")), (0x0112, .short(orientation)),
            (0x0131, .text("Firmware 1.0")),
            (
                0x8769,
                .directory([
                    (0x9003, .text("2014:05:25 10:00:00")), (0x9004, .text("2014:05:25 10:00:01")),
                    (0x9010, .text("+09:00")), (0x9011, .text("+02:00")), (0x9291, .text("25")),
                    (0x927C, .bytes(appleNote)), (0xA434, .text("Lens 50 mm")),
                ])
            ),
            (
                0x8825,
                .directory([
                    (1, .text("N")), (2, .rationals([(48, 1), (51, 1), (2977, 100)])),
                    (3, .text("E")), (4, .rationals([(2, 1), (17, 1), (4020, 100)])),
                    (6, .rationals([(3500, 100)])), (7, .rationals([(8, 1), (0, 1), (0, 1)])),
                    (0x1D, .text("2014:05:25")), (0x1F, .rationals([(5, 1)])),
                ])
            ),
        ])
    }

    /// Apple's MakerNote with the identifiers of a burst and of a live photo.
    package static let appleNote: [UInt8] = {
        let burst = text("BURST-0001-UUID\0")
        let content = text("LIVE-0001-UUID\0")
        let start = 14 + 2 + 2 * 12 + 4
        let entries =
            big(0x0B, 2) + big(2, 2) + big(burst.count, 4) + big(start, 4)
            + big(0x11, 2) + big(2, 2) + big(content.count, 4) + big(start + burst.count, 4)
        return text("Apple iOS\0") + [0, 1] + text("MM") + big(2, 2) + entries + big(0, 4) + burst + content
    }()

    package static let xmp = XMPMaker.packet(
        [
            ("exif:DateTimeOriginal", "2014-05-25T10:00:00.25+02:00"), ("xmp:Rating", "4"),
            ("exif:GPSLatitude", "48,51.4962N"), ("exif:GPSLongitude", "2,17,40.2E"),
            ("exif:GPSAltitude", "350/10"), ("exif:GPSTimeStamp", "2014-05-25T08:00:00Z"),
        ],
        elements: """
            <dc:title><rdf:Alt><rdf:li xml:lang="x-default">Tower &amp; sky</rdf:li></rdf:Alt></dc:title>
            <dc:subject><rdf:Bag><rdf:li>Paris</rdf:li><rdf:li><![CDATA[<iron>]]></rdf:li></rdf:Bag></dc:subject>
            """)

    package static let iptc = PhotoMaker.iptc([
        (5, "Tower"), (25, "Paris"), (55, "20140525"), (60, "100000+0200"), (120, "A tower"),
    ])

    package static let all: [(format: FileFormat, bytes: [UInt8])] = [
        (.jpeg, PhotoMaker.jpeg(exif: exif, xmp: xmp, iptc: iptc)),
        (
            .png,
            PhotoMaker.png([
                ("eXIf", exif), PhotoMaker.pngXMP(xmp), ("tIME", big(2014, 2) + [5, 25, 10, 0, 0]),
            ])
        ),
        (
            .png,
            PhotoMaker.png([
                (
                    "zTXt",
                    text("Raw profile type exif\0\0") + packedProfile
                )
            ])
        ),
        (
            .webp,
            PhotoMaker.webp([("ANMF", [UInt8](repeating: 1, count: 16)), ("EXIF", exif), ("XMP ", text(xmp))])
        ),
        (.gif, PhotoMaker.gif(frames: 3)),
        (.bmp, PhotoMaker.bmp(width: 640, height: -480)),
        (.jp2, PhotoMaker.jp2(width: 640, height: 480)),
        (.tiff, tiff),
        (.heif, BoxMaker.heif(turns: [BoxMaker.rotation(3), BoxMaker.mirror(1)], exif: exif, xmp: xmp)),
        (.avif, BoxMaker.heif(brand: "avif", exif: exif)),
        (
            .mov,
            FilmMaker.film(
                created: 3_483_849_600, matrix: [0, 1, -1, 0],
                keys: [
                    ("com.apple.quicktime.creationdate", "2014-05-25T10:00:00+0200"),
                    ("com.apple.quicktime.location.ISO6709", "+48.8583+002.2945+035.0/"),
                    ("com.apple.quicktime.content.identifier", "LIVE-0001-UUID"),
                    ("com.apple.quicktime.make", "Maker"), ("com.apple.quicktime.model", "M1"),
                ])
        ),
        (
            .mp4,
            FilmMaker.film(
                brand: "isom", created: 3_483_849_600,
                userData: [("©xyz", "+48.8583+002.2945/"), ("©day", "2014-05-25T10:00:00+0200")])
        ),
        (.mkv, FilmMaker.matroska(nanoseconds: 422_697_600_000_000_000, width: 1920, height: 1080)),
        (.avi, FilmMaker.avi(width: 640, height: 480, date: "Sun May 25 10:00:00 2014\n")),
        (.jxl, [0xFF, 0x0A] + jxlHeader),
        (.jxl, box("JXL ", [0x0D, 0x0A, 0x87, 0x0A]) + box("jxlc", [0xFF, 0x0A], jxlHeader)),
        (.dng, RawMaker.dng), (.raf, RawMaker.raf), (.rw2, RawMaker.rw2), (.orf, RawMaker.orf),
        (.cr2, RawMaker.cr2), (.cr3, RawMaker.cr3), (.tiff, RawMaker.bigTIFF),
    ]

    /// A TIFF whose first directory has a size in addition to EXIF's tags.
    package static let tiff = ExifBuilder(bigEndian: true).block([
        (0x0100, .long(640)), (0x0101, .short(480)), (0x010F, .text("Maker")), (0x0110, .text("M1")),
        (0x0112, .short(6)), (0x02BC, .bytes(text(xmp))), (0x83BB, .bytes(iptc)),
        (0x8769, .directory([(0x9003, .text("2014:05:25 10:00:00"))])),
    ])

    /// ImageMagick's text form of an EXIF block with orientation 3, compressed with zlib.
    private static let packedProfile: [UInt8] = [
        0x78, 0xDA, 0xE3, 0x4A, 0xAD, 0xC8, 0x4C, 0xE3, 0x52, 0x00, 0x03, 0x63, 0x23, 0x2E, 0x13, 0x53, 0x73,
        0x0B, 0x33, 0x4B, 0x33, 0x33, 0x03, 0x20, 0x30, 0x49, 0x31, 0x49, 0x31, 0x30, 0x30, 0x4A, 0x34, 0x80,
        0x00, 0x0B, 0x20, 0x36, 0x34, 0x30, 0x34, 0x34, 0x02, 0xD2, 0xC6, 0x50, 0x31, 0x43, 0x24, 0x36, 0x18,
        0x70, 0x01, 0x00, 0x9B, 0x04, 0x0F, 0xE4,
    ]

    /// 640x480 with the ratio 4:3 and orientation 6: size, "not all default", "extra fields", orientation.
    private static let jxlHeader: [UInt8] = [0xF8, 0x3E, 0x0B]
}

extension FileMetadata {
    /// Reads the metadata of bytes.
    package init?(
        of bytes: [UInt8], name: String = "x", sidecar: String? = nil, fileTime: Int? = nil,
        assumedZone: AssumedZone? = nil
    ) {
        self.init(
            FileBytes(bytes), name: name, sidecar: sidecar.map { Array($0.utf8) }, fileTime: fileTime,
            assumedZone: assumedZone)
    }
}

extension FileFormat {
    /// Recognizes the format of bytes.
    package init?(of bytes: [UInt8], name: String = "x") {
        self.init(FileBytes(bytes), name: name)
    }
}
