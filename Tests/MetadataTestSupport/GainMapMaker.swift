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
        let entries = big(0x0003_0000, 4) + big(1, 4) + big(0, 8) + big(0, 4) + big(length, 4)
        return text("MPF\0MM\0*") + big(8, 4) + big(1, 2) + big(0xB002, 2) + big(7, 2) + big(32, 4)
            + big(26, 4)
            + big(0, 4) + entries + big(mapOffset, 4) + big(0, 4)
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

    /// Returns a HEIC file with a picture of 640x480 and Apple's gain map of it, each from coded data.
    package static func apple(
        exif: [UInt8], picture: [UInt8] = [1], map: [UInt8] = [2], properties: [UInt8] = []
    ) -> [UInt8] {
        let data = [picture, map, big(6, 4) + text("Exif\0\0") + exif]
        let types: [UInt8] =
            item(1, "hvc1", hidden: false) + item(2, "hvc1", hidden: true) + item(3, "Exif", hidden: true)
        func size(_ width: Int, _ height: Int) -> [UInt8] {
            box("ispe", big(0, 4), big(width, 4), big(height, 4))
        }
        let aux = box("auxC", big(0, 4), text("urn:com:apple:photo:2020:aux:hdrgainmap\0"))
        let association = big(1, 2) + [1, 1] + big(2, 2) + [2, 2, 3]
        func meta(_ start: Int) -> [UInt8] {
            var places: [UInt8] = []
            var offset = start
            for (index, bytes) in data.enumerated() {
                places += big(index + 1, 2) + [0, 0, 0, 1] + big(offset, 4) + big(bytes.count, 4)
                offset += bytes.count
            }
            return box(
                "meta", big(0, 4), box("pitm", big(0, 4), big(1, 2)),
                box("iinf", big(0, 4), big(3, 2), types),
                box("iref", big(0, 4), box("auxl", big(2, 2), big(1, 2), big(1, 2))),
                box("iloc", big(0, 4), [0x44, 0], big(3, 2), places),
                box(
                    "iprp", box("ipco", size(640, 480), size(320, 240), aux, properties),
                    box("ipma", big(0, 4), big(2, 4), association)))
        }
        let head = box("ftyp", text("heic"), big(0, 4), text("mif1heic"))
        return head + meta(head.count + meta(0).count + 8) + box("mdat", Array(data.joined()))
    }

    private static func item(_ number: Int, _ type: String, hidden: Bool) -> [UInt8] {
        box("infe", [2, 0, 0, hidden ? 1 : 0], big(number, 2), [0, 0], text(type), [0])
    }
}
