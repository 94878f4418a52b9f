internal import Basics
internal import ViewportGeometry

extension FileMetadata {
    /// Reads the segments of a JPEG up to its compressed data.
    ///
    /// Source: ITU-T T.81, annex B; CIPA DC-008 (EXIF), XMP part 3, CIPA DC-007 (MPF).
    mutating func readJPEG(_ bytes: FileBytes) {
        var at = 2
        while let marker = Self.nextMarker(in: bytes, &at) {
            // Markers without parameters.
            if marker == 0x01 || (0xD0...0xD8).contains(marker) { continue }
            guard marker != 0xDA, marker != 0xD9, let length = bytes.uint16(at: at), length >= 2 else {
                return
            }
            let body = (at + 2)..<min(at + length, bytes.count)
            readSegment(marker, body, in: bytes)
            at += length
        }
    }

    /// Returns the second byte of the next marker and advances `at` past it.
    ///
    /// Bytes that are not markers are skipped, as decoders do.
    static func nextMarker(in bytes: FileBytes, _ at: inout Int) -> Int? {
        while at < bytes.count, bytes[at] != 0xFF { at += 1 }
        while at < bytes.count, bytes[at] == 0xFF { at += 1 }
        defer { at += 1 }
        return bytes.uint8(at: at)
    }

    private mutating func readSegment(_ marker: Int, _ range: Range<Int>, in bytes: FileBytes) {
        guard let body = bytes.slice(range) else { return }
        switch marker {
        case 0xC4, 0xC8, 0xCC: break
        case 0xC0...0xCF:
            guard storedSize == nil, let height = body.uint16(at: 1), let width = body.uint16(at: 3) else {
                return
            }
            storedSize = PixelSize(width: width, height: height)
        case 0xE1 where body.has("Exif\0\0"): readExif(range, in: bytes)
        case 0xE1 where body.has("http://ns.adobe.com/xap/1.0/\0"): readXMP(body.extracting(29...))
        case 0xE2 where body.has("MPF\0"):
            let block = (range.lowerBound + 4)..<range.upperBound
            offer(preview: Self.multiPicture(block, in: bytes), in: bytes)
        case 0xED where body.has("Photoshop 3.0\0"):
            let resources = body.extracting(14...)
            if let range = IPTCRecord.range(inResources: resources) { readIPTC(resources.extracting(range)) }
        default: break
        }
    }

    /// The largest of the smaller pictures after the first; their offsets count from the block's byte-order mark.
    private static func multiPicture(_ range: Range<Int>, in bytes: FileBytes) -> Range<Int>? {
        guard let part = bytes.slice(range), let block = TIFFBlock(part), let main = block.main,
            let entries = main.bytes(0xB002)
        else { return nil }
        var best: Range<Int>?
        for entry in stride(from: 16, to: entries.count - 15, by: 16) {
            // "Large thumbnail" of either size; other pictures show another view or moment.
            guard let kind = entries.uint32(at: entry, block.order), (1...2).contains(kind & 0xFFFF),
                kind & 0xFF0000 == 0x010000,
                let length = entries.uint32(at: entry + 4, block.order),
                let offset = entries.uint32(at: entry + 8, block.order), length > best?.count ?? 0
            else { continue }
            best = (range.lowerBound + offset)..<(range.lowerBound + offset + length)
        }
        return best
    }
}
