import Containers
import ImageMetadata
import TestSupport
import Testing

@Suite("A sidecar of another program")
struct ProgramSidecarTests {
    private static let open = """
        <?xml version="1.0" encoding="UTF-8"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="XMP Core 5.6.0">
         <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        """
    private static let close = "</rdf:RDF></x:xmpmeta>"
    private static let names = """
        xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:tiff="http://ns.adobe.com/tiff/1.0/"
        xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"
        xmlns:lr="http://ns.adobe.com/lightroom/1.0/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
        """

    /// As darktable writes `photo.jpg.xmp`: attributes and sequences, with tags of its own among the words.
    private static let darktable = """
        \(open)<rdf:Description rdf:about="" \(names) xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/"
           xmlns:darktable="http://darktable.sf.net/"
           exif:DateTimeOriginal="2014:05:25 10:00:00.250" exif:GPSVersionID="2.2.0.0"
           exif:GPSLongitude="6,8.40000000E" exif:GPSLatitude="46,12.00000000N"
           exif:GPSAltitude="3750/10" exif:GPSAltitudeRef="0" xmp:Rating="4" xmpMM:DerivedFrom="photo.jpg"
           darktable:xmp_version="5" darktable:raw_params="0" darktable:auto_presets_applied="1">
           <darktable:colorlabels><rdf:Seq><rdf:li>1</rdf:li><rdf:li>3</rdf:li></rdf:Seq></darktable:colorlabels>
           <dc:title><rdf:Alt><rdf:li xml:lang="x-default">The lake</rdf:li></rdf:Alt></dc:title>
           <dc:description><rdf:Alt><rdf:li xml:lang="x-default">Words &amp; more</rdf:li></rdf:Alt></dc:description>
           <dc:subject><rdf:Seq><rdf:li>darktable</rdf:li><rdf:li>format</rdf:li><rdf:li>jpg</rdf:li>
            <rdf:li>places</rdf:li><rdf:li>Geneva</rdf:li></rdf:Seq></dc:subject>
           <lr:hierarchicalSubject><rdf:Seq><rdf:li>darktable|format|jpg</rdf:li><rdf:li>places|Geneva</rdf:li></rdf:Seq></lr:hierarchicalSubject>
          </rdf:Description>\(close)
        """

    /// As digiKam writes `photo.jpg.xmp`.
    private static let digiKam = """
        \(open)<rdf:Description rdf:about="" \(names) xmlns:digiKam="http://www.digikam.org/ns/1.0/"
           xmlns:MicrosoftPhoto="http://ns.microsoft.com/photo/1.0/" xmlns:xmpDM="http://ns.adobe.com/xmp/1.0/DynamicMedia/"
           exif:DateTimeOriginal="2014-05-25T10:00:00.250" exif:GPSLatitude="46,12.00000000N"
           exif:GPSLongitude="6,8.40000000E" exif:GPSAltitude="3750/10" exif:GPSAltitudeRef="0"
           xmp:Rating="4" MicrosoftPhoto:Rating="75" digiKam:PickLabel="0" digiKam:ColorLabel="3">
           <dc:title><rdf:Alt><rdf:li xml:lang="x-default">The lake</rdf:li></rdf:Alt></dc:title>
           <dc:description><rdf:Alt><rdf:li xml:lang="x-default">Words &amp; more</rdf:li></rdf:Alt></dc:description>
           <digiKam:TagsList><rdf:Seq><rdf:li>places/Geneva</rdf:li></rdf:Seq></digiKam:TagsList>
           <MicrosoftPhoto:LastKeywordXMP><rdf:Bag><rdf:li>places/Geneva</rdf:li></rdf:Bag></MicrosoftPhoto:LastKeywordXMP>
           <lr:hierarchicalSubject><rdf:Bag><rdf:li>places|Geneva</rdf:li></rdf:Bag></lr:hierarchicalSubject>
           <dc:subject><rdf:Bag><rdf:li>places</rdf:li><rdf:li>Geneva</rdf:li></rdf:Bag></dc:subject>
          </rdf:Description>\(close)
        """

    /// As Lightroom writes `photo.xmp`.
    private static let lightroom = """
        \(open)<rdf:Description rdf:about="" \(names) xmlns:aux="http://ns.adobe.com/exif/1.0/aux/"
           xmlns:crs="http://ns.adobe.com/camera-raw-settings/1.0/"
           xmp:Rating="4" xmp:Label="Yellow" photoshop:DateCreated="2014-05-25T10:00:00.25"
           exif:GPSLatitude="46,12.0N" exif:GPSLongitude="6,8.4E" exif:GPSAltitude="375000/1000"
           exif:GPSAltitudeRef="0" tiff:Orientation="1" aux:Lens="23mm" crs:Version="15.0" crs:Exposure2012="+0.50">
           <dc:title><rdf:Alt><rdf:li xml:lang="x-default">The lake</rdf:li></rdf:Alt></dc:title>
           <dc:description><rdf:Alt><rdf:li xml:lang="x-default">Words &amp; more</rdf:li></rdf:Alt></dc:description>
           <dc:subject><rdf:Bag><rdf:li>places</rdf:li><rdf:li>Geneva</rdf:li></rdf:Bag></dc:subject>
           <lr:hierarchicalSubject><rdf:Bag><rdf:li>places|Geneva</rdf:li></rdf:Bag></lr:hierarchicalSubject>
           <crs:ToneCurve><rdf:Seq><rdf:li>0, 0</rdf:li></rdf:Seq></crs:ToneCurve>
          </rdf:Description>\(close)
        """

    private func read(_ sidecar: String) throws -> FileMetadata {
        try #require(
            FileMetadata(FileBytes(TinyPhoto.jpeg()), name: "photo.jpg", sidecar: Array(sidecar.utf8)))
    }

    @Test(
        "is read: rating, label, words, date and place",
        arguments: [("darktable", darktable), ("digiKam", digiKam), ("Lightroom", lightroom)])
    func programs(_ name: String, _ sidecar: String) throws {
        let read = try read(sidecar)
        #expect(read.rating == 4 && read.label == "Yellow")
        #expect(read.title == "The lake" && read.caption == "Words & more")
        #expect(read.keywords == ["places", "Geneva"])
        #expect(read.date?.local.description.hasPrefix("2014-05-25T10:00:00.25") == true)
        #expect(read.date.map(\.source.isGuess) == false)
        let location = try #require(read.location)
        #expect(abs(location.latitude - 46.2) < 1e-9 && abs(location.longitude - 6.14) < 1e-9)
        #expect(location.altitude == 375 && location.source == .sidecar)
    }

    @Test(
        "rejects a photo in its own way",
        arguments: [
            (darktable.replacing("xmp:Rating=\"4\"", with: "xmp:Rating=\"-1\""), -1),
            (digiKam.replacing("PickLabel=\"0\"", with: "PickLabel=\"1\""), -1),
            (digiKam.replacing("PickLabel=\"0\"", with: "PickLabel=\"3\""), 4),
            (lightroom.replacing("xmp:Rating=\"4\"", with: "xmp:Rating=\"-1\""), -1),
        ])
    func rejected(_ sidecar: String, _ rating: Int) throws {
        #expect(try read(sidecar).rating == rating)
    }

    @Test("has words only in their hierarchies, or words that darktable shares with its own")
    func words() throws {
        let hierarchical = Self.darktable.replacing("dc:subject", with: "dc:other")
        #expect(try read(hierarchical).keywords == ["Geneva"])
        let shared = Self.darktable.replacing("places|Geneva</rdf:li>", with: "file|jpg</rdf:li>")
            .replacing("<rdf:li>places</rdf:li><rdf:li>Geneva</rdf:li>", with: "<rdf:li>file</rdf:li>")
        #expect(try read(shared).keywords == ["jpg", "file"])
    }
}
