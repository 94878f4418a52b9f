import TestSupport

/// Files of photographs made of their headers alone: metadata readers never look at pixels.
package enum PhotoMaker {
    package static func jpeg(
        width: Int = 640, height: Int = 480, exif: [UInt8]? = nil, xmp: String? = nil, iptc: [UInt8]? = nil,
        more: [(marker: UInt8, body: [UInt8])] = []
    ) -> [UInt8] {
        var segments: [(marker: UInt8, body: [UInt8])] = [
            (0xE0, text("JFIF\0") + [1, 1, 0, 0, 1, 0, 1, 0, 0])
        ]
        if let exif { segments.append((0xE1, text("Exif\0\0") + exif)) }
        if let xmp { segments.append((0xE1, text("http://ns.adobe.com/xap/1.0/\0") + text(xmp))) }
        if let iptc { segments.append((0xED, text("Photoshop 3.0\0") + resources(iptc))) }
        segments += more
        segments.append((0xC0, [8] + big(height, 2) + big(width, 2) + [1, 1, 0x11, 0]))
        segments.append((0xDA, [1, 1, 0, 0, 63, 0]))
        var file: [UInt8] = [0xFF, 0xD8]
        for segment in segments {
            file += [0xFF, segment.marker] + big(segment.body.count + 2, 2) + segment.body
        }
        return file + [0x12, 0xFF, 0xD9]
    }

    /// Photoshop's image resources around an IPTC record.
    package static func resources(_ record: [UInt8]) -> [UInt8] {
        let other = text("8BIM") + big(0x03ED, 2) + [0, 0] + big(3, 4) + [1, 2, 3, 0]
        return other + text("8BIM") + big(0x0404, 2) + [0, 0] + big(record.count, 4) + record
    }

    /// Data sets of IPTC's second record.
    package static func iptc(_ sets: [(number: UInt8, value: String)], isUTF8: Bool = true) -> [UInt8] {
        var record: [UInt8] = isUTF8 ? [0x1C, 1, 90, 0, 3, 0x1B, 0x25, 0x47] : []
        for set in sets {
            let value = isUTF8 ? text(set.value) : code(set.value)
            record += [0x1C, 2, set.number] + big(value.count, 2) + value
        }
        return record
    }

    package static func png(
        width: Int = 640, height: Int = 480, _ chunks: [(type: String, body: [UInt8])] = []
    )
        -> [UInt8]
    {
        let header = big(width, 4) + big(height, 4) + [8, 2, 0, 0, 0]
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        for (type, body) in [("IHDR", header)] + chunks + [
            ("IDAT", [0x78, 0x9C, 3, 0, 0, 0, 0, 1]), ("IEND", []),
        ] {
            file += big(body.count, 4) + text(type) + body + big(Int(crc32(text(type) + body)), 4)
        }
        return file
    }

    /// The text chunk of a PNG that holds XMP.
    package static func pngXMP(_ xmp: String) -> (type: String, body: [UInt8]) {
        ("iTXt", text("XML:com.adobe.xmp\0\0\0\0\0") + text(xmp))
    }

    package static func webp(
        width: Int = 640, height: Int = 480, _ chunks: [(type: String, body: [UInt8])] = []
    )
        -> [UInt8]
    {
        let flags: UInt8 = chunks.contains { $0.type == "ANMF" } ? 0x0E : 0x0C
        var content = chunk("VP8X", [flags, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3))
        for (type, body) in chunks { content += chunk(type, body) }
        return text("RIFF") + little(content.count + 4, 4) + text("WEBP") + content
    }

    /// A GIF of that many frames, each shown for a tenth of a second.
    package static func gif(width: Int = 64, height: Int = 48, frames: Int = 1) -> [UInt8] {
        let size = little(width, 2) + little(height, 2)
        let delay: [UInt8] = [0x21, 0xF9, 4, 0] + little(10, 2) + [0, 0]
        let frame = delay + [0x2C, 0, 0, 0, 0] + size + [0, 2, 2, 0x4C, 1, 0]
        var file = text("GIF89a") + size + [0x80, 0, 0] + [0, 0, 0, 255, 255, 255]
        for _ in 0..<frames { file += frame }
        return file + [0x3B]
    }

    /// A gray TIFF of one pixel, which other programs take for whole too.
    package static func tiff() -> [UInt8] {
        ExifBuilder(bigEndian: true).block([
            (0x0100, .long(1)), (0x0101, .long(1)), (0x0102, .short(8)), (0x0103, .short(1)),
            (0x0106, .short(1)), (0x0111, .long(8)), (0x0115, .short(1)), (0x0116, .long(1)),
            (0x0117, .long(1)),
        ])
    }

    package static func bmp(width: Int, height: Int) -> [UInt8] {
        let start = text("BM") + little(54, 4) + little(0, 4) + little(54, 4)
        return start + little(40, 4) + little(width, 4) + little(height, 4)
    }

    package static func jp2(width: Int, height: Int) -> [UInt8] {
        let start =
            box("jP  ", [0x0D, 0x0A, 0x87, 0x0A]) + box("ftyp", text("jp2 "), big(0, 4), text("jp2 "))
        let header = big(height, 4) + big(width, 4) + [0, 3, 7, 7, 0, 0]
        return start + box("jp2h", box("ihdr", header))
    }
}
