import ImageMetadata
import TestSupport
import Testing

@Suite("A position")
struct PositionTests {
    static func exif(_ tags: [(Int, ExifBuilder.Value)]) -> Location? {
        FileMetadata(
            of: PhotoMaker.jpeg(exif: ExifBuilder(bigEndian: true).block([(0x8825, .directory(tags))])))?
            .location
    }

    static func position(_ latitude: Int, _ longitude: Int, status: String? = nil) -> [(
        Int, ExifBuilder.Value
    )] {
        [
            (1, .text("N")), (2, .rationals([(latitude, 1), (0, 1), (0, 1)])),
            (3, .text("E")), (4, .rationals([(longitude, 1), (0, 1), (0, 1)])),
        ] + (status.map { [(9, .text($0))] } ?? [])
    }

    @Test(
        "at 0, 0 needs the status of a valid measurement; the equator and Greenwich do not",
        arguments: [
            (0, 0, nil, false), (0, 0, "V", false), (0, 0, "A", true), (0, 30, nil, true), (51, 0, nil, true),
            (51, 30, "V", true),
        ] as [(Int, Int, String?, Bool)])
    func zero(_ latitude: Int, _ longitude: Int, _ status: String?, _ isThere: Bool) {
        #expect((Self.exif(Self.position(latitude, longitude, status: status)) != nil) == isThere)
        var properties = [("exif:GPSLatitude", "\(latitude),0N"), ("exif:GPSLongitude", "\(longitude),0E")]
        if let status { properties.append(("exif:GPSStatus", status)) }
        let read = FileMetadata(of: PhotoMaker.jpeg(xmp: XMPMaker.packet(properties)))
        #expect((read?.location != nil) == isThere)
    }

    @Test("that a user sets to 0, 0 is kept")
    func edited() throws {
        var edit = SidecarEdit()
        edit.location = .set(try #require(Location(latitude: 0, longitude: 0, source: .sidecar)))
        let sidecar = String(decoding: try edit.applied(to: nil), as: UTF8.self)
        #expect(FileMetadata(of: PhotoMaker.jpeg(), sidecar: sidecar)?.location != nil)
    }

    @Test(
        "in signed fractions is that of its references, or of its signs without any",
        arguments: [
            ("N", "W", 43, 79, 43.5, -79.5), ("N", "W", 43, -79, 43.5, -79.5),
            ("S", "E", -43, 79, -43.5, 79.5),
            (nil, nil, 43, -79, 43.5, -79.5), (nil, nil, -43, 79, -43.5, 79.5),
        ] as [(String?, String?, Int, Int, Double, Double)])
    func signed(
        _ north: String?, _ east: String?, _ latitude: Int, _ longitude: Int, _ expected: Double,
        _ other: Double
    ) {
        var tags: [(Int, ExifBuilder.Value)] = []
        if let north { tags.append((1, .text(north))) }
        tags.append((2, .signedRationals([(latitude, 1), (30, 1), (0, 1)])))
        if let east { tags.append((3, .text(east))) }
        tags.append((4, .signedRationals([(longitude, 1), (30, 1), (0, 1)])))
        let read = Self.exif(tags)
        #expect(read?.latitude == expected && read?.longitude == other)
    }

    @Test(
        "in XMP may have any form",
        arguments: [
            ("43,4.584045N", "79,4.620208W", nil), ("43,4,35.0427N", "79,4,37.21248W", nil),
            ("43.0764", "79.0770", "NW"), ("43.0764", "-79.0770", nil), ("+43.0764", "-79.0770", "NW"),
            ("43.0764N", "79.0770W", nil), ("N43.0764", "w 79.0770", nil),
            ("43° 4' 35.04\" N", "79°4'37.2\"W", nil),
            ("43 deg 4' 35.04\" N", "79 deg 4' 37.20\" W", nil), ("43 4 35.04 N", "79:4:37.2 W", nil),
            ("43/1 4/1 3504/100", "79/1,4/1,3721/100", "NW"), ("430764/10000", "-790770/10000", nil),
            ("43,0764", "-79,0770", nil), ("43.0764", "79.0770", "North West"),
        ] as [(String, String, String?)])
    func forms(_ latitude: String, _ longitude: String, _ references: String?) throws {
        var properties = [("exif:GPSLatitude", latitude), ("exif:GPSLongitude", longitude)]
        if let references {
            let words =
                references.contains(" ")
                ? references.split(separator: " ").map(String.init) : references.map(String.init)
            properties += [("exif:GPSLatitudeRef", words[0]), ("exif:GPSLongitudeRef", words[1])]
        }
        let packet = XMPMaker.packet(properties.map { ($0, $1.replacing("\"", with: "&quot;")) })
        for read in [
            FileMetadata(of: PhotoMaker.jpeg(), sidecar: packet),
            FileMetadata(of: PhotoMaker.jpeg(xmp: packet)),
        ] {
            let location = try #require(read?.location)
            #expect(abs(location.latitude - 43.0764) < 1e-4 && abs(location.longitude + 79.0770) < 1e-4)
        }
    }

    @Test(
        "in XMP of other forms is none",
        arguments: [
            "", "N", "43,60.5N", "43E", "43,4,5,6N", "4-3", "--43", "43NN", "north", "nan", "43,-4N", "1/0N",
        ])
    func none(_ latitude: String) {
        let packet = XMPMaker.packet([("exif:GPSLatitude", latitude), ("exif:GPSLongitude", "79.1W")])
        let read = FileMetadata(of: PhotoMaker.jpeg(xmp: packet))
        #expect(read?.location == nil && read?.positionFault == nil)
    }

    @Test(
        "out of range is none, and the reason is told",
        arguments: [("90.5N", "7E"), ("47", "180.1"), ("-91", "7"), ("47", "-181")])
    func range(_ latitude: String, _ longitude: String) throws {
        let packet = XMPMaker.packet([("exif:GPSLatitude", latitude), ("exif:GPSLongitude", longitude)])
        let file = PhotoMaker.jpeg(exif: SampleFiles.exif)
        let read = try #require(FileMetadata(of: file, sidecar: packet))
        #expect(read.location?.source == .exif)
        #expect(read.positionFault?.contains("is out of range") == true)
    }

    @Test("of the whole range is read")
    func bounds() {
        for (latitude, longitude) in [("90N", "180E"), ("-90", "-180")] {
            let packet = XMPMaker.packet([("exif:GPSLatitude", latitude), ("exif:GPSLongitude", longitude)])
            #expect(FileMetadata(of: PhotoMaker.jpeg(), sidecar: packet)?.location != nil)
        }
    }
}
