package import ImageMetadata

/// Builds files with the structure of TIFF: chained directories, subdirectories, and data that they refer to.
package struct TIFFMaker {
    package enum Value {
        case short(Int)
        case long(Int)
        case text(String)
        case bytes([UInt8])
        case directories([Directory])
        /// The offset of a blob, by its number.
        case start(Int)
        /// The length of a blob.
        case length(Int)
        /// Bytes that depend on their own offset and those of the blobs, but not in their number.
        case note((_ offset: Int, _ blobs: [Int]) -> [UInt8])
    }

    package typealias Directory = [(tag: Int, value: Value)]

    private let bigEndian: Bool
    private var blobs: [(offset: Int, bytes: [UInt8])]
    private var bytes: [UInt8]

    /// Returns a file of directories, each of which is followed by the next one, and blobs at its end.
    ///
    /// - Parameter header: the first bytes; the offset of the first directory replaces the four bytes at 4.
    package static func file(
        bigEndian: Bool = false, header: [UInt8]? = nil, _ chain: [Directory], blobs: [[UInt8]]
    ) -> [UInt8] {
        let start = header ?? (bigEndian ? text("MM") + [0, 42] : text("II") + [42, 0]) + big(0, 4)
        var maker = TIFFMaker(bigEndian: bigEndian, blobs: blobs.map { (0, $0) }, bytes: start)
        // The positions do not depend on the values: the second pass has the offsets of the blobs.
        maker.write(chain)
        var offset = maker.bytes.count
        for index in blobs.indices {
            maker.blobs[index].offset = offset
            offset += blobs[index].count
        }
        maker.bytes = start
        maker.write(chain)
        return maker.bytes + blobs.joined()
    }

    private mutating func write(_ chain: [Directory]) {
        var link = 4
        for directory in chain {
            replace(link, with: number(bytes.count, 4))
            link = bytes.count + 2 + 12 * directory.count
            write(directory)
        }
    }

    private mutating func write(_ directory: Directory) {
        let start = bytes.count
        bytes += number(directory.count, 2) + [UInt8](repeating: 0, count: 12 * directory.count + 4)
        for (index, entry) in directory.enumerated() {
            let (type, count, value) = encoded(entry.value)
            var field = value
            if value.count > 4 {
                field = number(bytes.count, 4)
                bytes += value
            }
            field += [UInt8](repeating: 0, count: 4 - field.count)
            replace(
                start + 2 + 12 * index,
                with: number(entry.tag, 2) + number(type, 2) + number(count, 4) + field)
        }
    }

    private mutating func encoded(_ value: Value) -> (type: Int, count: Int, bytes: [UInt8]) {
        switch value {
        case .short(let value): return (3, 1, number(value, 2))
        case .long(let value): return (4, 1, number(value, 4))
        case .text(let value): return (2, value.utf8.count + 1, Array(value.utf8) + [0])
        case .bytes(let value): return (7, value.count, value)
        case .start(let blob): return (4, 1, number(blobs[blob].offset, 4))
        case .length(let blob): return (4, 1, number(blobs[blob].bytes.count, 4))
        case .note(let make):
            let note = make(bytes.count, blobs.map(\.offset))
            return (7, note.count, note)
        case .directories(let list):
            var offsets: [UInt8] = []
            for directory in list {
                offsets += number(bytes.count, 4)
                write(directory)
            }
            return (4, list.count, offsets)
        }
    }

    private mutating func replace(_ offset: Int, with new: [UInt8]) {
        bytes.replaceSubrange(offset..<(offset + new.count), with: new)
    }

    private func number(_ value: Int, _ count: Int) -> [UInt8] {
        bigEndian ? big(value, count) : little(value, count)
    }
}

extension RawMaker {
    /// The formats with a structure of their own for previews.
    package static let formats: [FileFormat] = [
        .nef, .arw, .cr2, .cr3, .dng, .raf, .orf, .rw2, .pef, .srw,
    ]

    /// Returns a raw file of 6000 x 4000 pixels with two previews as cameras of a maker store them; Fujifilm, Olympus
    /// and Panasonic store only the large one.
    ///
    /// - Parameter orientation: that of IFD0; RAF has none.
    package static func file(
        _ format: FileFormat, large: [UInt8], small: [UInt8], orientation: Int = 6
    ) -> [UInt8] {
        let camera: [FileFormat: String] = [
            .nef: "NIKON CORPORATION", .arw: "SONY", .pef: "PENTAX", .srw: "SAMSUNG", .dng: "Maker",
            .cr2: "Canon", .orf: "OLYMPUS", .rw2: "Panasonic",
        ]
        let date: TIFFMaker.Directory = [(0x9003, .text("2014:05:25 10:00:00"))]
        let details: TIFFMaker.Value = .directories([date])
        let described: TIFFMaker.Directory = [
            (0x010F, .text(camera[format] ?? "")), (0x0112, .short(orientation)), (0x8769, details),
        ]
        func sized(_ width: Int, _ height: Int, _ rest: TIFFMaker.Directory) -> TIFFMaker.Directory {
            [(0x0100, .long(width)), (0x0101, .long(height))] + rest
        }
        func jpeg(_ blob: Int) -> TIFFMaker.Directory { [(0x0201, .start(blob)), (0x0202, .length(blob))] }
        func strip(_ blob: Int, _ compression: Int) -> TIFFMaker.Directory {
            [(0x0103, .short(compression)), (0x0111, .start(blob)), (0x0117, .length(blob))]
        }
        let sensor = sized(6000, 4000, [(0x00FE, .long(0)), (0x0106, .short(32803))] + strip(2, 1))
        let blobs = [large, small, [UInt8](repeating: 7, count: 64)]
        switch format {
        case .nef, .srw:
            return TIFFMaker.file(
                bigEndian: format == .nef,
                [
                    sized(4, 4, [(0x00FE, .long(1))] + described + strip(2, 1))
                        + [(0x014A, .directories([[(0x00FE, .long(1))] + jpeg(0), sensor, jpeg(1)]))]
                ], blobs: blobs)
        case .arw:
            return TIFFMaker.file(
                [[(0x00FE, .long(1))] + described + jpeg(0) + [(0x014A, .directories([sensor]))], jpeg(1)],
                blobs: blobs)
        case .pef:
            return TIFFMaker.file(bigEndian: true, [sensor + described, jpeg(1), jpeg(0)], blobs: blobs)
        case .dng:
            let preview = sized(
                1600, 1200, [(0x00FE, .long(1)), (0x0106, .short(6))] + strip(0, 7))
            let mask = sized(100, 100, [(0x00FE, .long(65540)), (0x0106, .short(52527))] + strip(1, 7))
            return TIFFMaker.file(
                [
                    sized(160, 120, [(0x00FE, .long(1)), (0x0106, .short(6))] + described + strip(1, 7))
                        + [
                            (0x014A, .directories([sensor, preview, mask])), (0xC612, .bytes([1, 4, 0, 0])),
                        ]
                ], blobs: blobs)
        case .cr2:
            // The data of the sensor is a lossless JPEG, and larger than all previews.
            let lossless =
                [0xFF, 0xD8, 0xFF, 0xC3] + big(11, 2) + [8] + big(4000, 2) + big(6000, 2) + [1, 1]
            let data = lossless + [UInt8](repeating: 0, count: large.count + 100)
            return TIFFMaker.file(
                header: text("II") + little(42, 2) + little(0, 4) + text("CR") + [2, 0] + little(0, 4),
                [
                    sized(6000, 4000, described + strip(0, 6)), jpeg(1), strip(2, 1),
                    [(0xC640, .short(1))] + strip(2, 6),
                ], blobs: [large, small, data])
        case .orf:
            return TIFFMaker.file(
                header: text("IIRO") + little(0, 4),
                [
                    sized(6000, 4000, Array(described.dropLast()))
                        + [
                            (
                                0x8769,
                                .directories([date + [(0x927C, .note { olympus($0, $1[0], large.count) })]])
                            )
                        ]
                ], blobs: [large])
        case .rw2:
            return TIFFMaker.file(
                header: [0x49, 0x49, 0x55, 0] + little(0, 4),
                [
                    [
                        (2, .short(0)), (4, .short(0)), (5, .short(0)), (6, .short(4000)), (7, .short(6000)),
                        (0x2E, .bytes(large)),
                    ] + described
                ], blobs: [])
        case .raf:
            var file = raf
            let list = Array(file[(120 + preview.count)...])
            file.replaceSubrange(88..<96, with: big(large.count, 4) + big(120 + large.count, 4))
            return file[..<120] + large + list
        default:
            return canon(large: large, small: small, orientation)
        }
    }

    /// Returns a Nikon raw file of 6000 x 4000 pixels, turned by 90 degrees, with a preview.
    package static func nef(_ preview: [UInt8]) -> [UInt8] { file(.nef, large: preview, small: preview) }

    /// Olympus' maker note: a directory with the camera settings, which refer to the JPEG; offsets count from the note.
    private static func olympus(_ offset: Int, _ jpeg: Int, _ length: Int) -> [UInt8] {
        func directory(_ entries: [(tag: Int, value: Int)]) -> [UInt8] {
            let fields = entries.map { little($0.tag, 2) + little(4, 2) + little(1, 4) + little($0.value, 4) }
            return little(entries.count, 2) + Array(fields.joined()) + little(0, 4)
        }
        let settings = directory([(0x0100, 1), (0x0101, max(jpeg - offset, 0)), (0x0102, length)])
        return text("OLYMPUS\0II") + [3, 0] + directory([(0x2020, 12 + 18)]) + settings
    }

    /// Canon's boxes: a thumbnail and a track with the large JPEG, which lies behind them, and the small preview.
    private static func canon(large: [UInt8], small: [UInt8], _ orientation: Int) -> [UInt8] {
        let main = ExifBuilder(bigEndian: false).block([
            (0x0100, .short(6000)), (0x0101, .short(4000)), (0x010F, .text("Canon")),
            (0x0112, .short(orientation)),
        ])
        let details = ExifBuilder(bigEndian: false).block([(0x9003, .text("2014:05:25 10:00:00"))])
        let name: [UInt8] = [
            0x85, 0xC0, 0xB6, 0x87, 0x82, 0x0F, 0x11, 0xE0, 0x81, 0x11, 0xF4, 0xCE, 0x46, 0x2B, 0x6A, 0x48,
        ]
        let previews: [UInt8] = [
            0xEA, 0xF4, 0x2B, 0x5E, 0x1C, 0x98, 0x4B, 0x88, 0xB9, 0xFB, 0xB7, 0xDC, 0x40, 0x6E, 0x4D, 0x16,
        ]
        func head(_ data: Int) -> [UInt8] {
            let visual = big(0, 24) + big(6000, 2) + big(4000, 2) + big(0, 54)
            let entry = box("CRAW", visual, box("JPEG", big(0, 4)))
            let table = box(
                "stbl", box("stsd", big(0, 4), big(1, 4), entry),
                box("stsz", big(0, 8), big(1, 4), big(large.count, 4)),
                box("co64", big(0, 4), big(1, 4), big(data, 8)))
            return box("ftyp", text("crx "), big(1, 4), text("crx isom"))
                + box(
                    "moov", box("uuid", name, box("CMT1", main), box("CMT2", details)),
                    box("trak", box("mdia", box("minf", table))))
                + box(
                    "uuid", previews, big(0, 8),
                    box(
                        "PRVW", big(0, 4), big(1, 2), big(1600, 2), big(1200, 2), big(1, 2),
                        big(small.count, 4), small))
        }
        return head(head(0).count + 8) + box("mdat", large)
    }
}
