internal import Containers
internal import ImageMetadata
internal import ImageReading
internal import ViewportGeometry

extension JPEGFile.Segment {
    var isExif: Bool { marker == 0xE1 && begins(with: "Exif\0") }
    var isXMP: Bool { marker == 0xE1 && begins(with: JPEGFile.xmpName) }
    /// Whether it is a part of an XMP packet that is too long for one segment.
    var isMoreXMP: Bool { marker == 0xE1 && begins(with: "http://ns.adobe.com/xmp/extension/\0") }
    var isPhotoshop: Bool { marker == 0xED && begins(with: JPEGFile.photoshopName) }
    /// Whether it is about further pictures in the file, which are not copied: their index, or a gain map.
    var isOfMorePictures: Bool {
        marker == 0xE2 && (begins(with: "MPF\0") || begins(with: GainMapValues.isoName))
    }
}

extension JPEGFile {
    static let xmpName = "http://ns.adobe.com/xap/1.0/\0"
    static let photoshopName = "Photoshop 3.0\0"

    /// Adapts metadata to the new picture: sets size and orientation, and removes the preview of the old one.
    mutating func describe(
        _ size: (width: Int, height: Int), _ orientation: Orientation, _ panorama: PanoramaChange,
        isSRGB: Bool = false
    ) {
        segments.removeAll(where: \.isOfMorePictures)
        for index in segments.indices {
            let body = segments[index].body
            if segments[index].isExif, var exif = ExifBlock(body) {
                exif.describe(size, orientation, isSRGB: isSRGB)
                segments[index].body = Array("Exif\0\0".utf8) + exif.bytes
            } else if segments[index].isXMP {
                let name = Array(JPEGFile.xmpName.utf8)
                segments[index].body =
                    name
                    + XMPChange.describing(
                        Array(body.dropFirst(name.count)), size, orientation, panorama)
            } else if segments[index].isPhotoshop {
                segments[index].body = PhotoshopResources.withoutPreview(body)
            }
        }
    }
}

/// Photoshop image resources, which contain the IPTC record and a preview.
enum PhotoshopResources {
    /// Returns the body of a segment without the preview.
    static func withoutPreview(_ body: [UInt8]) -> [UInt8] {
        let head = JPEGFile.photoshopName.utf8.count
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
        guard body.starts(with: JPEGFile.photoshopName.utf8) else { return body }
        return resources(body).first { $0.number == 0x0404 }.map { Array(body[$0.data]) }
    }

    /// Returns the body of a segment that contains only an IPTC record.
    static func body(iptc: [UInt8]) -> [UInt8] {
        let size = (0..<4).reversed().map { UInt8(truncatingIfNeeded: iptc.count >> (8 * $0)) }
        return Array(JPEGFile.photoshopName.utf8) + Array("8BIM".utf8) + [4, 4, 0, 0] + size + iptc
            + [UInt8](repeating: 0, count: iptc.count & 1)
    }

    private static func resources(_ body: [UInt8]) -> [(number: Int, range: Range<Int>, data: Range<Int>)] {
        var found: [(Int, Range<Int>, Range<Int>)] = []
        var at = JPEGFile.photoshopName.utf8.count
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
