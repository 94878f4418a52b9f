import Containers
import TestSupport
import Testing
import ViewportGeometry

@testable import ImageMetadata

@Suite("EXIF, XMP and IPTC of a file")
struct MetadataBlocksTests {
    private static let iptc = PhotoMaker.iptc([(5, "ON"), (25, "k1"), (25, "k2")])
    private static let xmp = XMPMaker.packet([("xmp:Rating", "4")])

    private static func exif(make: String, orientation: Int = 1) -> [UInt8] {
        ExifBuilder(bigEndian: true).block([(0x010F, .text(make)), (0x0112, .short(orientation))])
    }

    /// Returns a profile in ImageMagick's text form.
    private static func profile(_ heading: String, _ bytes: [UInt8]) -> [UInt8] {
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return text("\n\(heading)\n    \(bytes.count)\n\(digits)\n")
    }

    private static func blocks(_ file: [UInt8], _ name: String = "x") throws -> MetadataBlocks {
        try #require(FileMetadata(contentsOf: FileBytes(file), name: name, .blocks)?.blocks)
    }

    @Test("is not kept unless it is asked for, and words are left out where only EXIF is needed")
    func extent() throws {
        let file = PhotoMaker.jpeg(exif: Self.exif(make: "A"), xmp: Self.xmp, iptc: Self.iptc)
        let all = try #require(FileMetadata(contentsOf: FileBytes(file), name: "x"))
        #expect(all.blocks == nil && all.rating == 4 && all.keywords == ["k1", "k2"])
        let short = try #require(FileMetadata(contentsOf: FileBytes(file), name: "x", .exif))
        #expect(short.make == "A" && short.rating == nil && short.keywords.isEmpty)
        let blocks = try Self.blocks(file)
        #expect(
            blocks.exif == Self.exif(make: "A") && blocks.xmp == text(Self.xmp) && blocks.iptc == Self.iptc)
    }

    // MARK: PNG

    @Test("is read from a chunk of EXIF before and behind the image data", arguments: [0, 1, 2, 3, 5, 300])
    func lateExif(_ chunks: Int) throws {
        let data = Array(repeating: (type: "IDAT", body: [UInt8](repeating: 1, count: 100)), count: chunks)
        let rest = [(type: "IDAT", body: [UInt8](repeating: 2, count: 7))]
        let exif = [(type: "eXIf", body: Self.exif(make: "Late", orientation: 6))]
        for order in [exif + data + rest, data + rest + exif, data + exif] {
            let file = PhotoMaker.png(order.isEmpty ? exif : order)
            let metadata = try #require(FileMetadata(of: file))
            #expect(metadata.make == "Late")
            #expect(metadata.uprightSize == PixelSize(width: 480, height: 640))
        }
    }

    @Test(
        "is read from profiles of PNG, whatever their names and headings",
        arguments: ["exif", "APP1", "xmp", "iptc", "8bim"])
    func profiles(_ name: String) throws {
        let forms: [([UInt8], KeyPath<MetadataBlocks, [UInt8]?>, [UInt8])] = [
            (text("Exif\0\0") + Self.exif(make: "P"), \.exif, Self.exif(make: "P")),
            (Self.exif(make: "P"), \.exif, Self.exif(make: "P")),
            (text(Self.xmp), \.xmp, text(Self.xmp)),
            (text("http://ns.adobe.com/xap/1.0/\0" + Self.xmp), \.xmp, text(Self.xmp)),
            (Self.iptc, \.iptc, Self.iptc),
            (PhotoMaker.resources(Self.iptc), \.iptc, Self.iptc),
        ]
        for (content, path, expected) in forms {
            for heading in [name, "\(name) profile"] {
                let chunk = text("Raw profile type \(name)\0") + Self.profile(heading, content)
                #expect(try Self.blocks(PhotoMaker.png([("tEXt", chunk)]))[keyPath: path] == expected)
            }
        }
    }

    // MARK: JPEG

    @Test("is that of the first block of EXIF that can be read")
    func twoExif() throws {
        let second = (marker: UInt8(0xE1), body: text("Exif\0\0") + Self.exif(make: "Second", orientation: 6))
        let both = try #require(
            FileMetadata(of: PhotoMaker.jpeg(exif: Self.exif(make: "First"), more: [second])))
        #expect(both.make == "First" && both.orientation == .up)
        #expect(
            try Self.blocks(PhotoMaker.jpeg(exif: [1, 2, 3], more: [second])).exif
                == Self.exif(make: "Second", orientation: 6))
    }

    @Test("is joined where Photoshop's resources are divided between segments", arguments: [1, 12, 40])
    func dividedResources(_ place: Int) throws {
        let resources = PhotoMaker.resources(Self.iptc)
        let parts = [resources[..<place], resources[place...]].map {
            (marker: UInt8(0xED), body: text("Photoshop 3.0\0") + $0)
        }
        #expect(try Self.blocks(PhotoMaker.jpeg(more: parts)).iptc == Self.iptc)
    }

    private static let digest = "0123456789ABCDEF0123456789ABCDEF"

    /// Returns the segments of the second part of a packet, in pieces of a size.
    private static func pieces(_ packet: [UInt8], _ size: Int, total: Int? = nil) -> [(
        marker: UInt8, body: [UInt8]
    )] {
        stride(from: 0, to: packet.count, by: size).map { start in
            (
                0xE1,
                text("http://ns.adobe.com/xmp/extension/\0\(digest)") + big(total ?? packet.count, 4)
                    + big(start, 4)
                    + packet[start..<min(start + size, packet.count)]
            )
        }
    }

    private static let main = #"""
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
         xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
         xmlns:xmpNote="http://ns.adobe.com/xmp/note/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Rating="2"
         xmpNote:HasExtendedXMP="0123456789abcdef0123456789ABCDEF"/></r:RDF></x:xmpmeta>
        """#
    private static let more = text(
        #"""
        <x:xmpmeta xmlns:x="adobe:ns:meta/" xmlns:dc="http://purl.org/dc/elements/1.1/"><rdf:RDF
         xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:xmp="http://ns.adobe.com/xap/1.0/"><rdf:Description
         rdf:about="" xmp:Rating="5"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">A &amp; B</rdf:li></rdf:Alt></dc:title>
        </rdf:Description></rdf:RDF></x:xmpmeta>
        """#)

    @Test("has the second part of an XMP packet, in any pieces and order", arguments: [7, 64, 100_000])
    func extended(_ size: Int) throws {
        for pieces in [Self.pieces(Self.more, size), Self.pieces(Self.more, size).reversed()] {
            let metadata = try #require(FileMetadata(of: PhotoMaker.jpeg(xmp: Self.main, more: pieces)))
            #expect(metadata.title == "A & B")
            #expect(metadata.rating == 2, "the first part holds")
        }
        let packet = try #require(
            try Self.blocks(PhotoMaker.jpeg(xmp: Self.main, more: Self.pieces(Self.more, size))).xmp)
        #expect(XMPPacket(FileBytes(packet)).first("xmpNote:HasExtendedXMP") == nil)
        #expect(
            try #require(
                FileMetadata(of: PhotoMaker.png([PhotoMaker.pngXMP(String(decoding: packet, as: UTF8.self))]))
            ).title == "A & B")
    }

    @Test("lacks a second part that is not whole, or that the first part does not name")
    func strangeExtension() throws {
        let pieces = Self.pieces(Self.more, 64)
        let unnamed = Self.main.replacing("abcdef", with: "abcde0")
        for (main, more) in [
            (Self.main, Array(pieces.dropFirst())), (Self.main, Array(pieces.dropLast())), (unnamed, pieces),
            (Self.main, Self.pieces(Self.more, 64, total: 0xFFFF_FFFF)),
            (Self.main, [(0xE1, Array(pieces[0].body.prefix(50)))]),
        ] {
            let metadata = try #require(FileMetadata(of: PhotoMaker.jpeg(xmp: main, more: more)))
            #expect(metadata.title == nil && metadata.rating == 2)
        }
    }

    @Test("has an XMP packet of any length after it was divided for segments", arguments: [1, 2, 3])
    func divided(_ count: Int) throws {
        let long = (0..<count).map { "<dc:long\($0)>\(String(repeating: "x", count: 40_000))</dc:long\($0)>" }
            .joined()
        let packet = text(
            XMPMaker.packet(
                [("xmp:Rating", "4"), ("dc:source", String(repeating: "y", count: 70_000))], elements: long))
        let divided = try #require(XMPPacket.divided(packet, longest: 65_000))
        let first = divided.first(digest: Self.digest)
        #expect(first.count <= 65_000)
        let file = PhotoMaker.jpeg(
            xmp: String(decoding: first, as: UTF8.self), more: Self.pieces(divided.second, 60_000))
        let joined = try #require(try Self.blocks(file).xmp)
        let values = XMPPacket(FileBytes(joined))
        #expect(values.first("xmp:Rating") == "4" && values.first("dc:source")?.count == 70_000)
        for number in 0..<count { #expect(values.first("dc:long\(number)")?.count == 40_000) }
    }

    @Test("has an XMP packet that cannot be divided as a whole")
    func undivided() {
        #expect(XMPPacket.divided(text(Self.xmp), longest: 100) == nil)
        #expect(XMPPacket.divided(text("<a"), longest: 1) == nil)
    }

    // MARK: TIFF and JPEG XL

    @Test("is made of the directories of a TIFF, with TIFF/EP's tags of the shot", arguments: [true, false])
    func directories(_ isBig: Bool) throws {
        let swapped = Self.iptc + [UInt8](repeating: 0, count: -Self.iptc.count & 3)
        let tiff = ExifBuilder(bigEndian: isBig).block([
            (0x0100, .long(640)), (0x0101, .short(480)), (0x010F, .text("Maker")), (0x0111, .long(8)),
            (0x83BB, .bytes(swapped.indices.map { swapped[$0 ^ 3] })),
            (0x8769, .directory([(0x9011, .text("+02:00")), (0x927C, .bytes([1, 2, 3, 4, 5]))])),
            (0x8825, .directory([(0x1D, .text("2014:05:25"))])),
            (0x9003, .text("2014:05:25 10:00:00")),
        ])
        let blocks = try Self.blocks(tiff)
        let exif = try #require(blocks.exif.flatMap { Exif($0) })
        #expect(exif.make == "Maker" && exif.date?.description == "2014-05-25T10:00:00+02:00")
        let main = try #require(TIFFBlock(FileBytes(blocks.exif ?? []))?.main)
        #expect(
            !main.has(0x0111) && main.directory(0x8769)?.has(0x927C) == false && main.directory(0x8825) != nil
        )
        #expect(FileMetadata(of: tiff)?.keywords == ["k1", "k2"])
    }

    @Test("is read from boxes of JPEG XL that are compressed with Brotli", .enabled(if: hasBrotli))
    func brotli() throws {
        let file =
            box("JXL ", [0x0D, 0x0A, 0x87, 0x0A])
            + box("brob", text("Exif"), stored(big(0, 4) + Self.exif(make: "B")))
            + box("brob", text("xml "), stored(text(Self.xmp))) + box("jxlc", [0xFF, 0x0A, 0xF8, 0x3E, 0x0B])
        let metadata = try #require(FileMetadata(of: file))
        #expect(metadata.make == "B" && metadata.rating == 4)
    }
}

/// Returns a Brotli stream of one stored block.
///
/// Source: RFC 7932, sections 9.1 and 9.2.
private func stored(_ bytes: [UInt8]) -> [UInt8] { little((bytes.count - 1) << 4 | 1 << 20, 3) + bytes + [3] }

private let hasBrotli = Brotli.inflated(FileBytes(stored([1, 2, 3])), limit: 100) == [1, 2, 3]
