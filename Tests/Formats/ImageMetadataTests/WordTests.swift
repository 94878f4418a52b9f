import ImageMetadata
import TestSupport
import Testing

@Suite("The words of a file")
struct WordTests {
    static func exif(_ tags: [(Int, ExifBuilder.Value)]) -> [UInt8] {
        ExifBuilder(bigEndian: true).block(tags)
    }

    static func utf16(_ text: String) -> ExifBuilder.Value {
        .bytes(text.utf16.flatMap { little(Int($0), 2) } + [0, 0])
    }

    @Test("of EXIF 3.0 are UTF-8")
    func utf8() throws {
        let block = Self.exif([
            (0x010E, .utf8("Küste")), (0x010F, .utf8("Maker é")), (0x0110, .utf8("M1")),
            (0x8298, .utf8("© me")),
            (0x8769, .directory([(0x9003, .utf8("2014:05:25 10:00:00")), (0x9011, .utf8("+02:00"))])),
        ])
        let read = try #require(FileMetadata(of: PhotoMaker.jpeg(exif: block)))
        #expect(
            read.caption == "Küste" && read.make == "Maker é" && read.model == "M1" && read.rights == "© me")
        #expect(read.date?.description == "2014-05-25T10:00:00+02:00")
    }

    @Test(
        "have a rating of 0 to 5, also in percent",
        arguments: [
            (0, 0), (1, 1), (12, 1), (13, 2), (25, 2), (50, 3), (75, 4), (87, 4), (99, 5), (101, nil),
        ])
    func percent(_ percent: Int, _ stars: Int?) {
        let block = Self.exif([(0x4749, .short(percent))])
        #expect(FileMetadata(of: PhotoMaker.jpeg(exif: block))?.rating == stars)
        let packet = XMPMaker.packet([("MicrosoftPhoto:Rating", "\(percent)")])
        #expect(FileMetadata(of: PhotoMaker.jpeg(xmp: packet))?.rating == stars)
    }

    @Test("have the rating of XMP first, then ACDSee's, then that of Windows")
    func ratings() {
        let all = [("MicrosoftPhoto:Rating", "99"), ("acdsee:rating", "3"), ("xmp:Rating", "2")]
        for (count, stars) in [(1, 5), (2, 3), (3, 2)] {
            let packet = XMPMaker.packet(Array(all.prefix(count)))
            #expect(FileMetadata(of: PhotoMaker.jpeg(), sidecar: packet)?.rating == stars)
        }
        let block = Self.exif([(0x4746, .short(4)), (0x4749, .short(25))])
        #expect(FileMetadata(of: PhotoMaker.jpeg(exif: block))?.rating == 4)
    }

    @Test("are those of Windows where nothing else states them")
    func windows() throws {
        let block = Self.exif([
            (0x9C9B, Self.utf16("Título 😀")), (0x9C9C, Self.utf16("Comment")),
            (0x9C9E, Self.utf16("a; bé;;c ")),
        ])
        let read = try #require(FileMetadata(of: PhotoMaker.jpeg(exif: block)))
        #expect(read.title == "Título 😀" && read.caption == "Comment" && read.keywords == ["a", "bé", "c"])
        let iptc = PhotoMaker.iptc([(5, "Title"), (120, "Caption"), (25, "word")])
        let other = try #require(FileMetadata(of: PhotoMaker.jpeg(exif: block, iptc: iptc)))
        #expect(other.title == "Title" && other.caption == "Caption" && other.keywords == ["word"])
    }

    @Test(
        "have a label that digiKam's color does not hide, and which its color follows when it is edited",
        arguments: [
            ("0", "Red", "Green", "4"), ("1", "Red", "Purple", "6"), ("3", "", "Yellow", "3"),
            ("1", "Red", "Select", "0"), ("1", "Red", nil, "0"),
        ] as [(String, String, String?, String)])
    func labels(_ color: String, _ label: String, _ new: String?, _ written: String) throws {
        let properties = [("digiKam:ColorLabel", color)] + (label.isEmpty ? [] : [("xmp:Label", label)])
        let sidecar = XMPMaker.packet(properties)
        #expect(
            FileMetadata(of: PhotoMaker.jpeg(), sidecar: sidecar)?.label == (label.isEmpty ? "Yellow" : label)
        )
        var edit = SidecarEdit()
        edit.label = new.map { .set($0) } ?? .remove
        let edited = String(decoding: try edit.applied(to: Array(sidecar.utf8)), as: UTF8.self)
        #expect(edited.contains("digiKam:ColorLabel=\"\(written)\""))
        #expect(FileMetadata(of: PhotoMaker.jpeg(), sidecar: edited)?.label == new)
    }
}
