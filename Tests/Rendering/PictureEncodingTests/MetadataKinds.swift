import Basics
import Containers
import ImageMetadata
import TestSupport
import Testing
import Vips

/// A picture with metadata in one of the places where programs write it.
struct MetadataKind: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let format: FileFormat
    let file: @Sendable () throws -> [UInt8]
    /// The parts that it has.
    let has: Set<Part>

    enum Part: CaseIterable { case exif, xmp, iptc }

    /// Whether libvips has what writes and reads it.
    var isInstalled: Bool { (try? file()) != nil }

    // MARK: What all of them state

    static let make = "Maker"
    static let date = "2014-05-25T10:00:00.25+02:00"
    static let rating = 4
    static let keyword = "Paris"

    private static let xmp = XMPMaker.packet([("xmp:Rating", "4")])
    private static let iptc = PhotoMaker.iptc([(25, "Paris")])

    private static func exif(_ isBig: Bool, orientation: Int = 6) -> [UInt8] {
        SampleFiles.exif(bigEndian: isBig, orientation: orientation)
    }

    // MARK: The kinds

    static let all: [MetadataKind] = (jpegs + pngs + webps + tiffs + others).filter(\.isInstalled)

    private init(
        _ name: String, _ format: FileFormat, _ has: Set<Part>,
        _ file: @escaping @Sendable () throws -> [UInt8]
    ) {
        (testDescription, self.format, self.has, self.file) = ("\(format), \(name)", format, has, file)
    }

    // MARK: JPEG

    private static func jpeg(_ segments: [(UInt8, [UInt8])]) throws -> [UInt8] {
        var file = JPEGFile(try picture("jpegsave_buffer"))
        file.segments = segments.map { .init(marker: $0, body: $1) }
        return file.bytes
    }

    private static func picture(_ saver: String, _ arguments: [String: VipsArgument] = [:]) throws -> [UInt8]
    {
        try TestImages.photo(width: 64, height: 48).saved(
            with: saver, arguments.merging(["strip": .bool(true)]) { old, _ in old })
    }

    private static func app1(_ exif: [UInt8]) -> (UInt8, [UInt8]) { (0xE1, text("Exif\0\0") + exif) }
    private static let xmpSegment = (UInt8(0xE1), text("http://ns.adobe.com/xap/1.0/\0" + xmp))
    private static let resources = PhotoMaker.resources(iptc)
    private static func app13(_ part: some Sequence<UInt8>) -> (UInt8, [UInt8]) {
        (0xED, text("Photoshop 3.0\0") + part)
    }

    static let jpegs: [MetadataKind] =
        [true, false].flatMap { isBig in
            [
                MetadataKind("EXIF", .jpeg, [.exif]) { try jpeg([app1(exif(isBig))]) },
                MetadataKind("two blocks of EXIF", .jpeg, [.exif]) {
                    let other = ExifBuilder(bigEndian: isBig).block([
                        (0x010F, .text("No")), (0x0112, .short(3)),
                    ])
                    return try jpeg([app1(exif(isBig)), app1(other)])
                },
                MetadataKind("all", .jpeg, [.exif, .xmp, .iptc]) {
                    try jpeg([app1(exif(isBig)), xmpSegment, app13(resources)])
                },
                MetadataKind("EXIF behind XMP", .jpeg, [.exif, .xmp]) {
                    try jpeg([xmpSegment, app1(exif(isBig))])
                },
            ]
        } + [
            MetadataKind("XMP", .jpeg, [.xmp]) { try jpeg([xmpSegment]) },
            MetadataKind("XMP in two packets", .jpeg, [.xmp]) {
                let first = text("http://ns.adobe.com/xap/1.0/\0" + XMPMaker.packet([("dc:source", "a")]))
                return try jpeg([(0xE1, first), xmpSegment])
            },
            MetadataKind("IPTC", .jpeg, [.iptc]) { try jpeg([app13(resources)]) },
            MetadataKind("IPTC before EXIF", .jpeg, [.exif, .iptc]) {
                try jpeg([app13(resources), app1(exif(true))])
            },
            MetadataKind("IPTC in two segments", .jpeg, [.iptc]) {
                try jpeg([app13(resources.prefix(20)), app13(resources.dropFirst(20))])
            },
            MetadataKind("XMP in two parts", .jpeg, [.xmp, .exif]) {
                let long = XMPMaker.packet(
                    [("xmp:Rating", "4")],
                    elements: "<dc:source>\(String(repeating: "z", count: 100_000))</dc:source>")
                guard let divided = XMPPacket.divided(text(long), longest: 1500) else { return [] }
                let digest = String(repeating: "A", count: 32)
                let pieces = stride(from: 0, to: divided.second.count, by: 50_000).map { start in
                    let end = min(start + 50_000, divided.second.count)
                    return (
                        UInt8(0xE1),
                        text("http://ns.adobe.com/xmp/extension/\0" + digest) + big(divided.second.count, 4)
                            + big(start, 4) + divided.second[start..<end]
                    )
                }
                let first = text("http://ns.adobe.com/xap/1.0/\0") + divided.first(digest: digest)
                return try jpeg([app1(exif(true)), (0xE1, first)] + pieces)
            },
        ]

    // MARK: PNG

    private static func png(_ chunks: [(String, [UInt8])], isLate: Bool = false) throws -> [UInt8] {
        let file = try picture("pngsave_buffer")
        let place = isLate ? file.count - 12 : PNGChunk.headerEnd
        return file[..<place] + chunks.flatMap { PNGChunk.bytes(FourCC($0), $1) } + file[place...]
    }

    private static func profile(_ name: String, _ bytes: [UInt8]) -> (String, [UInt8]) {
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return ("tEXt", text("Raw profile type \(name)\0\n\(name)\n\(bytes.count)\n\(digits)\n"))
    }

    private static let pngs: [MetadataKind] = [false, true].flatMap { isLate in
        let place = isLate ? " behind the pixels" : ""
        return [
            MetadataKind("eXIf\(place)", .png, [.exif]) { try png([("eXIf", exif(true))], isLate: isLate) },
            MetadataKind("eXIf, little-endian\(place)", .png, [.exif]) {
                try png([("eXIf", exif(false))], isLate: isLate)
            },
            MetadataKind("XMP\(place)", .png, [.xmp]) { try png([PhotoMaker.pngXMP(xmp)], isLate: isLate) },
            MetadataKind("profile exif\(place)", .png, [.exif]) {
                try png([profile("exif", text("Exif\0\0") + exif(true))], isLate: isLate)
            },
            MetadataKind("profile APP1 with EXIF\(place)", .png, [.exif]) {
                try png([profile("APP1", text("Exif\0\0") + exif(false))], isLate: isLate)
            },
            MetadataKind("profile APP1 with XMP\(place)", .png, [.xmp]) {
                try png([profile("APP1", xmpSegment.1)], isLate: isLate)
            },
            MetadataKind("profile xmp\(place)", .png, [.xmp]) {
                try png([profile("xmp", text(xmp))], isLate: isLate)
            },
            MetadataKind("profile iptc\(place)", .png, [.iptc]) {
                try png([profile("iptc", iptc)], isLate: isLate)
            },
            MetadataKind("profile iptc with resources\(place)", .png, [.iptc]) {
                try png([profile("iptc", resources)], isLate: isLate)
            },
            MetadataKind("profile 8bim\(place)", .png, [.iptc]) {
                try png([profile("8bim", resources)], isLate: isLate)
            },
            MetadataKind("all\(place)", .png, [.exif, .xmp, .iptc]) {
                try png(
                    [profile("iptc", iptc), ("eXIf", exif(true)), PhotoMaker.pngXMP(xmp)], isLate: isLate)
            },
        ]
    }

    // MARK: WebP

    private static func webp(_ chunks: [(FourCC, [UInt8], UInt8)]) throws -> [UInt8] {
        chunks.reduce(WebPFile(WebPFile.extended(try picture("webpsave_buffer"))).withoutEXIF()) {
            $0.adding($1.0, $1.1, flag: $1.2)
        }.bytes
    }

    private static let webps: [MetadataKind] =
        [true, false].flatMap { isBig in
            [
                MetadataKind("EXIF", .webp, [.exif]) { try webp([("EXIF", exif(isBig), 0b1000)]) },
                MetadataKind("EXIF with its name", .webp, [.exif]) {
                    try webp([("EXIF", text("Exif\0\0") + exif(isBig), 0b1000)])
                },
                MetadataKind("EXIF and XMP", .webp, [.exif, .xmp]) {
                    try webp([("EXIF", exif(isBig), 0b1000), ("XMP ", text(xmp), 0b100)])
                },
            ]
        } + [MetadataKind("XMP", .webp, [.xmp]) { try webp([("XMP ", text(xmp), 0b100)]) }]

    // MARK: TIFF

    /// A gray picture whose pixels are the first bytes of the file.
    private static func tiff(_ isBig: Bool, _ tags: [(Int, ExifBuilder.Value)]) -> [UInt8] {
        ExifBuilder(bigEndian: isBig).block(
            ([
                (0x0100, .long(16)), (0x0101, .long(12)), (0x0102, .short(8)), (0x0103, .short(1)),
                (0x0106, .short(1)), (0x0111, .long(8)), (0x0115, .short(1)), (0x0116, .long(12)),
                (0x0117, .long(192)),
                // So that the file has as many bytes as pixels.
                (0xC000, .bytes([UInt8](repeating: 0, count: 256))),
            ] + tags).sorted { $0.0 < $1.0 })
    }

    private static let camera: [(Int, ExifBuilder.Value)] = [
        (0x010F, .text("Maker")), (0x0112, .short(6)),
        (
            0x8769,
            .directory([
                (0x9003, .text("2014:05:25 10:00:00")), (0x9011, .text("+02:00")), (0x9291, .text("25")),
            ])
        ),
    ]

    private static let tiffs: [MetadataKind] = [true, false].flatMap { isBig in
        let swapped = iptc + [UInt8](repeating: 0, count: -iptc.count & 3)
        let order = isBig ? "" : ", little-endian"
        return [
            MetadataKind("EXIF\(order)", .tiff, [.exif]) { tiff(isBig, camera) },
            MetadataKind("XMP\(order)", .tiff, [.xmp]) { tiff(isBig, [(0x02BC, .bytes(text(xmp)))]) },
            MetadataKind("IPTC\(order)", .tiff, [.iptc]) { tiff(isBig, [(0x83BB, .bytes(iptc))]) },
            MetadataKind("IPTC in reversed numbers\(order)", .tiff, [.iptc]) {
                tiff(isBig, [(0x83BB, .bytes(swapped.indices.map { swapped[$0 ^ 3] }))])
            },
            MetadataKind("resources\(order)", .tiff, [.iptc]) { tiff(isBig, [(0x8649, .bytes(resources))]) },
            MetadataKind("all\(order)", .tiff, [.exif, .xmp, .iptc]) {
                tiff(isBig, camera + [(0x02BC, .bytes(text(xmp))), (0x83BB, .bytes(iptc))])
            },
        ]
    }

    // MARK: Others

    /// Returns a file of libvips, which takes the metadata from a JPEG.
    private static func saved(
        _ saver: String, _ arguments: [String: VipsArgument], _ exif: [UInt8]?, _ hasXMP: Bool
    )
        throws -> [UInt8]
    {
        let source = try jpeg([exif.map(app1), hasXMP ? xmpSegment : nil].compactMap(\.self))
        return try VipsImage.load(bytes: source, with: "jpegload_buffer").saved(with: saver, arguments)
    }

    private static let others: [MetadataKind] =
        [(FileFormat.heif, "hevc"), (.avif, "av1")].flatMap { format, codec in
            // Without EXIF, libvips writes a block of its own.
            [([MetadataKind.Part.exif], "EXIF"), ([.exif, .xmp], "EXIF and XMP")].map {
                parts, name in
                MetadataKind(name, format, Set(parts)) {
                    try saved(
                        "heifsave_buffer", ["compression": .name(codec)],
                        parts.contains(.exif) ? exif(true, orientation: 1) : nil, parts.contains(.xmp))
                }
            }
        } + [
            MetadataKind("XMP", .gif, [.xmp]) {
                let file = try picture("gifsave_buffer")
                // Readers of blocks meet one of these lengths, and get to the end. Source: XMP part 3.
                let trailer: [UInt8] = [1] + (0...255).reversed().map { UInt8($0) } + [0]
                return file.dropLast() + [0x21, 0xFF, 11] + text("XMP DataXMP" + xmp) + trailer + [0x3B]
            },
            MetadataKind("boxes", .jp2, [.exif, .xmp, .iptc]) {
                let (exifID, iptcID): ([UInt8], [UInt8]) = (
                    text("JpgTiffExif->JP2"),
                    [
                        0x33, 0xC7, 0xA4, 0xD2, 0xB8, 0x1D, 0x47, 0x23, 0xA0, 0xBA, 0xF1, 0xA3, 0xE0, 0x97,
                        0xAD, 0x38,
                    ]
                )
                let xmpID: [UInt8] = [
                    0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF,
                    0xAC,
                ]
                return try picture("jp2ksave_buffer") + box("uuid", exifID, exif(true, orientation: 1))
                    + box("uuid", xmpID, text(xmp)) + box("uuid", iptcID, iptc)
            },
        ]
}
