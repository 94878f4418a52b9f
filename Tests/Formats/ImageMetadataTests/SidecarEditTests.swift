import Containers
import ImageMetadata
import TestSupport
import Testing
import ViewportGeometry

@Suite("An edit of a sidecar")
struct SidecarEditTests {
    static let location = Location(
        latitude: -33.8567844, longitude: 151.2152967, altitude: -4.5, accuracy: 12, source: .sidecar)

    static func everything() throws -> SidecarEdit {
        var edit = SidecarEdit()
        edit.date = .set(
            CaptureDate(
                local: try #require(
                    WallClock(year: 2014, month: 5, day: 25, hour: 10, minute: 0, second: 0, fraction: "25")),
                offset: UTCOffset(minutes: 120),
                source: .sidecarDateTimeOriginal, zoneSource: .inText))
        edit.location = .set(try #require(location))
        edit.title = .set("A < B & \"C\"")
        edit.caption = .set("two\nlines\u{1}")
        edit.keywords = .set(["lake", "Zoë & Max"])
        edit.rating = .set(4)
        edit.label = .set("Red")
        edit.orientation = .set(.right)
        return edit
    }

    static func read(_ sidecar: [UInt8]) throws -> FileMetadata {
        try #require(
            FileMetadata(FileBytes(PhotoMaker.jpeg()), name: "x.jpg", sidecar: sidecar))
    }

    @Test("is read back")
    func roundTrip() throws {
        let edit = try Self.everything()
        let read = try Self.read(edit.applied(to: nil))
        #expect(.set(read.date!) == edit.date)
        let location = try #require(read.location)
        #expect(abs(location.latitude - -33.8567844) < 1e-8)
        #expect(abs(location.longitude - 151.2152967) < 1e-8)
        #expect(location.altitude == -4.5)
        #expect(location.accuracy == 12)
        #expect(read.title == "A < B & \"C\"")
        #expect(read.caption == "two\nlines ")
        #expect(read.keywords == ["lake", "Zoë & Max"])
        #expect(read.rating == 4)
        #expect(read.label == "Red")
        #expect(read.orientation == .right)
        #expect(read.sidecarTurn == .right)
    }

    @Test("gives the same bytes when it is repeated")
    func repeated() throws {
        let edit = try Self.everything()
        let once = try edit.applied(to: nil)
        #expect(try edit.applied(to: once) == once)
    }

    static let darktable = """
        <?xml version="1.0" encoding="UTF-8"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="XMP Core 4.4.0-Exiv2">
         <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
          <rdf:Description rdf:about=""
            xmlns:xmp="http://ns.adobe.com/xap/1.0/"
            xmlns:dc="http://purl.org/dc/elements/1.1/"
            xmlns:darktable="http://darktable.sf.net/"
           xmp:Rating="2"
           darktable:history_end="1">
           <darktable:colorlabels><rdf:Seq><rdf:li>3</rdf:li></rdf:Seq></darktable:colorlabels>
           <dc:subject>
            <rdf:Bag>
             <rdf:li>old</rdf:li>
            </rdf:Bag>
           </dc:subject>
           <darktable:history>
            <rdf:Seq>
             <rdf:li darktable:operation="exposure" darktable:params="gz02eJxjYGBg&amp;"/>
            </rdf:Seq>
           </darktable:history>
          </rdf:Description>
         </rdf:RDF>
        </x:xmpmeta>
        """

    @Test("keeps everything else of a raw developer's sidecar, byte for byte")
    func developed() throws {
        var edit = SidecarEdit()
        edit.rating = .set(5)
        edit.keywords = .set(["new"])
        let text = String(decoding: try edit.applied(to: Array(Self.darktable.utf8)), as: UTF8.self)
        let expected = Self.darktable
            .replacing("xmp:Rating=\"2\"", with: "xmp:Rating=\"5\"")
            .replacing(
                "\n     <rdf:li>old</rdf:li>\n    </rdf:Bag>",
                with: "\n     <rdf:li>new</rdf:li>\n    </rdf:Bag>")
        #expect(text == expected)
        let read = try Self.read(Array(text.utf8))
        #expect(read.rating == 5)
        #expect(read.keywords == ["new"])
        #expect(read.label == "Blue")
    }

    @Test("removes a property, and the description that only had it")
    func removal() throws {
        var edit = SidecarEdit()
        edit.title = .set("Title")
        let empty = try SidecarEdit().applied(to: nil)
        let titled = try edit.applied(to: empty)
        #expect(titled != empty)
        edit.title = .remove
        #expect(try edit.applied(to: titled) == empty)
    }

    @Test("leaves the same properties of faces in the picture alone")
    func nested() throws {
        let packet = XMPMaker.packet(
            [],
            elements: """
                <exif:Regions><rdf:Bag><rdf:li><rdf:Description xmp:Rating="1"/></rdf:li></rdf:Bag></exif:Regions>
                """)
        var edit = SidecarEdit()
        edit.rating = .remove
        #expect(try edit.applied(to: Array(packet.utf8)) == Array(packet.utf8))
    }

    @Test(
        "fills a packet without descriptions",
        arguments: ["<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"/>"])
    func bare(_ packet: String) throws {
        var edit = SidecarEdit()
        edit.rating = .set(-1)
        let made = try edit.applied(to: Array(packet.utf8))
        #expect(try Self.read(made).rating == -1)
    }

    @Test(
        "refuses what is not XMP",
        arguments: ["", "text", "<a/>", "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF", "{}"])
    func other(_ text: String) {
        var edit = SidecarEdit()
        edit.rating = .set(1)
        #expect(throws: SidecarFault.self) { try edit.applied(to: Array(text.utf8)) }
    }

    @Test("adds a description for new properties, in the indentation of the sidecar")
    func addition() throws {
        var edit = SidecarEdit()
        edit.title = .set("Lake")
        let text = String(decoding: try edit.applied(to: Array(Self.darktable.utf8)), as: UTF8.self)
        let expected = Self.darktable.replacing(
            "\n </rdf:RDF>",
            with: """

                  <rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" rdf:about="">
                   <dc:title><rdf:Alt><rdf:li xml:lang="x-default">Lake</rdf:li></rdf:Alt></dc:title>
                  </rdf:Description>
                 </rdf:RDF>
                """)
        #expect(text == expected)
    }

    @Test("keeps the comments of a description that loses all properties")
    func comments() throws {
        let packet = XMPMaker.packet([], elements: "<!-- stars --><xmp:Rating>1</xmp:Rating>")
        var edit = SidecarEdit()
        edit.rating = .remove
        let edited = String(decoding: try edit.applied(to: Array(packet.utf8)), as: UTF8.self)
        #expect(edited == packet.replacing("<xmp:Rating>1</xmp:Rating>", with: ""))
    }

    @Test("of a cut sidecar fails, or reads back what was set")
    func cut() throws {
        let whole = Array(Self.darktable.utf8)
        var edit = SidecarEdit()
        edit.rating = .set(1)
        for length in whole.indices {
            guard let made = try? edit.applied(to: Array(whole[..<length])) else { continue }
            #expect(try Self.read(made).rating == 1)
        }
    }
}

@Suite("A sidecar")
struct SidecarLabelTests {
    @Test(
        "gives the color label of each program",
        arguments: [
            ("xmp:Label", "Grün", "Grün"), ("darktable:colorlabels", "0", "Red"),
            ("digiKam:ColorLabel", "3", "Yellow"), ("digiKam:ColorLabel", "0", nil),
            ("darktable:colorlabels", "9", nil), ("digiKam:ColorLabel", "99", nil),
        ])
    func label(_ name: String, _ value: String, _ expected: String?) throws {
        let sidecar = XMPMaker.packet([(name, value)])
        #expect(try SidecarEditTests.read(Array(sidecar.utf8)).label == expected)
    }

    @Test(
        "gives the last names of hierarchical keywords where there are no plain ones",
        arguments: [("lr:hierarchicalSubject", "Places|Paris"), ("digiKam:TagsList", "Places/Paris")])
    func keywords(_ name: String, _ value: String) throws {
        let list = "<\(name)><rdf:Bag><rdf:li>\(value)</rdf:li></rdf:Bag></\(name)>"
        let sidecar = XMPMaker.packet([], elements: list)
        #expect(try SidecarEditTests.read(Array(sidecar.utf8)).keywords == ["Paris"])
    }
}
