import Basics
import Containers

/// Files with gain maps that consist of their headers.
package enum GainMapMaker {
    /// The properties of Ultra HDR for a map of three stops.
    package static let values = [
        ("Version", "1.0"), ("GainMapMin", "0"), ("GainMapMax", "3"), ("Gamma", "1.5"),
        ("OffsetSDR", "0.015625"),
        ("OffsetHDR", "0.015625"), ("HDRCapacityMin", "0"), ("HDRCapacityMax", "3"),
        ("BaseRenditionIsHDR", "False"),
    ]

    /// Returns an XMP packet with properties of Ultra HDR as attributes, and elements.
    package static func packet(_ values: [(String, String)], elements: String = "") -> String {
        let attributes = values.map { " hdrgm:\($0.0)=\"\($0.1)\"" }.joined()
        return """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
            <rdf:Description xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/"\(attributes)>\(elements)\
            </rdf:Description></rdf:RDF></x:xmpmeta>
            """
    }

    /// Returns the packet of a picture with a map of `length` bytes behind it.
    package static func announcement(_ length: Int) -> String {
        packet(
            [("Version", "1.0")],
            elements: """
                <Container:Directory xmlns:Container="http://ns.google.com/photos/1.0/container/" \
                xmlns:Item="http://ns.google.com/photos/1.0/container/item/"><rdf:Seq>\
                <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="Primary" Item:Mime="image/jpeg"/>\
                </rdf:li><rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="GainMap" \
                Item:Mime="image/jpeg" Item:Length="\(length)"/></rdf:li></rdf:Seq></Container:Directory>\
                <dc:title xmlns:dc="http://purl.org/dc/elements/1.1/"><rdf:Alt><rdf:li>Lamp &amp; sky</rdf:li></rdf:Alt>\
                </dc:title>
                """)
    }

    /// The metadata of ISO 21496-1 with fractions of a common denominator: gray, from -1 to 2 stops.
    package static let iso: [UInt8] =
        text("urn:iso:std:iso:ts:21496:-1\0") + [0, 0, 0, 0, 0x48] + big(100, 4) + big(0, 4) + big(200, 4)
        + big(-100, 4) + big(200, 4) + big(100, 4) + big(5, 4) + big(6, 4)

    /// Returns an index of two pictures.
    package static func index(_ mapOffset: Int, _ length: Int) -> [UInt8] {
        let entries =
            big(0x0003_0000, 4) + big(1, 4) + big(0, 8) + big(0, 4) + big(length, 4) + big(mapOffset, 4)
            + big(0, 4)
        return text("MPF\0")
            + TIFFWriter(.big).block([TIFFValue(tag: 0xB002, type: 7, count: 32, bytes: entries)])
    }

    /// Returns a JPEG with a map behind it.
    ///
    /// - Parameter hasIndex: whether the positions are in an index of pictures, else only in XMP.
    package static func ultraHDR(
        picture: (width: Int, height: Int) = (640, 480), exif: [UInt8]? = nil,
        map: [UInt8] = map(xmp: packet(values)), hasIndex: Bool = true, announces: Bool = true
    ) -> [UInt8] {
        func file(_ offset: Int) -> [UInt8] {
            PhotoMaker.jpeg(
                width: picture.width, height: picture.height, exif: exif,
                xmp: announces ? announcement(map.count) : nil,
                more: hasIndex ? app2(index(offset, map.count)) : [])
        }
        let first = file(0)
        // The index counts from its byte-order mark.
        let mark: [UInt8] = text("MM\0*") + big(8, 4) + big(1, 2)
        let base = (0..<(first.count - mark.count)).first {
            first[$0..<($0 + mark.count)].elementsEqual(mark)
        }
        return file(first.count - (base ?? 0)) + map
    }

    private static func app2(_ body: [UInt8]) -> [(marker: UInt8, body: [UInt8])] { [(0xE2, body)] }

    package static func map(xmp: String? = nil, iso: [UInt8]? = nil) -> [UInt8] {
        PhotoMaker.jpeg(width: 160, height: 120, xmp: xmp, more: iso.map(app2) ?? [])
    }

    /// Returns EXIF with Apple's maker note, whose tags 33 and 48 are in hundredths.
    package static func appleExif(_ first: Int?, _ second: Int?) -> [UInt8] {
        let tags = [(0x21, first), (0x30, second)].compactMap { tag, value in value.map { (tag, $0) } }
        var note: [UInt8] = text("Apple iOS\0") + [0, 1] + text("MM") + big(tags.count, 2)
        for (index, tag) in tags.enumerated() {
            note += big(tag.0, 2) + big(10, 2) + big(1, 4) + big(14 + 2 + 12 * tags.count + 4 + 8 * index, 4)
        }
        note += big(0, 4)
        for tag in tags { note += big(tag.1, 4) + big(100, 4) }
        return ExifBuilder(bigEndian: true).block([
            (0x010F, .text("Apple")), (0x8769, .directory([(0x927C, .bytes(note))])),
        ])
    }

    /// A coded picture: the type of its item, its properties, and its data.
    package struct Coded {
        package var type = "hvc1"
        package var properties: [[UInt8]]
        package var data: [UInt8]

        package init(type: String = "hvc1", properties: [[UInt8]], data: [UInt8]) {
            (self.type, self.properties, self.data) = (type, properties, data)
        }

        /// Returns a picture that has only a size.
        package static func sized(_ width: Int, _ height: Int) -> Coded {
            Coded(properties: [box("ispe", big(0, 4), big(width, 4), big(height, 4))], data: [1])
        }
    }

    /// Returns a HEIC file with a picture and Apple's gain map of it.
    package static func apple(
        exif: [UInt8], picture: Coded = .sized(640, 480), map: Coded = .sized(320, 240)
    ) -> [UInt8] {
        let data = [picture.data, map.data, big(6, 4) + text("Exif\0\0") + exif]
        let types: [UInt8] =
            item(1, picture.type, hidden: false) + item(2, map.type, hidden: true)
            + item(3, "Exif", hidden: true)
        let aux = box("auxC", big(0, 4), text("urn:com:apple:photo:2020:aux:hdrgainmap\0"))
        let properties = picture.properties + map.properties + [aux]
        let firsts = picture.properties.indices.map { UInt8($0 + 1) }
        let seconds = (firsts.count..<properties.count).map { UInt8($0 + 1) }
        let association =
            big(1, 2) + [UInt8(firsts.count)] + firsts + big(2, 2) + [UInt8(seconds.count)] + seconds
        func meta(_ start: Int) -> [UInt8] {
            var places: [UInt8] = []
            var offset = start
            for (index, bytes) in data.enumerated() {
                places += big(index + 1, 2) + [0, 0, 0, 1] + big(offset, 4) + big(bytes.count, 4)
                offset += bytes.count
            }
            return box(
                "meta", big(0, 4), box("hdlr", big(0, 8), text("pict"), big(0, 13)),
                box("pitm", big(0, 4), big(1, 2)),
                box("iloc", big(0, 4), [0x44, 0], big(3, 2), places),
                box("iinf", big(0, 4), big(3, 2), types),
                box("iref", big(0, 4), box("auxl", big(2, 2), big(1, 2), big(1, 2))),
                box(
                    "iprp", box("ipco", Array(properties.joined())),
                    box("ipma", big(0, 4), big(2, 4), association)))
        }
        let brand = picture.type == "av01" ? "avif" : "heic"
        let head = box("ftyp", text(brand), big(0, 4), text("mif1" + brand))
        return head + meta(head.count + meta(0).count + 8) + box("mdat", Array(data.joined()))
    }

    private static func item(_ number: Int, _ type: String, hidden: Bool) -> [UInt8] {
        box("infe", [2, 0, 0, hidden ? 1 : 0], big(number, 2), [0, 0], text(type), [0])
    }
}
