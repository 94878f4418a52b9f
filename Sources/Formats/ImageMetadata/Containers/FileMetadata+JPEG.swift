internal import Basics
internal import Containers
internal import Files
internal import ViewportGeometry

extension FileMetadata {
    /// Reads the segments of a JPEG up to its compressed data.
    ///
    /// Source: ITU-T T.81, annex B; CIPA DC-008 (EXIF), XMP part 3, CIPA DC-007 (MPF).
    mutating func readJPEG(_ bytes: FileBytes) throws(FileError) {
        var segments = JPEGSegments(bytes)
        var words = JPEGWords()
        while let segment = try segments.next(), !segment.endsHeader {
            if !words.take(segment.marker, bytes.extracting(segment.body)) { read(segment, in: bytes) }
        }
        readXMP(words.packet)
        readIPTC(words.resources)
        if date?.source.isOfCapture != true { offer(try MakerDate.ofSegments(in: bytes)) }
    }

    private mutating func read(_ segment: JPEGSegment, in bytes: FileBytes) {
        let range = segment.body
        let body = bytes.extracting(range)
        switch segment.marker {
        case _ where segment.isFrame:
            guard storedSize == nil, let height = body.uint16(at: 1), let width = body.uint16(at: 3) else {
                return
            }
            storedSize = PixelSize(width: width, height: height)
        case 0xE0 where body.has("JFIF\0"):
            guard let unit = body.uint8(at: 7), (1...2).contains(unit), let across = body.uint16(at: 8),
                let down = body.uint16(at: 10)
            else { return }
            resolution = Resolution(jfif: unit, across, down)
            pixelsPerMillimeter = Self.density(
                Double(across), Double(down), millimeters: unit == 2 ? 10 : 25.4)
        case 0xE1 where body.has("Exif\0\0"): readExif(range, in: bytes)
        case 0xE2 where body.has("MPF\0"):
            let block = (range.lowerBound + 4)..<range.upperBound
            offer(preview: Self.multiPicture(block, in: bytes), in: bytes)
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
