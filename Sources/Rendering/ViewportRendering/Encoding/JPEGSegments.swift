internal import Basics
internal import ImageMetadata
internal import ViewportGeometry

/// The metadata segments of a JPEG, which precede its tables and pixels.
struct JPEGSegments {
    struct Segment {
        var marker: UInt8
        var body: [UInt8]

        func begins(with name: String) -> Bool { body.starts(with: name.utf8) }

        var isExif: Bool { marker == 0xE1 && begins(with: "Exif\0") }
        var isXMP: Bool { marker == 0xE1 && begins(with: JPEGSegments.xmpName) }
        /// Whether it is a part of an XMP packet that is too long for one segment.
        var isMoreXMP: Bool { marker == 0xE1 && begins(with: "http://ns.adobe.com/xmp/extension/\0") }
        var isPhotoshop: Bool { marker == 0xED && begins(with: JPEGSegments.photoshopName) }
        /// Whether it is about further pictures in the file, which are not copied: their index, or a gain map.
        var isOfMorePictures: Bool {
            marker == 0xE2 && (begins(with: "MPF\0") || begins(with: GainMapValues.isoName))
        }
    }

    var segments: [Segment] = []
    private let rest: [UInt8]

    static let xmpName = "http://ns.adobe.com/xap/1.0/\0"
    static let photoshopName = "Photoshop 3.0\0"
    /// The maximum size of a segment in bytes.
    static let longestBody = 65533

    /// - Precondition: `file` begins with the start-of-image marker.
    init(_ file: [UInt8]) {
        var end = 2
        segments = Self.read(file.span, isWhole: false, end: &end)
        rest = Array(file[end...])
    }

    /// Reads the application segments and comments that precede the pixels of a JPEG, without the rest.
    init(head: Span<UInt8>) {
        var end = 2
        segments = Self.read(head, isWhole: true, end: &end)
        rest = []
    }

    /// - Parameter isWhole: whether other segments are skipped; otherwise the first of them ends the list.
    private static func read(_ file: Span<UInt8>, isWhole: Bool, end at: inout Int) -> [Segment] {
        var segments: [Segment] = []
        while at + 4 <= file.count, file[at] == 0xFF, file[at + 1] != 0xDA {
            let marker = file[at + 1]
            let isOfPicture = (0xE0...0xEF).contains(marker) || marker == 0xFE
            let length = Int(file[at + 2]) << 8 | Int(file[at + 3])
            guard isOfPicture || isWhole, length >= 2, at + 2 + length <= file.count else { break }
            if isOfPicture {
                segments.append(
                    Segment(marker: marker, body: ((at + 4)..<(at + 2 + length)).map { file[$0] }))
            }
            at += 2 + length
        }
        return segments
    }

    /// The file with the current segments; segments that are too long are left out.
    var file: [UInt8] {
        var file: [UInt8] = [0xFF, 0xD8]
        for segment in segments where segment.body.count <= Self.longestBody {
            let length = segment.body.count + 2
            file += [0xFF, segment.marker, UInt8(length >> 8), UInt8(length & 255)]
            file += segment.body
        }
        return file + rest
    }

    /// Adapts metadata to the new picture: sets size and orientation, and removes the preview of the old one.
    mutating func describe(
        _ size: (width: Int, height: Int), _ orientation: Orientation, isSRGB: Bool = false
    ) {
        segments.removeAll(where: \.isOfMorePictures)
        for index in segments.indices {
            let body = segments[index].body
            if segments[index].isExif, var exif = ExifBlock(body) {
                exif.describe(size, orientation, isSRGB: isSRGB)
                segments[index].body = Array("Exif\0\0".utf8) + exif.bytes
            } else if segments[index].isXMP {
                segments[index].body = XMPChange.describing(body, size, orientation)
            } else if segments[index].isPhotoshop {
                segments[index].body = PhotoshopResources.withoutPreview(body)
            }
        }
    }

    /// Inserts segments after the JFIF segment.
    mutating func insert(_ added: [Segment]) {
        let place = segments.prefix { $0.marker == 0xE0 }.count
        segments.insert(contentsOf: added, at: place)
    }
}

/// Photoshop image resources, which contain the IPTC record and a preview.
enum PhotoshopResources {
    /// Returns the body of a segment without the preview.
    static func withoutPreview(_ body: [UInt8]) -> [UInt8] {
        let head = JPEGSegments.photoshopName.utf8.count
        var result = Array(body[..<head])
        var end = head
        for resource in resources(body) {
            if ![0x0409, 0x040C].contains(resource.number) { result += body[resource.range] }
            end = resource.range.upperBound
        }
        return result + body[end...]
    }

    /// Returns the IPTC record in the body of a segment; a body without Photoshop's name is the record itself.
    static func iptc(_ body: [UInt8]) -> [UInt8]? {
        guard body.starts(with: JPEGSegments.photoshopName.utf8) else { return body }
        return resources(body).first { $0.number == 0x0404 }.map { Array(body[$0.data]) }
    }

    /// Returns the body of a segment that contains only an IPTC record.
    static func body(iptc: [UInt8]) -> [UInt8] {
        let size = (0..<4).reversed().map { UInt8(truncatingIfNeeded: iptc.count >> (8 * $0)) }
        return Array(JPEGSegments.photoshopName.utf8) + Array("8BIM".utf8) + [4, 4, 0, 0] + size + iptc
            + [UInt8](repeating: 0, count: iptc.count & 1)
    }

    private static func resources(_ body: [UInt8]) -> [(number: Int, range: Range<Int>, data: Range<Int>)] {
        var found: [(Int, Range<Int>, Range<Int>)] = []
        var at = JPEGSegments.photoshopName.utf8.count
        while at + 12 <= body.count, body[at..<(at + 4)].elementsEqual("8BIM".utf8) {
            let number = Int(body[at + 4]) << 8 | Int(body[at + 5])
            // The length of the name and the name, padded to an even size.
            let name = (Int(body[at + 6]) + 2) & ~1
            let data = at + 6 + name + 4
            guard data <= body.count else { break }
            let count = body[(data - 4)..<data].reduce(0) { $0 << 8 | Int($1) }
            let end = data + ((count + 1) & ~1)
            guard data + count <= body.count else { break }
            found.append((number, at..<min(end, body.count), data..<(data + count)))
            at = end
        }
        return found
    }
}

/// The RIFF chunks of a WebP file.
package struct WebPFile {
    private var chunks: [(name: ArraySlice<UInt8>, body: ArraySlice<UInt8>)] = []

    /// - Precondition: `bytes` is a complete file of a trusted encoder.
    init(_ bytes: [UInt8]) {
        // "RIFF", the size of all that follows, "WEBP".
        var rest = bytes.dropFirst(12)
        while rest.count >= 8 {
            let size = rest.dropFirst(4).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            chunks.append((rest.prefix(4), rest.dropFirst(8).prefix(size)))
            // Bodies are padded to an even size.
            rest = rest.dropFirst(8 + size + size % 2)
        }
    }

    /// Returns the file without an EXIF chunk.
    ///
    /// libvips 8.14 writes an EXIF chunk even when everything is stripped.
    func withoutEXIF() -> Self {
        var file = self
        file.chunks.removeAll { $0.name.elementsEqual("EXIF".utf8) }
        for index in file.chunks.indices where file.chunks[index].name.elementsEqual("VP8X".utf8) {
            // The flag for an EXIF chunk.
            file.chunks[index].body[file.chunks[index].body.startIndex] &= ~0b1000
        }
        return file
    }

    var bytes: [UInt8] {
        let body = chunks.flatMap { chunk in
            chunk.name + UInt32(chunk.body.count).bytes(.little) + chunk.body
                + [UInt8](repeating: 0, count: chunk.body.count % 2)
        }
        return Array("RIFF".utf8) + UInt32(4 + body.count).bytes(.little) + Array("WEBP".utf8) + body
    }

    /// Returns the file in the extended format, which alone may have further chunks.
    ///
    /// Source: WebP Container Specification, "Extended File Format".
    package static func extended(_ file: [UInt8]) -> [UInt8] {
        guard file.count >= 30, !file[12..<16].elementsEqual("VP8X".utf8) else { return file }
        let isLossless = file[12..<16].elementsEqual("VP8L".utf8)
        let bits = file[21..<25].reversed().reduce(0) { $0 << 8 | Int($1) }
        let width = isLossless ? bits & 0x3FFF : ((Int(file[26]) | Int(file[27]) << 8) & 0x3FFF) - 1
        let height = isLossless ? bits >> 14 & 0x3FFF : ((Int(file[28]) | Int(file[29]) << 8) & 0x3FFF) - 1
        let flags: UInt8 = isLossless && bits >> 28 & 1 == 1 ? 0x10 : 0
        var head = ByteWriter(.little, Array("VP8X".utf8))
        head.append(10, size: 4)
        head.append(contentsOf: [flags, 0, 0, 0])
        for side in [width, height] { head.append(side, size: 3) }
        return file[..<12] + head.bytes + file[12...]
    }

    /// Returns the file with another chunk at its end and a flag set in VP8X.
    func adding(_ name: String, _ body: [UInt8], flag: UInt8 = 0) -> Self {
        var file = self
        for index in file.chunks.indices where file.chunks[index].name.elementsEqual("VP8X".utf8) {
            file.chunks[index].body[file.chunks[index].body.startIndex] |= flag
        }
        file.chunks.append((Array(name.utf8)[...], body[...]))
        return file
    }
}
