import Foundation
import ImageMetadata
import TestSupport
import Testing
import ViewportGeometry

/// Files that ExifTool wrote, read by both.
@Suite(
    "Compared with ExifTool",
    .enabled(if: BuiltProgram(installed: "exiftool") != nil, "install libimage-exiftool-perl to run these"))
struct ExifToolTests {
    static let bases: [(name: String, bytes: [UInt8])] = [
        ("a.jpg", PhotoMaker.jpeg()), ("a.png", PhotoMaker.png()), ("a.tif", PhotoMaker.tiff()),
        ("a.webp", PhotoMaker.webp()), ("a.jp2", PhotoMaker.jp2(width: 640, height: 480)),
        ("a.mov", FilmMaker.film()), ("a.mp4", FilmMaker.film(brand: "isom")),
    ]

    static let tags: [[String]] = [
        [
            "-EXIF:DateTimeOriginal=2014:05:25 10:00:00", "-EXIF:SubSecTimeOriginal=25",
            "-EXIF:OffsetTimeOriginal=+02:00", "-EXIF:OffsetTime=+09:00", "-EXIF:Make=Maker",
            "-EXIF:Model=M 1",
            "-EXIF:Orientation#=6",
        ],
        ["-EXIF:CreateDate=1969:12:31 23:59:59", "-EXIF:OffsetTimeOriginal=+02:00"],
        [
            "-EXIF:GPSLatitude=33.8585", "-EXIF:GPSLatitudeRef=S", "-EXIF:GPSLongitude=151.2",
            "-EXIF:GPSLongitudeRef=E", "-EXIF:GPSAltitude=12.5", "-EXIF:GPSAltitudeRef#=1",
            "-EXIF:GPSDateStamp=2014:05:25", "-EXIF:GPSTimeStamp=08:00:00.5",
        ],
        [
            "-XMP-exif:DateTimeOriginal=2014:05:25 10:00:00.25+02:00", "-XMP-exif:GPSLatitude=52.508333",
            "-XMP-exif:GPSLongitude=-13.370833", "-XMP-dc:Title=Tower & sky", "-XMP-dc:Subject=Paris",
            "-XMP-dc:Subject=Iron", "-XMP-xmp:Rating=4",
        ],
        ["-XMP-photoshop:DateCreated=2014:05:25", "-XMP-xmp:CreateDate=2014:05:26 10:00:00"],
        [
            "-IPTC:DateCreated=2014:05:25", "-IPTC:TimeCreated=10:00:00+02:00", "-IPTC:ObjectName=Tower",
            "-IPTC:Keywords=Paris", "-IPTC:Keywords=Iron",
        ],
    ]

    /// Writes tags into a file of each kind that ExifTool supports, and returns what ExifTool reads.
    private func written(_ tags: [String], in folder: TemporaryFolder) async throws -> [[String: Any]] {
        let exiftool = try #require(BuiltProgram(installed: "exiftool"))
        for base in Self.bases {
            try Data(base.bytes).write(to: folder.url.appendingPathComponent(base.name))
        }
        _ = try await exiftool.run(["-overwrite_original", "-n", "-r"] + tags + [folder.url.path])
        let result = try await exiftool.run(["-json", "-n", "-G1", "-r", folder.url.path])
        return try #require(try JSONSerialization.jsonObject(with: result.output) as? [[String: Any]])
    }

    @Test("gives the same dates, locations, cameras and keywords", arguments: tags)
    func same(_ tags: [String]) async throws {
        let folder = try TemporaryFolder()
        var dated = 0
        for theirs in try await written(tags, in: folder) {
            let path = try #require(theirs["SourceFile"] as? String)
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
            let read = try #require(FileMetadata(of: bytes), "\(path)")
            #expect(read.make == theirs["IFD0:Make"] as? String, "\(path)")
            #expect(read.model == theirs["IFD0:Model"] as? String, "\(path)")
            let keywords = (theirs["XMP-dc:Subject"] ?? theirs["IPTC:Keywords"]) as? [String] ?? []
            #expect(read.keywords == keywords, "\(path)")
            expectSamePlace(read, theirs, path)
            expectSameDate(read, theirs, path)
            if read.date != nil { dated += 1 }
        }
        #expect(dated >= 2)
    }

    private func expectSamePlace(_ read: FileMetadata, _ theirs: [String: Any], _ path: String) {
        // Numbers of EXIF's GPS directory with their signs, else of XMP.
        func place(_ name: String) -> Double? {
            (theirs["Composite:\(name)"] ?? theirs["XMP-exif:\(name)"]) as? Double
        }
        let pairs = [
            (read.location?.latitude, place("GPSLatitude")),
            (read.location?.longitude, place("GPSLongitude")),
            (read.location?.altitude, place("GPSAltitude")),
        ]
        for (ours, theirs) in pairs {
            #expect((ours == nil) == (theirs == nil), "\(path)")
            #expect(abs((ours ?? 0) - (theirs ?? 0)) < 1e-6, "\(path)")
        }
    }

    private func expectSameDate(_ read: FileMetadata, _ theirs: [String: Any], _ path: String) {
        let names: [(source: DateSource, name: String)] = [
            (.subSecDateTimeOriginal, "Composite:SubSecDateTimeOriginal"),
            (.dateTimeOriginal, "ExifIFD:DateTimeOriginal"), (.createDate, "ExifIFD:CreateDate"),
            (.xmpDateTimeOriginal, "XMP-exif:DateTimeOriginal"),
            (.xmpDateCreated, "XMP-photoshop:DateCreated"),
            (.gpsDateTime, "Composite:GPSDateTime"), (.iptcDateCreated, "Composite:DateTimeCreated"),
        ]
        let found = names.first { theirs[$0.name] != nil }
        #expect(read.date?.source == found?.source, "\(path)")
        guard let date = read.date, let found else { return }
        let local = "\(date.local)".replacing("-", with: ":").replacing("T", with: " ")
        let zone = date.offset.map { date.source == .gpsDateTime ? "Z" : "\($0)" } ?? ""
        #expect(
            theirs[found.name] as? String == (date.hasTime ? local + zone : String(local.prefix(10))),
            "\(path)")
    }
}
