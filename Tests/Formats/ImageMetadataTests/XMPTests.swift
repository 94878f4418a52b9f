import ImageMetadata
import TestSupport
import Testing
import ViewportGeometry

@Suite("XMP")
struct XMPTests {
    static func read(_ packet: String) -> FileMetadata? {
        FileMetadata(of: PhotoMaker.png([PhotoMaker.pngXMP(packet)]))
    }

    @Test("is recognized by the URIs of its namespaces, whatever their prefixes")
    func prefixes() throws {
        let packet = XMPMaker.packet(
            [("exif:DateTimeOriginal", "2014-05-25T10:00:00"), ("xmp:Rating", "5")],
            prefixes: ["exif": "xmp", "xmp": "exif"])
        let read = try #require(Self.read(packet))
        #expect(read.date?.source == .xmpDateTimeOriginal)
        #expect(read.rating == 5)
    }

    @Test("reads properties that are elements or attributes")
    func elements() throws {
        let packet = XMPMaker.packet(
            [],
            elements:
                "<exif:DateTimeOriginal>2014-05-25T10:00Z</exif:DateTimeOriginal><xmp:Rating>3</xmp:Rating>")
        let read = try #require(Self.read(packet))
        #expect(read.date?.local.description == "2014-05-25T10:00:00")
        #expect(read.date?.offset == .utc)
        #expect(read.rating == 3)
    }

    @Test("ignores properties of a part of the picture")
    func nested() throws {
        let packet = XMPMaker.packet(
            [],
            elements: """
                <exif:Regions><rdf:Bag><rdf:li><rdf:Description xmp:Rating="1" dc:title="Face">
                <dc:subject><rdf:Bag><rdf:li>Somebody</rdf:li></rdf:Bag></dc:subject>
                </rdf:Description></rdf:li></rdf:Bag></exif:Regions>
                """)
        let read = try #require(Self.read(packet))
        #expect(read.rating == nil)
        #expect(read.title == nil)
        #expect(read.keywords.isEmpty)
    }

    @Test(
        "replaces XML's entities and character references, and no others",
        arguments: [
            ("a &amp; &lt;b&gt; &quot;c&apos;", "a & <b> \"c'"), ("&#233;&#xE9;", "éé"), ("&mine;", nil),
            ("&#xD800;", nil), ("&#99999999999;", nil), ("&", nil),
        ])
    func entities(_ written: String, _ expected: String?) {
        #expect(Self.read(XMPMaker.packet([("dc:title", written)]))?.title == expected)
    }

    @Test("is not read after a document type, so that nothing is expanded")
    func documentType() {
        let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaa\">]>" + XMPMaker.packet([("dc:title", "T")])
        #expect(Self.read(bomb)?.title == nil)
    }

    @Test("of any depth does not trap")
    func depth() {
        let deep = String(repeating: "<a>", count: 100_000)
        #expect(Self.read(deep) != nil)
        #expect(Self.read(XMPMaker.packet([("dc:title", "T")], elements: deep))?.title == "T")
    }

    @Test(
        "has locations in degrees with minutes, or minutes and seconds",
        arguments: [
            ("52,30.5N", "13,22.25E", 52.508_333_3, 13.370_833_3),
            ("52,30,30S", "13,22,15W", -52.508_333_3, -13.370_833_3),
        ])
    func places(_ latitude: String, _ longitude: String, _ north: Double, _ east: Double) throws {
        let packet = XMPMaker.packet([("exif:GPSLatitude", latitude), ("exif:GPSLongitude", longitude)])
        let place = try #require(Self.read(packet)?.location)
        #expect(abs(place.latitude - north) < 1e-6)
        #expect(abs(place.longitude - east) < 1e-6)
        #expect(place.source == .xmp)
    }

    @Test(
        "has no locations of other forms",
        arguments: ["52.5", "52,30.5", "N", "nan,1N", "91,0N", "1,2,3,4N", ",,N", ""])
    func noPlace(_ latitude: String) {
        let packet = XMPMaker.packet([("exif:GPSLatitude", latitude), ("exif:GPSLongitude", "13,22.25E")])
        #expect(Self.read(packet)?.location == nil)
    }

    @Test("never rotates the picture; only EXIF does")
    func orientation() {
        #expect(Self.read(XMPMaker.packet([("tiff:Orientation", "6")]))?.orientation == .up)
    }

    @Test("in a sidecar overrides the file, with location and texts")
    func sidecar() throws {
        let sidecar = XMPMaker.packet([
            ("exif:GPSLatitude", "1,0N"), ("exif:GPSLongitude", "2,0E"), ("xmp:Rating", "-1"),
            ("dc:title", "Sidecar"),
        ])
        let file = PhotoMaker.jpeg(exif: SampleFiles.exif, xmp: SampleFiles.xmp)
        let read = try #require(FileMetadata(of: file, sidecar: sidecar))
        #expect(read.location?.latitude == 1)
        #expect(read.location?.source == .sidecar)
        #expect(read.rating == -1)
        #expect(read.title == "Sidecar")
        #expect(read.keywords == ["Paris", "<iron>"])
        #expect(read.date?.source == .subSecDateTimeOriginal)
    }

    @Test("identifies bursts and screenshots")
    func camera() throws {
        let packet = XMPMaker.packet([("GCamera:BurstID", "b-1"), ("exif:UserComment", "Screenshot")])
        let read = try #require(Self.read(packet))
        #expect(read.burstIdentifier == "b-1")
        #expect(read.isScreenshot)
    }
}
