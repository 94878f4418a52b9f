import Basics
import Containers

/// Builds EXIF blocks in both byte orders.
package struct ExifBuilder {
    package var bigEndian: Bool

    package init(bigEndian: Bool) { self.bigEndian = bigEndian }

    package enum Value {
        case short(Int)
        case text(String)
        /// Text of EXIF 3.0.
        case utf8(String)
        case rationals([(Int, Int)])
        case signedRationals([(Int, Int)])
        case long(Int)
        case bytes([UInt8])
        case directory([(Int, Value)])
    }

    package func block(_ entries: [(Int, Value)]) -> [UInt8] {
        var bytes: [UInt8] = bigEndian ? [0x4D, 0x4D, 0, 42] : [0x49, 0x49, 42, 0]
        bytes += number(8, 4)
        append(entries, to: &bytes)
        return bytes
    }

    private func append(_ entries: [(Int, Value)], to bytes: inout [UInt8]) {
        var at = bytes.count + 2 + 12 * entries.count + 4
        var tail: [UInt8] = []
        bytes += number(entries.count, 2)
        for (tag, value) in entries {
            bytes += number(tag, 2)
            var payload: [UInt8] = []
            switch value {
            case .short(let number):
                bytes += self.number(3, 2) + self.number(1, 4)
                payload = self.number(number, 2) + [0, 0]
            case .long(let number):
                bytes += self.number(4, 2) + self.number(1, 4)
                payload = self.number(number, 4)
            case .bytes(let raw):
                bytes += number(7, 2) + number(raw.count, 4)
                payload = raw
            case .text(let text):
                bytes += number(2, 2) + number(text.utf8.count + 1, 4)
                payload = Array(text.utf8) + [0]
            case .utf8(let text):
                bytes += number(129, 2) + number(text.utf8.count + 1, 4)
                payload = Array(text.utf8) + [0]
            case .signedRationals(let pairs):
                bytes += number(10, 2) + number(pairs.count, 4)
                payload = pairs.flatMap { number($0.0 & 0xFFFF_FFFF, 4) + number($0.1 & 0xFFFF_FFFF, 4) }
            case .rationals(let pairs):
                bytes += number(5, 2) + number(pairs.count, 4)
                payload = pairs.flatMap { number($0.0, 4) + number($0.1, 4) }
            case .directory(let entries):
                bytes += number(4, 2) + number(1, 4) + number(at, 4)
                var inner = [UInt8](repeating: 0, count: at)
                append(entries, to: &inner)
                tail += inner[at...]
                at += inner.count - at
                continue
            }
            if payload.count <= 4 {
                bytes += payload + [UInt8](repeating: 0, count: 4 - payload.count)
            } else {
                bytes += number(at, 4)
                tail += payload
                at += payload.count
            }
        }
        bytes += number(0, 4) + tail
    }

    private func number(_ value: Int, _ count: Int) -> [UInt8] {
        value.bytes(bigEndian ? .big : .little, size: count)
    }
}

/// Builds files of boxes: HEIF and videos.
package enum BoxMaker {
    /// Returns a HEIF or AVIF file with one picture, its transforms, EXIF and XMP.
    package static func heif(
        brand: String = "heic", width: Int = 640, height: Int = 480, turns: [[UInt8]] = [],
        exif: [UInt8]? = nil, xmp: String? = nil
    ) -> [UInt8] {
        let exifItem = exif.map { big(6, 4) + text("Exif\0\0") + $0 } ?? []
        let xmpItem = xmp.map { text($0) } ?? []
        let start = box("ftyp", text(brand), big(0, 4), text("mif1"))
        // The offsets of the items depend on the length of the boxes before them.
        var places = [
            (number: 2, offset: 0, count: exifItem.count), (number: 3, offset: 0, count: xmpItem.count),
        ]
        let data = start.count + meta(places, width, height, turns).count + 8
        places[0].offset = data
        places[1].offset = data + exifItem.count
        return start + meta(places, width, height, turns) + box("mdat", exifItem, xmpItem)
    }

    /// Returns HEIF's counterclockwise rotation by multiples of 90 degrees.
    package static func rotation(_ quarters: UInt8) -> [UInt8] { box("irot", [quarters]) }

    /// Returns HEIF's mirroring: 0 swaps top and bottom, 1 left and right.
    package static func mirror(_ axis: UInt8) -> [UInt8] { box("imir", [axis]) }

    private static func meta(
        _ places: [(number: Int, offset: Int, count: Int)], _ width: Int, _ height: Int, _ turns: [[UInt8]]
    ) -> [UInt8] {
        var list: [UInt8] = []
        for place in places {
            list += big(place.number, 2) + [0, 0, 0, 1] + big(place.offset, 4) + big(place.count, 4)
        }
        let links = (0...turns.count).map { UInt8($0 + 1) }
        let size = box("ispe", big(0, 4), big(width, 4), big(height, 4))
        let properties = box(
            "iprp", box("ipco", size, Array(turns.joined())),
            box("ipma", big(0, 4), big(1, 4), big(1, 2), [UInt8(links.count)], links))
        let types = box(
            "iinf", big(0, 4), big(3, 2), item(1, "hvc1"), item(2, "Exif"),
            item(3, "mime", text("application/rdf+xml\0")))
        return box(
            "meta", big(0, 4), box("pitm", big(0, 4), big(1, 2)), types,
            box("iloc", big(0, 4), [0x44, 0], big(places.count, 2), list), properties)
    }

    private static func item(_ number: Int, _ type: String, _ rest: [UInt8] = []) -> [UInt8] {
        box("infe", [2, 0, 0, 0], big(number, 2), [0, 0], text(type), [0], rest)
    }
}

/// Builds XMP packets.
package enum XMPMaker {
    /// Returns a JPEG with a packet of these properties.
    package static func jpeg(_ jpeg: [UInt8], with attributes: [(name: String, value: String)]) -> [UInt8] {
        let body = text("http://ns.adobe.com/xap/1.0/\0\(packet(attributes))")
        var bytes = jpeg
        bytes.insert(contentsOf: [0xFF, 0xE1] + big(body.count + 2, 2) + body, at: 2)
        return bytes
    }

    /// Returns a packet with properties as attributes, with the usual prefixes or others.
    package static func packet(
        _ attributes: [(name: String, value: String)], elements: String = "",
        prefixes: [String: String] = [:]
    ) -> String {
        let namespaces = [
            "exif": "http://ns.adobe.com/exif/1.0/", "xmp": "http://ns.adobe.com/xap/1.0/",
            "photoshop": "http://ns.adobe.com/photoshop/1.0/", "dc": "http://purl.org/dc/elements/1.1/",
            "tiff": "http://ns.adobe.com/tiff/1.0/", "GCamera": "http://ns.google.com/photos/1.0/camera/",
            "lr": "http://ns.adobe.com/lightroom/1.0/", "digiKam": "http://www.digikam.org/ns/1.0/",
            "darktable": "http://darktable.sf.net/",
            "GPano": "http://ns.google.com/photos/1.0/panorama/",
            "MicrosoftPhoto": "http://ns.microsoft.com/photo/1.0/",
            "acdsee": "http://ns.acdsee.com/iptc/1.0/",
        ]
        let declared = namespaces.sorted { $0.key < $1.key }.map { name, address in
            "xmlns:\(prefixes[name] ?? name)=\"\(address)\""
        }.joined(separator: " ")
        let written = attributes.map { name, value in
            let parts = name.split(separator: ":")
            let prefix = prefixes[String(parts[0])] ?? String(parts[0])
            return "\(prefix):\(parts[1])=\"\(value)\""
        }.joined(separator: "\n   ")
        return """
            <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
            <x:xmpmeta xmlns:x="adobe:ns:meta/">
             <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
              <!-- a description -->
              <rdf:Description rdf:about="" \(declared)
               \(written)>\(elements)</rdf:Description>
             </rdf:RDF>
            </x:xmpmeta>
            <?xpacket end="w"?>
            """
    }
}

/// Returns a number as big-endian bytes.
package func big(_ value: Int, _ count: Int) -> [UInt8] {
    value.bytes(.big, size: count)
}

/// Returns a number as little-endian bytes.
package func little(_ value: Int, _ count: Int) -> [UInt8] {
    value.bytes(.little, size: count)
}

/// Returns text as UTF-8 bytes.
package func text(_ text: String) -> [UInt8] { Array(text.utf8) }

/// Returns a type of four characters as Latin-1 bytes, which include QuickTime's ©.
package func code(_ type: String) -> [UInt8] { type.unicodeScalars.map { UInt8($0.value) } }

/// Returns a box of an ISO base media file.
package func box(_ type: String, _ content: [UInt8]...) -> [UInt8] {
    Box.bytes(FourCC(type), Array(content.joined()))
}

/// Returns a chunk of a RIFF file, padded to an even length.
package func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
    RIFFChunk.bytes(FourCC(type), content)
}
