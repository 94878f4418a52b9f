/// Cameras' own formats, made of their headers and a small JPEG; all are 4000x3000 as stored.
package enum RawMaker {
    /// A JPEG of its own inside of the others.
    package static let preview = PhotoMaker.jpeg(width: 1600, height: 1200, exif: SampleFiles.exif)

    /// The picture is below the first directory, which holds a small one, and is cropped.
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

    /// Panasonic's: the sensor's borders, and a JPEG with all of EXIF.
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

    /// Fujifilm's: a JPEG at 120, and a list of tags behind it.
    package static let raf: [UInt8] = {
        let start = text("FUJIFILMCCD-RAW 0201FF000000")
        let list = big(1, 4) + big(0x0111, 2) + big(4, 2) + big(3000, 2) + big(4000, 2)
        let places = big(120, 4) + big(preview.count, 4) + big(120 + preview.count, 4) + big(list.count, 4)
        let head = start + [UInt8](repeating: 0, count: 84 - start.count) + places
        return head + [UInt8](repeating: 0, count: 120 - head.count) + preview + list
    }()

    /// Canon's older one: "CR" behind the header, the first directory at 16 with a JPEG as its strip.
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

    /// Canon's newer one: a TIFF block for each of EXIF's directories.
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

    /// A TIFF with offsets of 64 bits: 4000x3000, orientation 1.
    package static let bigTIFF: [UInt8] = {
        var file = text("II") + little(43, 2) + little(8, 2) + little(0, 2) + little(16, 8) + little(2, 8)
        for (tag, value) in [(0x0100, 4000), (0x0101, 3000)] {
            file += little(tag, 2) + little(4, 2) + little(1, 8) + little(value, 8)
        }
        return file + little(0, 8)
    }()
}
