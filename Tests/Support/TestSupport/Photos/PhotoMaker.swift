import Basics
import Containers

/// Photo files that consist of their headers: metadata readers do not read pixels.
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
        return JPEGSegment.startOfImage + segments.flatMap { JPEGSegment.bytes($0.marker, $0.body) }
            + [0x12] + JPEGSegment.endOfImage
    }

    /// Returns Photoshop's image resources with an IPTC record.
    package static func resources(_ record: [UInt8]) -> [UInt8] {
        let other = text("8BIM") + big(0x03ED, 2) + [0, 0] + big(3, 4) + [1, 2, 3, 0]
        return other + text("8BIM") + big(0x0404, 2) + [0, 0] + big(record.count, 4) + record
    }

    /// Returns data sets of IPTC's second record.
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
        let all =
            [("IHDR", header)] + chunks + [("IDAT", [0x78, 0x9C, 3, 0, 0, 0, 0, 1]), ("IEND", [])]
        return PNGChunk.signature + all.flatMap { PNGChunk.bytes(FourCC($0.0), $0.1) }
    }

    /// Returns the text chunk of a PNG with XMP.
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
        return RIFFChunk.file("WEBP", content)
    }

    /// Returns a GIF of `frames` frames of 0.1 s each.
    package static func gif(width: Int = 64, height: Int = 48, frames: Int = 1) -> [UInt8] {
        let size = little(width, 2) + little(height, 2)
        let delay: [UInt8] = [0x21, 0xF9, 4, 0] + little(10, 2) + [0, 0]
        let frame = delay + [0x2C, 0, 0, 0, 0] + size + [0, 2, 2, 0x4C, 1, 0]
        var file = text("GIF89a") + size + [0x80, 0, 0] + [0, 0, 0, 255, 255, 255]
        for _ in 0..<frames { file += frame }
        return file + [0x3B]
    }

    /// Returns a complete gray TIFF of one pixel that other programs accept, too.
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

/// Raw files that consist of their headers and a small JPEG; all are stored as 4000x3000.
package enum RawMaker {
    /// The JPEG that the others contain.
    package static let preview = PhotoMaker.jpeg(width: 1600, height: 1200, exif: SampleFiles.exif)

    /// Adobe's format: the first directory has a small picture, and a subdirectory the full picture, cropped.
    package static let dng = ExifBuilder(bigEndian: false).block([
        (0x00FE, .long(1)), (0x0100, .long(256)), (0x0101, .long(171)), (0x0112, .short(6)),
        (
            0x014A,
            .directory([
                (0x00FE, .long(0)), (0x0100, .long(4032)), (0x0101, .long(3024)),
                (0xC620, .rationals([(4000, 1), (3000, 1)])),
            ])
        ),
        (0xC612, .long(0x0000_0601)),
    ])

    /// Panasonic's format: the sensor's borders, and a JPEG with the full EXIF.
    package static let rw2: [UInt8] = {
        let upright = PhotoMaker.jpeg(exif: SampleFiles.exif(bigEndian: true, orientation: 1))
        var file = ExifBuilder(bigEndian: false).block([
            (4, .short(8)), (5, .short(16)), (6, .short(3008)), (7, .short(4016)),
            (0x2E, .bytes(upright)),
        ])
        file[2] = 0x55
        return file
    }()

    package static let orf: [UInt8] = {
        var file = ExifBuilder(bigEndian: false).block([(0x0100, .short(4000)), (0x0101, .short(3000))])
        file.replaceSubrange(0..<4, with: text("IIRO"))
        return file
    }()

    /// Fujifilm's format: a JPEG at 120, followed by a list of tags.
    package static let raf: [UInt8] = {
        let start = text("FUJIFILMCCD-RAW 0201FF000000")
        let list = big(1, 4) + big(0x0111, 2) + big(4, 2) + big(3000, 2) + big(4000, 2)
        let places = big(120, 4) + big(preview.count, 4) + big(120 + preview.count, 4) + big(list.count, 4)
        let head = start + [UInt8](repeating: 0, count: 84 - start.count) + places
        return head + [UInt8](repeating: 0, count: 120 - head.count) + preview + list
    }()

    /// Canon's older format: "CR" after the header, the first directory at 16 with a JPEG as its strip.
    package static let cr2: [UInt8] = {
        let tags: [(tag: Int, value: Int)] = [
            (0x0100, 4000), (0x0101, 3000), (0x0103, 6), (0x0111, 82), (0x0117, preview.count),
        ]
        var file = text("II") + little(42, 2) + little(16, 4) + text("CR") + [2, 0] + little(0, 4)
        file += little(tags.count, 2)
        for entry in tags {
            file += little(entry.tag, 2) + little(4, 2) + little(1, 4) + little(entry.value, 4)
        }
        return file + little(0, 4) + preview
    }()

    /// Canon's newer format: a TIFF block for each of EXIF's directories.
    package static let cr3: [UInt8] = {
        let main = ExifBuilder(bigEndian: false).block([
            (0x0100, .short(4000)), (0x0101, .short(3000)), (0x010F, .text("Canon")), (0x0112, .short(6)),
        ])
        let details = ExifBuilder(bigEndian: false).block([(0x9003, .text("2014:05:25 10:00:00"))])
        let gps = ExifBuilder(bigEndian: false).block([
            (1, .text("N")), (2, .rationals([(48, 1), (51, 1), (0, 1)])),
            (3, .text("E")), (4, .rationals([(2, 1), (17, 1), (0, 1)])),
        ])
        let name: [UInt8] = [
            0x85, 0xC0, 0xB6, 0x87, 0x82, 0x0F, 0x11, 0xE0, 0x81, 0x11, 0xF4, 0xCE, 0x46, 0x2B, 0x6A, 0x48,
        ]
        return box("ftyp", text("crx "), big(1, 4), text("crx isom"))
            + box("moov", box("uuid", name, box("CMT1", main), box("CMT2", details), box("CMT4", gps)))
    }()

    /// A TIFF with 64-bit offsets: 4000x3000, orientation 1.
    package static let bigTIFF = TIFFWriter(.little, isBig: true).block([
        TIFFValue(tag: 0x0100, type: 4, [4000], .little), TIFFValue(tag: 0x0101, type: 4, [3000], .little),
    ])
}

/// Video files that consist of their headers.
package enum FilmMaker {
    /// Returns a QuickTime or MP4 file with one track.
    ///
    /// - Parameters:
    ///   - trackCreated: The time of the track; nil for that of the movie.
    ///   - matrix: The values a, b, c and d of the track's matrix.
    ///   - boxes: More contents of the movie.
    ///   - isWide: Whether times have 64 bits.
    package static func film(
        brand: String = "qt  ", created: Int = 0, trackCreated: Int? = nil, seconds: Int = 10,
        width: Int = 1920, height: Int = 1080,
        matrix: [Int] = [1, 0, 0, 1], keys: [(name: String, value: String)] = [],
        hasKeysInUserData: Bool = false, userData: [(code: String, value: String)] = [],
        boxes: [UInt8] = [], isWide: Bool = false
    ) -> [UInt8] {
        let (size, version) = isWide ? (8, big(1 << 24, 4)) : (4, big(0, 4))
        func times(_ time: Int) -> [UInt8] { big(time, size) + big(time, size) }
        let length = big(seconds * 600, size)
        let header = box("mvhd", version, times(created), big(600, 4), length, zeros(80))
        var cells: [UInt8] = []
        for cell in [matrix[0], matrix[1], 0, matrix[2], matrix[3], 0, 0, 0] { cells += big(cell << 16, 4) }
        let track = box(
            "tkhd", version, times(trackCreated ?? created), big(1, 4), zeros(4), length, zeros(16), cells,
            big(0x4000_0000, 4), big(width << 16, 4), big(height << 16, 4))
        let media = box("mdia", box("hdlr", zeros(8), text("vide"), zeros(13)))
        return box("ftyp", text(brand), big(0, 4), text(brand))
            + box(
                "moov", header, box("trak", track, media),
                hasKeysInUserData ? box("udta", keyed(keys, version: big(0, 4))) : keyed(keys),
                named(userData), boxes) + box("mdat", [0])
    }

    /// Returns Apple's metadata: names, and values by the index of the name.
    private static func keyed(
        _ keys: [(name: String, value: String)], version: [UInt8] = []
    ) -> [UInt8] {
        guard !keys.isEmpty else { return [] }
        var names: [UInt8] = []
        var values: [UInt8] = []
        for (index, key) in keys.enumerated() {
            names += box("mdta", text(key.name))
            let data = box("data", big(1, 4), big(0, 4), text(key.value))
            values += big(data.count + 8, 4) + big(index + 1, 4) + data
        }
        return box(
            "meta", version, box("hdlr", zeros(8), text("mdta"), zeros(13)),
            box("keys", big(0, 4), big(keys.count, 4), names), box("ilst", values))
    }

    /// Returns QuickTime's user data by four-character codes.
    private static func named(_ entries: [(code: String, value: String)]) -> [UInt8] {
        guard !entries.isEmpty else { return [] }
        var boxes: [UInt8] = []
        for entry in entries {
            boxes += box(entry.code, big(text(entry.value).count, 2), big(0x15C7, 2), text(entry.value))
        }
        return box("udta", boxes)
    }

    /// Returns a Matroska file of 2.5 seconds.
    ///
    /// - Parameter nanoseconds: The date, in nanoseconds since 2001 UTC.
    package static func matroska(
        type: String = "matroska", nanoseconds: Int = 422_697_600_000_000_000, width: Int = 1920,
        height: Int = 1080, tags: [(name: String, value: String)] = []
    ) -> [UInt8] {
        let length = element(0x4489, 2, big(Int(Double(2500).bitPattern), 8))
        let information =
            element(0x2AD7B1, 3, big(1_000_000, 3)) + length + element(0x4461, 2, big(nanoseconds, 8))
        let sides = element(0xB0, 1, big(width, 2)) + element(0xBA, 1, big(height, 2))
        let track = element(0xAE, 1, element(0xE0, 1, sides))
        let texts = tags.flatMap {
            element(0x67C8, 2, element(0x45A3, 2, text($0.name)) + element(0x4487, 2, text($0.value)))
        }
        return element(0x1A45_DFA3, 4, element(0x4282, 2, text(type)))
            + element(
                0x1853_8067, 4,
                element(0x1549_A966, 4, information) + element(0x1654_AE6B, 4, track)
                    + element(0x1254_C367, 4, element(0x7373, 2, texts)))
    }

    /// Returns an EBML element: ID, length of two bytes, contents.
    private static func element(_ name: Int, _ count: Int, _ content: [UInt8]) -> [UInt8] {
        big(name, count) + big(0x4000 | content.count, 2) + content
    }

    /// Returns an AVI of 25 frames in one second.
    ///
    /// - Parameter more: More chunks.
    package static func avi(width: Int = 640, height: Int = 480, date: String? = nil, _ more: [UInt8] = [])
        -> [UInt8]
    {
        let times = little(40_000, 4) + zeros(12) + little(25, 4)
        let header = times + zeros(12) + little(width, 4) + little(height, 4)
        let stated = date.map { chunk("IDIT", text($0)) } ?? []
        let list = chunk("LIST", text("hdrl") + chunk("avih", header) + stated)
        return RIFFChunk.file("AVI ", list + more)
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}
